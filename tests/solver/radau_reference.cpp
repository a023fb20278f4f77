#include "radau_reference.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include "support/elimination.hpp"

namespace koppla::solver::test {

namespace {

using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMost = 7;  // corrections

const double kRoot = std::sqrt(6.0);
const std::array<double, 3> kNodes{(4.0 - kRoot) / 10.0, (4.0 + kRoot) / 10.0, 1.0};
const Rows kMethod{{(88.0 - 7.0 * kRoot) / 360.0, (296.0 - 169.0 * kRoot) / 1800.0, (-2.0 + 3.0 * kRoot) / 225.0},
                   {(296.0 + 169.0 * kRoot) / 1800.0, (88.0 + 7.0 * kRoot) / 360.0, (-2.0 - 3.0 * kRoot) / 225.0},
                   {(16.0 - kRoot) / 36.0, (16.0 + kRoot) / 36.0, 1.0 / 9.0}};

/// Rows of the inverse of a matrix of three.
Rows inverse(const Rows& a) {
  Rows result(3, std::vector<double>(3));
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> unit(3, 0.0);
    unit[j] = 1.0;
    const std::vector<double> column = koppla::test::solved(a, unit);
    for (std::size_t i = 0; i < 3; ++i) result[i][j] = column[i];
  }
  return result;
}

/// A root of z^3 - 9 z^2 + 36 z - 60, of which the eigenvalues of the inverse are the roots, by Newton's method.
Complex eigenvalueFrom(Complex z) {
  for (int k = 0; k < 50; ++k) z -= (((z - 9.0) * z + 36.0) * z - 60.0) / ((3.0 * z - 18.0) * z + 36.0);
  return z;
}

/// The eigenvector of a matrix with 1 as its last entry, by Cramer's rule from the first two rows.
std::array<Complex, 3> eigenvector(const Rows& a, Complex value) {
  const Complex a00 = a[0][0] - value, a11 = a[1][1] - value;
  const Complex determinant = a00 * a11 - a[0][1] * a[1][0];
  return {(-a[0][2] * a11 + a[0][1] * a[1][2]) / determinant, (-a00 * a[1][2] + a[1][0] * a[0][2]) / determinant, 1.0};
}

const Rows kInverse = inverse(kMethod);
const double kGamma = eigenvalueFrom(4.0).real();

/// From stages to the coordinates in which the inverse is diagonal but for one pair.
Rows transformation() {
  const std::array<Complex, 3> real = eigenvector(kInverse, kGamma);
  const std::array<Complex, 3> pair = eigenvector(kInverse, eigenvalueFrom({2.7, 3.0}));
  Rows columns(3, std::vector<double>(3));
  for (std::size_t i = 0; i < 3; ++i) columns[i] = {real.at(i).real(), pair.at(i).real(), pair.at(i).imag()};
  return inverse(columns);
}

const Rows kToModes = transformation();

}  // namespace

RadauReference::RadauReference(Derivatives f, std::vector<double> x0, std::size_t algebraic,
                               const IntegratorSettings& settings)
    : f_(std::move(f)), x_(std::move(x0)), algebraic_(algebraic), settings_(settings) {
  magnitude_.resize(x_.size());
}

RadauReference::Vector RadauReference::rates(double t, const Vector& x) {
  questions_.push_back({t, x});
  return f_(t, x);
}

double RadauReference::tolerance(std::size_t state, double h) const {
  const double own = settings_.rtol * magnitude_[state] + settings_.atol;
  return isAlgebraic(state) ? own / std::fmin(1.0, h) : own;
}

void RadauReference::linearise() {
  const std::size_t n = x_.size();
  jacobian_.assign(n, Vector(n));
  for (std::size_t j = 0; j < n; ++j) {
    Vector moved = x_;
    moved[j] += std::sqrt(kEpsilon) * std::fmax(1.0, std::fabs(moved[j]));
    const Vector other = rates(t_, moved);
    for (std::size_t i = 0; i < n; ++i) jacobian_[i][j] = (other[i] - f0_[i]) / (moved[j] - x_[j]);
  }
  ++effort_.jacobians;
}

void RadauReference::step(double t, double end) {
  const double longest = settings_.microStep > 0.0 ? settings_.microStep : kInfinity;
  t_ = t;
  h_ = std::fmin(end - t, longest);
  keptLength_ = 0.0;
  keptError_ = eta_ = 1.0;
  theta_ = 0.0;
  fresh_ = true;
  rejected_ = false;
  rejectedLength_ = rejectedError_ = 0.0;
  f0_ = rates(t_, x_);
  linearise();
  for (;;) {
    const double rest = end - t_;
    const bool last = rest <= h_ * (1.0 + 1e-6);
    if (last && rest < h_ * (1.0 - 1e-6)) h_ = rest;
    if (!last) h_ = std::fmin(h_, rest / 2.0);
    const double to = last ? end : t_ + h_;
    z_ = {Vector(x_.size(), 0.0), Vector(x_.size(), 0.0), Vector(x_.size(), 0.0)};
    // The polynomial through the start of the step before and its stages, continued.
    if (keptLength_ > 0.0)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const double s = 1.0 + h_ / keptLength_ * kNodes.at(i);
          double weight = s / kNodes.at(j);
          for (std::size_t m = 0; m < 3; ++m)
            if (m != j) weight *= (s - kNodes.at(m)) / (kNodes.at(j) - kNodes.at(m));
          for (std::size_t k = 0; k < x_.size(); ++k) z_.at(i)[k] += (weight - (j == 2 ? 1.0 : 0.0)) * kept_.at(j)[k];
        }
    measured_ = false;
    const double h = to - t_;
    const int iterations = solve(h, to);
    bool accepted = false;
    if (iterations == 0) {
      rejected_ = true;
      eta_ = 1.0;
      if (!fresh_) {
        fresh_ = true;
        linearise();
      } else {
        h_ *= keptLength_ > 0.0 ? 0.5 : 0.1;
      }
    } else {
      accepted = judge(errorOf(h), iterations);
    }
    if (!accepted) {
      ++effort_.rejectedMicroSteps;
      continue;
    }
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += z_[2][k];
    kept_ = z_;
    ++effort_.microSteps;
    t_ = to;
    if (last) return;
    f0_ = rates(t_, x_);
    fresh_ = theta_ > 1e-3;
    if (fresh_) linearise();
  }
}

/// (A^-1 (x) M / h - I (x) J) dZ = F(Z) - (A^-1 (x) M) Z / h
double RadauReference::correct(double h, double end) {
  const std::size_t n = x_.size();
  Rows matrix(3 * n, Vector(3 * n, 0.0));
  Vector side(3 * n);
  for (std::size_t i = 0; i < 3; ++i) {
    Vector at = x_;
    for (std::size_t k = 0; k < n; ++k) at[k] += z_.at(i)[k];
    const Vector slopes = rates(i == 2 ? end : t_ + kNodes.at(i) * h, at);
    for (std::size_t k = 0; k < n; ++k) {
      side[n * i + k] = slopes[k];
      for (std::size_t m = 0; m < n; ++m) matrix[n * i + k][n * i + m] -= jacobian_[k][m];
      if (isAlgebraic(k)) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        matrix[n * i + k][n * j + k] += kInverse[i][j] / h;
        side[n * i + k] -= kInverse[i][j] * z_.at(j)[k] / h;
      }
    }
  }
  const Vector change = koppla::test::solved(matrix, side);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < n; ++k) z_.at(i)[k] += change[n * i + k];
  if (!measured_)
    for (std::size_t k = 0; k < n; ++k) magnitude_[k] = std::fmax(std::fabs(x_[k]), std::fabs(x_[k] + z_[2][k]));
  measured_ = true;
  double size = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::array<double, 3> w{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) w.at(i) += kToModes[i][j] * change[n * j + k];
    size = std::fmax(size, std::fmax(std::fabs(w[0]), std::hypot(w[1], w[2])) / tolerance(k, h));
  }
  return size;
}

/// How many corrections it took; 0: it needs more than seven. The error that is left is to be below 1e-2.
int RadauReference::solve(double h, double end) {
  double eta = std::pow(std::fmax(eta_, kEpsilon), 0.8);
  double before = 0.0;
  for (int k = 1; k <= kMost; ++k) {
    const double size = correct(h, end);
    if (!std::isfinite(size)) return 0;
    if (k > 1) {
      theta_ = size / before;
      if (theta_ >= 1.0 || std::pow(theta_, kMost - k) / (1.0 - theta_) * size > 1e-2) return 0;
      eta = theta_ / (1.0 - theta_);
    }
    if (eta * size <= 1e-2) {
      eta_ = eta;
      return k;
    }
    before = size;
  }
  return 0;
}

/// (gamma / h M - J)^-1 (slopes + M (e1 Z1 + e2 Z2 + e3 Z3) / h)
RadauReference::Vector RadauReference::estimate(double h, const Vector& slopes) const {
  const std::array<double, 3> e{(-13.0 - 7.0 * kRoot) / 3.0, (-13.0 + 7.0 * kRoot) / 3.0, -1.0 / 3.0};
  Rows matrix = jacobian_;
  Vector side = slopes;
  for (std::size_t k = 0; k < x_.size(); ++k) {
    for (double& entry : matrix[k]) entry = -entry;
    if (isAlgebraic(k)) continue;
    matrix[k][k] += kGamma / h;
    for (std::size_t i = 0; i < 3; ++i) side[k] += e.at(i) * z_.at(i)[k] / h;
  }
  return koppla::test::solved(matrix, side);
}

double RadauReference::sizeOf(const Vector& difference, double h) const {
  double size = 0.0;
  for (std::size_t k = 0; k < x_.size(); ++k) size = std::fmax(size, std::fabs(difference[k]) / tolerance(k, h));
  return size;
}

/// What does not fall with the length of the attempts is due to the start, and is taken once more beside it.
double RadauReference::errorOf(double h) {
  const Vector first = estimate(h, f0_);
  const double error = sizeOf(first, h);
  if (error <= 1.0) return error;
  const bool fromStart = rejectedLength_ > 0.0 && error > h / rejectedLength_ * rejectedError_;
  rejectedLength_ = h;
  rejectedError_ = error;
  if (!fromStart) return error;
  Vector beside = x_;
  for (std::size_t k = 0; k < x_.size(); ++k) beside[k] += first[k];
  return sizeOf(estimate(h, rates(t_, beside)), h);
}

bool RadauReference::judge(double error, int iterations) {
  const double longest = settings_.microStep > 0.0 ? settings_.microStep : kInfinity;
  const double safety = 0.9 * (2.0 * kMost + 1.0) / (2.0 * kMost + iterations);
  const double least = std::fmax(error, 1e-12);
  double factor = safety / std::pow(least, 0.25);
  if (!(error <= 1.0)) {
    h_ *= std::fmax(0.1, std::fmin(factor, safety));
    rejected_ = true;
    return false;
  }
  // K. Gustafsson, ACM Trans. Math. Softw. 20 (1994).
  if (keptLength_ > 0.0)
    factor = std::fmin(factor, safety * h_ / keptLength_ * std::pow(keptError_ / (least * least), 0.25));
  factor = std::fmin(std::fmax(factor, 0.1), rejected_ ? 1.0 : 8.0);
  if (factor >= 1.0 && factor <= 1.2) factor = 1.0;
  keptLength_ = h_;
  keptError_ = std::fmax(error, 1e-2);
  h_ = std::fmin(h_ * factor, longest);
  rejected_ = false;
  rejectedLength_ = 0.0;
  return true;
}

}  // namespace koppla::solver::test
