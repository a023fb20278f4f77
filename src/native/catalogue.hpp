#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::native {

/// Values for choices of structure: what a model's ports are, in contrast to parameters, which are ports.
using Choices = std::map<std::string, core::Value>;

/// A choice that a built-in model offers; its type is that of the default.
struct Choice {
  std::string name;
  core::Value standard;
  std::string description;
  std::vector<std::string> words;  ///< of a string: which ones there are
};

/// A model that needs nothing but choices and parameters, by its word in a project file.
struct BuiltInModel {
  std::string word;
  std::string description;
  std::vector<Choice> choices;
  /// From values for all choices, of the right type. What makes a subsystem brings its own solver.
  std::variant<std::unique_ptr<solver::Equations> (*)(const Choices&),
               std::unique_ptr<subsystem::Subsystem> (*)(const Choices&)>
      make;

  [[nodiscard]] bool bringsSolver() const { return make.index() == 1; }
};

/// Linear state space, expressions, signal and curve are not among them: they have settings of their own.
std::span<const BuiltInModel> builtInModels();

/// The model with that word; null if there is none.
const BuiltInModel* findBuiltIn(std::string_view word);

/// The equations of the model with that word; choices that are not given have their defaults. Throws core::InputError
/// for a word or a choice that does not exist, for a value that the choice cannot have, and for a model that brings its
/// own solver.
std::unique_ptr<solver::Equations> makeBuiltIn(std::string_view word, const Choices& choices = {});
/// The same for a model that brings its own solver, and for no other.
std::unique_ptr<subsystem::Subsystem> makeBuiltInSolver(std::string_view word, const Choices& choices = {});

}  // namespace koppla::native
