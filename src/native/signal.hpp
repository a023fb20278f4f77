#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/native/interpolation.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// Outputs prescribed by samples over time, held before the first and after the last one.
struct Signal {
  struct Column {
    std::string name;
    std::vector<double> values;  ///< one for each time
    std::string unit = {};
  };
  std::vector<double> times = {};  ///< s, rising
  std::vector<Column> columns = {};
  Interpolation interpolation = Interpolation::linear;
};

/// No inputs, no states, one output for each column. Throws core::InputError where the samples are no function of time.
std::unique_ptr<solver::Equations> signal(const Signal& settings);

}  // namespace koppla::native
