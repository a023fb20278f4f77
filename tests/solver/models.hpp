#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::solver::test {

/// A model written down in the test; all ports are real scalars.
struct Model {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<double> x0;
  std::function<void(double t, std::span<const double> x, std::span<const double> u, std::span<double> dx)> f;
  std::function<void(double t, std::span<const double> x, std::span<const double> u, std::span<double> y)> g;
  LinearForm linear;  ///< f and g are not needed where it is given
  bool isLinear = false;
  bool secondOrder = false;
  std::size_t algebraic = 0;  ///< of the states, the last ones
  std::vector<subsystem::Marker> markers;
};

/// x' = A x + B u, y = C x + D u.
Model linearModel(std::vector<std::string> inputs, std::vector<std::string> outputs, LinearForm linear,
                  std::vector<double> x0);

/// The equations of a model. It has one more port than u and y, the parameter "p" (initially 7), which nothing reads.
std::unique_ptr<Equations> equations(Model model);

/// Schmoll, sec. 2.2 with table 2.1: the two-mass oscillator in one piece, x = (x1, x2, v1, v2), y = (x1, v1, F).
Model twoMasses();

/// m w'' = -c w - d w' + force: inputs (force), outputs (w, v), marker "mass".
struct Oscillator {
  double m = 1.0;   ///< kg
  double c = 1.0;   ///< N/m
  double d = 0.0;   ///< N s/m
  double w0 = 0.0;  ///< m
  double v0 = 0.0;  ///< m/s
};
Model oscillator(const Oscillator& data);
/// The free motion of a damped oscillator: (w, v) at t.
std::pair<double, double> freeMotion(const Oscillator& data, double t);

}  // namespace koppla::solver::test
