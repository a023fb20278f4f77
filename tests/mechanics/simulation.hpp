#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/multibody.hpp"
#include "koppla/solver/integrate.hpp"

namespace koppla::mechanics::test {

/// Equations under an integrator, without inputs, with all outputs by name.
class Simulation {
 public:
  Simulation(std::unique_ptr<solver::Equations> equations, const solver::IntegratorSettings& settings)
      : system_(solver::integrate(std::move(equations), settings)) {
    subsystem::Binding binding;
    for (subsystem::PortIndex port = 0; port < system_->describe().ports.size(); ++port) {
      if (system_->describe().ports[port].causality != subsystem::Causality::output) continue;
      binding.outputs.push_back(port);
      first_.resize(port + 1);
      first_[port] = y_.size();
      y_.resize(y_.size() + system_->describe().ports[port].size);
    }
    system_->bind(binding);
    system_->enterInitialisation({0.0, 1e9, {}});
    system_->evaluate(0.0, {}, y_);
    system_->leaveInitialisation();
  }

  void advanceTo(double t) {
    if (system_->advance({t_, t, false, false}, {}, y_).status != subsystem::Status::ok)
      throw std::runtime_error(system_->failure());
    t_ = t;
  }

  [[nodiscard]] double t() const { return t_; }
  [[nodiscard]] std::vector<double> output(const std::string& name) const {
    const auto port = system_->describe().find(name);
    if (!port) throw std::invalid_argument("no port " + name);
    const auto begin = y_.begin() + static_cast<std::ptrdiff_t>(first_[*port]);
    return {begin, begin + static_cast<std::ptrdiff_t>(system_->describe().ports[*port].size)};
  }
  [[nodiscard]] double scalar(const std::string& name, std::size_t component = 0) const {
    return output(name).at(component);
  }

 private:
  std::unique_ptr<subsystem::Subsystem> system_;
  std::vector<std::size_t> first_;
  std::vector<double> y_;
  double t_ = 0.0;
};

inline solver::IntegratorSettings fixedSteps(double microStep) {
  return {.kind = solver::Kind::ode5, .microStep = microStep};
}

inline solver::IntegratorSettings adaptive(solver::Kind kind, double tolerance) {
  return {.kind = kind, .rtol = tolerance, .atol = tolerance};
}

/// The words of the refusal, or nothing.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace koppla::mechanics::test
