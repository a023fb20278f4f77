#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace koppla::study {

/// One pass of the filter of Jung (5.9) over a field on a grid of `sizes`, the last direction varying fastest:
///
///     smoothed = 1/2 centre + 1/(4 l) sum over l directions of both neighbours
///
/// A direction in which a point lies on the border, so that a neighbour is missing, does not count there; where none
/// counts the value stays as it is. It removes narrow optima.
std::vector<double> smoothed(std::span<const double> field, std::span<const std::size_t> sizes);

}  // namespace koppla::study
