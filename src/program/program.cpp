#include "koppla/program/program.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/program/call.hpp"
#include "koppla/program/seen_digits.hpp"

namespace koppla::program {

namespace {

using subsystem::Causality;
using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

class ProgramSubsystem final : public subsystem::Subsystem {
 public:
  ProgramSubsystem(ProgramSettings settings, core::Log& log)
      : settings_(withAbsolutePaths(std::move(settings))), log_(log) {
    describePorts();
    subsystem::Capabilities& capabilities = description_.capabilities;
    capabilities.variableStep = true;
    capabilities.inputDerivatives = subsystem::kMaxDegree;  // it takes the values at the end of the step
    capabilities.evaluatesBetweenSteps = true;
    capabilities.ownProcess = true;
    // Not isStatic, as native models without states: members that are, are evaluated one after the other behind all
    // others, while Jacobi is to run programs at the same time.
    capabilities.states = !settings_.isTransient;  // it has none
    // What a service remembers by itself cannot be brought back.
    capabilities.saveRestore = !settings_.remembers();
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }

  void set(PortIndex port, std::span<const core::Value> values) override {
    std::ranges::transform(values, values_[port].begin(),
                           [](const core::Value& value) { return std::get<double>(value); });
  }

  void bind(subsystem::Binding binding) override { binding_ = std::move(binding); }

  void enterInitialisation(const subsystem::Experiment& experiment) override {
    try {
      caller_.emplace(settings_, experiment.interrupted);
    } catch (const core::InputError& refusal) {
      throw core::SubsystemError(fmt::format("'{}' cannot be called. {}", settings_.name, refusal.what()));
    } catch (const core::FileError& failure) {
      core::passOnFileError(fmt::format("The program '{}' cannot be called.", settings_.name), failure.what());
    }
    state_ = {};
    known_.reset();
    instant_.reset();
    instants_ = 0;
  }

  /// A transient program stays where it is.
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    std::size_t at = 0;
    for (const PortIndex port : binding_.inputs)
      for (double& value : values_[port]) value = u[at++];
    const Status status = settings_.isTransient ? Status::ok : answer(t);
    if (status <= Status::warning) give(y);
    return status;
  }

  Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override { return Status::error; }
  void leaveInitialisation() override {}

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    std::size_t at = 0;
    for (const PortIndex port : binding_.inputs)
      for (double& value : values_[port]) value = u.value(at++, 1.0);
    const Status status = settings_.isTransient ? call(step.t0, step.t1) : answer(step.t1);
    if (status > Status::warning) return {status, step.t0};
    give(y);
    return {Status::ok, step.t1};
  }

  Status save(Slot slot) override {
    saved_[static_cast<std::size_t>(slot)] = {state_, outputs()};
    return Status::ok;
  }

  Status restore(Slot slot) override {
    const Saved& saved = saved_[static_cast<std::size_t>(slot)];
    state_ = saved.state;
    std::ranges::copy(saved.outputs, values_.begin() + static_cast<std::ptrdiff_t>(settings_.inputs.size()));
    known_.reset();
    return Status::ok;
  }

  [[nodiscard]] subsystem::Effort effort() const override { return effort_; }

  [[nodiscard]] unsigned digits(PortIndex output) const override {
    const unsigned declared = description_.ports[output].digits;
    return declared > 0 ? declared : seen_[output - settings_.inputs.size()].digits();
  }

  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    for (const PortIndex port : ports) into.reals.insert(into.reals.end(), values_[port].begin(), values_[port].end());
  }

  /// The restart files stay for a run that goes on from here.
  void terminate() noexcept override {
    if (state_.restart) state_.restart->keep();
    for (const Saved& saved : saved_)
      if (saved.state.restart) saved.state.restart->keep();
    if (caller_ && caller_->recalled() > 0)
      log_.write(core::Severity::info, settings_.name,
                 fmt::format("{} answer{} came from the record of the run before", caller_->recalled(),
                             caller_->recalled() == 1 ? "" : "s"));
    caller_.reset();
  }
  [[nodiscard]] std::string failure() const override { return failure_; }
  [[nodiscard]] bool failedAtFile() const override { return failedAtFile_; }

 private:
  /// What a step begins with.
  struct State {
    std::uint64_t step = 0;  ///< steps taken
    std::shared_ptr<const RestartFiles> restart{};
  };
  struct Saved {
    State state;
    std::vector<std::vector<double>> outputs;
  };
  /// What a static program was asked last; the same question has the same answer.
  struct Known {
    double t;
    std::vector<std::vector<double>> inputs;
  };

  /// Ports are inputs, outputs and parameters, in this order.
  void describePorts() {
    description_.kind = settings_.isTransient ? "program, transient" : "program, static";
    description_.model = text(settings_.command);
    for (const PortSettings& port : settings_.inputs) addPort(port, Causality::input);
    for (const OutputSettings& output : settings_.outputs) {
      addPort(output.port, Causality::output);
      description_.ports.back().digits = digitsOf(output.reading);
    }
    seen_.resize(settings_.outputs.size());
    for (const PortSettings& port : settings_.parameters) addPort(port, Causality::parameter);
  }

  void addPort(const PortSettings& settings, Causality causality) {
    subsystem::Port port;
    port.name = settings.field.name;
    port.causality = causality;
    port.size = settings.field.size();
    port.unit = settings.unit;
    port.description = settings.description;
    port.nominal = settings.nominal;
    // A transient program has said nothing yet when the first step begins.
    port.settable = causality != Causality::output || settings_.isTransient;
    if (!settings.start.empty()) port.start = settings.start.front();
    std::vector<double> values = settings.start;
    values.resize(port.size, settings.start.size() == 1 ? settings.start.front() : 0.0);
    if (causality == Causality::output && settings_.isTransient)
      description_.initialDependencies[description_.ports.size()] = std::vector<PortIndex>{};
    description_.ports.push_back(std::move(port));
    values_.push_back(std::move(values));
  }

  /// Of a static program.
  Status answer(double t) {
    if (isKnown(t)) return Status::ok;
    const Status status = call(t, t);
    if (status <= Status::warning) known_ = Known{t, inputs()};
    return status;
  }

  Status call(double t0, double t1) {
    Request request{settings_.isTransient ? state_.step + 1 : instantAt(t1), t0, t1, {}, state_.restart};
    const std::size_t outputs = settings_.outputs.size();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (i < settings_.inputs.size() || i >= settings_.inputs.size() + outputs)
        request.values.emplace_back(values_[i]);
    for (unsigned attempt = 0;; ++attempt) {
      failedAtFile_ = false;
      try {
        Answer answer = caller_->call(request);
        ++(settings_.isTransient ? effort_.microSteps : effort_.staticCalls);
        lookAtDigits(t1, answer.outputs);
        std::ranges::move(answer.outputs, values_.begin() + static_cast<std::ptrdiff_t>(settings_.inputs.size()));
        if (settings_.isTransient) state_ = {request.step, std::move(answer.restart)};
        return Status::ok;
      } catch (const core::FileError& failure) {
        known_.reset();
        failure_ = failure.what();
        failedAtFile_ = true;
        return Status::error;
      } catch (const core::SubsystemError& failure) {
        known_.reset();
        failure_ = failure.what();
        if (attempt == settings_.retries || caller_->isInterrupted()) return Status::error;
        log_.write(core::Severity::warning, settings_.name,
                   fmt::format("{} It is tried again ({} of {}).", failure_, attempt + 1, settings_.retries));
      }
    }
  }

  /// Of answers to different questions at one instant; others may follow a schedule of short numbers.
  void lookAtDigits(double t, const std::vector<std::vector<double>>& outputs) {
    const bool sameInstant = std::exchange(answeredAt_, t) == t;
    for (std::size_t port = 0; port < outputs.size(); ++port)
      for (std::size_t i = 0; i < outputs[port].size(); ++i)
        seen_[port].look(outputs[port][i], sameInstant && outputs[port][i] != answers_[port][i]);
    answers_ = outputs;
  }

  /// A static program has no steps; its instants are counted instead, from 0.
  std::uint64_t instantAt(double t) {
    if (instant_ && t > *instant_) ++instants_;
    instant_ = t;
    return instants_;
  }

  [[nodiscard]] std::vector<std::vector<double>> slice(std::size_t first, std::size_t count) const {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
  [[nodiscard]] std::vector<std::vector<double>> inputs() const { return slice(0, settings_.inputs.size()); }
  [[nodiscard]] std::vector<std::vector<double>> outputs() const {
    return slice(settings_.inputs.size(), settings_.outputs.size());
  }

  [[nodiscard]] bool isKnown(double t) const { return known_ && known_->t == t && known_->inputs == inputs(); }

  void give(std::span<double> y) const {
    auto next = y.begin();
    for (const PortIndex port : binding_.outputs) next = std::ranges::copy(values_[port], next).out;
  }

  ProgramSettings settings_;
  core::Log& log_;
  subsystem::Description description_;
  std::vector<std::vector<double>> values_;  ///< by port
  subsystem::Binding binding_;
  std::optional<Caller> caller_;
  State state_;
  std::optional<double> instant_;  ///< of the last call of a static program, s
  std::uint64_t instants_ = 0;
  std::array<Saved, subsystem::kSlots> saved_;
  std::optional<double> answeredAt_;          ///< s, the last call that went well
  std::vector<std::vector<double>> answers_;  ///< of that call, by output
  std::vector<SeenDigits> seen_;              ///< by output
  std::optional<Known> known_;
  subsystem::Effort effort_;
  std::string failure_;
  bool failedAtFile_ = false;
};

}  // namespace

std::unique_ptr<subsystem::Subsystem> makeProgram(ProgramSettings settings, core::Log& log) {
  check(settings);
  return std::make_unique<ProgramSubsystem>(std::move(settings), log);
}

}  // namespace koppla::program
