#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/critical_step.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// How a recursion is linearised and judged.
struct RecursionSettings {
  /// Central differences use this times max(|value|, nominal), where the nominal value is that of the output's port and
  /// 1 for states: the cube root of the machine's precision balances rounding and curvature. Systems of linear members
  /// need none.
  double increment = 6e-6;
  /// A spectral radius up to 1 + allowance counts as stable: undamped motion has 1, and rounding.
  double allowance = 1e-10;
  /// s, the instant of a run at which it is linearised; absent: the start.
  std::optional<double> at{};

  /// The one place that says so, for limits, tables and pictures.
  [[nodiscard]] double largestStableRadius() const { return 1.0 + allowance; }
  [[nodiscard]] bool isStable(double spectralRadius) const { return spectralRadius <= largestStableRadius(); }
  /// "1 + 1e-10".
  [[nodiscard]] std::string largestStableText() const;
};

/// Those whose states nobody knows, as a list; empty where there is a matrix.
std::string whoHidesStates(const coupling::System& system);

/// One macro step of the whole coupled system as a linear recursion (Schmoll, sec. 2.5.1 and 2.6.1, after Busch):
///
///     w(n+1) = M(H) w(n),   w = (states of all members; connected real outputs y(n), y(n-1), ..., y(n-p))
///
/// It is stable where the spectral radius of M is at most 1 (RecursionSettings::isStable). The columns of M come from
/// real macro steps of the chosen algorithm, with the members' own integrators, applied to unit vectors; so whatever
/// the algorithm does is in it. Linear members: differences to the step from w = 0. Others: central differences about
/// the initial point, where all outputs have been what they are at the start, or about what a run has come to; the
/// result belongs to that point, best an equilibrium.
///
/// The step is fixed, whatever step control the settings name. Iterating algorithms are solved to nearly rounding, so M
/// is that of the converged scheme. In master/slave mode H is the step that the master takes: at most its micro step.
/// Discrete values keep what they have at that point.
class MacroStepRecursion {
 public:
  /// Compiles and initialises the system as a run does, and runs to `how.at`. Throws core::InputError where that fails
  /// or a member does not give its states, with its name. The log is used here only.
  MacroStepRecursion(coupling::System system, Settings settings, core::Log& log, RecursionSettings how = {});
  ~MacroStepRecursion();
  MacroStepRecursion(MacroStepRecursion&&) noexcept;

  /// Length of w.
  [[nodiscard]] std::size_t size() const;
  /// M for macro steps of length H (s), row by row. Throws core::InputError where a step fails or its iteration does
  /// not converge.
  [[nodiscard]] std::vector<double> matrix(double H);
  /// The largest |eigenvalue| of M; infinite where M is not finite.
  [[nodiscard]] double spectralRadius(double H);
  [[nodiscard]] bool isStable(double H);
  /// The smallest unstable step in the range, if there is one.
  [[nodiscard]] std::optional<double> criticalStep(StepRange range);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppla::run
