#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/native/interpolation.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A characteristic curve y = f(u) through points.
struct Curve {
  std::vector<double> u = {};  ///< rising
  std::vector<double> y = {};
  Interpolation interpolation = Interpolation::linear;
  Extrapolation extrapolation = Extrapolation::hold;
  std::string input = "u";
  std::string output = "y";
  std::string inputUnit = {};
  std::string outputUnit = {};
};

/// One input, one output with feed-through, no states. Throws core::InputError where the points are no function.
std::unique_ptr<solver::Equations> curve(const Curve& settings);

}  // namespace koppla::native
