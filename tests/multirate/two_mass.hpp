#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/native/two_mass_oscillator.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::test {

/// Where the spring and damper between the masses are (Schmoll, sec. 2.3).
enum class Split { forceDisplacement, displacementDisplacement, forceForce };

/// One coupled run of the two-mass oscillator over [0, end]; subsystem 1 has the force input, 2 the kinematic one.
struct TwoMassCase {
  double H = 1e-4;  ///< s
  unsigned degree = 1;
  coupling::AlgorithmKind algorithm = coupling::AlgorithmKind::jacobi;
  Split split = Split::forceDisplacement;
  coupling::StartUp startUp = coupling::StartUp::analytic;
  coupling::Samples samples = coupling::Samples::values;
  bool secondFirst = false;
  bool reevaluate = false;
  solver::IntegratorSettings first{.kind = solver::Kind::exact};
  solver::IntegratorSettings second{.kind = solver::Kind::exact};
  double overshootFirst = 0.0;   ///< s, micro step of a solver that cannot be steered; 0: it can
  double overshootSecond = 0.0;  ///< s
  native::TwoMassOscillator parameters{};
  double end = 1.0;         ///< s
  unsigned skipLocal = 20;  ///< macro steps left out of the local error
  stepping::StepControlSettings stepControl{};
};

/// Errors over (x1, v1, F) as in Schmoll, sec. 2.5.2, at macro times n = 1..N.
struct TwoMassErrors {
  bool finished = false;  ///< the run reached its end without exploding
  double global = HUGE_VAL;
  double local = HUGE_VAL;
  double meanStep = 0.0;      ///< s
  double growth = 0.0;        ///< max |x1| of the last tenth over that of the first tenth
  std::vector<double> steps;  ///< s, every macro step
  run::Statistics statistics;

  [[nodiscard]] bool unstable() const { return !finished || !(global < 10.0); }
};

coupling::System twoMassSystem(const TwoMassCase& c);
TwoMassErrors errorsOf(const TwoMassCase& c);
/// The same with another system of members "s1" and "s2", such as FMUs; the case says what it is.
TwoMassErrors errorsOf(const TwoMassCase& c, coupling::System system);
/// Lets the system know its values before the start.
void knowPast(coupling::System& system, const native::TwoMassOscillator& parameters);

/// Values (x1, v1, x2, v2, F) of the uncut oscillator at t, by its eigenvalues.
class ExactTwoMass {
 public:
  explicit ExactTwoMass(const native::TwoMassOscillator& parameters);
  [[nodiscard]] std::array<double, 5> at(double t) const;
  /// The same after h from the state (x1, v1, x2, v2).
  [[nodiscard]] std::array<double, 5> after(const std::array<double, 4>& state, double h);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Slope of log(error) over log(H), least squares.
double slope(const std::vector<double>& H, const std::vector<double>& error);

}  // namespace koppla::test
