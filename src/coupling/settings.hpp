#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/coupling/acceleration.hpp"
#include "koppla/coupling/system.hpp"

namespace koppla::coupling {

enum class AlgorithmKind : std::uint8_t {
  jacobi,
  gaussSeidel,
  masterSlave,    ///< Gauss-Seidel whose macro step is one step of the first member's own choice
  modelCoupling,  ///< one integrator solves all members as one model; whoever builds the system has joined them
  iteratedJacobi,
  iteratedGaussSeidel,
  newton,
  semiImplicit  ///< one correction by Newton's method, one repetition (Lu, sec. 2.1 and 3.2.3)
};

/// What a polynomial between communication points goes through.
enum class Samples : std::uint8_t {
  values,          ///< Lagrange
  valuesAndSlopes  ///< Hermite, for outputs whose subsystem tells their derivatives
};

/// Where the samples come from that a polynomial of higher degree needs before the start (Schmoll, sec. 2.4.4).
enum class StartUp : std::uint8_t {
  fullOrder,   ///< from the first macro step, taken in parts that are so short that their low degrees do no harm
  trivial,     ///< from nowhere: the degree rises with every macro step
  analytic,    ///< from a known solution
  masterSlave  ///< from the first macro steps, done in steps of the master
};

/// Whether members see each other's fresh values within one evaluation.
enum class Form : std::uint8_t { parallel, sequence };

using core::Norm;

/// Integers, booleans, strings and enumerations cannot be measured, only compared.
enum class DiscreteTest : std::uint8_t { compare, ignore };

/// What an iteration must bring below the tolerances.
enum class ConvergenceTest : std::uint8_t {
  error,    ///< the estimated distance of the answers to the solution, and the residual
  residual  ///< the difference between what was answered and what was sent, however far that is from the solution
};

/// What the residuals of an iteration must be small beside.
enum class RelativeTo : std::uint8_t {
  values,        ///< those that are exchanged
  firstResidual  ///< the first one of the step: it must have fallen by that much
};

/// What happens to algebraic loops at the start.
enum class Initialisation : std::uint8_t {
  solve,       ///< they are solved, so that the run begins with consistent values
  startValues  ///< inputs begin with their start values, and the first step finds the solution (static analyses)
};

/// What happens to a step whose iteration did not converge, where step control cannot repeat it with a shorter step.
enum class WithoutConvergence : std::uint8_t { stop, accept };

/// How the semi-implicit method finds derivatives over a step.
enum class SensitivityKind : std::uint8_t {
  differences,  ///< every member is repeated once per input that it consumes
  formulas      ///< the leading term of a power series in the step (Lu, app. B); nobody is repeated for it
};

/// What relaxation acts on: multipliers alone, or all coupling variables, as Lu writes it (eq. 186). The latter lets
/// the motions that partners see lag behind and costs an order.
enum class Relaxed : std::uint8_t { multipliers, all };

struct SemiImplicitSettings {
  SensitivityKind sensitivities = SensitivityKind::differences;
  /// Probes change an input by this times its magnitude (at least its nominal value). Absent: 1 for linear members,
  /// else 1e-5, or the last correction where that was larger: a difference over the distance that the correction goes
  /// is as good as the linearisation itself and stands out of rounding. Laws and joint equations have their own.
  std::optional<double> increment{};
  std::vector<OwnNumber> increments{};  ///< of inputs that take these outputs, no output in two of them
  /// Coupling variables at the end of a step become what the corrected states say, where a law or an output says it.
  bool finalUpdate = false;
  /// Corrections are repeated until they are within the tolerances: implicit coupling.
  bool iterate = false;
  /// Whether probes run one after the other, or at the same time on twins of their members.
  Form probes = Form::sequence;
  double relaxation = 1.0;  ///< of the corrected values, in (0, 1]
  Relaxed relaxed = Relaxed::multipliers;
};

/// Outputs whose change between what was sent and what was answered is judged together.
struct ConvergenceGroup {
  std::string name;                    ///< for reports
  std::vector<std::string> variables;  ///< patterns of "subsystem.port", which whoever makes the run resolves to
  std::vector<Endpoint> outputs{};     ///< these outputs; those that no cycle exchanges do not count
  core::Tolerance tolerance{1e-5};
  Norm norm = Norm::max;
};

struct AlgorithmSettings {
  AlgorithmKind kind = AlgorithmKind::gaussSeidel;
  unsigned degree = 0;  ///< of the polynomials between communication points
  Samples samples = Samples::values;
  StartUp startUp = StartUp::fullOrder;
  /// Outputs with feed-through are computed once more with what was exchanged at the end of the step; otherwise they
  /// are passed on as they came, with the approximated inputs (Schmoll, sec. 2.4.1.2).
  bool reevaluate = false;
  /// Samples of every value in a macro step, equidistant, the last one at its end. More than one: the iterated methods
  /// find the values inside the step as well, and `degree` is that of the splines through the samples.
  unsigned waveform = 1;
  /// Degree of the polynomials through accepted values that the first iterate is taken from; absent: with automatic
  /// acceleration the one that has predicted best so far, else `degree`, for Newton's method at least 2.
  std::optional<unsigned> predictor{};
  unsigned maxIterations = 100;  ///< of iterating algorithms: evaluations of a cycle in one step
  double rtol = 1e-5;
  std::optional<double> atol{};  ///< absent: of every value by its size
  Norm norm = Norm::max;
  ConvergenceTest test = ConvergenceTest::error;
  RelativeTo relativeTo = RelativeTo::values;
  /// Iterated algorithms: what must have settled; empty: all values that the cycle exchanges, by the tolerances above.
  std::vector<ConvergenceGroup> convergence{};
  AccelerationSettings acceleration{};
  SemiImplicitSettings semiImplicit{};
  /// An iteration has exploded where a field is so many times as large as it ever was in accepted steps and in the
  /// first two evaluations of the step: relative tests are passed on such values. 0: never; joints may then come open
  /// as well.
  double explosionGrowth = 1e6;
  DiscreteTest discrete = DiscreteTest::compare;
  Initialisation initialisation = Initialisation::solve;
  WithoutConvergence withoutConvergence = WithoutConvergence::stop;

  /// Steps of cycles are repeated.
  [[nodiscard]] bool iterates() const { return kind >= AlgorithmKind::iteratedJacobi; }
  /// Corrections come from derivatives; nothing is accelerated.
  [[nodiscard]] bool solvesLinearised() const {
    return kind == AlgorithmKind::newton || kind == AlgorithmKind::semiImplicit;
  }
  [[nodiscard]] bool iteratesWaveforms() const {
    return waveform > 1 && (kind == AlgorithmKind::iteratedJacobi || kind == AlgorithmKind::iteratedGaussSeidel);
  }
  [[nodiscard]] Form form() const {
    const bool parallel =
        kind == AlgorithmKind::jacobi || kind == AlgorithmKind::iteratedJacobi || kind == AlgorithmKind::semiImplicit;
    return parallel ? Form::parallel : Form::sequence;
  }
};

}  // namespace koppla::coupling
