#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::test {

/// Scalars of all ports of that kind.
inline std::size_t countScalars(const solver::Equations& model, subsystem::Causality causality) {
  std::size_t count = 0;
  for (const subsystem::Port& port : model.describe().ports)
    if (port.causality == causality) count += port.size;
  return count;
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
  std::vector<double> y(countScalars(model, subsystem::Causality::output));
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
