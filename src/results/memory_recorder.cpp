#include "koppla/results/memory_recorder.hpp"

namespace koppla::results {

void MemoryRecorder::begin(const std::vector<Column>& columns) {
  table_ = {};
  table_.partial = true;
  for (const Column& column : columns)
    table_.series.push_back({column.name, column.unit, column.description, column.type, {}, {}});
}

void MemoryRecorder::row(double time, const core::Values& values) {
  table_.time.push_back(time);
  std::size_t real = 0;
  std::size_t integer = 0;
  std::size_t boolean = 0;
  std::size_t string = 0;
  for (Series& series : table_.series) {
    switch (series.type) {
      case core::Type::real:
        series.numbers.push_back(values.reals.at(real++));
        break;
      case core::Type::integer:
      case core::Type::enumeration:
        series.numbers.push_back(values.integers.at(integer++));
        break;
      case core::Type::boolean:
        series.numbers.push_back(values.booleans.at(boolean++));
        break;
      case core::Type::string:
        series.texts.push_back(values.strings.at(string++));
        break;
    }
  }
}

}  // namespace koppla::results
