#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace koppla::solver {

/// How a model's equations are integrated; docs/integrators.md has the formulas.
enum class Kind : std::uint8_t {
  ode1,                ///< explicit Euler
  ode2,                ///< Heun
  ode3,                ///< Heun's third-order method
  ode4,                ///< the classical Runge-Kutta method
  ode5,                ///< Dormand and Prince, fixed step
  exact,               ///< matrix exponential, linear models only
  cvodeAdams,          ///< SUNDIALS, variable step and order, for problems that are not stiff
  cvodeBdf,            ///< SUNDIALS, variable step and order, for stiff problems
  bdf,                 ///< backward differentiation of order 1 to 5, variable step and order, memory that can be saved
  bdfFixed,            ///< the same with a given order and equal steps, solved to rounding
  radau,               ///< Radau IIA of order 5, variable step, for stiff problems and algebraic equations
  radauFixed,          ///< the same with fixed steps, stages solved to rounding
  newmark,             ///< Newmark and HHT-alpha, implicit, models of second order only
  centralDifferences,  ///< explicit, models of second order only
};

inline constexpr std::array kKinds{
    Kind::ode1,     Kind::ode2, Kind::ode3,     Kind::ode4,  Kind::ode5,       Kind::exact,   Kind::cvodeAdams,
    Kind::cvodeBdf, Kind::bdf,  Kind::bdfFixed, Kind::radau, Kind::radauFixed, Kind::newmark, Kind::centralDifferences};

/// The word for an integrator in project files and messages, such as "cvode-bdf", and back.
std::string_view word(Kind kind);
std::optional<Kind> kindNamed(std::string_view word);

inline constexpr unsigned kHighestBdfOrder = 5;

struct IntegratorSettings {
  Kind kind = Kind::ode4;
  /// s. Fixed-step kinds divide every macro step into equal steps of at most this length; for CVODE, bdf, radau and
  /// exact it bounds a step of their own. 0: one step per macro step, no bound for CVODE, bdf and radau.
  double microStep = 0.0;
  double rtol = 1e-6;  ///< relative tolerance: error test of CVODE, bdf and radau, iteration of the fixed-step ones
  double atol = 1e-9;  ///< absolute tolerance of each state, in its unit
  double alpha = 0.0;  ///< numerical damping of HHT, in [-1/3, 0]
  std::optional<double> beta{};   ///< Newmark's; (1 - alpha)^2 / 4 if absent
  std::optional<double> gamma{};  ///< Newmark's; 1/2 - alpha if absent
  /// A multistep method begins anew at every macro point; absent: CVODE does, bdf does not. CVODE that goes on keeps
  /// its order and step length across macro points, and its state can neither be saved nor set.
  std::optional<bool> restart{};
  /// Of bdf, 1 to 5; absent: bdf varies it, bdf-fixed takes 2. With a given order the first steps are those of ode5.
  std::optional<unsigned> order{};
  double firstMicroStep = 0.0;  ///< s, of bdf; 0: it chooses
  double minMicroStep = 0.0;    ///< s, bdf fails where a shorter step is needed; 0: no bound but rounding
  /// Newton's iteration of bdf and CVODE's BDF ends where a correction is below this part of the tolerances.
  double newtonTolerance = 0.1;
  /// In which of its iterations bdf renews df/dx, over and over; empty: when the iteration has become slow.
  std::vector<bool> renewal{};
  /// false: Newmark delivers the values before its last correction, as solvers do that let nobody see the corrected
  /// ones (Schmoll, sec. 2.4.5).
  bool corrected = true;
};

/// Whether a multistep method begins anew at every macro point.
bool restarts(const IntegratorSettings& settings);

}  // namespace koppla::solver
