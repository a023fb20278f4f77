#pragma once

#include <string>
#include <utility>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/results/recorder.hpp"

/// What tests of recorders record.
namespace koppla::results::recorded {

inline core::Values reals(std::vector<double> values) {
  return {std::move(values), {}, {}, {}};
}

inline const std::vector<Column> kTwoReals{{"a.x", core::Type::real, "m", "position"},
                                           {"b.y", core::Type::real, "", ""}};

inline std::vector<Column> vectorColumns(const std::string& name, std::size_t size) {
  std::vector<Column> columns;
  for (std::size_t i = 1; i <= size; ++i)
    columns.push_back({name + "[" + std::to_string(i) + "]", core::Type::real, "K", ""});
  return columns;
}

}  // namespace koppla::results::recorded
