#include "koppla/core/matrix_exponential.hpp"

#include <cmath>

#include <Eigen/Core>
#include <unsupported/Eigen/MatrixFunctions>

namespace koppla::core {

std::vector<long double> exponential(std::span<const long double> matrix) {
  // By columns, as Eigen's default is: the exponential of the transpose is the transpose of the exponential.
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  const Matrix transposed = Eigen::Map<const Matrix>(matrix.data(), n, n);
  std::vector<long double> result(matrix.size());
  Eigen::Map<Matrix>(result.data(), n, n) = transposed.exp();
  return result;
}

}  // namespace koppla::core
