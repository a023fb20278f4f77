#pragma once

#include <optional>
#include <span>
#include <vector>

namespace koppla::results {

/// The values y_in of one variable i at the compared instants n = 1..N.
using Samples = std::vector<double>;

/// (2.33): sqrt( sum_n (y*_n - y_n)^2 / sum_n (y*_n - mean y*)^2 ), the error of one variable as a share of what the
/// reference does. Nothing where the reference is constant, for then it has no size of its own to compare with.
/// Equations of this file: Schmoll, sec. 2.5.2.
std::optional<double> normalisedError(std::span<const double> reference, std::span<const double> computed);

/// (2.34): sqrt( sum_i eps_i^2 ), the NRMSE of several variables.
double combinedError(std::span<const double> perVariable);

/// (2.35) with rho = 1: sqrt( 1/N_y sum_i ( (y*_i - y_i) / (1 + max(|y*_i|, |y_i|)) )^2 ), all variables at one
/// instant.
double weightedErrorAt(std::span<const double> reference, std::span<const double> computed);

/// WRMSE over all instants, from the columns of the variables; NaN where there are none.
struct WeightedError {
  double sum = 0.0;   ///< (2.36) as printed: sqrt( sum_n epst_n^2 ); grows with the number of instants
  double mean = 0.0;  ///< sqrt( 1/N sum_n epst_n^2 ), which the name promises
};
WeightedError weightedError(std::span<const Samples> reference, std::span<const Samples> computed);

}  // namespace koppla::results
