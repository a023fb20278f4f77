#include "koppla/solver/detail/radau_stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

namespace koppla::solver::detail {

namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::Matrix3d;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
const double kRoot6 = std::sqrt(6.0);
const std::array<double, 3> kNodes{(4.0 - kRoot6) / 10.0, (4.0 + kRoot6) / 10.0, 1.0};

/// The method's matrix, Hairer and Wanner, sec. IV.5.
Matrix3d methodMatrix() {
  Matrix3d a;
  a << (88.0 - 7.0 * kRoot6) / 360.0, (296.0 - 169.0 * kRoot6) / 1800.0, (-2.0 + 3.0 * kRoot6) / 225.0,  //
      (296.0 + 169.0 * kRoot6) / 1800.0, (88.0 + 7.0 * kRoot6) / 360.0, (-2.0 - 3.0 * kRoot6) / 225.0,   //
      (16.0 - kRoot6) / 36.0, (16.0 + kRoot6) / 36.0, 1.0 / 9.0;
  return a;
}

// The eigenvalues of A^-1, roots of z^3 - 9 z^2 + 36 z - 60: one real, one pair.
const double kGamma = 3.0 + std::cbrt(9.0) - std::cbrt(3.0);
const Complex kPair{3.0 - (std::cbrt(9.0) - std::cbrt(3.0)) / 2.0,
                    std::sqrt(3.0) * (std::cbrt(9.0) + std::cbrt(3.0)) / 2.0};

/// The eigenvector of A to an eigenvalue, with 1 as its last entry: from the first two rows of (A - mu I) v = 0.
Eigen::Vector3cd eigenvector(Complex mu) {
  const Matrix3d a = methodMatrix();
  const Complex determinant = (a(0, 0) - mu) * (a(1, 1) - mu) - a(0, 1) * a(1, 0);
  return {(a(0, 1) * a(1, 2) - a(0, 2) * (a(1, 1) - mu)) / determinant,
          (a(1, 0) * a(0, 2) - a(1, 2) * (a(0, 0) - mu)) / determinant, 1.0};
}

/// T: A^-1 T = T Lambda with Lambda = diag(gamma, ((alpha, beta), (-beta, alpha))).
Matrix3d transformation() {
  const Eigen::Vector3cd pair = eigenvector(1.0 / kPair);
  Matrix3d t;
  t.col(0) = eigenvector(1.0 / kGamma).real();
  t.col(1) = pair.real();
  t.col(2) = pair.imag();
  return t;
}

const Matrix3d kT = transformation();
const Matrix3d kInverseT = kT.inverse();
/// Weights of Z in the error estimate.
const std::array<double, 3> kErrorWeights{(-13.0 - 7.0 * kRoot6) / 3.0, (-13.0 + 7.0 * kRoot6) / 3.0, -1.0 / 3.0};

/// The polynomial of Lagrange that is 1 at node j and 0 at the others and at 0.
double basis(std::size_t j, double s) {
  double product = s / kNodes[j];
  for (std::size_t k = 0; k < kNodes.size(); ++k)
    if (k != j) product *= (s - kNodes[k]) / (kNodes[j] - kNodes[k]);
  return product;
}

std::size_t place(Index index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

RadauStages::RadauStages(const Equations& equations, const IntegratorSettings& settings)
    : rtol_(settings.rtol),
      atol_(settings.atol),
      n_(static_cast<Index>(equations.stateCount())),
      differential_(n_ - static_cast<Index>(equations.algebraicCount())),
      linear_(equations.isLinear()),
      x0_(place(n_)),
      f0_(place(n_)),
      magnitude_(place(n_)),
      trial_(place(n_)),
      slope_(place(n_)),
      jacobian_(n_, n_),
      realMatrix_(n_, n_),
      complexMatrix_(n_, n_),
      realFactors_(n_),
      complexFactors_(n_),
      z_(Stages::Zero(n_, 3)),
      w_(Stages::Zero(n_, 3)),
      kept_(Stages::Zero(n_, 3)),
      f_(n_, 3),
      realSide_(n_),
      realAnswer_(n_),
      complexSide_(n_),
      complexAnswer_(n_) {
  if (!linear_) return;
  const LinearForm form = equations.linear();
  jacobian_ =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(form.a.data(), n_, n_);
}

RadauStages::~RadauStages() = default;

bool RadauStages::finite(std::span<const double> slopes) {
  const auto bad = std::ranges::find_if(slopes, [](double slope) { return !std::isfinite(slope); });
  if (bad == slopes.end()) return true;
  bad_ = static_cast<std::size_t>(bad - slopes.begin());
  return false;
}

bool RadauStages::begin(StepEquations& problem, double tau, std::span<const double> x) {
  bad_.reset();
  tau_ = tau;
  std::ranges::copy(x, x0_.begin());
  problem.derivatives(tau, x0_, f0_);
  return finite(f0_);
}

/// Forward differences with Schmoll's (4.7): Delta = sqrt(eps) max(1, |x|).
void RadauStages::linearise(StepEquations& problem) {
  if (linear_) return;
  const double relative = std::sqrt(kEpsilon);
  std::ranges::copy(x0_, trial_.begin());
  for (Index column = 0; column < n_; ++column) {
    double& moved = trial_[place(column)];
    const double kept = moved;
    moved = kept + relative * std::fmax(1.0, std::fabs(kept));
    problem.derivatives(tau_, trial_, slope_);
    for (Index row = 0; row < n_; ++row)
      jacobian_(row, column) = (slope_[place(row)] - f0_[place(row)]) / (moved - kept);
    moved = kept;
  }
  factorisedFor_ = 0.0;
  ++problem.effort.jacobians;
}

void RadauStages::factorise(double h) {
  if (h == factorisedFor_) return;
  // z = w2 + i w3 turns the block of Lambda into the conjugate eigenvalue.
  const Complex pair = std::conj(kPair);
  realMatrix_ = -jacobian_;
  complexMatrix_ = realMatrix_.cast<Complex>();
  realMatrix_.diagonal().head(differential_).array() += kGamma / h;
  complexMatrix_.diagonal().head(differential_).array() += pair / h;
  realFactors_.compute(realMatrix_);
  complexFactors_.compute(complexMatrix_);
  factorisedFor_ = h;
}

void RadauStages::guessRest() {
  z_.setZero();
  w_.setZero();
  measured_ = false;
}

void RadauStages::guessAhead(double ratio) {
  z_.setZero();
  for (std::size_t i = 0; i < kNodes.size(); ++i)
    for (std::size_t j = 0; j < kNodes.size(); ++j) {
      // The new start is the last stage of the old step.
      const double weight = basis(j, 1.0 + ratio * kNodes[i]) - (j == 2 ? 1.0 : 0.0);
      z_.col(static_cast<Index>(i)) += weight * kept_.col(static_cast<Index>(j));
    }
  w_.noalias() = z_.lazyProduct(kInverseT.transpose());
  measured_ = false;
}

/// Of the first correction: sizes of later ones are measured alike, or a divergence would hide in growing states.
void RadauStages::measure() {
  for (Index k = 0; k < n_; ++k) {
    const double start = x0_[place(k)];
    magnitude_[place(k)] = std::fmax(std::fabs(start), std::fabs(start + z_(k, 2)));
  }
  measured_ = true;
}

/// Algebraic unknowns of index 2 are determined one power of h less well than the states.
double RadauStages::tolerance(Index state, double h) const {
  const double own = rtol_ * magnitude_[place(state)] + atol_;
  return state < differential_ ? own : own / std::fmin(1.0, h);
}

/// (h^-1 Lambda (x) M - I (x) J) dW = -h^-1 (Lambda (x) M) W + (T^-1 (x) I) F(T W), row by row of Lambda.
RadauCorrection RadauStages::correct(StepEquations& problem, const RadauSpan& span) {
  const double h = span.length();
  for (Index i = 0; i < 3; ++i) {
    for (Index k = 0; k < n_; ++k) trial_[place(k)] = x0_[place(k)] + z_(k, i);
    problem.derivatives(i == 2 ? span.to : span.from + kNodes[place(i)] * h, trial_, slope_);
    if (!finite(slope_)) return {std::numeric_limits<double>::quiet_NaN(), 0.0};
    for (Index k = 0; k < n_; ++k) f_(k, i) = slope_[place(k)];
  }
  for (Index k = 0; k < n_; ++k) {
    const Eigen::Vector3d g = kInverseT * f_.row(k).transpose();
    const double inertia = k < differential_ ? 1.0 / h : 0.0;
    realSide_[k] = g[0] - inertia * kGamma * w_(k, 0);
    complexSide_[k] = Complex{g[1], g[2]} - inertia * std::conj(kPair) * Complex{w_(k, 1), w_(k, 2)};
  }
  realAnswer_ = realFactors_.solve(realSide_);
  complexAnswer_ = complexFactors_.solve(complexSide_);
  w_.col(0) += realAnswer_;
  w_.col(1) += complexAnswer_.real();
  w_.col(2) += complexAnswer_.imag();
  z_.noalias() = w_.lazyProduct(kT.transpose());
  if (!measured_) measure();
  RadauCorrection correction{0.0, 0.0};
  for (Index k = 0; k < n_; ++k) {
    const double real = std::fabs(realAnswer_[k]);
    const double complex = std::abs(complexAnswer_[k]);
    if (!std::isfinite(real + complex)) return {std::numeric_limits<double>::quiet_NaN(), 0.0};
    const double largest = std::fmax(real, complex);
    if (largest == 0.0) continue;
    correction.size = std::fmax(correction.size, largest / tolerance(k, h));
    correction.grains = std::fmax(correction.grains, largest / (kEpsilon * magnitude_[place(k)]));
  }
  return correction;
}

double RadauStages::error(double h) {
  return filtered(h, f0_);
}

double RadauStages::errorBesideStart(StepEquations& problem, const RadauSpan& span) {
  for (Index k = 0; k < n_; ++k) trial_[place(k)] = x0_[place(k)] + realAnswer_[k];
  problem.derivatives(span.from, trial_, slope_);
  return filtered(span.length(), slope_);
}

/// Leaves the estimate itself in realAnswer_.
double RadauStages::filtered(double h, std::span<const double> slopes) {
  for (Index k = 0; k < n_; ++k) {
    realSide_[k] = slopes[place(k)];
    if (k >= differential_) continue;
    for (Index i = 0; i < 3; ++i) realSide_[k] += kErrorWeights[place(i)] * z_(k, i) / h;
  }
  realAnswer_ = realFactors_.solve(realSide_);
  double largest = 0.0;
  for (Index k = 0; k < n_; ++k) {
    if (!std::isfinite(realAnswer_[k])) return std::numeric_limits<double>::infinity();
    largest = std::fmax(largest, std::fabs(realAnswer_[k]) / tolerance(k, h));
  }
  return largest;
}

void RadauStages::keep(std::span<double> x) {
  for (Index k = 0; k < n_; ++k) x[place(k)] = x0_[place(k)] + z_(k, 2);
  kept_ = z_;
}

}  // namespace koppla::solver::detail
