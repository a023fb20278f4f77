#pragma once

#include <span>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::solver::detail {

/// An instant of a model: time (s), states, all inputs.
struct Instant {
  double t;
  std::span<const double> x;
  std::span<const double> u;
};

/// Balances rounding and truncation of a central difference: the cube root of the machine's precision.
inline constexpr double kRelativeStep = 6.0554544523933429e-06;

/// The outputs y = g(t, x, u) of a model with their derivatives. What is returned is valid until the next call.
class Outputs {
 public:
  /// The parameters of the equations must be final.
  explicit Outputs(const Equations& equations);

  std::span<const double> values(const Instant& at);
  /// y' = dg/dx x' + dg/du u' + dg/dt, 1/s: C x' + D u' of a linear model, else a central difference in that direction.
  std::span<const double> rates(const Instant& at, std::span<const double> dx, std::span<const double> du);
  /// Column of dg/du for one scalar of u: of D, or a central difference.
  std::span<const double> sensitivity(const Instant& at, std::size_t input);
  /// dg/du + dg/dx dx/du where the states answer at once.
  std::span<const double> sensitivity(const Instant& at, std::size_t input, std::span<const double> dx);
  /// The output that is this state and nothing else; empty if none is known.
  [[nodiscard]] std::string stateName(std::size_t state) const;

 private:
  std::span<const double> difference(const Instant& at, std::span<const double> dx, std::span<const double> du,
                                     double dt, double h);
  [[nodiscard]] bool isState(std::size_t output, std::size_t state) const;

  const Equations* equations_;
  LinearForm linear_;  ///< empty matrices of a model that is not linear
  bool isLinear_;
  std::vector<double> y_, below_, x_, u_, dx_, du_;
};

}  // namespace koppla::solver::detail
