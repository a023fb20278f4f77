#pragma once

#include <span>
#include <string>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::mechanics::detail {

/// What all conditions between bodies share as static subsystems with real vector ports: who derives from it declares
/// the ports in its constructor and computes outputs from the present inputs.
class ConditionMember : public subsystem::Subsystem {
 public:
  explicit ConditionMember(std::string model);

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override;
  void bind(subsystem::Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override;
  subsystem::Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override {
    return subsystem::Status::error;
  }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override;
  subsystem::Status save(subsystem::Slot /*slot*/) override { return subsystem::Status::ok; }
  subsystem::Status restore(subsystem::Slot /*slot*/) override { return subsystem::Status::ok; }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override;
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return "a condition between bodies cannot fail."; }

 protected:
  struct Quantity {
    std::string name;
    std::size_t size;
    std::string unit;
    std::string text;
  };

  subsystem::PortIndex addInput(Quantity quantity);
  /// An output that compute() gives from these inputs.
  subsystem::PortIndex addOutput(Quantity quantity, std::vector<subsystem::PortIndex> dependsOn);
  /// An output that the caller owns: its place in y is never written, and what it held last can be observed.
  subsystem::PortIndex addMultiplier(Quantity quantity);
  /// To be called when all ports are there.
  void finish(bool isLinear);

  /// Present values of a port.
  [[nodiscard]] std::span<const double> values(subsystem::PortIndex port) const;
  [[nodiscard]] std::span<double> values(subsystem::PortIndex port);

  /// Called when inputs may have changed, before compute().
  virtual void refresh() = 0;
  virtual void compute(subsystem::PortIndex output, std::span<double> into) const = 0;

 private:
  subsystem::PortIndex addPort(Quantity quantity, subsystem::Causality causality);
  void answer(std::span<double> y);

  subsystem::Description description_;
  subsystem::Binding binding_;
  std::vector<std::size_t> offsets_;  ///< by port, into values_
  std::vector<double> values_;
  std::vector<bool> isMultiplier_;  ///< by port
};

}  // namespace koppla::mechanics::detail
