#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::test {

/// A subsystem of real scalars written down in the test: states, inputs, outputs as vectors.
struct Formula {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<double> states;
  /// States after a step of length h to t1 with inputs u.
  std::function<void(std::vector<double>& x, double t1, double h, const std::vector<double>& u)> step =
      [](auto&, double, double, const auto&) {};
  /// Outputs at t from states and inputs.
  std::function<std::vector<double>(const std::vector<double>& x, double t, const std::vector<double>& u)> output;
  bool feedThrough = true;
  unsigned digits = 0;  ///< of the outputs, where they are as if read from text
  subsystem::Capabilities capabilities{.saveRestore = true, .variableStep = true};
};

std::unique_ptr<subsystem::Subsystem> makeSubsystem(Formula formula);

/// A connection by names, "member.port".
struct Link {
  std::string from;
  std::string to;
  double scale = 1.0;
  double offset = 0.0;
};

/// A member by name.
struct Part {
  std::string name;
  Formula formula;
};

coupling::System makeSystem(std::vector<Part> parts, const std::vector<Link>& links);

/// Connects members by names in a system that has them already.
void connect(coupling::System& system, const std::vector<Link>& links);

// Ready-made formulas.
Formula gain(double k, double b = 0.0);               ///< y = k u + b, with feed-through
Formula integrator(double k = 1.0, double x0 = 0.0);  ///< y' = k u, exact for held u, no feed-through
Formula clockSignal();                                ///< y = t

}  // namespace koppla::test
