#pragma once

#include <memory>

#include "koppla/native/exact_solution.hpp"
#include "koppla/native/nonlinear_oscillator.hpp"

namespace koppla::native {

/// The nonlinear oscillator with the hardening spring on it.
struct SprungOscillator {
  NonlinearOscillator body;
  HardeningSpring spring;
};

/// Of x, v, f (the spring's force), from t = 0 on and before it. Taylor series in extended precision, which begin anew
/// where x or v changes its sign: between these instants the equations are smooth. Throws core::InputError for
/// parameters that the models cannot have, and for times before which the motion, traced back, was infinite.
std::unique_ptr<ExactSolution> nonlinearOscillatorSolution(const SprungOscillator& parameters = {});

}  // namespace koppla::native
