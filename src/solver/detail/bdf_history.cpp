#include "koppla/solver/detail/bdf_history.hpp"

#include <algorithm>

namespace koppla::solver::detail {

BdfHistory::BdfHistory(std::size_t states) {
  points_.fill(std::vector<double>(states));
}

void BdfHistory::push(double h, std::span<const double> x) {
  for (std::size_t age = kPoints - 1; age > 0; --age) back_[age] = back_[age - 1] + h;
  back_[0] = 0.0;
  newest_ = (newest_ + 1) % kPoints;
  std::ranges::copy(x, points_[newest_].begin());
  count_ = std::min<unsigned>(count_ + 1, kPoints);
}

/// Lagrange's: how much the point of that age counts at h after the newest, in the polynomial through the newest
/// points.
double BdfHistory::weight(double h, unsigned points, unsigned age) const {
  double product = 1.0;
  for (unsigned i = 0; i < points; ++i)
    if (i != age) product *= (h + back_[i]) / (back_[i] - back_[age]);
  return product;
}

void BdfHistory::extrapolate(double h, unsigned degree, std::span<double> x) const {
  std::ranges::fill(x, 0.0);
  for (unsigned age = 0; age <= degree; ++age) {
    const double w = weight(h, degree + 1, age);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += w * point(age)[i];
  }
}

double BdfHistory::differentiate(double h, unsigned order, std::span<double> rest) const {
  double alpha = 0.0;
  std::ranges::fill(rest, 0.0);
  for (unsigned age = 0; age < order; ++age) {
    alpha += 1.0 / (h + back_[age]);
    const double w = -weight(h, order, age) / (h + back_[age]);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += w * point(age)[i];
  }
  return alpha;
}

}  // namespace koppla::solver::detail
