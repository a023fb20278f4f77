// What was recorded reads back as it was, for all values.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

namespace koppla::results {
namespace {

using core::Type;

rc::Gen<double> anyDouble() {
  const auto anyBits = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    const auto value = std::bit_cast<double>(bits);
    return std::isnan(value) ? 0.0 : value;
  });
  return rc::gen::oneOf(
      anyBits, rc::gen::element(0.0, -0.0, 0.1, 1e22, 1e23, std::numeric_limits<double>::denorm_min(),
                                -2.2250738585072014e-308, std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()));
}

rc::Gen<std::string> anyText() {
  return rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::element('"', ',', ';', '\n', '\r', '\t', ' ', '[', ']', '1')));
}

struct Recorded {
  std::vector<Column> columns;
  std::vector<double> times;
  std::vector<core::Values> rows;
};

core::Values anyRow(const std::vector<Column>& columns) {
  core::Values values;
  for (const Column& column : columns) {
    switch (column.type) {
      case Type::real:
        values.reals.push_back(*anyDouble());
        break;
      case Type::integer:
      case Type::enumeration:
        values.integers.push_back(*rc::gen::arbitrary<std::int32_t>());
        break;
      case Type::boolean:
        values.booleans.push_back(*rc::gen::inRange(0, 2));
        break;
      case Type::string:
        values.strings.push_back(*anyText());
        break;
    }
  }
  return values;
}

Recorded anyRecording() {
  Recorded recorded;
  const auto columns = *rc::gen::inRange<std::size_t>(0, 8);
  for (std::size_t i = 0; i < columns; ++i)
    recorded.columns.push_back(
        {"s" + std::to_string(i) + "." + *anyText(),
         *rc::gen::element(Type::real, Type::integer, Type::boolean, Type::string, Type::enumeration), *anyText(),
         *anyText()});
  const auto rows = *rc::gen::inRange<std::size_t>(0, 12);
  for (std::size_t i = 0; i < rows; ++i) {
    const double time = *anyDouble();
    recorded.times.push_back(std::isfinite(time) ? time : 0.0);
    recorded.rows.push_back(anyRow(recorded.columns));
  }
  std::sort(recorded.times.begin(), recorded.times.end());
  return recorded;
}

void record(Recorder& recorder, const Recorded& recorded) {
  recorder.begin(recorded.columns);
  for (std::size_t i = 0; i < recorded.times.size(); ++i) recorder.row(recorded.times[i], recorded.rows[i]);
}

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expectSameSeries(const Series& series, const Column& column, const Recorded& recorded, std::size_t index) {
  RC_ASSERT(series.name == column.name);
  RC_ASSERT(series.type == column.type);
  RC_ASSERT(series.unit == column.unit);
  RC_ASSERT(series.description == column.description);
  for (std::size_t row = 0; row < recorded.rows.size(); ++row) {
    const core::Values& values = recorded.rows[row];
    switch (column.type) {
      case Type::real:
        RC_ASSERT(sameBits(series.numbers.at(row), values.reals[index]));
        break;
      case Type::integer:
      case Type::enumeration:
        RC_ASSERT(series.numbers.at(row) == values.integers[index]);
        break;
      case Type::boolean:
        RC_ASSERT(series.numbers.at(row) == values.booleans[index]);
        break;
      case Type::string:
        RC_ASSERT(series.texts.at(row) == values.strings[index]);
        break;
    }
  }
}

void expectSame(const Table& table, const Recorded& recorded) {
  RC_ASSERT(std::equal(table.time.begin(), table.time.end(), recorded.times.begin(), recorded.times.end(), sameBits));
  RC_ASSERT(table.series.size() == recorded.columns.size());
  std::array<std::size_t, 4> used{};  // reals, integers and enumerations, booleans, strings
  for (std::size_t i = 0; i < recorded.columns.size(); ++i) {
    const Column& column = recorded.columns[i];
    const std::size_t array = column.type == Type::real      ? 0U
                              : column.type == Type::boolean ? 2U
                              : column.type == Type::string  ? 3U
                                                             : 1U;
    expectSameSeries(table.series[i], column, recorded, used.at(array)++);
  }
}

RC_GTEST_PROP(RoundTrip, ACompletedRunReadsBackBitByBit, ()) {
  const Recorded recorded = anyRecording();
  const core::TemporaryFolder folder("round-trip");
  CsvRecorder recorder(folder.path());
  record(recorder, recorded);
  recorder.complete();
  const Table table = load(folder.path());
  RC_ASSERT(!table.partial);
  expectSame(table, recorded);
}

RC_GTEST_PROP(RoundTrip, ARunCutOffAnywhereReadsBackUpToThere, ()) {
  Recorded recorded = anyRecording();
  const core::TemporaryFolder folder("round-trip");
  {
    CsvRecorder recorder(folder.path());
    record(recorder, recorded);
    recorder.abandon();
  }
  const std::filesystem::path file = folder.path() / "results.partial.csv";
  const std::string whole = core::readWhole(file);
  CsvRecorder again(folder.path());
  again.begin(recorded.columns);
  again.abandon();
  const std::size_t header = core::readWhole(file).size();

  const auto cut = *rc::gen::inRange<std::size_t>(header, whole.size() + 1);
  core::writeWhole(file, whole.substr(0, cut));
  const Table table = load(folder.path());
  RC_ASSERT(table.partial);
  RC_ASSERT(table.time.size() <= recorded.times.size());
  RC_ASSERT(cut < whole.size() || table.time.size() == recorded.times.size());
  recorded.times.resize(table.time.size());
  recorded.rows.resize(table.time.size());
  expectSame(table, recorded);
}

/// Texts that end with a zero, or are longer than a field, cannot come back.
std::string storable(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '0');
  return text.substr(0, Hdf5Recorder::kTextBytes);
}

RC_GTEST_PROP(RoundTrip, HdfReadsBackBitByBitToo, ()) {
  Recorded recorded = anyRecording();
  for (Column& column : recorded.columns)
    for (std::string* text : {&column.name, &column.unit, &column.description}) *text = storable(*text);
  for (core::Values& row : recorded.rows)
    for (std::string& text : row.strings) text = storable(text);
  const core::TemporaryFolder folder("round-trip");
  Hdf5Recorder recorder(folder.path());
  record(recorder, recorded);
  recorder.complete();
  const Table table = load(folder.path());
  RC_ASSERT(!table.partial);
  expectSame(table, recorded);
}

TEST(RoundTrip, EveryPowerOfTwoReadsBack) {
  const core::TemporaryFolder folder("round-trip");
  CsvRecorder recorder(folder.path());
  recorder.begin({{"a.x", Type::real, "", ""}});
  for (int exponent = -1074; exponent < 1024; ++exponent)
    recorder.row(exponent, {{std::ldexp(1.0, exponent)}, {}, {}, {}});
  recorder.complete();
  const Table table = load(folder.path());
  ASSERT_EQ(table.time.size(), 2098U);
  for (std::size_t row = 0; row < table.time.size(); ++row)
    EXPECT_EQ(table.series[0].numbers[row], std::ldexp(1.0, static_cast<int>(table.time[row])));
}

}  // namespace
}  // namespace koppla::results
