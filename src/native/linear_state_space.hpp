#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// x' = A x + B u, y = C x + D u. Matrices are vectors of rows. D may be left out (zero); so may every matrix without
/// rows or columns.
struct LinearStateSpace {
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<std::string> states = {};  ///< empty: x1, x2, ... as many as A has rows
  std::vector<std::vector<double>> A = {}, B = {}, C = {}, D = {};
  std::vector<double> x0 = {};  ///< empty: zero
};

/// Feed-through is declared where D is not zero. The states' start values are the parameters "<state>.start". Throws
/// core::InputError with all mistakes in sizes and names.
std::unique_ptr<solver::Equations> linearStateSpace(const LinearStateSpace& settings);

}  // namespace koppla::native
