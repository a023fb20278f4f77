#include "koppla/native/tube_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/ports.hpp"
#include "koppla/native/detail/tube_step.hpp"

namespace koppla::native {

namespace {

using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

std::size_t checkedNodes(std::int32_t nodes) {
  if (nodes < kFewestTubeNodes || nodes > kMostTubeNodes)
    throw core::InputError(fmt::format("tube-flow: {} nodes are asked for.", nodes),
                           fmt::format("A tube has {} to {} nodes.", kFewestTubeNodes, kMostTubeNodes));
  return static_cast<std::size_t>(nodes);
}

class TubeFlowSubsystem final : public subsystem::Subsystem {
 public:
  explicit TubeFlowSubsystem(const TubeFlow& settings)
      : settings_(settings), nodes_(checkedNodes(settings.nodes)), area_(nodes_, 1.0), step_(nodes_) {
    a_ = ports_.addInput({"a", "m2", "area at the nodes"}, 1.0, nodes_);
    p_ = ports_.addOutput({"p", "Pa", "pressure at the nodes"}, {a_}, nodes_);
    v_ = ports_.addOutput({"v", "m/s", "velocity at the nodes"}, {a_}, nodes_);
    // What it starts with is known; the area of a step acts in that step.
    ports_.startsAlone(p_);
    ports_.startsAlone(v_);
    addParameters();
    ports_.complete({.saveRestore = true,
                     .variableStep = true,
                     .inputDerivatives = subsystem::kMaxDegree,
                     .evaluatesBetweenSteps = true});
    state_ = {std::vector<double>(nodes_), std::vector<double>(nodes_), area_};
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return ports_.describe(); }

  void set(PortIndex port, std::span<const core::Value> values) override {
    ports_.set(port, values);
    if (port != a_) return;
    for (std::size_t i = 0; i < nodes_; ++i) area_[i] = std::get<double>(values[i]);
  }

  void bind(subsystem::Binding binding) override {
    areaIsBound_ = !binding.inputs.empty();
    outputs_ = std::move(binding.outputs);
  }

  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {
    std::ranges::fill(state_.v, settings_.meanVelocity);
    std::ranges::fill(state_.p, 0.0);
    state_.a = area_;
    saved_.fill(state_);
  }

  /// The flow stays as it is: the area of this instant is what the next step begins with.
  Status evaluate(double /*t*/, std::span<const double> u, std::span<double> y) override {
    if (areaIsBound_) std::ranges::copy(u, state_.a.begin());
    give(y);
    return Status::ok;
  }

  Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override { return Status::error; }
  void leaveInitialisation() override {}

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    if (areaIsBound_)
      for (std::size_t i = 0; i < nodes_; ++i) area_[i] = u.value(i, 1.0);
    const double dx = settings_.length / static_cast<double>(nodes_ - 1);
    const bool solved = step_.advance(state_, area_,
                                      {.inletVelocity = inletVelocity(step.t1),
                                       .cellPerStep = dx / (step.t1 - step.t0),
                                       .waveSpeedSquared = settings_.youngsModulus / (2.0 * settings_.radius),
                                       .tolerance = settings_.newtonTolerance});
    effort_.rightHandSides += step_.evaluations();
    effort_.jacobians += 1;
    if (!solved) {
      failedAt_ = step.t0;
      return {Status::error, step.t0};
    }
    effort_.microSteps += 1;
    give(y);
    return {Status::ok, step.t1};
  }

  Status save(Slot slot) override {
    copy(state_, saved_[static_cast<std::size_t>(slot)]);
    return Status::ok;
  }

  Status restore(Slot slot) override {
    copy(saved_[static_cast<std::size_t>(slot)], state_);
    return Status::ok;
  }

  [[nodiscard]] subsystem::Effort effort() const override { return effort_; }

  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    for (const PortIndex port : ports) {
      if (port == a_ || port == p_ || port == v_)
        into.reals.insert(into.reals.end(), valuesOf(port).begin(), valuesOf(port).end());
      else
        into.reals.push_back(std::get<double>(ports_.parameter(port)));
    }
  }

  void terminate() noexcept override {}

  [[nodiscard]] std::string failure() const override {
    return fmt::format("{} (in the step that began at t = {} s).", step_.failure(), core::text(failedAt_));
  }

 private:
  void addParameters() {
    using detail::Range;
    ports_.addParameter({"L", "m", "length of the tube"}, settings_.length, Range::positive);
    ports_.addParameter({"E", "N/m2", "Young's modulus of the wall"}, settings_.youngsModulus, Range::positive);
    ports_.addParameter({"r0", "m", "radius at rest"}, settings_.radius, Range::positive);
    ports_.addParameter({"v_mean", "m/s", "mean velocity at the inlet, and velocity at the start"},
                        settings_.meanVelocity);
    ports_.addParameter({"v_amplitude", "m/s", "amplitude of the velocity at the inlet"}, settings_.velocityAmplitude);
    ports_.addParameter({"frequency", "Hz", "of the velocity at the inlet"}, settings_.frequency, Range::notNegative);
    ports_.addParameter({"newton_tolerance", "", "residual of a step, relative to pressure and velocity"},
                        settings_.newtonTolerance, Range::positive);
  }

  [[nodiscard]] double inletVelocity(double t) const {
    return settings_.meanVelocity +
           settings_.velocityAmplitude * std::sin(2.0 * std::numbers::pi * settings_.frequency * t);
  }

  [[nodiscard]] const std::vector<double>& valuesOf(PortIndex port) const {
    return port == a_ ? state_.a : port == p_ ? state_.p : state_.v;
  }

  void give(std::span<double> y) const {
    auto next = y.begin();
    for (const PortIndex port : outputs_) next = std::ranges::copy(valuesOf(port), next).out;
  }

  static void copy(const detail::TubeState& from, detail::TubeState& to) {
    std::ranges::copy(from.v, to.v.begin());
    std::ranges::copy(from.p, to.p.begin());
    std::ranges::copy(from.a, to.a.begin());
  }

  TubeFlow settings_;
  std::size_t nodes_;
  PortIndex a_ = 0, p_ = 0, v_ = 0;  ///< the vectors over the nodes
  detail::Ports ports_{"tube-flow"};
  std::vector<double> area_;  ///< at the end of the step, or as set where nobody gives it
  bool areaIsBound_ = false;
  std::vector<PortIndex> outputs_;
  detail::TubeState state_;
  std::array<detail::TubeState, subsystem::kSlots> saved_;
  detail::TubeStep step_;
  subsystem::Effort effort_;
  double failedAt_ = 0.0;  ///< s
};

}  // namespace

std::unique_ptr<subsystem::Subsystem> tubeFlow(const TubeFlow& settings) {
  return std::make_unique<TubeFlowSubsystem>(settings);
}

}  // namespace koppla::native
