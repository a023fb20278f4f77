#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::run::test_support {

/// Fields: y = f(t, u) with ports "u" and "y" of any sizes; none where a size is 0.
class FieldMember final : public subsystem::Subsystem {
 public:
  using Answer = std::function<std::vector<double>(double t, std::span<const double> u)>;

  FieldMember(std::size_t inputs, std::size_t outputs, Answer answer) : answer_(std::move(answer)) {
    const auto add = [this](const char* name, subsystem::Causality causality, std::size_t size) {
      if (size == 0) return;
      subsystem::Port& port = description_.ports.emplace_back();
      port.name = name;
      port.causality = causality;
      port.size = size;
      port.unit = "m";
    };
    add("u", subsystem::Causality::input, inputs);
    add("y", subsystem::Causality::output, outputs);
    description_.capabilities.saveRestore = true;
    description_.capabilities.variableStep = true;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(subsystem::Binding /*binding*/) override {}
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    last_ = answer_(t, u);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = last_[i];
    return subsystem::Status::ok;
  }
  subsystem::Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override {
    return subsystem::Status::error;
  }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return {evaluate(step.t1, u.power(0), y), step.t1};
  }
  subsystem::Status save(subsystem::Slot /*slot*/) override { return subsystem::Status::ok; }
  subsystem::Status restore(subsystem::Slot /*slot*/) override { return subsystem::Status::ok; }
  void observe(std::span<const subsystem::PortIndex> /*ports*/, core::Values& /*into*/) override {}
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  Answer answer_;
  subsystem::Description description_;
  std::vector<double> last_;
};

}  // namespace koppla::run::test_support
