#pragma once

#include <array>
#include <cstddef>

namespace koppla::test {

/// x + h rate
template <std::size_t N>
std::array<double, N> moved(std::array<double, N> x, const std::array<double, N>& rate, double h) {
  for (std::size_t i = 0; i < N; ++i) x[i] += h * rate[i];
  return x;
}

/// One step of the classical Runge-Kutta method for x' = rateOf(x): solves the equations of an example independently of
/// Koppla.
template <std::size_t N, class Rate>
std::array<double, N> rungeKuttaStep(const Rate& rateOf, const std::array<double, N>& x, double h) {
  const std::array<double, N> k1 = rateOf(x);
  const std::array<double, N> k2 = rateOf(moved(x, k1, h / 2));
  const std::array<double, N> k3 = rateOf(moved(x, k2, h / 2));
  const std::array<double, N> k4 = rateOf(moved(x, k3, h));
  return moved(moved(moved(moved(x, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
}

}  // namespace koppla::test
