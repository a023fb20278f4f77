#pragma once

#include <span>
#include <vector>

#include <Eigen/Cholesky>

#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping::detail {

/// Values of the basis for squared distances, relative to the support.
void evaluateBasis(Basis basis, double support, Eigen::Ref<Eigen::MatrixXd> squaredDistances);

/// Interpolation on one patch: s(x) = sum_i lambda_i phi(|x - x_i|) + p(x), sum_i lambda_i p(x_i) = 0 for all
/// polynomials of its degree. Keeps its arrays from patch to patch.
class LocalBasis {
 public:
  explicit LocalBasis(const RadialBasisSettings& settings) : settings_(settings) {}

  /// Entry (i, j) is what the value at point i contributes to that at place j; columns sum to 1. The points, all in
  /// different places, lie in a ball with this radius. Valid until the next call.
  const Eigen::MatrixXd& weights(std::span<const Position> points, double radius, std::span<const Position> places);

 private:
  using Coordinates = Eigen::Matrix<double, 3, Eigen::Dynamic>;

  void chooseFrame();
  void movePlacesToPoints(Eigen::Index axis, Eigen::Index wide);
  void choosePolynomial();
  [[nodiscard]] Eigen::VectorXd term(std::size_t index, const Coordinates& at) const;
  [[nodiscard]] Eigen::MatrixXd polynomial(const Coordinates& at) const;
  bool solve();
  void solveSingular();

  RadialBasisSettings settings_;
  Coordinates points_;  ///< relative to their mean and the radius
  Coordinates places_;
  Coordinates pointsAlong_;  ///< along the axes of most extent first, relative to the spread
  Coordinates placesAlong_;
  Eigen::Index extents_ = 3;         ///< axes along which the points have extent: 1 on a line, 2 in a plane
  std::vector<std::size_t> terms_;   ///< of the polynomial in use
  Eigen::MatrixXd A_, Phi_, P_, Q_;  ///< basis and polynomial, at points and at places
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::MatrixXd weights_;
};

}  // namespace koppla::mapping::detail
