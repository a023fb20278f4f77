#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::native::detail {

/// Longer or deeper formulas are refused: no formula may keep the parser busy or exhaust its memory.
inline constexpr std::size_t kLongestFormula = 4000;  ///< characters
inline constexpr std::size_t kDeepestFormula = 100;   ///< open parentheses

/// Variables of formulas: names, and the array in which their values stand for the formulas' life.
struct Variables {
  std::span<const std::string> names;
  std::span<double> values;
};

/// A formula, read once and evaluated often without allocation. It is a pure expression: assignments, strings, lists of
/// results and everything else with an effect are refused, so a formula from a foreign file can do nothing but compute.
/// One thread at a time may use an instance.
class Formula {
 public:
  /// `what` names the formula in messages ("output 'y'"). Throws core::InputError with the place and a remedy.
  Formula(const std::string& what, const std::string& text, const Variables& variables);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  /// With the variables' values as they stand.
  [[nodiscard]] double value() const;
  /// Which variables stand in it, as indices of the names, rising.
  [[nodiscard]] const std::vector<std::size_t>& used() const { return used_; }

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::vector<std::size_t> used_;
};

/// The mistakes of names that cannot stand in a formula: no identifiers, or taken by functions, constants or each
/// other.
std::vector<core::Problem> variableProblems(const std::string& model, const std::vector<std::string>& names);
/// Letters, digits and underscores, no digit first, at most 100 characters.
bool isIdentifier(std::string_view name);

}  // namespace koppla::native::detail
