// Rows that wait beside a file in HDF5, as a run leaves them that is busy elsewhere or was killed.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/detail/hdf5_pending.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::hdf5_rows_beside_test {
namespace {

namespace fs = std::filesystem;
using core::Type;

/// A value of each type, named against the order of the columns; row k is known.
class RowsBesideTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kInFile = 3;

  void SetUp() override {
    std::vector<Column> columns{{"z.n", Type::integer, "", ""}};
    for (const Column& column : recorded::vectorColumns("w.q", 2)) columns.push_back(column);
    columns.push_back({"c.on", Type::boolean, "", ""});
    columns.push_back({"b.text", Type::string, "", ""});
    columns.push_back({"a.mode", Type::enumeration, "", ""});
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(columns);
    for (int row = 0; row < static_cast<int>(kInFile); ++row)
      recorder.row(0.5 * row, {{1.0 * row, -1.0 * row}, {10 * row, 7}, {row % 2}, {"t" + std::to_string(row)}});
    recorder.abandon();
  }

  template <class Number>
  static std::string bytesOf(Number number) {
    std::string bytes(sizeof(number), '\0');
    std::memcpy(bytes.data(), &number, sizeof(number));
    return bytes;
  }
  /// The parts of such rows, by column, the time last.
  static std::vector<std::string> partsOf(std::uint64_t first, std::uint64_t rows) {
    std::vector<std::string> parts(6);
    for (std::uint64_t k = first; k < first + rows; ++k) {
      const auto row = static_cast<std::int32_t>(k);
      parts[0] += bytesOf(10 * row);
      parts[1] += bytesOf(1.0 * row) + bytesOf(-1.0 * row);
      parts[2] += bytesOf(static_cast<std::uint8_t>(row % 2));
      std::string text = "t" + std::to_string(row);
      text.resize(Hdf5Recorder::kTextBytes);
      parts[3] += text;
      parts[4] += bytesOf(std::int32_t{7});
      parts[5] += bytesOf(0.5 * row);
    }
    return parts;
  }
  void putBeside(std::uint64_t first, std::uint64_t rows, const std::vector<std::string>& parts,
                 const std::string& name = "results.partial.rows") const {
    detail::PendingFile beside((folder_.path() / name).c_str(), first, rows, parts.size());
    for (const std::string& part : parts) beside.add(std::as_bytes(std::span(part)));
  }
  void putBeside(std::uint64_t first, std::uint64_t rows) const { putBeside(first, rows, partsOf(first, rows)); }

  /// Whether the file has so many rows, all as known.
  void expectRows(std::size_t rows, const std::string& where) const {
    const Table table = load(folder_.path());
    ASSERT_EQ(table.time.size(), rows) << where;
    for (const Series& series : table.series)
      ASSERT_EQ(series.numeric() ? series.numbers.size() : series.texts.size(), rows) << where << series.name;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = static_cast<double>(k);
      EXPECT_EQ(table.time[k], 0.5 * row) << where;
      EXPECT_EQ(table.find("z.n")->numbers[k], 10.0 * row) << where;
      EXPECT_EQ(table.find("w.q[1]")->numbers[k], row) << where;
      EXPECT_EQ(table.find("w.q[2]")->numbers[k], -row) << where;
      EXPECT_EQ(table.find("c.on")->numbers[k], static_cast<double>(k % 2)) << where;
      EXPECT_EQ(table.find("b.text")->texts[k], "t" + std::to_string(k)) << where;
      EXPECT_EQ(table.find("a.mode")->numbers[k], 7.0) << where;
    }
  }

  core::TemporaryFolder folder_{"rows-beside"};
};

TEST_F(RowsBesideTest, AreAddedWhereTheyContinueTheFile) {
  expectRows(kInFile, "nothing beside");
  for (std::uint64_t first = 0; first <= kInFile + 1; ++first)
    for (std::uint64_t rows = 0; rows <= 6; ++rows) {
      putBeside(first, rows);
      const bool continues = first <= kInFile && first + rows > kInFile;
      expectRows(continues ? first + rows : kInFile, std::to_string(first) + " " + std::to_string(rows) + " ");
    }
}

TEST_F(RowsBesideTest, OfOtherColumnsAreLeftOut) {
  const std::vector<std::string> right = partsOf(kInFile, 2);
  std::vector<std::string> fewer = right;
  fewer.pop_back();
  std::vector<std::string> more = right;
  more.push_back(right.back());
  for (const std::vector<std::string>& parts : {fewer, more}) {
    putBeside(kInFile, 2, parts);
    expectRows(kInFile, "another number of parts ");
  }
  for (std::size_t i = 0; i < right.size(); ++i)
    for (const bool longer : {false, true}) {
      std::vector<std::string> parts = right;
      parts[i].resize(longer ? parts[i].size() + 1 : parts[i].size() - 1);
      putBeside(kInFile, 2, parts);
      expectRows(kInFile, "another size of part " + std::to_string(i) + " ");
    }
}

TEST_F(RowsBesideTest, OfACompleteFileAreOfAnotherRun) {
  fs::rename(folder_.path() / "results.partial.h5", folder_.path() / "results.h5");
  putBeside(kInFile, 2, partsOf(kInFile, 2), "results.rows");
  const Table table = load(folder_.path());
  EXPECT_FALSE(table.partial);
  EXPECT_EQ(table.time.size(), kInFile);
}

TEST_F(RowsBesideTest, GoWhereANewRunBegins) {
  putBeside(kInFile, 2);
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(recorded::kTwoReals);
  EXPECT_FALSE(fs::exists(folder_.path() / "results.partial.rows"));
  recorder.complete();
}

}  // namespace
}  // namespace koppla::results::hdf5_rows_beside_test
