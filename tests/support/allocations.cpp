#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};
std::atomic<std::size_t> total{0};

}  // namespace

// Out of line: where only one of new and delete is inlined, the compiler takes them for a wrong pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++count;
  total += bytes;
  if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++count;
  total += bytes;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

namespace koppla::test {

std::size_t allocations() {
  return count;
}

std::size_t allocatedBytes() {
  return total;
}

}  // namespace koppla::test
