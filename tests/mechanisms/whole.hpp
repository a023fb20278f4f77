#pragma once

#include <map>
#include <string>
#include <vector>

#include "koppla/native/expressions.hpp"
#include "koppla/results/table.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::test {

/// A mechanism that is not cut in two, integrated in one piece: what coupled runs are compared with. Its variables have
/// the names that they have in the coupled project.
class Whole {
 public:
  /// Puts the bodies of a project of examples/mechanisms under one solver: its rigid joint, or its spring and damper
  /// between two points, becomes one inside the system. The forces in it follow from the accelerations that they cause.
  /// `step` (s): between two instants of the reference.
  Whole(const std::string& project, double step, const solver::IntegratorSettings& integrator);
  /// Equations of motion, from 0 to `end` (s); `names`: of their outputs in the coupled project.
  Whole(const native::ExpressionModel& equations, const std::map<std::string, std::string>& names, double end,
        double step, const solver::IntegratorSettings& integrator);

  [[nodiscard]] const std::vector<double>& series(const std::string& variable) const;
  /// The index of an instant (s) in every series.
  [[nodiscard]] std::size_t at(double t) const;
  [[nodiscard]] double value(const std::string& variable, double t) const { return series(variable).at(at(t)); }

 private:
  double step_;
  results::Table table_;
};

}  // namespace koppla::test
