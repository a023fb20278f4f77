#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "koppla/native/exact_solution.hpp"
#include "koppla/native/nonlinear_oscillator_solution.hpp"
#include "koppla/project/placed.hpp"

namespace koppla::project {

/// z' = A z, y = C z.
struct LinearReference {
  std::vector<std::vector<double>> A;
  std::vector<std::vector<double>> C;  ///< empty: y = z
  std::vector<double> x0;              ///< z at the start of the run
  std::vector<std::string> names;      ///< of y
};

using FormulaReference = std::map<std::string, std::string>;  ///< formulas of t by name

/// An exact solution, and which variables of the project have its values.
struct ReferenceEntry {
  core::Place place{};
  std::variant<native::TwoMassOscillator, native::SprungOscillator, LinearReference, FormulaReference> solution{};
  /// "subsystem.port" and the name in the solution, with a '-' in front for its opposite.
  std::vector<std::pair<Placed<std::string>, Placed<std::string>>> values{};
  /// The variables that are the states of a linear solution, in its order; empty: those whose values are the states.
  std::vector<Placed<std::string>> states{};
};

/// Exact values of a project's variables at any time, before the start as well. One thread at a time may use it.
class ExactValues {
 public:
  /// `start` (s): when the solution has its initial state. Throws core::InputError with all mistakes in the entry.
  ExactValues(const ReferenceEntry& entry, double start);

  /// A further variable, with a known one's value times a sign.
  void addAlias(std::string variable, std::size_t known, double sign);

  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view variable) const;
  /// One value for each variable at t (s).
  void values(double t, std::span<double> y) const;
  [[nodiscard]] double value(std::size_t variable, double t) const;

  /// The variables that are the solution's states, in its order; empty where it cannot start anew from given states,
  /// because it is not linear or not all states have a variable.
  [[nodiscard]] const std::vector<std::string>& states() const { return states_; }
  /// One value for each variable at t (s) of the solution that has these states at t0 (s).
  void valuesFrom(double t0, std::span<const double> states, double t, std::span<double> y) const;

 private:
  void findStates(const ReferenceEntry& entry);
  void give(std::span<double> y) const;

  struct Source {
    std::size_t index;
    double sign;
  };

  std::unique_ptr<native::ExactSolution> solution_;
  const native::LinearSolution* linear_ = nullptr;
  double shift_ = 0.0;  ///< s, from the solution's time to that of the run
  std::vector<std::string> variables_;
  std::vector<Source> sources_;
  std::vector<std::string> states_;
  mutable std::vector<double> all_;  ///< values of the solution under all of its names
};

}  // namespace koppla::project
