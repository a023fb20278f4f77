// Rows of CSV at their longest, and a recorder that is used again.

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/block_writer.hpp"
#include "koppla/results/csv_recorder.hpp"

namespace koppla::results::csv_rows_test {
namespace {

using core::Type;

class CsvRowsTest : public testing::Test {
 protected:
  [[nodiscard]] std::string content(const std::string& name = "results.csv") const {
    return core::readWhole(folder_.path() / name);
  }

  core::TemporaryFolder folder_{"csv-rows"};
};

constexpr double kLongest = -2.2250738585072014e-308;

/// So many rows, each of 481 bytes, as long as one of its kind can be: 545 of them are one byte more than a block.
void expectRows(const std::filesystem::path& folder, const std::vector<Column>& columns, const core::Values& values,
                const std::string& cells) {
  constexpr std::size_t kRow = 481;
  constexpr std::size_t kRows = 20'000;
  static_assert(545 * kRow == BlockWriter::kBlock + 1);
  const std::string row = "-2.2250738585072014e-308" + cells + "\n";
  ASSERT_EQ(row.size(), kRow);
  CsvRecorder recorder(folder);
  recorder.begin(columns);
  for (std::size_t i = 0; i < kRows; ++i) recorder.row(kLongest, values);
  recorder.complete();
  const std::string content = core::readWhole(folder / "results.csv");
  const std::size_t head = content.find('\n') + 1;
  ASSERT_EQ(content.size(), head + kRows * kRow);
  for (std::size_t at = head; at < content.size(); at += kRow) ASSERT_EQ(content.compare(at, kRow, row), 0) << at;
}

TEST_F(CsvRowsTest, OfTheLongestIntegersFitIntoTheirRoom) {
  std::string cells;
  for (int i = 0; i < 19; ++i) cells += ",-2147483648,-2147483648";
  std::vector<Column> columns;
  for (int i = 0; i < 38; ++i) columns.push_back({"n", i % 2 == 0 ? Type::integer : Type::enumeration, "", ""});
  expectRows(folder_.path(), columns,
             {{}, std::vector<std::int32_t>(38, std::numeric_limits<std::int32_t>::min()), {}, {}}, cells);
}

TEST_F(CsvRowsTest, OfBooleansFitIntoTheirRoom) {
  std::string cells;
  for (int i = 0; i < 228; ++i) cells += ",1";
  expectRows(folder_.path(), std::vector<Column>(228, {"b", Type::boolean, "", ""}),
             {{}, {}, std::vector<std::int32_t>(228, 1), {}}, cells);
}

TEST_F(CsvRowsTest, OfTheLongestRealsFitIntoTheirRoom) {
  std::string cells;
  for (int i = 0; i < 18; ++i) cells += ",-2.2250738585072014e-308";
  std::vector<Column> columns(18, {"x", Type::real, "", ""});
  columns.resize(21, {"b", Type::boolean, "", ""});
  expectRows(folder_.path(), columns, {std::vector<double>(18, kLongest), {}, {0, 1, 0}, {}}, cells + ",0,1,0");
}

TEST_F(CsvRowsTest, OfTextsThatAreQuotesFitIntoTheirRoom) {
  const std::string first(100, '"');
  const std::string second(125, '"');
  expectRows(folder_.path(), std::vector<Column>(2, {"s", Type::string, "", ""}), {{}, {}, {}, {first, second}},
             ",\"" + first + first + "\",\"" + second + second + "\"");
}

TEST_F(CsvRowsTest, HaveTheirValuesInTheOrderOfTheColumns) {
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a", Type::real, "", ""},
                  {"b", Type::real, "", ""},
                  {"c", Type::integer, "", ""},
                  {"d", Type::enumeration, "", ""},
                  {"e", Type::real, "", ""},
                  {"f", Type::string, "", ""},
                  {"g", Type::string, "", ""},
                  {"h", Type::boolean, "", ""},
                  {"i", Type::boolean, "", ""},
                  {"j", Type::integer, "", ""},
                  {"k", Type::string, "", ""},
                  {"l", Type::boolean, "", ""}});
  recorder.row(-1.0, {{1.5, 2.5, 3.5}, {4, 5, 6}, {0, 7, 1}, {"p", "q", "r"}});
  recorder.complete();
  EXPECT_EQ(content(),
            "\"time\",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\"\n"
            "-1,1.5,2.5,4,5,3.5,\"p\",\"q\",0,1,6,\"r\",1\n");
}

TEST_F(CsvRowsTest, OfARecorderThatIsUsedAgainAreThoseOfTheNewColumns) {
  CsvRecorder recorder(folder_.path(), "history");
  recorder.begin({{"a", Type::real, "", ""},
                  {"n", Type::integer, "", ""},
                  {"b", Type::boolean, "", ""},
                  {"s", Type::string, "", ""}});
  recorder.row(0.0, {{1.0}, {2}, {1}, {"x"}});
  recorder.complete();
  EXPECT_EQ(content("history.csv"), "\"time\",\"a\",\"n\",\"b\",\"s\"\n0,1,2,1,\"x\"\n");
  recorder.begin({{"s", Type::string, "", ""}, {"x", Type::real, "", ""}});
  recorder.row(0.0, {{3.0}, {}, {}, {"y"}});
  recorder.complete();
  EXPECT_EQ(content("history.csv"), "\"time\",\"s\",\"x\"\n0,\"y\",3\n");
}

TEST_F(CsvRowsTest, TheTimeThatTheyTookIsTheSumOfAllRuns) {
  CsvRecorder recorder(folder_.path());
  double before = 0.0;
  for (int run = 0; run < 2; ++run) {
    recorder.begin({{"a", Type::real, "", ""}});
    recorder.row(0.0, {{1.0}, {}, {}, {}});
    recorder.complete();
    EXPECT_GT(recorder.secondsOfBlocks(), before);
    before = recorder.secondsOfBlocks();
  }
}

TEST_F(CsvRowsTest, TheNamesOfTheColumnsAreThereFromTheBeginning) {
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a", Type::real, "", ""}});
  EXPECT_EQ(content("results.partial.csv"), "\"time\",\"a\"\n");
}

}  // namespace
}  // namespace koppla::results::csv_rows_test
