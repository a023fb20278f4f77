#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem::detail {

/// A subsystem around another one, with a description of its own; forwards what it does not change.
class Wrapper : public Subsystem {
 public:
  explicit Wrapper(std::unique_ptr<Subsystem> inner) : inner_(std::move(inner)), description_(inner_->describe()) {}

  [[nodiscard]] const Description& describe() const override { return description_; }
  void set(PortIndex port, std::span<const core::Value> values) override { inner_->set(port, values); }
  void bind(Binding binding) override { inner_->bind(std::move(binding)); }
  void enterInitialisation(const Experiment& experiment) override { inner_->enterInitialisation(experiment); }
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    return inner_->evaluate(t, u, y);
  }
  Status differentiate(std::size_t input, std::span<double> dy) override { return inner_->differentiate(input, dy); }
  Status initialiseAgain() override { return inner_->initialiseAgain(); }
  void leaveInitialisation() override { inner_->leaveInitialisation(); }
  Status readOutputs(std::span<double> y) override { return inner_->readOutputs(y); }
  [[nodiscard]] bool asksToEnd() const override { return inner_->asksToEnd(); }
  Status save(Slot slot) override { return inner_->save(slot); }
  Status restore(Slot slot) override { return inner_->restore(slot); }
  [[nodiscard]] std::vector<double> states() const override { return inner_->states(); }
  void setStates(std::span<const double> states) override { inner_->setStates(states); }
  [[nodiscard]] Effort effort() const override { return inner_->effort(); }
  [[nodiscard]] unsigned digits(PortIndex output) const override { return inner_->digits(output); }
  [[nodiscard]] double nextKnownPoint(double t) const override { return inner_->nextKnownPoint(t); }
  void observe(std::span<const PortIndex> ports, core::Values& into) override { inner_->observe(ports, into); }
  void terminate() noexcept override { inner_->terminate(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }
  [[nodiscard]] bool failedAtFile() const override { return inner_->failedAtFile(); }

 protected:
  [[nodiscard]] Subsystem& inner() { return *inner_; }
  [[nodiscard]] const Subsystem& inner() const { return *inner_; }
  [[nodiscard]] Description& description() { return description_; }
  /// Scalars of the real ones among those ports.
  [[nodiscard]] std::size_t realScalars(const std::vector<PortIndex>& ports) const {
    std::size_t count = 0;
    for (const PortIndex port : ports)
      if (description_.ports[port].type == core::Type::real) count += description_.ports[port].size;
    return count;
  }

 private:
  std::unique_ptr<Subsystem> inner_;
  Description description_;
};

}  // namespace koppla::subsystem::detail
