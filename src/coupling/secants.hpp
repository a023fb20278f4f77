#pragma once

#include <memory>
#include <span>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/difference_columns.hpp"
#include "koppla/coupling/field_weights.hpp"

namespace koppla::coupling {

/// What differences between iterations tell about the inverse of the loop's Jacobian: the part in which quasi-Newton
/// methods differ. With u sent, a answered and r = a - u, the next values are u + beta r plus a correction.
///
/// Order of calls: begin; then, for each difference between successive iterations of the step, stage and take; correct
/// as often as wanted; accept or, for a step that is thrown away, nothing.
class Secants {
 public:
  Secants() = default;
  virtual ~Secants() = default;
  Secants(const Secants&) = delete;
  Secants& operator=(const Secants&) = delete;

  virtual void begin() = 0;
  virtual void accept() = 0;
  /// Memory for the difference of r, and for the difference of u + gamma r; empty where none can be kept.
  [[nodiscard]] virtual DifferenceColumns::Pair stage() = 0;
  virtual void take() = 0;
  /// Adds the correction to `send`, which holds u + beta r; false where there is nothing to correct with.
  virtual bool correct(std::span<const double> residual, std::span<double> send) = 0;
  /// The weights have changed.
  virtual void rescale() = 0;
  virtual void clear() = 0;

  [[nodiscard]] virtual std::size_t count() const = 0;
  /// Differences that were dropped since the last call.
  [[nodiscard]] virtual unsigned takeDropped() = 0;
};

/// u + beta r + W c with V c = -r, over this step and `reusedSteps` accepted ones (IQN-ILS; without them, Anderson).
std::unique_ptr<Secants> leastSquaresSecants(const AccelerationSettings& settings, unsigned reusedSteps,
                                             std::size_t size, FieldWeights& weights);
/// The same with J = J_before + (W - J_before V) V^+ (IQN-IMVJ).
std::unique_ptr<Secants> multiVectorSecants(const AccelerationSettings& settings, std::size_t size,
                                            FieldWeights& weights);
/// Rank-one terms by Broyden's good update.
std::unique_ptr<Secants> broydenSecants(const AccelerationSettings& settings, std::size_t size, FieldWeights& weights);

}  // namespace koppla::coupling
