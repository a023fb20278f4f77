#pragma once

#include <span>
#include <vector>

namespace koppla::core {

/// exp(A) of a square matrix A, row by row as the result. In long double: positions and velocities differ in size by
/// their frequencies, which costs half of double's digits.
std::vector<long double> exponential(std::span<const long double> matrix);

}  // namespace koppla::core
