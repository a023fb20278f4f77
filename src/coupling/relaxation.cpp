#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/coupling/accelerator.hpp"

namespace koppla::coupling {

namespace {

// A factor of Aitken below this part of the first one no longer moves anything.
constexpr double kCollapsed = 1e-6;
// Differences of neighbouring residuals that are smaller than this part of the result are round-off.
constexpr double kNoise = 1e-13;

class Unrelaxed final : public Accelerator {
 public:
  explicit Unrelaxed(std::size_t size) : next_(size) {}

  void begin() override {}
  void learn(std::span<const double> /*sent*/, std::span<const double> answered) override {
    std::ranges::copy(answered, next_.begin());
  }
  void propose(std::span<double> send) override { std::ranges::copy(next_, send.begin()); }
  [[nodiscard]] Doings doings() const override { return {}; }

 private:
  std::vector<double> next_;
};

/// Jung (2.7): u + omega r, with one omega or one per field.
class ConstantRelaxation final : public Accelerator {
 public:
  ConstantRelaxation(double factor, const Unknowns& unknowns)
      : own_(!unknowns.factors.empty()),
        factors_(own_ ? unknowns.factors : std::vector<double>(unknowns.size, factor)),
        next_(unknowns.size) {
    if (factors_.empty()) return;
    const auto [smallest, largest] = std::ranges::minmax(factors_);
    smallest_ = smallest;
    largest_ = largest;
  }

  void begin() override {}
  void learn(std::span<const double> sent, std::span<const double> answered) override {
    for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = sent[i] + factors_[i] * (answered[i] - sent[i]);
  }
  void propose(std::span<double> send) override { std::ranges::copy(next_, send.begin()); }
  [[nodiscard]] Doings doings() const override {
    return {.method = "constant", .smallestFactor = smallest_, .largestFactor = largest_};
  }
  [[nodiscard]] std::span<const double> factors() const override {
    return own_ ? std::span<const double>(factors_) : std::span<const double>();
  }

 private:
  bool own_;  ///< fields have factors of their own
  std::vector<double> factors_;
  std::vector<double> next_;
  double smallest_ = 1.0;
  double largest_ = 1.0;
};

/// One factor of Aitken's method, whatever it is for. The factor that is kept is the one that was used.
class AitkenFactor {
 public:
  explicit AitkenFactor(double first) : omega_(first) {}

  [[nodiscard]] double omega() const { return omega_; }

  /// A new step: not bolder than a first factor, on the side that the step before had come to.
  void restart(double first) { omega_ = std::copysign(std::min(std::fabs(omega_), first), omega_); }

  /// Multiplies the factor by `ratio`; a ratio that is not finite tells nothing and changes nothing. True if the factor
  /// collapsed and was set to the first one.
  bool update(double ratio, double first) {
    const double omega = omega_ * ratio;
    if (!std::isfinite(omega)) return false;
    const bool collapsed = std::fabs(omega) < kCollapsed * first;
    omega_ = collapsed ? first : omega;
    return collapsed;
  }

 private:
  double omega_;
};

std::string remarkOnCollapse(std::size_t& collapsed, double first) {
  if (collapsed == 0) return {};
  const std::string times = collapsed == 1 ? "once" : std::to_string(collapsed) + " times";
  collapsed = 0;
  return "Aitken's factor fell below " + core::text(kCollapsed * first) + " and was set back to " + core::text(first) +
         ", " + times + ": the residuals do not lie on a line.";
}

/// omega_i = -omega_i-1 r_i-1^T (r_i - r_i-1) / |r_i - r_i-1|^2 (Kuettler and Wall, 2008).
class Aitken final : public Accelerator {
 public:
  Aitken(double first, std::size_t size) : first_(first), factor_(first), residual_(size), next_(size) {}

  void begin() override {
    factor_.restart(first_);
    known_ = false;
  }

  void learn(std::span<const double> sent, std::span<const double> answered) override {
    if (known_ && factor_.update(ratio(sent, answered), first_)) ++collapsed_;
    // Values that nobody sent have no residual: zero throughout, it would make the next factor zero.
    known_ = false;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      residual_[i] = answered[i] - sent[i];
      known_ = known_ || residual_[i] != 0.0;
      next_[i] = sent[i] + factor_.omega() * residual_[i];
    }
  }

  void propose(std::span<double> send) override { std::ranges::copy(next_, send.begin()); }
  void overrule() override { known_ = false; }
  [[nodiscard]] Doings doings() const override {
    return {.method = "aitken", .smallestFactor = factor_.omega(), .largestFactor = factor_.omega()};
  }
  [[nodiscard]] bool hasRemark() const override { return collapsed_ > 0; }
  [[nodiscard]] std::string takeRemark() override { return remarkOnCollapse(collapsed_, first_); }

 private:
  // Not a number where the residual did not change.
  [[nodiscard]] double ratio(std::span<const double> sent, std::span<const double> answered) const {
    double along = 0.0;
    double square = 0.0;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const double change = answered[i] - sent[i] - residual_[i];
      along += residual_[i] * change;
      square += change * change;
    }
    return -along / square;
  }

  double first_;
  AitkenFactor factor_;
  bool known_ = false;  // residual_ is one of this step
  std::size_t collapsed_ = 0;
  std::vector<double> residual_;
  std::vector<double> next_;
};

/// The same with a factor of its own for every value: omega_i = -omega_i-1 r_i-1 / (r_i - r_i-1).
class AitkenPerScalar final : public Accelerator {
 public:
  AitkenPerScalar(double first, const Unknowns& unknowns)
      : first_(first),
        settled_(unknowns),
        factors_(unknowns.size, first),
        residual_(unknowns.size),
        next_(unknowns.size) {}

  void begin() override {
    for (double& omega : factors_) {
      AitkenFactor factor(omega);
      factor.restart(first_);
      omega = factor.omega();
    }
    std::ranges::fill(residual_, 0.0);
  }

  void learn(std::span<const double> sent, std::span<const double> answered) override {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const double residual = answered[i] - sent[i];
      const double change = residual - residual_[i];
      // A zero residual is that of a value that nobody sent, or of a step that begins.
      if (residual_[i] != 0.0 && std::fabs(change) > kNoise * std::fabs(answered[i]) &&
          !settled_(i, sent[i], answered[i])) {
        AitkenFactor factor(factors_[i]);
        if (factor.update(-residual_[i] / change, first_)) ++collapsed_;
        factors_[i] = factor.omega();
      }
      residual_[i] = residual;
      next_[i] = sent[i] + factors_[i] * residual;
    }
  }

  void propose(std::span<double> send) override { std::ranges::copy(next_, send.begin()); }
  void overrule() override { std::ranges::fill(residual_, 0.0); }
  [[nodiscard]] Doings doings() const override {
    if (factors_.empty()) return {.method = "aitken-per-scalar"};
    const auto [smallest, largest] = std::ranges::minmax(factors_);
    return {.method = "aitken-per-scalar", .smallestFactor = smallest, .largestFactor = largest};
  }
  [[nodiscard]] std::span<const double> factors() const override { return factors_; }
  [[nodiscard]] bool hasRemark() const override { return collapsed_ > 0; }
  [[nodiscard]] std::string takeRemark() override { return remarkOnCollapse(collapsed_, first_); }

 private:
  double first_;
  Settled settled_;
  std::size_t collapsed_ = 0;
  std::vector<double> factors_;
  std::vector<double> residual_;
  std::vector<double> next_;
};

void checkFactor(double factor) {
  if (!(factor > 0.0 && factor < 2.0))
    throw core::InputError("The relaxation factor is " + core::text(factor) + ".",
                           "It must be greater than 0 and less than 2.");
}

}  // namespace

std::unique_ptr<Accelerator> relaxation(const AccelerationSettings& settings, const Unknowns& unknowns) {
  if (settings.kind == AcceleratorKind::none) return std::make_unique<Unrelaxed>(unknowns.size);
  checkFactor(settings.factor);
  for (const double factor : unknowns.factors) checkFactor(factor);
  switch (settings.kind) {
    case AcceleratorKind::constant:
      return std::make_unique<ConstantRelaxation>(settings.factor, unknowns);
    case AcceleratorKind::aitken:
      return std::make_unique<Aitken>(settings.factor, unknowns.size);
    case AcceleratorKind::aitkenPerScalar:
      return std::make_unique<AitkenPerScalar>(settings.factor, unknowns);
    default:
      throw core::InternalError("relaxation() was asked for an accelerator that is none");
  }
}

}  // namespace koppla::coupling
