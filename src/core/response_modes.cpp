#include "koppla/core/response_modes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <Eigen/SVD>

#include "koppla/core/eigenvalues.hpp"

namespace koppla::core {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// One row for each value, one column for each disturbance, sample by sample.
Eigen::Map<const MatrixXd> rowsOf(const Responses& responses) {
  return {responses.numbers.data(), static_cast<Index>(responses.values),
          static_cast<Index>(responses.numbers.size() / responses.values)};
}

/// What each value is to be multiplied by: the inverse of what it shows, but not so much that noise is more than
/// kNoise.
Eigen::VectorXd likeUnits(const Responses& responses) {
  constexpr double kNoise = 1e-9;
  Eigen::VectorXd units = rowsOf(responses).cwiseAbs().rowwise().maxCoeff();
  for (Index i = 0; i < units.size(); ++i) {
    const double noise = responses.noise.empty() ? 0.0 : responses.noise[static_cast<std::size_t>(i)];
    const double shown = std::fmax(units[i], noise / kNoise);
    units[i] = shown > 0.0 ? 1.0 / shown : 0.0;
  }
  return units;
}

/// Block (i, k) is sample i + k + `later`.
MatrixXd hankel(const MatrixXd& samples, Index width, Index rows, Index columns, Index later) {
  const Index height = samples.rows();
  MatrixXd result(height * rows, width * columns);
  for (Index i = 0; i < rows; ++i)
    result.middleRows(i * height, height) = samples.middleCols((i + later) * width, columns * width);
  return result;
}

/// Of modes that were followed over so many steps.
LargestModulus largestOf(const std::vector<std::complex<double>>& modes, double steps) {
  constexpr double kKnown = 2.0;  // |log| of what a mode is multiplied by meanwhile
  LargestModulus largest{0.0, 0.0, 0.0};
  for (const std::complex<double>& mode : modes) {
    const double modulus = std::abs(mode);
    const double open = steps * std::abs(std::log(mode)) < kKnown ? std::exp(kKnown / steps) : 1.0;
    largest.value = std::fmax(largest.value, modulus);
    largest.least = std::fmax(largest.least, modulus / open);
    largest.most = std::fmax(largest.most, modulus * open);
  }
  return largest;
}

}  // namespace

Responses Responses::first(std::size_t count) const {
  Responses part{values, disturbances, {}, noise};
  part.numbers.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(std::min(count, samples()) *
                                                                                     values * disturbances));
  return part;
}

std::optional<LargestModulus> largestModulus(const Responses& responses, double shown) {
  constexpr Index kFewest = 4;
  const auto samples = static_cast<Index>(responses.samples());
  if (samples < kFewest || !std::ranges::all_of(responses.numbers, [](double x) { return std::isfinite(x); }))
    return std::nullopt;
  const MatrixXd scaled = likeUnits(responses).asDiagonal() * rowsOf(responses);
  const auto width = static_cast<Index>(responses.disturbances);
  const Index rows = samples / 2;
  const MatrixXd now = hankel(scaled, width, rows, samples - rows, 0);
  const MatrixXd next = hankel(scaled, width, rows, samples - rows, 1);
  const Eigen::BDCSVD<MatrixXd> singular(now, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& sizes = singular.singularValues();
  if (sizes[0] == 0.0) return LargestModulus{0.0, 0.0, 0.0};
  const Index kept = (sizes.array() > shown * sizes[0]).count();
  const Eigen::VectorXd halves = sizes.head(kept).cwiseSqrt().cwiseInverse();
  const MatrixXd M = halves.asDiagonal() * singular.matrixU().leftCols(kept).transpose() * next *
                     singular.matrixV().leftCols(kept) * halves.asDiagonal();
  const auto modes = eigenvalues({M.data(), static_cast<std::size_t>(M.size())});  // the same for the transpose
  if (!modes) return std::nullopt;
  return largestOf(*modes, static_cast<double>(samples - 1));
}

double partBetween(const Responses& responses, const Responses& others) {
  const std::size_t samples = std::min(responses.samples(), others.samples());
  if (samples == 0) return 0.0;
  const Responses one = responses.first(samples);
  const Responses other = others.first(samples);
  const Eigen::VectorXd units = likeUnits(one);
  const double all = (units.asDiagonal() * rowsOf(one)).norm();
  return all > 0.0 ? (units.asDiagonal() * (rowsOf(one) - rowsOf(other))).norm() / all : 0.0;
}

}  // namespace koppla::core
