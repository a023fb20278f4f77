#pragma once

#include <string>
#include <vector>

#include "koppla/native/interpolation.hpp"

namespace koppla::native::detail {

/// A function through points (x, y), immutable.
class Interpolant {
 public:
  /// `what` opens messages ("signal: column 'speed'"). Throws core::InputError for too few points (2; 1 with `hold`),
  /// columns of different length, values that are not finite and x that does not rise.
  Interpolant(const std::string& what, std::vector<double> x, std::vector<double> y, Interpolation interpolation,
              Extrapolation extrapolation);

  [[nodiscard]] double operator()(double x) const;
  /// Whether one polynomial goes on through a point, so that nobody could tell that there is one.
  [[nodiscard]] bool passes(std::size_t point) const;

 private:
  [[nodiscard]] double secant(std::size_t i) const;
  [[nodiscard]] double beyond(std::size_t point, double x) const;
  [[nodiscard]] double between(std::size_t i, double x) const;

  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> slopes_;  ///< at the points, for `cubic` and for linear extrapolation
  Interpolation interpolation_;
  Extrapolation extrapolation_;
};

}  // namespace koppla::native::detail
