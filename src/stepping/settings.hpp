#pragma once

#include <cstdint>
#include <optional>

namespace koppla::stepping {

enum class StepControlKind : std::uint8_t {
  fixed,               ///< every step as given
  convergence,         ///< shorter where the iteration does not converge, longer after success
  doubleStep,          ///< by Richardson's estimate from one full and two half steps, with a test of slopes
  predictorCorrector,  ///< by the difference of extrapolated and computed values; no step is ever repeated
};

/// How the next step follows from errors in predictor/corrector control (Schmoll, sec. 2.4.2.3).
enum class Controller : std::uint8_t { integral, proportionalIntegral };

struct StepControlSettings {
  StepControlKind kind = StepControlKind::fixed;
  double minStep = 0.0;          ///< s; a test that fails at this step stops the run; 0: a billionth of the run
  double maxStep = 0.0;          ///< s; 0: the interval of the run
  double untestedBelow = 0.0;    ///< s; steps of at most this length are accepted without test, to get across jumps
  double shrink = 5.0;           ///< kind convergence: divisor of the step after a failure; predictorCorrector: largest
                                 ///< divisor from one step to the next
  double grow = 2.0;             ///< largest factor from one accepted step to the next
  double rtol = 1e-5;            ///< kinds doubleStep and predictorCorrector
  std::optional<double> atol{};  ///< the same; absent: of every value by its size
  Controller controller = Controller::proportionalIntegral;  ///< kind predictorCorrector
  double safety = 0.95;  ///< kind predictorCorrector: part of the step that would do

  [[nodiscard]] bool adapts() const { return kind != StepControlKind::fixed; }
  [[nodiscard]] bool repeats() const {
    return kind == StepControlKind::convergence || kind == StepControlKind::doubleStep;
  }
};

}  // namespace koppla::stepping
