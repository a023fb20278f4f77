#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "koppla/native/catalogue.hpp"
#include "koppla/native/curve.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/native/signal.hpp"
#include "koppla/project/placed.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::project {

/// A model in Koppla itself, and how it is integrated.
struct NativeModel {
  Placed<std::string> word;  ///< a built-in model, or what the settings are for
  std::variant<native::Choices, native::LinearStateSpace, native::ExpressionModel, native::Signal, native::Curve>
      settings{};
  solver::IntegratorSettings integrator{};
  std::filesystem::path file{};  ///< whose samples a signal holds; empty if they are written out
};

/// The equations, before anything is composed into them. Throws core::InputError.
std::unique_ptr<solver::Equations> makeEquations(const NativeModel& model);

}  // namespace koppla::project
