#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/coupling/acceleration.hpp"
#include "koppla/coupling/approximation.hpp"

namespace koppla::coupling {

/// The block of values that an accelerator works on.
struct Unknowns {
  std::size_t size = 0;
  std::vector<Block> fields{};          ///< ranges of one port each, for scaling; empty: one field
  core::Tolerance tolerance{0.0, 0.0};  ///< of the iteration
  std::span<const double> sizes{};      ///< of the values, kept up to date by whoever iterates; empty: all 0
  std::vector<double> factors{};        ///< of constant relaxation, one per value; empty: the factor of the settings
};

/// Which values are within the tolerance of the iteration, so that they need no further steering.
class Settled {
 public:
  explicit Settled(const Unknowns& unknowns) : tolerance_(unknowns.tolerance), sizes_(unknowns.sizes) {}

  [[nodiscard]] bool operator()(std::size_t value, double sent, double answered) const {
    if (tolerance_.allowsNothing()) return false;
    return std::fabs(answered - sent) <= tolerance_.allowed(answered, sizes_.empty() ? 0.0 : sizes_[value]);
  }

 private:
  core::Tolerance tolerance_;
  std::span<const double> sizes_;
};

/// What an accelerator did in its last proposal, for the history of iterations.
struct Doings {
  std::string_view method = "none";  ///< word of the method at work
  double smallestFactor = 1.0;       ///< of the relaxation
  double largestFactor = 1.0;
  unsigned columns = 0;  ///< differences in use
  unsigned dropped = 0;  ///< differences that were dropped since the iteration before
};

/// Makes the fixed-point iteration on one block of values converge. With what was sent, u, and what was answered, F(u),
/// the residual is r = F(u) - u; an accelerator says what to send next. It never decides about convergence.
///
/// Order of calls: perhaps beginAtSolution; begin, then learn once per iteration, followed by propose unless the
/// iteration ends; then accept, or, for a step that is thrown away, nothing. Nothing is allocated after the first
/// steps, work and memory are linear in the number of values.
class Accelerator {
 public:
  Accelerator() = default;
  virtual ~Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  /// Before the first step: its values begin at a solution, which is thereby the one that is meant.
  virtual void beginAtSolution() {}
  /// A step begins. What an accepted step taught stays; what another one taught is forgotten, but for the factors of
  /// relaxations.
  virtual void begin() = 0;
  /// One iteration. Values that nobody used before they were computed were not sent: then `sent` equals `answered`.
  virtual void learn(std::span<const double> sent, std::span<const double> answered) = 0;
  /// What to send next; `send` may be the memory that `answered` was read from.
  virtual void propose(std::span<double> send) = 0;
  /// Something else than the last proposal is sent: what is learned next does not tell how good that was.
  virtual void overrule() {}
  /// Whether retreat() works.
  [[nodiscard]] virtual bool canRetreat() const { return false; }
  /// The last proposal, still in `send`, led to values beyond all measure: something between it and what was learned
  /// last.
  virtual void retreat(std::span<double> /*send*/) {}
  /// The step that ended with what was learned last is kept.
  virtual void accept() {}

  [[nodiscard]] virtual Doings doings() const = 0;
  /// The factors of the last proposal, one per value; empty where there is one for all.
  [[nodiscard]] virtual std::span<const double> factors() const { return {}; }
  /// What a user should know of a decision since the last call; mostly there is nothing.
  [[nodiscard]] virtual bool hasRemark() const { return false; }
  [[nodiscard]] virtual std::string takeRemark() { return {}; }
};

/// The twelve calibrated sets of adaptive relaxation.
std::span<const AdaptiveSet> adaptiveSets();

std::unique_ptr<Accelerator> relaxation(const AccelerationSettings& settings, const Unknowns& unknowns);
std::unique_ptr<Accelerator> adaptiveRelaxation(const AccelerationSettings& settings, const Unknowns& unknowns);
std::unique_ptr<Accelerator> quasiNewton(const AccelerationSettings& settings, const Unknowns& unknowns);
std::unique_ptr<Accelerator> automaticAcceleration(const Unknowns& unknowns);
/// The one that the settings ask for.
std::unique_ptr<Accelerator> makeAccelerator(const AccelerationSettings& settings, const Unknowns& unknowns);

}  // namespace koppla::coupling
