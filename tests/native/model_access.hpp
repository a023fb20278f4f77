#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::test {

inline std::size_t countPorts(const solver::Equations& model, subsystem::Causality causality) {
  return static_cast<std::size_t>(std::ranges::count(model.describe().ports, causality, &subsystem::Port::causality));
}

inline std::vector<double> startOf(const solver::Equations& model) {
  std::vector<double> x(model.stateCount());
  model.initialStates(x);
  return x;
}

inline std::vector<double> derivativesOf(const solver::Equations& model, const std::vector<double>& x,
                                         const std::vector<double>& u = {}, double t = 0.0) {
  std::vector<double> dx(model.stateCount());
  model.derivatives(t, x, u, dx);
  return dx;
}

inline std::vector<double> outputsOf(const solver::Equations& model, const std::vector<double>& x,
                                     const std::vector<double>& u = {}, double t = 0.0) {
  std::vector<double> y(countPorts(model, subsystem::Causality::output));
  model.outputs(t, x, u, y);
  return y;
}

inline subsystem::PortIndex portOf(const solver::Equations& model, const std::string& name) {
  const auto port = model.describe().find(name);
  if (!port) throw std::invalid_argument("no port " + name);
  return *port;
}

inline void setPort(solver::Equations& model, const std::string& name, const core::Value& value) {
  model.set(portOf(model, name), std::vector{value});
}

/// The text of the core::InputError that the call must throw; empty if it throws none.
inline std::string inputError(const std::function<void()>& call) {
  try {
    call();
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace koppla::test
