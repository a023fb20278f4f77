#pragma once

#include <complex>
#include <optional>

#include <Eigen/LU>

namespace koppla::native::detail {

/// exp(A tau) z by the eigenvectors of A: much cheaper than the exponential, where they are a good basis.
class ExactModes {
 public:
  // A has entries of 1 and 1e6 in Schmoll's model: in double exp(A t) has lost half of its digits (2e-8) at t = 1 s.
  using Real = long double;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  /// Nothing where the eigenvectors are no good basis.
  static std::optional<ExactModes> of(const Matrix& A);

  [[nodiscard]] Vector advance(Real tau, const Vector& z) const;

 private:
  using Complex = std::complex<Real>;
  using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;
  using ComplexVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;

  ExactModes(ComplexVector values, ComplexMatrix vectors);

  ComplexVector values_;
  ComplexMatrix vectors_;
  Eigen::PartialPivLU<ComplexMatrix> inverse_;
};

}  // namespace koppla::native::detail
