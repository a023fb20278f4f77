#include "koppla/subsystem/trajectory_pieces.hpp"

#include <algorithm>
#include <array>

namespace koppla::subsystem {

namespace {

using Polynomial = std::array<double, kMaxDegree + 1>;

/// p(begin + length sigma) as a polynomial of sigma: Taylor's shift by repeated synthetic division, then scaling.
void shift(Polynomial& p, unsigned degree, double begin, double length) {
  for (unsigned j = 0; j < degree; ++j)
    for (unsigned k = degree; k-- > j;) p[k] += begin * p[k + 1];
  double power = 1.0;
  for (unsigned k = 0; k <= degree; ++k, power *= length) p[k] *= power;
}

double mean(const Polynomial& p, unsigned degree) {
  double sum = 0.0;
  for (unsigned k = 0; k <= degree; ++k) sum += p[k] / (k + 1.0);
  return sum;
}

/// The monic polynomial with zeros at 0, 1/degree, ..., 1.
Polynomial nodesOf(unsigned degree) {
  Polynomial product{1.0};
  for (unsigned node = 0; node <= degree; ++node) {
    const double zero = static_cast<double>(node) / degree;
    for (unsigned k = node + 1; k > 0; --k) product[k] = product[k - 1] - zero * product[k];
    product[0] *= -zero;
  }
  return product;
}

/// The polynomial of lower degree with the same values at the nodes: the rest of a division by their polynomial.
void reduce(Polynomial& p, unsigned from, unsigned to) {
  const Polynomial nodes = nodesOf(to);
  for (unsigned k = from; k > to; --k)
    for (unsigned j = 0; j <= to; ++j) p[k - to - 1 + j] -= p[k] * nodes[j];
}

}  // namespace

TrajectoryPieces::TrajectoryPieces(std::size_t inputs, unsigned degree)
    : degree_(std::min(degree, kMaxDegree)), coefficients_(inputs * (kMaxDegree + 1)) {}

Trajectory TrajectoryPieces::cut(const Trajectory& whole, double begin, double length) {
  const unsigned given = std::min(whole.degree, kMaxDegree);
  const unsigned kept = std::min(given, degree_);
  for (std::uint32_t i = 0; i < whole.count; ++i) {
    Polynomial p{};
    for (unsigned k = 0; k <= given; ++k) p[k] = whole.power(k)[i];
    shift(p, given, begin, length);
    if (degree_ == 0) {
      p[0] = mean(p, given);
    } else if (given > kept) {
      reduce(p, given, kept);
    }
    for (unsigned k = 0; k <= kept; ++k) coefficients_[k * whole.count + i] = p[k];
  }
  return {coefficients_.data(), whole.count, kept};
}

}  // namespace koppla::subsystem
