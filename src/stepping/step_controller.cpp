#include "koppla/stepping/step_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::stepping {

namespace {

// A step that was cut to the limit must count as 'at the limit' although its ends are rounded.
constexpr double kTie = 1.0 + 1e-9;

// Where no least step is given, a billionth of the interval: then something else is wrong than the step.
constexpr double kSmallestPart = 1e-9;

}  // namespace

StepController::StepController(const StepControlSettings& settings, double firstStep, double start, double end)
    : settings_(settings),
      first_(firstStep),
      smallest_(settings.minStep > 0.0 ? settings.minStep : kSmallestPart * (end - start)),
      largest_(settings.maxStep > 0.0 ? settings.maxStep : end - start) {
  // A step must be told from rounding: between two instants lie several doubles.
  constexpr double kResolution = 8.0 * std::numeric_limits<double>::epsilon();
  smallest_ = std::max(smallest_, kResolution * std::max(std::fabs(start), std::fabs(end)));
  if (settings_.adapts()) first_ = std::clamp(first_, std::min(smallest_, largest_), largest_);
}

bool StepController::untested(double h) const {
  return settings_.repeats() && settings_.untestedBelow > 0.0 && h <= settings_.untestedBelow * kTie;
}

Verdict StepController::shrunk(double from, double to) const {
  if (from <= smallest_ * kTie) return {Verdict::Decision::giveUp, from};
  return {Verdict::Decision::repeat, std::max(smallest_, to)};
}

/// Schmoll (2.30)-(2.32), errors in units of the tolerance:
///   I:   Ht = H e^(-1/k)        PI:  Ht = H e^(-a/k) e_prev^(b/k),  a = 0.7, b = 0.4, k = order
///   H := min{ Hmax, qmax H, max{ Hmin, qmin H, q Ht } }
/// The first step has no e_prev and takes the I form.
double StepController::fromPrediction(const StepReport& report) {
  constexpr double kProportional = 0.7;
  constexpr double kIntegral = 0.4;
  constexpr double kLeastError = 1e-30;  // no error at all must not become an infinite step
  const double error = std::max(report.error.value_or(1.0), kLeastError);
  const double order = report.order;
  double wanted = report.h * std::pow(error, -1.0 / order);
  if (settings_.controller == Controller::proportionalIntegral && lastError_)
    wanted = report.h * std::pow(error, -kProportional / order) * std::pow(*lastError_, kIntegral / order);
  lastError_ = error;
  const double atLeast = std::max({smallest_, report.h / settings_.shrink, settings_.safety * wanted});
  return std::min({largest_, settings_.grow * report.h, atLeast});
}

Verdict StepController::judge(const StepReport& report) {
  const double grown = std::min(largest_, settings_.grow * report.h);
  switch (settings_.kind) {
    case StepControlKind::fixed:
      return {report.converged ? Verdict::Decision::accept : Verdict::Decision::giveUp, report.h};
    case StepControlKind::convergence:
      // Nicolai, sec. 5.4
      if (untested(report.h) || report.converged) return {Verdict::Decision::accept, grown};
      return shrunk(report.h, report.h / settings_.shrink);
    case StepControlKind::predictorCorrector:
      if (!report.converged) return {Verdict::Decision::giveUp, report.h};
      return {Verdict::Decision::accept, fromPrediction(report)};
    case StepControlKind::doubleStep:
      break;
  }
  // Nicolai, sec. 5.5: h_new = h clip(0.9 / sqrt(error), 0.2, grow); the estimate is of second order in h.
  constexpr double kSafety = 0.9;
  constexpr double kLeastFactor = 0.2;
  if (untested(report.h)) return {Verdict::Decision::accept, grown};
  if (!report.converged || !report.error) return shrunk(report.h, report.h * kLeastFactor);
  const double error = *report.error;
  const double factor = std::clamp(kSafety / std::sqrt(error), kLeastFactor, settings_.grow);
  if (error <= 1.0) return {Verdict::Decision::accept, std::min(largest_, factor * report.h)};
  return shrunk(report.h, std::isfinite(factor) ? factor * report.h : kLeastFactor * report.h);
}

}  // namespace koppla::stepping
