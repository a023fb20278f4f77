#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "koppla/mechanics/multibody.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::mechanics::test {

/// Scalars of the input or output ports of a system by name.
class Values {
 public:
  Values(const solver::Equations& system, subsystem::Causality causality) : system_(system) {
    for (const subsystem::Port& port : system.describe().ports) {
      first_.push_back(scalars.size());
      if (port.causality == causality) scalars.resize(scalars.size() + port.size);
    }
  }
  [[nodiscard]] std::span<double> of(const std::string& name) {
    const auto port = system_.describe().find(name);
    if (!port) throw std::invalid_argument("no port " + name);
    return std::span(scalars).subspan(first_[*port], system_.describe().ports[*port].size);
  }

  std::vector<double> scalars;

 private:
  const solver::Equations& system_;
  std::vector<std::size_t> first_;
};

/// A system with its inputs and outputs.
struct Part {
  std::unique_ptr<Multibody> system;
  std::string body;  ///< the one that the joint holds
  Values u, y;

  Part(std::unique_ptr<Multibody> made, std::string name)
      : system(std::move(made)),
        body(std::move(name)),
        u(*system, subsystem::Causality::input),
        y(*system, subsystem::Causality::output) {}

  void read(double t, std::span<const double> x) { system->outputs(t, x, u.scalars, y.scalars); }
  [[nodiscard]] bool takes(const std::string& port) const {
    const auto found = system->describe().find(port);
    return found && system->describe().ports[*found].causality == subsystem::Causality::input;
  }
};

/// Two systems with a joint "joint" between them under one solver: what each takes of the other's body is there without
/// delay, and so are multipliers. Outputs: pose of both bodies and the energy of both systems.
class Joined final : public solver::Equations {
 public:
  /// Gives the multipliers to both parts, whose inputs and outputs are otherwise present.
  using Multipliers =
      std::function<void(double t, std::span<const double> x1, std::span<const double> x2, Part&, Part&)>;

  Joined(Part first, Part second, Multipliers multipliers)
      : first_(std::move(first)), second_(std::move(second)), multipliers_(std::move(multipliers)) {
    for (const Part* part : {&first_, &second_})
      for (const char* quantity : {".position", ".rotation", ".velocity", ".angular_velocity"}) {
        const auto port = part->system->describe().find(part->body + quantity);
        subsystem::Port copy = part->system->describe().ports[*port];
        copy.name = (part == &first_ ? "first" : "second") + std::string(quantity);
        addOutput(copy);
      }
    subsystem::Port energy;
    energy.name = "energy";
    energy.causality = subsystem::Causality::output;
    addOutput(energy);
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  [[nodiscard]] core::Value parameter(subsystem::PortIndex /*port*/) const override { return 0.0; }
  [[nodiscard]] std::size_t stateCount() const override {
    return first_.system->stateCount() + second_.system->stateCount();
  }
  void initialStates(std::span<double> x) const override {
    first_.system->initialStates(x.first(first_.system->stateCount()));
    second_.system->initialStates(x.subspan(first_.system->stateCount()));
  }

  void derivatives(double t, std::span<const double> x, std::span<const double> /*u*/,
                   std::span<double> dx) const override {
    const std::size_t n = first_.system->stateCount();
    connect(t, x);
    first_.system->derivatives(t, x.first(n), first_.u.scalars, dx.first(n));
    second_.system->derivatives(t, x.subspan(n), second_.u.scalars, dx.subspan(n));
  }

  void outputs(double t, std::span<const double> x, std::span<const double> /*u*/, std::span<double> y) const override {
    connect(t, x);
    auto at = y.begin();
    for (Part* const part : {&first_, &second_})
      for (const char* quantity : {".position", ".rotation", ".velocity", ".angular_velocity"})
        at = std::ranges::copy(part->y.of(part->body + quantity), at).out;
    *at = first_.y.of("energy")[0] + second_.y.of("energy")[0];
  }

  /// The inputs of both parts at that state.
  void connect(double t, std::span<const double> x) const {
    const std::span<const double> x1 = x.first(first_.system->stateCount());
    const std::span<const double> x2 = x.subspan(x1.size());
    first_.read(t, x1);
    second_.read(t, x2);
    tell(first_, second_);
    tell(second_, first_);
    multipliers_(t, x1, x2, first_, second_);
  }

  [[nodiscard]] Part& first() { return first_; }
  [[nodiscard]] Part& second() { return second_; }

 private:
  void addOutput(subsystem::Port port) {
    description_.ports.push_back(std::move(port));
    description_.dependencies[description_.ports.size() - 1] = std::vector<subsystem::PortIndex>{};
  }

  static void tell(Part& from, Part& to) {
    for (const char* quantity : {".position", ".rotation", ".velocity", ".angular_velocity"})
      if (to.takes(std::string("joint") + quantity))
        std::ranges::copy(from.y.of(from.body + quantity), to.u.of(std::string("joint") + quantity).begin());
  }

  subsystem::Description description_;
  mutable Part first_, second_;
  Multipliers multipliers_;
};

}  // namespace koppla::mechanics::test
