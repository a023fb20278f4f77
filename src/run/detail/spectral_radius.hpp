#pragma once

#include <vector>

namespace koppla::run::detail {

/// The largest |eigenvalue| of a square matrix, row by row; infinite where an entry is not finite. The matrix is
/// balanced before: its rows and columns belong to quantities whose numbers differ by many powers of ten (a force of
/// 1e6 N beside a displacement of 1 m), and what rounding does to eigenvalues grows with the largest entry.
double spectralRadius(const std::vector<double>& matrix);

}  // namespace koppla::run::detail
