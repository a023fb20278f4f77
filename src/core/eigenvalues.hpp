#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace koppla::core {

// Of a real square matrix, row by row. Here for all rooms, because the method takes long to compile.

struct Modes {
  std::vector<std::complex<double>> values;
  std::vector<std::complex<double>> vectors;  ///< of length 1, one after the other, in the order of the values
};

/// Eigenvalues and eigenvectors; nothing where an entry is not finite or the iteration fails.
std::optional<Modes> modes(std::span<const double> matrix);

/// The eigenvalues alone.
std::optional<std::vector<std::complex<double>>> eigenvalues(std::span<const double> matrix);

/// The largest |eigenvalue|; infinite where an entry is not finite or the iteration fails. The matrix is balanced
/// before: its rows and columns belong to quantities whose numbers differ by many powers of ten (a force of 1e6 N
/// beside a displacement of 1 m), and what rounding does to eigenvalues grows with the largest entry.
double spectralRadius(std::span<const double> matrix);

}  // namespace koppla::core
