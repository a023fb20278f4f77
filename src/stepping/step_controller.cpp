#include "koppla/stepping/step_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::stepping {

namespace {

// A step that was cut to the limit must count as 'at the limit' although its ends are rounded.
constexpr double kTie = 1.0 + 1e-9;

// Where no least step is given, a part of the interval that is short enough for what begins with a jump.
constexpr double kSmallestPart = 1e-12;

// No step is less than this part of the one before it that failed.
constexpr double kLeastFactor = 0.2;

/// By which a step becomes one with a tolerable error that falls with this power of it.
double factorFor(double error, unsigned order, double safety) {
  const double factor = safety * std::pow(error, -1.0 / order);
  return factor > kLeastFactor ? factor : kLeastFactor;  // of an error that is no number, too
}

}  // namespace

/// While everything rests no error is seen, so steps would grow to the whole run and beyond what begins in it.
double longestStep(const StepControlSettings& settings, double interval) {
  constexpr double kLeastSteps = 50.0;
  if (settings.maxStep > 0.0) return settings.maxStep;
  return settings.keepsCouplingError() ? std::max(settings.minStep, interval / kLeastSteps) : interval;
}

StepController::StepController(const StepControlSettings& settings, double firstStep, double start, double end)
    : settings_(settings),
      first_(firstStep),
      smallest_(settings.minStep > 0.0 ? settings.minStep : kSmallestPart * (end - start)),
      largest_(longestStep(settings, end - start)) {
  // A step must be told from rounding: between two instants lie several doubles.
  constexpr double kResolution = 8.0 * std::numeric_limits<double>::epsilon();
  resolution_ = kResolution * std::max(std::fabs(start), std::fabs(end));
  smallest_ = std::max(smallest_, resolution_);
  // The default bound says nothing of how fast values are, which the first step is a guess of.
  const double most = settings.maxStep > 0.0 ? largest_ : end - start;
  if (settings_.adapts()) first_ = std::clamp(first_, std::min(smallest_, most), most);
}

double StepController::beginHeld(double part) {
  constexpr double kRoom = 0.1;
  if (settings_.minStep <= 0.0) smallest_ = std::max(resolution_, std::min(smallest_, kRoom * part * first_));
  return std::clamp(part * first_, std::min(smallest_, largest_), largest_);
}

/// Right behind a failure the step does not grow (Hairer, Norsett, Wanner I, II.4), or it would fail again.
double StepController::largestFactor() const {
  return settings_.keepsCouplingError() && repeating_ ? 1.0 : settings_.grow;
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
  return std::min({largest_, largestFactor() * report.h, atLeast});
}

/// The step is chosen as above. Where the coupling error is to be kept, a step that fails is tried again; what cannot
/// be, and what fails at the shortest step as in front of a jump, stays.
Verdict StepController::byPrediction(const StepReport& report) {
  const bool repeats = settings_.keepsCouplingError() && report.repeatable;
  if (!report.converged)
    return repeats ? shrunk(report.h, kLeastFactor * report.h) : Verdict{Verdict::Decision::giveUp, report.h};
  const bool failed = report.error && !(*report.error <= 1.0);
  if (!failed || !repeats || report.h <= smallest_ * kTie) return {Verdict::Decision::accept, fromPrediction(report)};
  return shrunk(report.h, report.h * factorFor(*report.error, report.order, settings_.safety));
}

/// Nicolai, sec. 5.5: h_new = h clip(0.9 / sqrt(error), 0.2, grow), as an estimate of second order in h; the coupling
/// error has an order that is known.
Verdict StepController::byDoubleStep(const StepReport& report) const {
  constexpr double kSafety = 0.9;
  if (!report.converged || !report.error) return shrunk(report.h, report.h * kLeastFactor);
  const bool keeps = settings_.keepsCouplingError();
  const double factor = factorFor(*report.error, keeps ? report.order : 2, keeps ? settings_.safety : kSafety);
  if (!(*report.error <= 1.0)) return shrunk(report.h, factor * report.h);
  return {Verdict::Decision::accept, std::min(largest_, std::min(factor, largestFactor()) * report.h)};
}

Verdict StepController::judge(const StepReport& report) {
  const Verdict verdict = decided(report);
  repeating_ = verdict.decision == Verdict::Decision::repeat;
  return verdict;
}

Verdict StepController::decided(const StepReport& report) {
  const double grown = std::min(largest_, settings_.grow * report.h);
  switch (settings_.kind) {
    case StepControlKind::fixed:
      return {report.converged ? Verdict::Decision::accept : Verdict::Decision::giveUp, report.h};
    case StepControlKind::convergence:
      // Nicolai, sec. 5.4
      if (untested(report.h) || report.converged) return {Verdict::Decision::accept, grown};
      return shrunk(report.h, report.h / settings_.shrink);
    case StepControlKind::predictorCorrector:
      return byPrediction(report);
    case StepControlKind::doubleStep:
      break;
  }
  return untested(report.h) ? Verdict{Verdict::Decision::accept, grown} : byDoubleStep(report);
}

}  // namespace koppla::stepping
