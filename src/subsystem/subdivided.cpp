#include "koppla/subsystem/subdivided.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/core/error.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"
#include "koppla/subsystem/micro_steps.hpp"
#include "koppla/subsystem/trajectory_pieces.hpp"

namespace koppla::subsystem {

namespace {

class Subdivided final : public detail::Wrapper {
 public:
  Subdivided(std::unique_ptr<Subsystem> inner, double microStep)
      : Wrapper(std::move(inner)), microStep_(microStep), taken_(describe().capabilities.inputDerivatives) {
    Capabilities& capabilities = description().capabilities;
    capabilities.inputDerivatives = kMaxDegree;
    capabilities.stepDerivatives = false;
    capabilities.ownSteps = microStep > 0.0 && capabilities.variableStep;
    if (microStep > 0.0) capabilities.microStep = microStep;
    if (taken_ < kMaxDegree) capabilities.fitted = {taken_, microStep};
  }

  void bind(Binding binding) override {
    pieces_ = TrajectoryPieces(realScalars(binding.inputs), taken_);
    Wrapper::bind(std::move(binding));
  }

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    const double length = step.length;
    const double end = step.single ? singleMicroStep(length, microStep_) : length;
    const std::uint64_t count = step.single ? 1 : microStepsIn(end, microStep_);
    const double h = end / static_cast<double>(count);
    const double unit = length > 0.0 ? 1.0 / length : 0.0;
    StepResult worst{Status::ok, step.t0};
    for (std::uint64_t k = 0; k < count; ++k) {
      const double tau = static_cast<double>(k) * h;
      const double next =
          k + 1 < count ? step.t0 + static_cast<double>(k + 1) * h : (end == length ? step.t1 : step.t0 + end);
      const StepResult result =
          inner().advance(step.part(worst.reached, next, h, k == 0), pieces_.cut(u, tau * unit, h * unit), y);
      worst = {std::max(worst.status, result.status), result.reached};
      if (result.status >= Status::discard) return worst;
      if (++microSteps_ % kBetweenLooks == 0 && core::interruptionRequested()) return {Status::error, worst.reached};
    }
    return worst;
  }

  /// The inner one's account; where it gives none, what is known from outside.
  [[nodiscard]] Effort effort() const override {
    Effort effort = inner().effort();
    if (effort.microSteps == 0) effort.microSteps = microSteps_;
    return effort;
  }

 private:
  static constexpr std::uint64_t kBetweenLooks = 4096;  ///< at whether the user wants to end

  double microStep_;  ///< s, 0: the whole step
  unsigned taken_;    ///< the highest degree that the inner one takes
  TrajectoryPieces pieces_;
  std::uint64_t microSteps_ = 0;
};

}  // namespace

std::unique_ptr<Subsystem> subdivide(std::unique_ptr<Subsystem> inner, double microStep) {
  if (!std::isfinite(microStep) || microStep < 0.0)
    throw core::InputError("A micro step of " + core::text(microStep) + " s is impossible.",
                           "Give a length above zero, or 0 for one micro step per macro step.");
  return std::make_unique<Subdivided>(std::move(inner), microStep);
}

}  // namespace koppla::subsystem
