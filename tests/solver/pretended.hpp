#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::test {

/// What a pretended static subsystem was asked to do, and how it is to answer.
struct Pretence {
  struct Call {
    int instance;
    double t;
    std::vector<double> u;
  };

  /// y = (p, q1, q2) from u = (a1, a2, b).
  std::function<std::vector<double>(double t, const std::vector<double>& u)> output = [](double,
                                                                                         const std::vector<double>& u) {
    return std::vector<double>{u[0] * u[1] + u[2], u[0] * u[0] - 2.0 * u[1], u[2] * u[2] * u[1]};
  };
  std::function<subsystem::Status(int instance, const std::vector<double>& u)> status = [](int, const auto&) {
    return subsystem::Status::ok;
  };
  std::string reason = "it is hot";
  bool atFile = false;
  bool savesAndRestores = false;
  bool threadBound = false;
  /// After initialisation, and after a step; absent: as in initialisation.
  std::function<std::vector<double>(const std::vector<double>&u)> afterwards, stepped;
  subsystem::Status readStatus = subsystem::Status::ok, stepStatus = subsystem::Status::ok;
  bool throwsAtTheEnd = false;

  std::vector<Call> calls;             ///< of evaluate()
  std::vector<std::string> events;     ///< other calls, "<instance>: <what>"
  std::vector<subsystem::Step> steps;  ///< that were taken
  [[nodiscard]] std::vector<int> instancesAsked() const {
    std::vector<int> result;
    for (const Call& call : calls) result.push_back(call.instance);
    return result;
  }
};

/// Ports: 0 "k" real parameter, 1 "on" boolean, 2 "n" integer, 3 "s" string, 4 "a" real input of two, 5 "i" integer
/// output, 6 "p" real output, 7 "b" real input with nominal value 10, 8 "q" real output of two.
class Pretended final : public subsystem::Subsystem {
 public:
  Pretended(int instance, Pretence& pretence) : instance_(instance), pretence_(&pretence) {
    using core::Type;
    using subsystem::Causality;
    add("k", Type::real, Causality::parameter, 1);
    add("on", Type::boolean, Causality::parameter, 1);
    add("n", Type::integer, Causality::parameter, 1);
    add("s", Type::string, Causality::parameter, 1);
    add("a", Type::real, Causality::input, 2);
    add("i", Type::integer, Causality::output, 1);
    add("p", Type::real, Causality::output, 1);
    add("b", Type::real, Causality::input, 1);
    add("q", Type::real, Causality::output, 2);
    description_.ports[7].nominal = 10.0;
    description_.capabilities.saveRestore = pretence.savesAndRestores;
    description_.capabilities.threadBound = pretence.threadBound;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override {
    note("set " + description_.ports[port].name);
    set_.emplace_back(port, values[0]);
  }
  void bind(subsystem::Binding binding) override {
    bound_ = std::move(binding);
    note("bind");
  }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override { note("enter"); }
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    u_.assign(u.begin(), u.end());
    pretence_->calls.push_back({instance_, t, u_});
    const std::vector<double> answer = pretence_->output(t, u_);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = answer[i];
    return pretence_->status(instance_, u_);
  }
  subsystem::Status differentiate(std::size_t, std::span<double>) override { return subsystem::Status::error; }
  void leaveInitialisation() override {
    note("leave");
    if (pretence_->throwsAtTheEnd) throw core::SubsystemError("no end");
  }
  subsystem::Status readOutputs(std::span<double> y) override {
    if (pretence_->afterwards) give(pretence_->afterwards(u_), y);
    return pretence_->readStatus;
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    note("step");
    pretence_->steps.push_back(step);
    const std::span<const double> values = u.power(0);
    u_.assign(values.begin(), values.end());
    if (pretence_->stepped) give(pretence_->stepped(u_), y);
    return {pretence_->stepStatus, step.t1};
  }
  subsystem::Status save(subsystem::Slot) override {
    note("save");
    return subsystem::Status::ok;
  }
  subsystem::Status restore(subsystem::Slot) override {
    note("restore");
    return subsystem::Status::ok;
  }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    for (const subsystem::PortIndex port : ports)
      for (const auto& [of, value] : set_) {
        if (of != port) continue;
        if (const auto* real = std::get_if<double>(&value)) into.reals.push_back(*real);
        if (const auto* integer = std::get_if<std::int32_t>(&value)) into.integers.push_back(*integer);
        if (const auto* boolean = std::get_if<bool>(&value)) into.booleans.push_back(*boolean ? 1 : 0);
        if (const auto* text = std::get_if<std::string>(&value)) into.strings.push_back(*text);
      }
  }
  void terminate() noexcept override { note("terminate"); }
  [[nodiscard]] std::string failure() const override { return pretence_->reason; }
  [[nodiscard]] bool failedAtFile() const override { return pretence_->atFile; }
  [[nodiscard]] const subsystem::Binding& bound() const { return bound_; }

 private:
  void add(const char* name, core::Type type, subsystem::Causality causality, std::size_t size) {
    subsystem::Port port;
    port.name = name;
    port.type = type;
    port.causality = causality;
    port.size = size;
    description_.ports.push_back(std::move(port));
  }
  void note(const std::string& what) { pretence_->events.push_back(std::to_string(instance_) + ": " + what); }
  static void give(const std::vector<double>& from, std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = from[i];
  }

  int instance_;
  Pretence* pretence_;
  subsystem::Description description_;
  subsystem::Binding bound_;
  std::vector<std::pair<subsystem::PortIndex, core::Value>> set_;
  std::vector<double> u_;
};

inline std::vector<std::unique_ptr<subsystem::Subsystem>> pretended(int count, Pretence& pretence) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  for (int i = 0; i < count; ++i) instances.push_back(std::make_unique<Pretended>(i, pretence));
  return instances;
}

}  // namespace koppla::solver::test
