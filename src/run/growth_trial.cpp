#include "koppla/run/growth_trial.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::run {

using coupling::CoupledStep;
using coupling::Ending;
using coupling::FaultKind;
using coupling::StepOutcome;

namespace {

bool explodes(const StepOutcome& outcome) {
  return outcome.fault.kind == FaultKind::exploded || outcome.ending == Ending::exploded ||
         outcome.ending == Ending::opened;
}

}  // namespace

double Stretch::growthFrom(double before) const {
  if (ratios.empty()) return 1.0;
  const auto quarter = static_cast<std::ptrdiff_t>((ratios.size() + 3) / 4);
  return *std::max_element(ratios.end() - quarter, ratios.end()) / before;
}

double Stretch::lateGrowth() const {
  const auto quarter = static_cast<std::ptrdiff_t>(ratios.size() / 4);
  if (quarter == 0) return 1.0;
  return growthFrom(*std::max_element(ratios.begin() + quarter, ratios.begin() + 2 * quarter));
}

GrowthTrial::GrowthTrial(coupling::Network& network, const std::vector<coupling::Cycle>& cycles,
                         const CoupledStep& accepted, const GrowthWatch& watch, double t, double end, const Halt& halt)
    : network_(network),
      cycles_(cycles),
      accepted_(accepted),
      watch_(watch),
      t_(t),
      end_(end),
      halt_(halt),
      before_(network),
      ratioBefore_(watch.largestRatio()) {}

Stretch GrowthTrial::follow(const coupling::AlgorithmSettings& settings, double h, std::uint64_t steps, double enough) {
  Stretch stretch;
  if (putBack()) return {{}, false};
  CoupledStep coupledStep(network_, cycles_, settings, false);
  if (network_.usesThreads()) coupledStep.approximate(t_);
  coupledStep.begin(t_, h, accepted_.earlier(t_, h, coupledStep.earlierSamples()));
  const bool keepGoing = settings.withoutConvergence == coupling::WithoutConvergence::accept;
  const auto instant = [&](std::uint64_t i) { return t_ + static_cast<double>(i) * h; };
  constexpr double kTie = 1e-6;  // of a step
  for (std::uint64_t i = 0; i < steps && instant(i + 1) <= end_ + kTie * h; ++i) {
    const double t1 = std::fmin(instant(i + 1), end_);
    const StepOutcome& outcome =
        coupledStep.solve({.step = {.t0 = instant(i), .t1 = t1, .final = false, .returnsBefore = i > 0, .length = h},
                           .start = {},
                           .keepGoing = keepGoing});
    if (explodes(outcome)) {
      stretch.ratios.push_back(HUGE_VAL);
      return stretch;
    }
    if (i == 0 && outcome.fault.kind == FaultKind::failed) lost_ = outcome.fault;
    if (outcome.fault || (!outcome.converged() && !keepGoing) || halt_.isInterrupted()) {
      stretch.sound = false;
      return stretch;
    }
    coupledStep.acceptUnwatched(t1);
    stretch.ratios.push_back(watch_.largestRatio());
    if (stretch.ratios.back() >= enough * ratioBefore_) return stretch;
  }
  return stretch;
}

Finding GrowthTrial::originOf(const Growth& growth, const coupling::AlgorithmSettings& settings, double h) {
  constexpr double kEnough = 16.0;  // to tell exponents apart
  constexpr double kLeast = 4.0;
  constexpr std::uint64_t kFewest = 8;
  constexpr std::uint64_t kMost = 3;  // times the steps that it took to grow
  const Stretch whole = follow(settings, h, std::max(kFewest, kMost * growth.steps), kEnough);
  const std::uint64_t steps = whole.ratios.size();
  if (!whole.sound) return {Origin::unknown, steps};
  const double exponent = std::log(whole.growthFrom(ratioBefore_));
  if (exponent < std::log(kLeast)) return {Origin::model, steps};  // it has ended
  const auto exponentOf = [&](unsigned divisor) -> std::optional<double> {
    if (divisor == 1) return exponent;
    const Stretch shorter = follow(settings, h / divisor, divisor * steps, HUGE_VAL);
    if (!shorter.sound) return std::nullopt;
    return std::log(shorter.growthFrom(ratioBefore_));
  };
  return {run::originOf(exponentOf, static_cast<double>(steps)), steps};
}

bool GrowthTrial::staysSmall(const coupling::AlgorithmSettings& settings, double h, std::uint64_t steps) {
  constexpr std::uint64_t kLonger = 4;
  constexpr double kSteady = 1.05;  // what does not grow may still swing
  constexpr double kHopeless = 4.0;
  const Stretch stretch = follow(settings, h, kLonger * steps, kHopeless);
  return stretch.sound && stretch.growthFrom(ratioBefore_) <= kSteady && stretch.lateGrowth() <= kSteady;
}

}  // namespace koppla::run
