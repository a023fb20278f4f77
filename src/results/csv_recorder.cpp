#include "koppla/results/csv_recorder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/csv_names.hpp"
#include "koppla/results/detail/write_failure.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRealBytes = 24;     // -2.2250738585072014e-308
constexpr std::size_t kIntegerBytes = 11;  // -2147483648

// Every put...() writes to a place that row() has found large enough, and returns the end of what it wrote.

char* putReal(char* at, double value) {
  if (std::isnan(value)) [[unlikely]] {  // to_chars would tell the sign of a NaN, which means nothing
    constexpr std::string_view kNan = "nan";
    return std::copy(kNan.begin(), kNan.end(), at);
  }
  return std::to_chars(at, at + kRealBytes, value).ptr;
}

char* putInteger(char* at, std::int32_t value) {
  return std::to_chars(at, at + kIntegerBytes, value).ptr;
}

std::size_t quotedBytes(std::string_view text) {
  return 2 * text.size() + 2;
}

char* putQuoted(char* at, std::string_view text) {
  *at++ = '"';
  for (const char c : text) {
    if (c == '"') *at++ = '"';
    *at++ = c;
  }
  *at++ = '"';
  return at;
}

void appendQuoted(std::string& line, std::string_view text) {
  const std::size_t before = line.size();
  line.resize(before + quotedBytes(text));
  line.resize(static_cast<std::size_t>(putQuoted(line.data() + before, text) - line.data()));
}

std::string units(const std::vector<Column>& columns) {
  std::string content = "\"name\",\"type\",\"unit\",\"description\"\n";
  for (const Column& column : columns) {
    for (const std::string_view cell :
         {std::string_view(column.name), core::word(column.type), std::string_view(column.unit)}) {
      appendQuoted(content, cell);
      content += ',';
    }
    appendQuoted(content, column.description);
    content += '\n';
  }
  return content;
}

std::string header(const std::vector<Column>& columns) {
  std::string line = "\"time\"";
  for (const Column& column : columns) {
    line += ',';
    appendQuoted(line, column.name);
  }
  return line + '\n';
}

}  // namespace

CsvRecorder::CsvRecorder(fs::path folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

fs::path CsvRecorder::file(std::string_view ending) const {
  return folder_ / (name_ + std::string(ending));
}

CsvRecorder::~CsvRecorder() {
  try {
    CsvRecorder::abandon();
  } catch (const std::exception&) {  // row(), flush() and abandon() are where a caller hears of it
  }
}

void CsvRecorder::begin(const std::vector<Column>& columns) {
  if (writer_) throw core::InternalError("CsvRecorder: begin() was called twice.");
  detail::clearTheWay(folder_, file(kComplete));
  core::writeWhole(file(kUnits), units(columns));

  plan(columns);
  writer_.emplace(file(kPartial));
  const std::string names = header(columns);
  writer_->advance(std::copy(names.begin(), names.end(), writer_->reserve(names.size())));
  writer_->drain();
  heartbeat_.emplace([this] { writer_->rescue(); });
}

void CsvRecorder::plan(const std::vector<Column>& columns) {
  using Array = Stretch::Array;
  stretches_.clear();
  reals_ = integers_ = booleans_ = strings_ = 0;
  rowBytes_ = kRealBytes + 1;
  for (const Column& column : columns) {
    Array array{};
    std::size_t* counter = nullptr;
    switch (column.type) {
      case core::Type::real:
        array = Array::reals, counter = &reals_, rowBytes_ += kRealBytes + 1;
        break;
      case core::Type::integer:
      case core::Type::enumeration:
        array = Array::integers, counter = &integers_, rowBytes_ += kIntegerBytes + 1;
        break;
      case core::Type::boolean:
        array = Array::booleans, counter = &booleans_, rowBytes_ += 2;
        break;
      case core::Type::string:
        array = Array::strings, counter = &strings_, rowBytes_ += 1;
        break;
    }
    if (stretches_.empty() || stretches_.back().array != array) stretches_.push_back({array, *counter, 0});
    ++stretches_.back().count;
    ++*counter;
  }
}

void CsvRecorder::checkSizes(const core::Values& values) const {
  if (values.reals.size() != reals_ || values.integers.size() != integers_ || values.booleans.size() != booleans_ ||
      values.strings.size() != strings_) [[unlikely]]
    throw core::InternalError("CsvRecorder: a row does not hold one value for each column.");
}

BlockWriter& CsvRecorder::running() {
  if (!writer_) [[unlikely]]
    throw core::InternalError("CsvRecorder: nothing can be recorded before begin() or after the end.");
  return *writer_;
}

void CsvRecorder::row(double time, const core::Values& values) {
  BlockWriter& writer = running();
  checkSizes(values);
  std::size_t bytes = rowBytes_;
  for (const std::string& string : values.strings) bytes += quotedBytes(string);

  char* at = putReal(writer.reserve(bytes), time);
  for (const Stretch& stretch : stretches_) {
    const std::size_t end = stretch.first + stretch.count;
    switch (stretch.array) {
      case Stretch::Array::reals:
        for (std::size_t i = stretch.first; i < end; ++i) {
          *at++ = ',';
          at = putReal(at, values.reals[i]);
        }
        break;
      case Stretch::Array::integers:
        for (std::size_t i = stretch.first; i < end; ++i) {
          *at++ = ',';
          at = putInteger(at, values.integers[i]);
        }
        break;
      case Stretch::Array::booleans:
        for (std::size_t i = stretch.first; i < end; ++i) {
          *at++ = ',';
          *at++ = values.booleans[i] != 0 ? '1' : '0';
        }
        break;
      case Stretch::Array::strings:
        for (std::size_t i = stretch.first; i < end; ++i) {
          *at++ = ',';
          at = putQuoted(at, values.strings[i]);
        }
        break;
    }
  }
  *at++ = '\n';
  writer.advance(at);
}

void CsvRecorder::flush() {
  running().drain();
}

void CsvRecorder::rescue() noexcept {
  if (writer_) writer_->rescue();
}

void CsvRecorder::close() {
  running().close();
  heartbeat_.reset();
  seconds_ += writer_->seconds();
  writer_.reset();
}

void CsvRecorder::complete() {
  close();
  detail::takeFinalName(file(kPartial), file(kComplete));
}

void CsvRecorder::abandon() {
  if (writer_) close();
}

}  // namespace koppla::results
