// Once a run is going, steps, saves and restores allocate nothing of our own.

#include <gtest/gtest.h>

#include "rig.hpp"
#include "support/allocations.hpp"

namespace koppla::solver::test {
namespace {

TEST(HotPath, AllocatesNothing) {
  for (const Kind kind : kKinds) {
    Rig rig(equations(oscillator({2.0, 8.0, 0.4, 1.0, 0.0})), with(kind, 0.01), true);
    const std::vector<double> u{1.0, 0.5, 0.2};
    rig.step(0.0, 0.1, u);
    const std::size_t before = koppla::test::allocations();
    for (int i = 1; i < 50; ++i) {
      rig.system->save(subsystem::Slot::macroStep);
      rig.step(0.1 * i, 0.1 * (i + 1), u);
      rig.system->restore(subsystem::Slot::macroStep);
      rig.step(0.1 * i, 0.1 * (i + 1), u);
    }
    EXPECT_EQ(koppla::test::allocations() - before, 0U) << word(kind);
  }
}

}  // namespace
}  // namespace koppla::solver::test
