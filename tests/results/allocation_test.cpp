#include <string>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/csv_recorder.hpp"

#include "support/allocations.hpp"

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
  const std::size_t before = koppla::test::allocations();
  for (int row = 0; row < 20'000; ++row) recorder.row(row, values);  // several blocks
  EXPECT_EQ(koppla::test::allocations(), before);
  recorder.complete();
}

}  // namespace
}  // namespace koppla::results
