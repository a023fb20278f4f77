#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::solver::test {

/// Equations whose ports and functions the test writes down, vectors among them; notes what happens to it.
class Block final : public Equations {
 public:
  using Function =
      std::function<void(double t, std::span<const double> x, std::span<const double> u, std::span<double>)>;

  explicit Block(std::string model) { description_.model = std::move(model); }

  Block& port(const char* name, subsystem::Causality causality, std::size_t size = 1,
              core::Type type = core::Type::real) {
    subsystem::Port made;
    made.name = name;
    made.type = type;
    made.causality = causality;
    made.size = size;
    made.settable = causality != subsystem::Causality::output;
    if (type == core::Type::real && causality == subsystem::Causality::input) made.start = 0.25;
    description_.ports.push_back(std::move(made));
    return *this;
  }
  Block& needs(subsystem::PortIndex output, std::vector<subsystem::PortIndex> inputs) {
    description_.dependencies[output] = std::move(inputs);
    return *this;
  }
  Block& initially(subsystem::PortIndex output, subsystem::Dependencies inputs) {
    description_.initialDependencies[output] = std::move(inputs);
    return *this;
  }
  Block& from(std::vector<double> start, Function derivatives, Function outputs) {
    description_.indexNames();
    start_ = std::move(start);
    derivatives_ = std::move(derivatives);
    outputs_ = std::move(outputs);
    return *this;
  }
  Block& linearAs(LinearForm form) {
    linear_ = std::move(form);
    isLinear_ = true;
    return *this;
  }
  Block& onThread() {
    threadBound_ = true;
    return *this;
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override {
    events.push_back("set " + description_.ports[port].name + " " + core::text(values[0]));
  }
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const override {
    return static_cast<double>(port) + 0.5;
  }
  void begin(const subsystem::Experiment& experiment) override {
    events.push_back("begin " + core::text(experiment.start));
  }
  [[nodiscard]] std::size_t stateCount() const override { return start_.size(); }
  void initialStates(std::span<double> x) const override { std::copy(start_.begin(), start_.end(), x.begin()); }
  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    derivatives_(t, x, u, dx);
  }
  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    ++evaluations;
    outputs_(t, x, u, y);
  }
  void visit(Visit at, double t, std::span<const double> x, std::span<const double> /*u*/) override {
    visits.push_back({at, t, {x.begin(), x.end()}});
  }
  void save(subsystem::Slot slot) override { events.push_back("save " + std::to_string(static_cast<int>(slot))); }
  void restore(subsystem::Slot slot) override { events.push_back("restore " + std::to_string(static_cast<int>(slot))); }
  void forget() override { events.emplace_back("forget"); }
  [[nodiscard]] bool threadBound() const override { return threadBound_; }
  [[nodiscard]] bool isLinear() const override { return isLinear_; }
  [[nodiscard]] LinearForm linear() const override { return linear_; }

  struct Visited {
    Visit at;
    double t;
    std::vector<double> x;
  };
  std::vector<Visited> visits;
  std::vector<std::string> events;
  mutable int evaluations = 0;  ///< of the outputs

 private:
  subsystem::Description description_;
  std::vector<double> start_;
  Function derivatives_, outputs_;
  LinearForm linear_;
  bool isLinear_ = false;
  bool threadBound_ = false;
};

}  // namespace koppla::solver::test
