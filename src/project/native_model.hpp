#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "koppla/mechanics/multibody.hpp"
#include "koppla/native/catalogue.hpp"
#include "koppla/native/curve.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/native/signal.hpp"
#include "koppla/project/placed.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::project {

/// A model in Koppla itself, and how it is integrated where it does not solve itself.
struct NativeModel {
  Placed<std::string> word;  ///< a built-in model, or what the settings are for
  std::variant<native::Choices, native::LinearStateSpace, native::ExpressionModel, native::Signal, native::Curve,
               mechanics::MultibodySettings>
      settings{};
  solver::IntegratorSettings integrator{};
  std::filesystem::path file{};  ///< whose samples a signal holds; empty if they are written out
  bool sound = true;             ///< false: its settings have mistakes, which have been reported
};

/// Whether the model is a subsystem that solves itself, so that there are no equations to integrate.
bool bringsSolver(const NativeModel& model);

/// The equations, before anything is composed into them. Throws core::InputError.
std::unique_ptr<solver::Equations> makeEquations(const NativeModel& model);
/// The same for a model that brings its own solver.
std::unique_ptr<subsystem::Subsystem> makeSolver(const NativeModel& model);

}  // namespace koppla::project
