#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::test {

/// Equations without states that map one number to another. `times` (s), if given, hears of the start and the end that
/// they are told, and of every instant at which they are asked.
class StaticFunction : public solver::Equations {
 public:
  StaticFunction(std::function<double(double)> function, std::vector<double>* times)
      : function_(std::move(function)), times_(times) {}

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  [[nodiscard]] core::Value parameter(subsystem::PortIndex /*port*/) const override { return 0.0; }
  void begin(const subsystem::Experiment& experiment) override {
    if (times_ != nullptr) times_->insert(times_->end(), {experiment.start, experiment.end});
  }
  [[nodiscard]] std::size_t stateCount() const override { return 0; }
  void initialStates(std::span<double> /*x*/) const override {}
  void derivatives(double /*t*/, std::span<const double> /*x*/, std::span<const double> /*u*/,
                   std::span<double> /*dx*/) const override {}
  void outputs(double t, std::span<const double> /*x*/, std::span<const double> u, std::span<double> y) const override {
    if (times_ != nullptr) times_->push_back(t);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = function_(u[i]);
  }

 private:
  std::function<double(double)> function_;
  std::vector<double>* times_;
  subsystem::Description description_;
};

inline std::unique_ptr<solver::Equations> staticFunction(std::function<double(double)> function,
                                                         std::vector<double>* times = nullptr) {
  return std::make_unique<StaticFunction>(std::move(function), times);
}

}  // namespace koppla::test
