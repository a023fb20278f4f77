#include "support/formula_subsystem.hpp"

#include <algorithm>
#include <stdexcept>

namespace koppla::test {

using subsystem::Binding;
using subsystem::Causality;
using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;

namespace {

class FormulaSubsystem final : public subsystem::Subsystem {
 public:
  explicit FormulaSubsystem(Formula formula) : formula_(std::move(formula)), u_(formula_.inputs.size(), 0.0) {
    description_.kind = "formula";
    for (const std::string& name : formula_.inputs) addPort(name, Causality::input);
    for (const std::string& name : formula_.outputs) {
      addPort(name, Causality::output);
      if (!formula_.feedThrough) description_.dependencies[description_.ports.size() - 1] = std::vector<PortIndex>{};
    }
    description_.capabilities = formula_.capabilities;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(PortIndex port, std::span<const core::Value> values) override { u_.at(port) = std::get<double>(values[0]); }
  void bind(Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& experiment) override { t_ = experiment.start; }

  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    t_ = t;
    take(u);
    return give(y);
  }

  Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override { return Status::error; }
  void leaveInitialisation() override {}

  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    take(u.power(0));
    formula_.step(formula_.states, step.t1, step.t1 - step.t0, u_);
    t_ = step.t1;
    return {give(y), step.t1};
  }

  Status save(Slot slot) override {
    saved_.at(static_cast<std::size_t>(slot)) = {formula_.states, t_};
    return Status::ok;
  }

  Status restore(Slot slot) override {
    formula_.states = saved_.at(static_cast<std::size_t>(slot)).states;
    t_ = saved_.at(static_cast<std::size_t>(slot)).t;
    return Status::ok;
  }

  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    const std::vector<double> y = formula_.output(formula_.states, t_, u_);
    for (const PortIndex port : ports) into.reals.push_back(port < u_.size() ? u_[port] : y[port - u_.size()]);
  }

  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return "a formula cannot fail."; }

 private:
  void addPort(const std::string& name, Causality causality) {
    subsystem::Port port;
    port.name = name;
    port.causality = causality;
    if (causality == Causality::output) port.digits = formula_.digits;
    port.settable = causality == Causality::input;
    description_.ports.push_back(std::move(port));
  }

  void take(std::span<const double> u) {
    for (std::size_t i = 0; i < u.size(); ++i) u_[binding_.inputs[i]] = u[i];
  }

  Status give(std::span<double> y) {
    const std::vector<double> all = formula_.output(formula_.states, t_, u_);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = all[binding_.outputs[i] - u_.size()];
    return Status::ok;
  }

  struct Saved {
    std::vector<double> states;
    double t = 0.0;
  };
  Formula formula_;
  subsystem::Description description_;
  Binding binding_;
  std::vector<double> u_;
  double t_ = 0.0;
  std::array<Saved, subsystem::kSlots> saved_;
};

coupling::Endpoint endpoint(const coupling::System& system, const std::string& name) {
  const std::string member = name.substr(0, name.find('.'));
  const auto found = std::ranges::find(system.members, member, &coupling::Member::name);
  if (found == system.members.end()) throw std::invalid_argument("no member " + member);
  const auto port = found->subsystem->describe().find(name.substr(member.size() + 1));
  if (!port) throw std::invalid_argument("no port " + name);
  return {static_cast<std::size_t>(found - system.members.begin()), *port};
}

}  // namespace

std::unique_ptr<subsystem::Subsystem> makeSubsystem(Formula formula) {
  return std::make_unique<FormulaSubsystem>(std::move(formula));
}

void connect(coupling::System& system, const std::vector<Link>& links) {
  for (const Link& link : links)
    system.connections.push_back({endpoint(system, link.from), endpoint(system, link.to), link.scale, link.offset});
}

coupling::System makeSystem(std::vector<Part> parts, const std::vector<Link>& links) {
  coupling::System system;
  for (Part& part : parts) system.members.push_back({part.name, makeSubsystem(std::move(part.formula)), {}});
  connect(system, links);
  return system;
}

Formula gain(double k, double b) {
  return {.inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [k, b](const auto&, double, const auto& u) {
            return std::vector<double>{k * u[0] + b};
          }};
}

Formula integrator(double k, double x0) {
  return {.inputs = {"u"},
          .outputs = {"y"},
          .states = {x0},
          .step = [k](auto& x, double, double h, const auto& u) { x[0] += h * k * u[0]; },
          .output = [](const auto& x, double, const auto&) { return x; },
          .feedThrough = false};
}

Formula clockSignal() {
  return {.inputs = {}, .outputs = {"y"}, .states = {}, .output = [](const auto&, double t, const auto&) {
            return std::vector<double>{t};
          }};
}

}  // namespace koppla::test
