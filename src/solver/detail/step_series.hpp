#pragma once

#include <span>
#include <vector>

#include "koppla/solver/detail/outputs.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::detail {

/// How the end of a step depends on an input, to the leading order in its length H (Lu, app. B). With the derivative
/// p = df/du of the rates by the input, and I, I2 the weights of the input's course:
///
///     dx_i / du = I H p_i                  where the input acts on that rate
///               = I2 H^2 (df/dx p)_i       where it acts through another state, as a force on a position
///     dy_i / du = (dg/du)_i                where it acts on that output at once, as a force on an acceleration
///               = (dg/dx dx/du)_i          otherwise
class StepSeries {
 public:
  explicit StepSeries(const Equations& equations);

  /// The column for one scalar of u, all outputs; valid until the next call.
  std::span<const double> column(const Instant& end, double length, std::size_t input,
                                 subsystem::SeriesWeights weights);

 private:
  void rates(const Instant& at, std::span<const double> direction, double distance, std::span<double> result);

  const Equations* equations_;
  std::vector<double> x_, u_, f_, acts_, through_, dx_, y_, direct_, below_;
};

}  // namespace koppla::solver::detail
