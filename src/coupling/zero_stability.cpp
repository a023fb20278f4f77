#include "koppla/coupling/zero_stability.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "koppla/core/eigenvalues.hpp"

namespace koppla::coupling {

namespace {

/// Largest root of the recursion with one complex gain: the companion matrix of y(n+1) = gain Ext_p[y], where every
/// complex number a + b i is the block (a, -b; b, a), which adds the conjugate roots.
double largestRoot(std::complex<double> gain, unsigned degree) {
  const std::size_t n = degree + 1;
  const std::size_t size = 2 * n;
  std::vector<double> companion(size * size);
  const auto entry = [&](std::size_t row, std::size_t column) -> double& { return companion[row * size + column]; };
  double binomial = static_cast<double>(n);  // C(n, i + 1)
  for (std::size_t i = 0; i < n; ++i) {
    const std::complex<double> value = gain * (i % 2 == 0 ? binomial : -binomial);
    entry(0, 2 * i) = entry(1, 2 * i + 1) = value.real();
    entry(0, 2 * i + 1) = -value.imag();
    entry(1, 2 * i) = value.imag();
    if (i > 0) entry(2 * i, 2 * i - 2) = entry(2 * i + 1, 2 * i - 1) = 1.0;
    binomial *= static_cast<double>(n - 1 - i) / static_cast<double>(i + 2);
  }
  return core::spectralRadius(companion);
}

}  // namespace

double growthPerStep(std::span<const double> gain, unsigned degree) {
  const std::optional<std::vector<std::complex<double>>> eigenvalues = core::eigenvalues(gain);
  if (!eigenvalues) return std::numeric_limits<double>::infinity();
  double growth = 0.0;
  for (const std::complex<double>& eigenvalue : *eigenvalues)
    growth = std::max(growth, largestRoot(eigenvalue, degree));
  return growth;
}

}  // namespace koppla::coupling
