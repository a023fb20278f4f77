#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A small model written as formulas of the inputs, parameters, states and the time t: x' = f(t, x, u, p),
/// y = g(t, x, u, p). Without states it is a static function, without inputs and states a signal of time.
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
  struct Output {
    std::string name;
    std::string formula;
    std::string unit = {};
  };
  std::vector<Input> inputs = {};
  std::vector<Parameter> parameters = {};
  std::vector<State> states = {};
  std::vector<Output> outputs = {};  ///< an output may have the name of a state
};

/// Feed-through is declared for the inputs that stand in an output's formula. The states' start values are the
/// parameters "<state>.start". Throws core::InputError with all mistakes in names, and with all in formulas.
std::unique_ptr<solver::Equations> expressions(const ExpressionModel& settings);

}  // namespace koppla::native
