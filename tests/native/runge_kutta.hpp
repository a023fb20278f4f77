#pragma once

#include <functional>
#include <vector>

namespace koppla::test {

using RightHandSide = std::function<std::vector<double>(double t, const std::vector<double>& x)>;

/// The classic method of order 4 from t = 0 to `end`, which may lie before it, in equal steps.
inline std::vector<double> integrated(const RightHandSide& f, std::vector<double> x, double end, int steps) {
  const double h = end / steps;
  const auto moved = [](std::vector<double> a, double s, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += s * b[i];
    return a;
  };
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const auto k1 = f(t, x), k2 = f(t + h / 2, moved(x, h / 2, k1)), k3 = f(t + h / 2, moved(x, h / 2, k2)),
               k4 = f(t + h, moved(x, h, k3));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return x;
}

}  // namespace koppla::test
