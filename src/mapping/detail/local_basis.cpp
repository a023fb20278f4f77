#include "koppla/mapping/detail/local_basis.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "koppla/core/detail/dense.hpp"

namespace koppla::mapping::detail {

namespace {

/// An axis along which the points are this much less spread than along the first has no extent but by rounding.
constexpr double kFlat = 1e-6;
/// With less spread than this they are a surface or a curve, and what lies beside it is moved to it: a slope across it
/// would come from its curvature or roughness, and mislead at a distance.
constexpr double kThin = 0.3;
/// A quadratic term counts if so much of it is not a combination of the others.
constexpr double kIndependent = 0.05;
/// Squared ratio of pivots below which the basis counts as singular.
constexpr double kSingular = 1e-14;

/// Terms: 1, the three coordinates, their six products.
constexpr std::size_t kLinearTerms = 4;
constexpr std::array<std::pair<int, int>, 6> kProducts{{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}}};

Eigen::Matrix<double, 3, Eigen::Dynamic> asMatrix(std::span<const Position> positions) {
  Eigen::Matrix<double, 3, Eigen::Dynamic> result(3, static_cast<Eigen::Index>(positions.size()));
  for (std::size_t i = 0; i < positions.size(); ++i)
    result.col(static_cast<Eigen::Index>(i)) = Eigen::Vector3d(positions[i][0], positions[i][1], positions[i][2]);
  return result;
}

}  // namespace

void evaluateBasis(Basis basis, double support, Eigen::Ref<Eigen::MatrixXd> squaredDistances) {
  auto r = squaredDistances.array();
  r /= support * support;
  if (basis == Basis::gaussian) {
    r = (-std::log(1e9) * r).exp();
    return;
  }
  r = r.sqrt().min(1.0);
  r = (1.0 - r).square().square() * (4.0 * r + 1.0);
}

/// Principal axes of the points, each with a spread of 1 along it.
void LocalBasis::chooseFrame() {
  const core::detail::SymmetricModes spread = core::detail::symmetricModes(points_ * points_.transpose());
  const Eigen::Matrix3d axes = spread.vectors.rowwise().reverse();
  const Eigen::Vector3d spreads = spread.values.reverse().cwiseMax(0.0).cwiseSqrt();
  pointsAlong_ = axes.transpose() * points_;
  placesAlong_ = axes.transpose() * places_;
  const Eigen::Index wide = (spreads.array() >= kThin * spreads[0]).count();
  for (Eigen::Index axis = wide; axis < 3; ++axis) movePlacesToPoints(axis, wide);
  places_ = axes * placesAlong_;
  extents_ = 1;
  while (extents_ < 3 && spreads[extents_] > kFlat * spreads[0]) ++extents_;
  for (Eigen::Index axis = 0; axis < extents_; ++axis) {
    pointsAlong_.row(axis) /= spreads[axis];
    placesAlong_.row(axis) /= spreads[axis];
  }
}

/// The points are a surface or curve over the wide axes: along another axis, a quadratic function of these and what is
/// left. Places keep their distance from that function only as far as points do, and half of their range beyond.
void LocalBasis::movePlacesToPoints(Eigen::Index axis, Eigen::Index wide) {
  terms_ = wide == 1 ? std::vector<std::size_t>{0, 1, 4} : std::vector<std::size_t>{0, 1, 2, 4, 5, 6};
  if (static_cast<std::size_t>(points_.cols()) < 2 * terms_.size()) terms_ = {0};
  const Eigen::MatrixXd atPoints = polynomial(pointsAlong_);
  const Eigen::VectorXd along = pointsAlong_.row(axis).transpose();
  const Eigen::VectorXd surface = core::detail::leastSquares(atPoints, along);
  const Eigen::VectorXd left = along - atPoints * surface;
  const double beyond = 0.5 * (left.maxCoeff() - left.minCoeff());
  const Eigen::ArrayXd base = polynomial(placesAlong_) * surface;
  const Eigen::ArrayXd apart = placesAlong_.row(axis).transpose().array() - base;
  placesAlong_.row(axis) = base + apart.max(left.minCoeff() - beyond).min(left.maxCoeff() + beyond);
}

Eigen::VectorXd LocalBasis::term(std::size_t index, const Coordinates& at) const {
  if (index == 0) return Eigen::VectorXd::Ones(at.cols());
  if (index < kLinearTerms) return at.row(static_cast<Eigen::Index>(index) - 1).transpose();
  const auto [i, j] = kProducts[index - kLinearTerms];
  return at.row(i).cwiseProduct(at.row(j)).transpose();
}

/// Constant and linear terms along the axes, then the quadratic ones that the points tell apart from those before them
/// (Gram-Schmidt), as long as points are left for the basis.
void LocalBasis::choosePolynomial() {
  terms_.clear();
  const auto extents = static_cast<std::size_t>(extents_);
  for (std::size_t i = 0; i <= extents; ++i) terms_.push_back(i);
  if (settings_.degree < 2) return;
  Eigen::MatrixXd orthonormal = polynomial(pointsAlong_);
  for (Eigen::Index i = 0; i < orthonormal.cols(); ++i) orthonormal.col(i).normalize();
  const std::size_t most = 2 * static_cast<std::size_t>(points_.cols()) / 3;
  const std::size_t quadratic = extents * (extents + 1) / 2;
  for (std::size_t i = kLinearTerms; i < kLinearTerms + quadratic && terms_.size() < most; ++i) {
    const Eigen::VectorXd whole = term(i, pointsAlong_);
    Eigen::VectorXd rest = whole;
    for (Eigen::Index j = 0; j < orthonormal.cols(); ++j) rest -= orthonormal.col(j).dot(rest) * orthonormal.col(j);
    if (!(rest.norm() > kIndependent * whole.norm())) continue;
    terms_.push_back(i);
    orthonormal.conservativeResize(Eigen::NoChange, orthonormal.cols() + 1);
    orthonormal.rightCols(1) = rest.normalized();
  }
}

Eigen::MatrixXd LocalBasis::polynomial(const Coordinates& at) const {
  Eigen::MatrixXd result(at.cols(), static_cast<Eigen::Index>(terms_.size()));
  for (std::size_t i = 0; i < terms_.size(); ++i) result.col(static_cast<Eigen::Index>(i)) = term(terms_[i], at);
  return result;
}

/// With A = L L^T: weights = L^-T (Z - Y S^-1 (Y^T Z - Q)), Z = L^-1 Phi, Y = L^-1 P, S = Y^T Y. False where A is
/// singular in the arithmetic used.
bool LocalBasis::solve() {
  cholesky_.compute(A_);
  if (cholesky_.info() != Eigen::Success) return false;
  const auto pivots = cholesky_.matrixLLT().diagonal().array();
  if (!(pivots.minCoeff() * pivots.minCoeff() > kSingular * pivots.maxCoeff() * pivots.maxCoeff())) return false;
  const auto L = cholesky_.matrixL();
  weights_ = Phi_;
  L.solveInPlace(weights_);
  Eigen::MatrixXd Y = P_;
  L.solveInPlace(Y);
  const Eigen::LDLT<Eigen::MatrixXd> S(Y.transpose() * Y);
  weights_.noalias() -= Y * S.solve(Y.transpose() * weights_ - Q_.transpose());
  L.transpose().solveInPlace(weights_);
  return weights_.allFinite();
}

/// The shortest of the least-squares solutions of the whole system.
void LocalBasis::solveSingular() {
  const Eigen::Index points = A_.rows();
  const Eigen::Index terms = P_.cols();
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(points + terms, points + terms);
  whole << A_, P_, P_.transpose(), Eigen::MatrixXd::Zero(terms, terms);
  Eigen::MatrixXd right(points + terms, Phi_.cols());
  right << Phi_, Q_.transpose();
  weights_ = core::detail::shortestLeastSquares(whole, right).topRows(points);
}

const Eigen::MatrixXd& LocalBasis::weights(std::span<const Position> points, double radius,
                                           std::span<const Position> places) {
  points_ = asMatrix(points);
  places_ = asMatrix(places);
  const Eigen::Vector3d mean = points_.rowwise().mean();
  points_ = (points_.colwise() - mean) / radius;
  places_ = (places_.colwise() - mean) / radius;
  chooseFrame();
  choosePolynomial();
  P_ = polynomial(pointsAlong_);
  Q_ = polynomial(placesAlong_);
  A_.resize(points_.cols(), points_.cols());
  Phi_.resize(points_.cols(), places_.cols());
  for (Eigen::Index i = 0; i < points_.cols(); ++i)
    A_.col(i) = (points_.colwise() - points_.col(i)).colwise().squaredNorm().transpose();
  for (Eigen::Index i = 0; i < places_.cols(); ++i)
    Phi_.col(i) = (points_.colwise() - places_.col(i)).colwise().squaredNorm().transpose();
  evaluateBasis(settings_.basis, settings_.support, A_);
  evaluateBasis(settings_.basis, settings_.support, Phi_);
  if (!solve()) solveSingular();
  return weights_;
}

}  // namespace koppla::mapping::detail
