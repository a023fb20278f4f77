#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "koppla/results/table.hpp"

namespace koppla::results {

/// A value a agrees with its reference b if |a - b| <= atol + rtol * |b|, at each instant on its own.
struct Tolerances {
  double rtol = 1e-6;
  double atol = 1e-9;
};

struct VariableComparison {
  std::string name;
  std::string unit;
  bool equal = true;
  double maxError =
      0.0;  ///< the largest |a - b|; NaN where one value is NaN and the other is not; for strings 1 where they differ
  // The worst instant: the one where |a - b| is the largest share of what is allowed there.
  double time = 0.0;  ///< s
  double error = 0.0;
  double allowed = 0.0;
  double share = 0.0;  ///< error / allowed; above 1 is too much, infinite for a NaN and where nothing is allowed
  std::string remark;  ///< where numbers do not tell what differs
};

/// A variable of numbers that both have, in units that are not written alike.
struct OtherUnit {
  std::string name;
  std::string unit;
  std::string referenceUnit;
};

struct Comparison {
  Tolerances tolerances;
  std::vector<VariableComparison> variables;  ///< those that both have, in the order of the reference
  std::vector<std::string> missing;           ///< only the reference has them
  std::vector<std::string> extra;             ///< only the results have them; no reason to be different
  std::vector<OtherUnit> otherUnits;          ///< compared by their numbers all the same
  std::string timeRemark;                     ///< how the results fail to cover the time of the reference, or empty

  [[nodiscard]] std::size_t differing() const;
  [[nodiscard]] bool equal() const;
};

/// Compares results with a reference at the times of the reference; reals of the results run in a straight line between
/// rows, all others keep their value (see align() about jumps). Different are also results that lack a variable of the
/// reference, that do not cover its time, or that have no variable in common with it. NaN and infinity
/// agree with themselves only. A unit that is written in another way may be the same one: it is told, and numbers
/// count. Only variables that fit one of the patterns count, if there are any.
Comparison compare(const Table& results, const Table& reference, const Tolerances& tolerances,
                   std::span<const std::string> patterns = {});

/// "equal within rtol = ..., atol = ...", or "different: 3 of 12 variables; worst ...".
std::string verdict(const Comparison& comparison);

/// A table of the variables, the worst first and at most `rows` of them, what is missing, and the verdict as last line.
std::string text(const Comparison& comparison, std::size_t rows = 40);

}  // namespace koppla::results
