#include "koppla/coupling/adaptive_relaxation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/coupling/accelerator.hpp"

namespace koppla::coupling {

namespace {

void check(bool holds, const std::string& name, double value, const std::string& remedy) {
  if (!holds) throw core::InputError("The adaptive relaxation has " + name + " = " + core::text(value) + ".", remedy);
}

class AdaptiveRelaxation final : public Accelerator {
 public:
  AdaptiveRelaxation(const AdaptiveParameters& parameters, const Unknowns& unknowns)
      : parameters_(parameters),
        settled_(unknowns),
        factors_(unknowns.size, parameters.first),
        masses_(unknowns.size, 1.0),
        changes_(unknowns.size, 0.0),
        newest_(unknowns.size),
        older_(unknowns.size),
        next_(unknowns.size) {
    checkAdaptive(parameters_);
  }

  // Differences from one step to the next say nothing of the iteration; factors and masses serve the next step, whether
  // this one was kept or not: they are bounded, and the loop is nearly the same.
  void begin() override {
    begun_ = false;
    std::ranges::fill(changes_, 0.0);
  }

  void learn(std::span<const double> sent, std::span<const double> answered) override {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (begun_) adapt(i, sent[i], answered[i]);
      // The start value is the first of the history. For a value without one it equals the first result: the zero
      // difference keeps K undefined for one iteration more.
      older_[i] = begun_ ? newest_[i] : sent[i];
      newest_[i] = answered[i];
      next_[i] = sent[i] + factors_[i] * (answered[i] - sent[i]);
    }
    begun_ = true;
  }

  void propose(std::span<double> send) override { std::ranges::copy(next_, send.begin()); }
  void overrule() override { begun_ = false; }

  [[nodiscard]] Doings doings() const override {
    if (factors_.empty()) return {.method = "adaptive"};
    const auto [smallest, largest] = std::ranges::minmax(factors_);
    return {.method = "adaptive", .smallestFactor = smallest, .largestFactor = largest};
  }
  [[nodiscard]] std::span<const double> factors() const override { return factors_; }

 private:
  void adapt(std::size_t i, double sent, double answered) {
    const SteeredFactor steered = adapted(parameters_, {factors_[i], masses_[i], changes_[i]},
                                          {answered, newest_[i], older_[i]}, settled_(i, sent, answered));
    factors_[i] = steered.omega;
    masses_[i] = steered.mass;
    changes_[i] = steered.change;
  }

  AdaptiveParameters parameters_;
  Settled settled_;
  bool begun_ = false;  // the step has an iteration
  // Six doubles per value.
  std::vector<double> factors_;
  std::vector<double> masses_;
  std::vector<double> changes_;
  std::vector<double> newest_;  // x_i-1, as answered
  std::vector<double> older_;   // x_i-2
  std::vector<double> next_;
};

// Jung, table 5.5; L has no slope.
constexpr AdaptiveSet set(std::string_view name, Steering steering, double first, double influence, double upper,
                          double gain, double slope) {
  return {name,
          {.steering = steering, .first = first, .influence = influence, .upper = upper, .gain = gain, .slope = slope}};
}

constexpr std::array kSets{
    set("L(1,a)", Steering::linear, 1.0, 0.05, 1.0, 1.1111, 0.0),
    set("L(1,b)", Steering::linear, 1.0, 0.02, 1.0, 2.2222, 0.0),
    set("L(0.7,a)", Steering::linear, 0.7, 0.03, 1.0, 1.6667, 0.0),
    set("L(0.7,b)", Steering::linear, 0.7, 0.05, 0.6667, 2.7778, 0.0),
    set("NL(1,a)", Steering::nonLinear, 1.0, 0.03, 0.6667, 5.0, 2.2778),
    set("NL(1,b)", Steering::nonLinear, 1.0, 0.04, 0.6667, 5.0, 0.6444),
    set("NL(0.7,a)", Steering::nonLinear, 0.7, 0.09, 0.4, 2.2222, 1.1889),
    set("NL(0.7,b)", Steering::nonLinear, 0.7, 0.09, 0.6667, 5.0, 1.1889),
    set("L/NL(1,a)", Steering::mixed, 1.0, 0.03, 1.0, 3.8889, 2.2778),
    set("L/NL(1,b)", Steering::mixed, 1.0, 0.03, 1.0, 3.8889, 1.1889),
    set("L/NL(0.7,a)", Steering::mixed, 0.7, 0.04, 1.0, 3.3333, 1.1889),
    set("L/NL(0.7,b)", Steering::mixed, 0.7, 0.09, 1.0, 1.6667, 5.0),
};

}  // namespace

void checkAdaptive(const AdaptiveParameters& p) {
  check(p.influence >= 0.0 && p.influence <= 1.0, "influence", p.influence, "It must lie in [0, 1].");
  check(p.lower > 0.0 && p.lower <= 1.0, "lower", p.lower, "It must lie in ]0, 1].");
  check(p.upper > 0.0 && p.upper <= 1.0, "upper", p.upper, "It must lie in ]0, 1].");
  check(p.gain >= 0.0 && std::isfinite(p.gain), "gain", p.gain, "It must not be negative.");
  check(p.slope >= 0.0 && std::isfinite(p.slope), "slope", p.slope, "It must not be negative.");
  check(p.mass >= 0.0 && p.mass <= 1.0, "mass", p.mass, "It must lie in [0, 1].");
  check(p.margin > 0.0 && p.margin < (p.lower + p.upper) / 2.0, "margin", p.margin,
        "It must be positive and less than half the distance between the limits of the factor.");
  check(p.first >= 1.0 - p.lower + p.margin && p.first <= 1.0 + p.upper - p.margin, "a first factor", p.first,
        "It must lie between 1 - lower and 1 + upper, and not nearer to them than `margin`.");
}

std::span<const AdaptiveSet> adaptiveSets() {
  return kSets;
}

std::unique_ptr<Accelerator> adaptiveRelaxation(const AccelerationSettings& settings, const Unknowns& unknowns) {
  return std::make_unique<AdaptiveRelaxation>(settings.adaptive, unknowns);
}

}  // namespace koppla::coupling
