#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/csv_recorder.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
// Out of line: where only one of new and delete is inlined, the compiler takes them for a wrong pair.
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

namespace koppla::results {
namespace {

TEST(CsvRecorder, RowsAllocateNothing) {
  const core::TemporaryFolder folder("allocation-test");
  CsvRecorder recorder(folder.path());
  recorder.begin({{"a.x", core::Type::real, "", ""},
                  {"a.n", core::Type::integer, "", ""},
                  {"a.b", core::Type::boolean, "", ""},
                  {"a.s", core::Type::string, "", ""}});
  const core::Values values{{1.0 / 3.0}, {1}, {1}, {"a text that does not fit into a small string"}};
  const std::size_t before = allocations;
  for (int row = 0; row < 20'000; ++row) recorder.row(row, values);  // several blocks
  EXPECT_EQ(allocations, before);
  recorder.complete();
}

}  // namespace
}  // namespace koppla::results
