#include "koppla/mapping/detail/local_basis.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace koppla::mapping::detail {

namespace {

/// An axis along which the points are this much less spread than along the first is no direction of the polynomial: its
/// slope would come from roughness or curvature of a surface, and mislead beside it.
constexpr double kThin = 0.05;
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

/// Principal axes of the points.
void LocalBasis::chooseFrame() {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> spread(points_ * points_.transpose());
  axes_ = spread.eigenvectors().rowwise().reverse();
  const Eigen::Vector3d squares = spread.eigenvalues().reverse();
  extents_ = 1;
  while (extents_ < 3 && squares[static_cast<Eigen::Index>(extents_)] > kThin * kThin * squares[0]) ++extents_;
  pointsAlong_ = axes_.transpose() * points_;
  placesAlong_ = axes_.transpose() * places_;
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
  for (std::size_t i = 0; i <= extents_; ++i) terms_.push_back(i);
  if (settings_.degree < 2) return;
  Eigen::MatrixXd orthonormal = polynomial(pointsAlong_);
  for (Eigen::Index i = 0; i < orthonormal.cols(); ++i) orthonormal.col(i).normalize();
  const std::size_t most = 2 * static_cast<std::size_t>(points_.cols()) / 3;
  const std::size_t quadratic = extents_ * (extents_ + 1) / 2;
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
  L.solveInPlace(Phi_);
  Eigen::MatrixXd Y = P_;
  L.solveInPlace(Y);
  const Eigen::LDLT<Eigen::MatrixXd> S(Y.transpose() * Y);
  Phi_.noalias() -= Y * S.solve(Y.transpose() * Phi_ - Q_.transpose());
  weights_ = Phi_;
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
  weights_ = whole.completeOrthogonalDecomposition().solve(right).topRows(points);
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
  const Eigen::MatrixXd unsolved = Phi_;
  if (!solve()) {
    Phi_ = unsolved;
    solveSingular();
  }
  return weights_;
}

}  // namespace koppla::mapping::detail
