#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::test {

/// Integers in and out, a state that counts, and steps that may be refused.
class IntegerMember final : public subsystem::Subsystem {
 public:
  /// The state after a step that began with the state n and the input `in`.
  using Count = std::function<std::int32_t(std::int32_t n, std::int32_t in)>;
  /// Where a step gets to; the end of the step where it is not refused.
  using Reach = std::function<double(const subsystem::Step&)>;

  explicit IntegerMember(
      Count count, Reach reach = [](const auto& step) { return step.t1; })
      : count_(std::move(count)), reach_(std::move(reach)) {
    subsystem::Port in;
    in.name = "in";
    in.type = core::Type::integer;
    in.causality = subsystem::Causality::input;
    subsystem::Port out = in;
    out.name = "out";
    out.causality = subsystem::Causality::output;
    description_.kind = "integers";
    description_.ports = {in, out};
    description_.dependencies[1] = std::vector<subsystem::PortIndex>{};
    description_.capabilities = {.saveRestore = true, .variableStep = true};
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(subsystem::Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  subsystem::Status evaluate(double /*t*/, std::span<const double> /*u*/, std::span<double> /*y*/) override {
    return give();
  }
  subsystem::Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override {
    return subsystem::Status::error;
  }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory /*u*/,
                                std::span<double> /*y*/) override {
    const double reached = reach_(step);
    if (reached < step.t1) return {subsystem::Status::discard, reached};
    n_ = count_(n_, binding_.discreteInputs.integers.empty() ? 0 : binding_.discreteInputs.integers[0]);
    return {give(), step.t1};
  }
  subsystem::Status save(subsystem::Slot slot) override {
    saved_.at(static_cast<std::size_t>(slot)) = n_;
    return subsystem::Status::ok;
  }
  subsystem::Status restore(subsystem::Slot slot) override {
    n_ = saved_.at(static_cast<std::size_t>(slot));
    return subsystem::Status::ok;
  }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    for (std::size_t i = 0; i < ports.size(); ++i) into.integers.push_back(n_);
  }
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return "the step was refused"; }

 private:
  subsystem::Status give() {
    if (!binding_.discreteOutputs.integers.empty()) binding_.discreteOutputs.integers[0] = n_;
    return subsystem::Status::ok;
  }

  Count count_;
  Reach reach_;
  subsystem::Description description_;
  subsystem::Binding binding_;
  std::int32_t n_ = 0;
  std::array<std::int32_t, subsystem::kSlots> saved_{};
};

}  // namespace koppla::test
