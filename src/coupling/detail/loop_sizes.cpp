#include "koppla/coupling/detail/loop_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "koppla/core/detail/dense.hpp"
#include "koppla/core/weighted_norm.hpp"

namespace koppla::coupling::detail {

std::vector<double> unitsAt(const Eigen::VectorXd& z, const Eigen::VectorXd& change, std::vector<double> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    for (const double magnitude : {std::fabs(z[k]), std::fabs(z[k] + change[k])})
      if (std::isfinite(magnitude)) sizes[i] = std::max(sizes[i], magnitude);
  }
  const double largest = sizes.empty() ? 0.0 : std::ranges::max(sizes);
  for (double& size : sizes)
    if (size == 0.0) size = largest;
  return sizes;
}

LoopRounding::LoopRounding(const Eigen::MatrixXd& derivatives, const Eigen::VectorXd& z, const Eigen::VectorXd& r) {
  constexpr double kLost = 100.0 * std::numeric_limits<double>::epsilon();
  const auto n = z.size();
  const Eigen::VectorXd rest = z + r - derivatives * z;
  ofAnswers = kLost * (derivatives.cwiseAbs() * z.cwiseAbs() + rest.cwiseAbs());
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
  ofSolution = core::detail::solve(identity - derivatives, identity).cwiseAbs() * ofAnswers;
}

std::vector<double> notBelow(const Eigen::VectorXd& rounding, double rtol, std::vector<double> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double needed = rounding[static_cast<Eigen::Index>(i)] / (core::Tolerance::kShareOfSize * rtol);
    if (needed > sizes[i] && std::isfinite(needed)) sizes[i] = needed;
  }
  return sizes;
}

}  // namespace koppla::coupling::detail
