#include "koppla/coupling/spline.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "koppla/coupling/lagrange.hpp"

namespace koppla::coupling {

namespace {

/// Knots in units of pieces: the ends, each degree + 1 times, and between them the points that are knots.
std::vector<double> knotsOf(unsigned pieces, unsigned degree) {
  std::vector<double> knots(degree + 1, 0.0);
  const unsigned leftOutLast = (degree - 1) / 2;
  const unsigned leftOutFirst = degree - 1 - leftOutLast;
  for (unsigned point = 1 + leftOutFirst; point + leftOutLast < pieces; ++point) knots.push_back(point);
  knots.insert(knots.end(), degree + 1, static_cast<double>(pieces));
  return knots;
}

/// (a + b s) p, added to `sum`.
void addProduct(double a, double b, const Powers& p, Powers& sum) {
  sum[0] += a * p[0];
  for (std::size_t k = 1; k < p.size(); ++k) sum[k] += a * p[k] + b * p[k - 1];
}

/// All B-splines on one piece, in powers of its s, by the recursion of Cox and de Boor. Between points there is no
/// knot, so each of them is one polynomial there.
std::vector<Powers> basisOn(unsigned piece, const std::vector<double>& knots, unsigned degree) {
  std::vector<Powers> basis(knots.size() - 1, Powers{});
  for (std::size_t i = 0; i < basis.size(); ++i)
    if (knots[i] <= piece && piece < knots[i + 1]) basis[i][0] = 1.0;
  for (unsigned order = 1; order <= degree; ++order) {
    std::vector<Powers> higher(basis.size() - 1, Powers{});
    for (std::size_t i = 0; i < higher.size(); ++i) {
      const double rising = knots[i + order] - knots[i];
      const double falling = knots[i + order + 1] - knots[i + 1];
      if (rising > 0.0) addProduct((piece - knots[i]) / rising, 1.0 / rising, basis[i], higher[i]);
      if (falling > 0.0) addProduct((knots[i + order + 1] - piece) / falling, -1.0 / falling, basis[i + 1], higher[i]);
    }
    basis = std::move(higher);
  }
  return basis;
}

double atEnd(const Powers& p) {
  double sum = 0.0;
  for (const double coefficient : p) sum += coefficient;
  return sum;
}

}  // namespace

Spline::Spline(unsigned pieces, unsigned degree)
    : pieces_(pieces),
      degree_(std::min({degree, pieces, subsystem::kMaxDegree})),
      weights_(static_cast<std::size_t>(pieces_) * (degree_ + 1) * (pieces_ + 1), 0.0) {
  if (degree_ > 0) {
    solve();
  } else {
    for (unsigned piece = 0; piece < pieces_; ++piece) weights_[place(piece, 0, piece + 1)] = 1.0;
  }
}

void Spline::solve() {
  // Far from its point a weight fades below what shows in a sum.
  constexpr double kNothing = 1e-18;
  const std::vector<double> knots = knotsOf(pieces_, degree_);
  const auto points = static_cast<Eigen::Index>(pieces_) + 1;
  std::vector<std::vector<Powers>> bases;
  Eigen::MatrixXd valuesAtPoints(points, points);
  for (unsigned piece = 0; piece < pieces_; ++piece) {
    bases.push_back(basisOn(piece, knots, degree_));
    for (Eigen::Index i = 0; i < points; ++i) valuesAtPoints(piece, i) = bases.back()[static_cast<std::size_t>(i)][0];
  }
  for (Eigen::Index i = 0; i < points; ++i)
    valuesAtPoints(points - 1, i) = atEnd(bases.back()[static_cast<std::size_t>(i)]);
  const Eigen::MatrixXd control = valuesAtPoints.partialPivLu().inverse();
  for (unsigned piece = 0; piece < pieces_; ++piece) {
    weights_[place(piece, 0, piece)] = 1.0;  // exactly the value at the beginning
    for (unsigned power = 1; power <= degree_; ++power)
      for (Eigen::Index point = 0; point < points; ++point) {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < points; ++i)
          sum += bases[piece][static_cast<std::size_t>(i)][power] * control(i, point);
        if (std::fabs(sum) > kNothing) weights_[place(piece, power, static_cast<unsigned>(point))] = sum;
      }
  }
}

}  // namespace koppla::coupling
