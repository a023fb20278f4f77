#pragma once

#include <cstdint>
#include <optional>

namespace koppla::stepping {

enum class StepControlKind : std::uint8_t {
  fixed,               ///< every step as given
  convergence,         ///< shorter where the iteration does not converge, longer after success
  doubleStep,          ///< each step once at full length and once as two halves, which are kept
  predictorCorrector,  ///< each step once, by the difference of extrapolated and computed values
};

/// What is compared with the tolerances of step control.
enum class Estimate : std::uint8_t {
  couplingError,  ///< what inputs are off by inside a step
  nicolai,        ///< kind doubleStep: Richardson's difference and a test of slopes (Nicolai, sec. 5.5)
  schmoll         ///< kind predictorCorrector: the prediction error; it steers, and no step is repeated (sec. 2.4.2.3)
};

/// How the next step follows from errors in predictor/corrector control (Schmoll, sec. 2.4.2.3).
enum class Controller : std::uint8_t { integral, proportionalIntegral };

struct StepControlSettings {
  StepControlKind kind = StepControlKind::fixed;
  Estimate estimate = Estimate::couplingError;  ///< kinds doubleStep and predictorCorrector
  double minStep = 0.0;          ///< s; 0: a billionth of the run, or a tenth of the first step where that is shorter
  double maxStep = 0.0;          ///< s; 0: a fiftieth of the run where the coupling error is kept, else the run
  double untestedBelow = 0.0;    ///< s; steps of at most this length are accepted without test, to get across jumps
  double shrink = 5.0;           ///< kind convergence: divisor of the step after a failure; predictorCorrector: largest
                                 ///< divisor from one step to the next
  double grow = 2.0;             ///< largest factor from one accepted step to the next
  double rtol = 1e-5;            ///< kinds doubleStep and predictorCorrector
  std::optional<double> atol{};  ///< the same; absent: of every value by its size
  Controller controller = Controller::proportionalIntegral;  ///< kind predictorCorrector
  double safety = 0.9;  ///< part of the step that would do; not of the estimate nicolai, which has its own
  /// Where the coupling error is kept: polynomials between communication points have at least this degree, if the
  /// members follow them.
  unsigned leastDegree = 1;

  [[nodiscard]] bool adapts() const { return kind != StepControlKind::fixed; }
  [[nodiscard]] bool repeats() const {
    return kind == StepControlKind::convergence || kind == StepControlKind::doubleStep;
  }
  [[nodiscard]] bool estimatesError() const {
    return kind == StepControlKind::doubleStep || kind == StepControlKind::predictorCorrector;
  }
  [[nodiscard]] bool keepsCouplingError() const { return estimatesError() && estimate == Estimate::couplingError; }
};

}  // namespace koppla::stepping
