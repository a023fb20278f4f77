#include "koppla/results/hdf5_recorder.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/detail/hdf5_writer.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::hdf5_recorder_test {
namespace {

using recorded::kTwoReals;
using recorded::reals;
using recorded::vectorColumns;

namespace fs = std::filesystem;
using core::Type;

/// A file as another program sees it, by the library's own functions.
class File {
 public:
  explicit File(const fs::path& path) : id_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~File() {
    if (id_ >= 0) H5Fclose(id_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool opened() const { return id_ >= 0; }
  [[nodiscard]] bool has(const std::string& path) const { return H5Lexists(id_, path.c_str(), H5P_DEFAULT) > 0; }

  [[nodiscard]] std::vector<hsize_t> extent(const std::string& path) const {
    const hid_t dataset = H5Dopen2(id_, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    std::vector<hsize_t> result(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, result.data(), nullptr);
    H5Sclose(space);
    H5Dclose(dataset);
    return result;
  }

  [[nodiscard]] std::vector<double> numbers(const std::string& path) const {
    std::size_t count = 1;
    for (const hsize_t size : extent(path)) count *= size;
    std::vector<double> values(count);
    const hid_t dataset = H5Dopen2(id_, path.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(dataset);
    return values;
  }

  [[nodiscard]] H5T_class_t kind(const std::string& path) const {
    const hid_t dataset = H5Dopen2(id_, path.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t result = H5Tget_class(type);
    H5Tclose(type);
    H5Dclose(dataset);
    return result;
  }

  [[nodiscard]] std::string attribute(const std::string& path, const std::string& name) const {
    const hid_t id = H5Aopen_by_name(id_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(id);
    EXPECT_EQ(H5Tis_variable_str(type), 0);
    std::string result(H5Tget_size(type), '\0');
    EXPECT_GE(H5Aread(id, type, result.data()), 0);
    result.erase(result.find_last_not_of('\0') + 1);
    H5Tclose(type);
    H5Aclose(id);
    return result;
  }

 private:
  hid_t id_;
};

class Hdf5RecorderTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(file(name)); }

  core::TemporaryFolder folder_{"hdf5-test"};
};

TEST_F(Hdf5RecorderTest, HasATimeAndADatasetForEachPortInTheGroupOfItsSubsystem) {
  Hdf5Recorder recorder(folder_.path(), "results", {{"project", "loop.toml"}, {"koppla", "1.2.3"}});
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({1.0, 2.0}));
  recorder.row(0.5, reals({3.0, 4.0}));
  recorder.complete();
  const File results(file("results.h5"));
  ASSERT_TRUE(results.opened());
  EXPECT_EQ(results.numbers("time"), (std::vector{0.0, 0.5}));
  EXPECT_EQ(results.numbers("a/x"), (std::vector{1.0, 3.0}));
  EXPECT_EQ(results.numbers("b/y"), (std::vector{2.0, 4.0}));
  EXPECT_EQ(results.attribute("a/x", "unit"), "m");
  EXPECT_EQ(results.attribute("a/x", "description"), "position");
  EXPECT_EQ(results.attribute("a/x", "type"), "real");
  EXPECT_EQ(results.attribute("a/x", "name"), "a.x");
  EXPECT_EQ(results.attribute("time", "unit"), "s");
  EXPECT_EQ(results.attribute("/", "project"), "loop.toml");
  EXPECT_EQ(results.attribute("/", "koppla"), "1.2.3");
}

TEST_F(Hdf5RecorderTest, StoresEveryTypeAsItsOwn) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin({{"a.on", Type::boolean, "", ""},
                  {"a.x", Type::real, "", ""},
                  {"a.mode", Type::enumeration, "", ""},
                  {"a.name", Type::string, "", ""},
                  {"a.n", Type::integer, "", ""}});
  recorder.row(0.0, {{0.1}, {3, -7}, {1}, {"idle"}});
  recorder.row(1.0, {{-0.0}, {4, 2147483647}, {0}, {"größer"}});
  recorder.complete();
  const File results(file("results.h5"));
  EXPECT_EQ(results.numbers("a/on"), (std::vector{1.0, 0.0}));
  EXPECT_EQ(results.numbers("a/mode"), (std::vector{3.0, 4.0}));
  EXPECT_EQ(results.numbers("a/n"), (std::vector{-7.0, 2147483647.0}));
  EXPECT_EQ(results.kind("a/n"), H5T_INTEGER);
  EXPECT_EQ(results.kind("a/on"), H5T_INTEGER);
  EXPECT_EQ(results.kind("a/name"), H5T_STRING);
}

TEST_F(Hdf5RecorderTest, TextsReadBack) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin({{"a.name", Type::string, "", ""}});
  recorder.row(0.0, {{}, {}, {}, {"idle"}});
  recorder.row(1.0, {{}, {}, {}, {"größer"}});
  recorder.complete();
  EXPECT_EQ(load(file("results.h5")).find("a.name")->texts, (std::vector<std::string>{"idle", "größer"}));
}

TEST_F(Hdf5RecorderTest, AVectorIsOneDatasetOfRowsTimesElements) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(vectorColumns("wall.T", 3));
  recorder.row(0.0, reals({1.0, 2.0, 3.0}));
  recorder.row(1.0, reals({4.0, 5.0, 6.0}));
  recorder.complete();
  const File results(file("results.h5"));
  EXPECT_EQ(results.extent("wall/T"), (std::vector<hsize_t>{2, 3}));
  EXPECT_EQ(results.numbers("wall/T"), (std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
}

TEST_F(Hdf5RecorderTest, GathersWhatIsRecordedElementByElement) {
  Hdf5Recorder recorder(folder_.path(), "iterations");
  std::vector<Column> columns{{"residual", Type::real, "", ""}, {"residual.all", Type::real, "", ""}};
  for (const std::string index : {"[1]", "[2]", "[3]"})
    for (const std::string part : {"", ".residual"}) columns.push_back({"w.q" + index + part, Type::real, "W", part});
  recorder.begin(columns);
  recorder.row(0.0, reals({-1.0, -2.0, 1.0, 10.0, 2.0, 20.0, 3.0, 30.0}));
  recorder.complete();
  const Table table = load(file("iterations.h5"));
  ASSERT_EQ(table.series.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) EXPECT_EQ(table.series[i].name, columns[i].name) << i;
  const File results(file("iterations.h5"));
  EXPECT_EQ(results.numbers("w/q"), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(results.numbers("w/q.residual"), (std::vector{10.0, 20.0, 30.0}));
  EXPECT_EQ(results.numbers("residual"), (std::vector{-1.0}));
  EXPECT_EQ(results.numbers("residual.all"), (std::vector{-2.0})) << "a dataset cannot be a group as well";
}

TEST_F(Hdf5RecorderTest, NamesThatNoPathCanHaveAreFoundByTheirAttribute) {
  Hdf5Recorder recorder(folder_.path());
  const std::vector<std::string> names{"a.der(x)/dt", "a.der(x)_dt", "a..", "time.x", ".", "a", "b."};
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, Type::real, "", ""});
  recorder.begin(columns);
  recorder.row(0.0, reals({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}));
  recorder.complete();
  const File results(file("results.h5"));
  const std::vector<std::string> paths{"a/der(x)_dt", "a/der(x)_dt_2", "a/_", "time.x", "_", "a_2", "b/_"};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_TRUE(results.has(paths[i])) << paths[i];
    EXPECT_EQ(results.attribute(paths[i], "name"), names[i]);
    EXPECT_EQ(results.numbers(paths[i]), std::vector{static_cast<double>(i + 1)});
  }
}

TEST_F(Hdf5RecorderTest, HoldsManyRowsAndLongRows) {
  constexpr std::size_t kRows = 3000;  // several blocks and chunks
  constexpr std::size_t kLong = 5000;  // a chunk of its own
  std::vector<Column> columns = vectorColumns("wall.T", kLong);
  columns.push_back({"a.x", Type::real, "", ""});
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(columns);
  core::Values values = reals(std::vector<double>(kLong + 1, 273.15));
  for (std::size_t row = 0; row < kRows; ++row) {
    values.reals[row % kLong] = static_cast<double>(row);
    values.reals[kLong] = -static_cast<double>(row);
    recorder.row(static_cast<double>(row), values);
    if (row % 700 == 0) recorder.flush();
  }
  recorder.complete();
  const File results(file("results.h5"));
  const std::vector<double> x = results.numbers("a/x");
  const std::vector<double> T = results.numbers("wall/T");
  ASSERT_EQ(x.size(), kRows);
  ASSERT_EQ(T.size(), kRows * kLong);
  for (std::size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(x[row], -static_cast<double>(row));
    ASSERT_EQ(T[row * kLong + row], static_cast<double>(row)) << "what was set in this row";
    ASSERT_EQ(T[row * kLong + row + 1], 273.15) << "what will be set in the next";
  }
}

TEST_F(Hdf5RecorderTest, ARowOfAMillionElementsReadsBack) {
  constexpr std::size_t kSize = 1'000'000;
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(vectorColumns("wall.T", kSize));
  std::vector<double> row(kSize);
  for (std::size_t i = 0; i < kSize; ++i) row[i] = 1.0 / static_cast<double>(i + 1);
  recorder.row(0.0, reals(row));
  recorder.complete();
  EXPECT_TRUE(File(file("results.h5")).numbers("wall/T") == row);
  EXPECT_LT(fs::file_size(file("results.h5")), kSize * sizeof(double) + 100'000U);
}

TEST_F(Hdf5RecorderTest, FrequentFlushingDoesNotBlowUpTheFile) {
  constexpr int kRows = 500;
  detail::Hdf5Writer writer(file("results.h5"), kTwoReals, {});
  for (int row = 0; row < kRows; ++row) {
    writer.row(row, reals({1.0, 2.0}));
    writer.flush();
  }
  writer.close();
  EXPECT_LT(fs::file_size(file("results.h5")), 40'000U) << "three datasets of a chunk of 4 kB each";
}

TEST_F(Hdf5RecorderTest, TextsThatAreTooLongAreCutAtACharacterAndCounted) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin({{"a.s", Type::string, "", ""}});
  const std::string fits(Hdf5Recorder::kTextBytes, 'x');
  const std::string broken = std::string(Hdf5Recorder::kTextBytes - 1, 'y') + "ß";
  for (const std::string& text : {fits, broken, std::string()}) recorder.row(0.0, {{}, {}, {}, {text}});
  recorder.complete();
  const Table table = load(folder_.path());
  EXPECT_EQ(table.series[0].texts, (std::vector{fits, std::string(Hdf5Recorder::kTextBytes - 1, 'y'), std::string()}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("1 texts of 'a.s'"), std::string::npos);
}

TEST_F(Hdf5RecorderTest, UnitsAndDescriptionsMayBeAsLongAsCanBeRead) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, kMost, kMost + 1}) {
    Hdf5Recorder recorder(folder_.path());
    recorder.begin({{"a.s", Type::real, std::string(size, 'u'), std::string(size, 'd')}});
    recorder.complete();
    const Table table = load(folder_.path());
    EXPECT_EQ(table.series.at(0).description, std::string(std::min(size, kMost), 'd')) << size;
    EXPECT_EQ(table.series.at(0).unit, std::string(std::min(size, kMost), 'u')) << size;
  }
}

TEST_F(Hdf5RecorderTest, TakesItsFinalNameOnlyWhenComplete) {
  core::writeWhole(file("results.h5"), "of an earlier run");
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  EXPECT_TRUE(exists("results.partial.h5"));
  EXPECT_FALSE(exists("results.h5"));
  recorder.complete();
  EXPECT_TRUE(exists("results.h5"));
  EXPECT_FALSE(exists("results.partial.h5"));
}

TEST_F(Hdf5RecorderTest, KeepsTheRowsOfARunThatEndedEarlyUnderThePartialName) {
  {
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    recorder.row(0.0, reals({1.0, 2.0}));
  }
  EXPECT_TRUE(load(folder_.path()).partial);
  const File results(file("results.partial.h5"));
  ASSERT_TRUE(results.opened()) << "as any other file";
  EXPECT_EQ(results.numbers("a/x"), std::vector{1.0});
}

TEST_F(Hdf5RecorderTest, FilesOfOthersAreRefusedInWords) {
  core::writeWhole(file("text.h5"), "time,x\n0,1\n");
  EXPECT_THROW(load(file("text.h5")), core::InputError);
  EXPECT_THROW(load(file("none.h5")), core::InputError);
  H5Fclose(H5Fcreate(file("empty.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  try {
    load(file("empty.h5"));
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("does not hold results of a run"), std::string::npos);
  }
}

TEST_F(Hdf5RecorderTest, FilesOfAnEarlierFormatAreRefusedInWords) {
  const hid_t old = H5Fcreate(file("old.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const hid_t format = H5Acreate2(old, "format", H5T_STD_I64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
  const std::int64_t one = 1;
  H5Awrite(format, H5T_NATIVE_INT64, &one);
  H5Aclose(format);
  H5Sclose(scalar);
  H5Fclose(old);
  try {
    load(file("old.h5"));
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("has the format 1 of an earlier Koppla"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("Run the project again"), std::string::npos);
  }
}

}  // namespace
}  // namespace koppla::results::hdf5_recorder_test
