#pragma once

#include <span>
#include <vector>

#include "koppla/coupling/accelerator.hpp"

namespace koppla::coupling {

/// Weights that make unlike fields comparable, one per field: the reciprocal of the norm that Scaling names. With
/// values of 1e6 Pa beside values of 1e-6 m the least-squares problem would see the pressures only.
///
/// Values count with their largest norm in the run: weights that follow values up and down cost iterations (Jacobi
/// coupling of the elastic tube: 720 instead of 577).
///
/// Weights change when the wanted ones differ from those in use by a factor above 10 between fields, or while there is
/// no difference that would have to be weighed anew: a common factor has no influence, and a decomposition is seldom
/// repeated. A field whose norm is zero or not finite keeps its weight, which is 1 at first.
class FieldWeights {
 public:
  FieldWeights(Scaling scaling, const Unknowns& unknowns);

  /// A step begins: sums of residuals start anew.
  void begin();
  /// Takes an iteration; true where the weights changed, by changes().
  bool observe(std::span<const double> residual, std::span<const double> answered, bool nothingToRescale);

  [[nodiscard]] std::span<const Block> fields() const { return fields_; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] std::span<const double> changes() const { return changes_; }

  /// vector := D vector, with D the diagonal matrix of the weights.
  void apply(std::span<double> vector) const;
  /// D vector: the vector itself where there are no weights, else a copy that holds until the next call.
  [[nodiscard]] std::span<const double> applied(std::span<const double> vector);

 private:
  Scaling scaling_;
  std::size_t size_;
  std::vector<Block> fields_;  ///< empty without weights
  std::vector<double> weights_;
  std::vector<double> wanted_;
  std::vector<double> sums_;  ///< of residuals; of values the largest norm
  std::vector<double> changes_;
  std::vector<double> copy_;
};

}  // namespace koppla::coupling
