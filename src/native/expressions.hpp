#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A small model written as formulas of the inputs, parameters, states, unknowns and the time t: x' = f(t, x, z, u, p),
/// 0 = r(t, x, z, u, p), y = g(t, x, z, u, p). Without states it is a static function, without inputs and states a
/// signal of time.
struct ExpressionModel {
  struct Input {
    std::string name;
    double start = 0.0;
    std::string unit = {};
  };
  struct Parameter {
    std::string name;
    double value = 0.0;
    std::string unit = {};
  };
  struct State {
    std::string name;
    double start = 0.0;
    std::string derivative;  ///< formula
  };
  struct Unknown {
    std::string name;
    double start = 0.0;    ///< where its solution begins
    std::string residual;  ///< formula that must be zero; together they must determine the unknowns (index 1)
  };
  struct Output {
    std::string name;
    std::string formula;
    std::string unit = {};
  };
  std::vector<Input> inputs = {};
  std::vector<Parameter> parameters = {};
  std::vector<State> states = {};
  std::vector<Unknown> unknowns = {};
  std::vector<Output> outputs = {};  ///< an output may have the name of a state or unknown
};

/// Feed-through is declared for the inputs that stand in an output's formula, and, where an unknown stands in it, in
/// any residual. The start values of states and unknowns are the parameters "<state>.start" and "<unknown>.start".
/// Throws core::InputError with all mistakes in names, and with all in formulas.
std::unique_ptr<solver::Equations> expressions(const ExpressionModel& settings);

}  // namespace koppla::native
