// Once a run is going, steps, saves and restores allocate nothing of our own.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

// Not inlined, so that the compiler does not compare malloc and delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace koppla::solver::test {
namespace {

TEST(HotPath, AllocatesNothing) {
  for (const Kind kind : kKinds) {
    Rig rig(equations(oscillator({2.0, 8.0, 0.4, 1.0, 0.0})), with(kind, 0.01), true);
    const std::vector<double> u{1.0, 0.5, 0.2};
    rig.step(0.0, 0.1, u);
    const std::size_t before = allocations;
    for (int i = 1; i < 50; ++i) {
      rig.system->save(subsystem::Slot::macroStep);
      rig.step(0.1 * i, 0.1 * (i + 1), u);
      rig.system->restore(subsystem::Slot::macroStep);
      rig.step(0.1 * i, 0.1 * (i + 1), u);
    }
    EXPECT_EQ(allocations - before, 0U) << word(kind);
  }
}

}  // namespace
}  // namespace koppla::solver::test
