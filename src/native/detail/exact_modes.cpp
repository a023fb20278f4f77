#include "koppla/native/detail/exact_modes.hpp"

#include <utility>

#include <Eigen/Eigenvalues>

namespace koppla::native::detail {

ExactModes::ExactModes(ComplexVector values, ComplexMatrix vectors)
    : values_(std::move(values)), vectors_(std::move(vectors)), inverse_(vectors_) {}

std::optional<ExactModes> ExactModes::of(const Matrix& A) {
  constexpr Real kLeastCondition = 1e-8L;  // costs half of the digits that Real has beyond double's
  const Eigen::EigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return std::nullopt;
  ExactModes modes{solver.eigenvalues(), solver.eigenvectors()};
  if (!(modes.inverse_.rcond() > kLeastCondition)) return std::nullopt;
  return modes;
}

ExactModes::Vector ExactModes::advance(Real tau, const Vector& z) const {
  const ComplexVector amplitudes = inverse_.solve(z.cast<Complex>());
  return (vectors_ * (values_ * Complex(tau)).array().exp().matrix().cwiseProduct(amplitudes)).real();
}

}  // namespace koppla::native::detail
