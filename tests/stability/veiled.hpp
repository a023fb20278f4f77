#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "koppla/coupling/system.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::test {

/// A subsystem that does what another does and says that it can do less, such as one that saves no states.
class Veiled final : public subsystem::Subsystem {
 public:
  using Veil = std::function<void(subsystem::Capabilities&)>;

  Veiled(std::unique_ptr<subsystem::Subsystem> inner, const Veil& veil)
      : inner_(std::move(inner)), description_(inner_->describe()) {
    veil(description_.capabilities);
  }
  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override { inner_->set(port, values); }
  void bind(subsystem::Binding binding) override { inner_->bind(std::move(binding)); }
  void enterInitialisation(const subsystem::Experiment& experiment) override {
    inner_->enterInitialisation(experiment);
  }
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    return inner_->evaluate(t, u, y);
  }
  subsystem::Status differentiate(std::size_t input, std::span<double> dy) override {
    return inner_->differentiate(input, dy);
  }
  void leaveInitialisation() override { inner_->leaveInitialisation(); }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner_->advance(step, u, y);
  }
  subsystem::Status save(subsystem::Slot slot) override {
    return description_.capabilities.saveRestore ? inner_->save(slot) : subsystem::Status::error;
  }
  subsystem::Status restore(subsystem::Slot slot) override {
    return description_.capabilities.saveRestore ? inner_->restore(slot) : subsystem::Status::error;
  }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    inner_->observe(ports, into);
  }
  void terminate() noexcept override { inner_->terminate(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }

 private:
  std::unique_ptr<subsystem::Subsystem> inner_;
  subsystem::Description description_;
};

inline coupling::System veiled(coupling::System system, const Veiled::Veil& veil) {
  for (coupling::Member& member : system.members)
    member.subsystem = std::make_unique<Veiled>(std::move(member.subsystem), veil);
  return system;
}

}  // namespace koppla::test
