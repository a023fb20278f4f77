#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "koppla/coupling/loop_iteration.hpp"

namespace koppla::coupling {

/// A solution of a loop from which values move away on their way round it. Plain iteration would never have come there,
/// and where the loop is not linear, there may be another solution, which is the one that was meant.
struct Repelling {
  std::size_t value;  ///< that moves most, as network's outputs
  double slope;       ///< of what comes back by what was sent, along the steepest direction; above 1
};

/// By the matrix of what comes back by what was sent at the solution, row by row: its largest real eigenvalue above 1.
/// Negative and complex ones turn round the solution, which does not need another one.
std::optional<Repelling> repellingBy(std::span<const double> matrix, std::span<const std::size_t> values);

/// By the last movement of an iteration, if one before it along the same line has shown another slope: so the loop is
/// not linear.
std::optional<Repelling> repellingBy(const LoopEvaluations& seen);

}  // namespace koppla::coupling
