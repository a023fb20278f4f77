#include "koppla/run/step_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/stepping/double_step.hpp"

namespace koppla::run {

namespace {

using coupling::InputCourse;
using stepping::Course;

std::vector<std::size_t> allOutputs(const coupling::Network& network) {
  std::vector<std::size_t> all(network.outputs().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<Course> coursesOf(const coupling::Network& network, const coupling::CoupledStep& coupledStep) {
  std::vector<Course> courses(network.outputs().size(), Course::exact);
  for (std::size_t consumer = 0; consumer < network.size(); ++consumer)
    for (const std::size_t output : network.sourcesOf(consumer)) {
      const InputCourse course = coupledStep.courseOf(output, consumer);
      if (course == InputCourse::extrapolated)
        courses[output] = Course::extrapolated;
      else if (course == InputCourse::interpolated && courses[output] == Course::exact)
        courses[output] = Course::interpolated;
    }
  for (const std::size_t held : network.heldOutputs()) courses[held] = Course::exact;
  return courses;
}

}  // namespace

StepError::StepError(const coupling::Network& network, const coupling::CoupledStep& coupledStep,
                     const Settings& settings)
    : network_(network),
      coupledStep_(coupledStep),
      settings_(settings),
      tolerance_{settings.stepControl.rtol, settings.stepControl.atol},
      sizes_(network, allOutputs(network)),
      courses_(coursesOf(network, coupledStep)) {}

double StepError::leastAllowed() const {
  double least = tolerance_.rtol > 0.0 ? std::min(1.0, tolerance_.rtol) : 1.0;  // of what is zero so far
  for (const double size : sizes_.all())
    if (size > 0.0) least = std::min(least, tolerance_.allowed(size, size) / size);
  return least;
}

void StepError::show() {
  sizes_.show(network_.outputs());
  start_.assign(network_.outputs().begin(), network_.outputs().end());
}

void StepError::beginTest() {
  ofNew_.assign(start_.size(), 0.0);
  ofLate_.assign(start_.size(), 0.0);
}

/// Inputs may be late by a hundredth of the step that was given, times `rtol`: less than they are late anyway, unless a
/// value jumps; then this says how short a step around the jump is short enough. Of a value that was zero so far
/// nothing is known but how fast it is, so it counts as if it had changed like this in all of the step that was given.
void StepError::allow(double h, std::span<const double> from) {
  constexpr double kLate = 0.01;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const double change = settings_.step / h * std::fabs(network_.outputs()[i] - from[i]);
    if (!(sizes_.all()[i] > 0.0)) ofNew_[i] = std::max(ofNew_[i], change);
    ofLate_[i] = std::max({ofLate_[i], ofNew_[i], kLate * change});
  }
}

double StepError::ofCoupling() const {
  return stepping::couplingError({.predicted = coupledStep_.predicted(),
                                  .computed = network_.outputs(),
                                  .sizes = sizes_.all(),
                                  .allowance = ofLate_,
                                  .courses = courses_,
                                  .interpolationShare = coupledStep_.interpolationShare()},
                                 tolerance_);
}

/// Schmoll (2.29).
double StepError::ofPrediction() {
  const std::span<const double> predicted = coupledStep_.predicted();
  const std::span<const double> computed = network_.outputs();
  difference_.resize(computed.size());
  magnitude_.resize(computed.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    difference_[i] = computed[i] - predicted[i];
    magnitude_[i] = std::max(std::fabs(computed[i]), std::fabs(predicted[i]));
  }
  return core::weightedNorm(core::Norm::rms, tolerance_, difference_, magnitude_, sizes_.all());
}

double StepError::ofStep(double h) {
  if (!settings_.stepControl.keepsCouplingError()) return ofPrediction();
  beginTest();
  allow(h, start_);
  return ofCoupling();
}

void StepError::doneAtOnce() {
  atOnce_.assign(network_.outputs().begin(), network_.outputs().end());
  beginTest();
}

void StepError::doneHalf(double h) {
  atMiddle_.assign(network_.outputs().begin(), network_.outputs().end());
  if (!settings_.stepControl.keepsCouplingError()) return;
  allow(h / 2.0, start_);
  firstHalf_ = ofCoupling();
}

double StepError::doneAgain(double h) {
  if (!settings_.stepControl.keepsCouplingError())
    return stepping::doubleStepError({h, start_, atOnce_, atMiddle_, network_.outputs(), sizes_.all()},
                                     settings_.algorithm.norm, tolerance_);
  allow(h / 2.0, atMiddle_);
  const unsigned order = coupledStep_.predictedDegree() + 1;
  const double richardson =
      stepping::richardsonError({atOnce_, network_.outputs(), sizes_.all(), ofNew_, order}, tolerance_);
  // Of an order more than the coupling error: brought to its order, it asks for the step that it would ask for alone.
  const double asCoupling = std::pow(richardson, order / (order + 1.0));
  return std::max({firstHalf_, ofCoupling(), asCoupling});
}

}  // namespace koppla::run
