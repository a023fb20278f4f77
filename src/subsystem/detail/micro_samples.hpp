#pragma once

#include <span>
#include <vector>

namespace koppla::subsystem::detail {

/// The newest outputs of a solver at the ends of its micro steps, for interpolation of that degree.
class MicroSamples {
 public:
  MicroSamples() = default;
  MicroSamples(unsigned degree, std::size_t outputs)
      : outputs_(outputs), times_(degree + 1, 0.0), values_((degree + 1) * outputs, 0.0) {}

  /// Samples at or after t (s) belong to a step that was rejected: they are dropped.
  void add(double t, std::span<const double> y);
  /// Lagrange's polynomial through all samples there are.
  void interpolate(double t, std::span<double> y) const;

 private:
  std::size_t outputs_ = 0;
  std::size_t count_ = 0;
  std::vector<double> times_;   ///< s, ascending
  std::vector<double> values_;  ///< sample by sample
};

}  // namespace koppla::subsystem::detail
