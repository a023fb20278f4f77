#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/error_estimate.hpp"
#include "koppla/coupling/fit_errors.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/held_sweep.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/power_bonds.hpp"
#include "koppla/coupling/predictor.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// What is asked of one macro step.
struct Attempt {
  const subsystem::Step& step;
  Start start;
  bool untested = false;   ///< accept without convergence test: one evaluation per cycle
  bool keepGoing = false;  ///< go on with the next cycle after one that did not converge
};

/// Whether there are no values to go on with: the step ends there, and the members behind have not taken it.
[[nodiscard]] constexpr bool isHopeless(Ending ending) {
  return ending == Ending::exploded || ending == Ending::opened || ending == Ending::singular;
}

/// How one macro step of the whole system ended.
struct StepOutcome {
  Ending ending = Ending::converged;
  /// Not converged: which of iteratedCycles(), the hopeless one or the first one; its algorithm knows more.
  std::size_t cycle = 0;
  /// Converged, but with reasons for doubt: the first cycle with a solution that repels plain iteration, and the one
  /// whose values may be off by most tolerances, since each
  /// iteration came nearer by so little.
  std::optional<std::size_t> suspicious{};
  std::size_t slowest = 0;
  double amplification = 1.0;
  static constexpr double kMuchAmplified = 20.0;
  double reached = 0.0;  ///< s; before step.t1 only where a master chose its own step
  Fault fault{};

  [[nodiscard]] bool converged() const { return ending == Ending::converged; }
  /// Converged, but there is something to say about it.
  [[nodiscard]] bool isDoubtful() const { return converged() && (suspicious || amplification > kMuchAmplified); }
};

/// A closed cycle that is iterated, and what that cost so far.
struct IteratedCycle {
  IteratedCycle(Network& network, Block block, const AlgorithmSettings& settings, Approximation* approximation,
                Waveform* waveform);

  InterfaceProblem problem;
  std::unique_ptr<Algorithm> algorithm;
  std::uint64_t evaluations = 0;
  std::uint64_t jacobians = 0;
  std::uint64_t poor = 0;     ///< steps of the semi-implicit method that one correction did not settle
  unsigned longestChain = 0;  ///< of subsystems' steps in one macro step, each waiting for the one before
  std::uint64_t failures = 0;
  std::uint64_t suspicious = 0;  ///< solutions that plain iteration would not have found
  bool isLinear = true;          ///< all members are: there is no other solution
};

/// One macro step of all members by the chosen algorithm. Explicit algorithms run the whole schedule once; iterating
/// ones go cycle by cycle and run once what lies between closed cycles.
class CoupledStep {
 public:
  /// `predicts`: the caller wants predicted(), also where inputs are held.
  CoupledStep(Network& network, const std::vector<Cycle>& cycles, const AlgorithmSettings& settings, bool predicts);

  /// The network's outputs hold the values at t, and nothing is known of the time before.
  void begin(double t);
  /// The same with `degree` samples of the past at distances h (s).
  void begin(double t, double h, const Past& past);
  /// The same with all outputs at t - h, t - 2 h, ... one sample after the other, earlierSamples() of them.
  void begin(double t, double h, std::span<const double> earlier);
  /// How many samples before the newest one the result of a step depends on: the degree of the approximation. A
  /// waveform knows of its own step only.
  [[nodiscard]] unsigned earlierSamples() const { return approximation_ && !waveform_ ? approximation_->degree() : 0; }

  /// So many samples before t, the newest one, h (s) apart, for another one to begin with: on the polynomials in use.
  [[nodiscard]] std::vector<double> earlier(double t, double h, unsigned samples) const;

  /// From t on inputs follow an approximation, also of degree 0, as members on several threads need it.
  void approximate(double t);

  /// The network's outputs hold the values at step.t0 and afterwards those at step.t1. With `step.final` nobody asks
  /// for a repetition of the step as a whole; iterated cycles repeat their own part anyway. The result is outcome().
  const StepOutcome& solve(const Attempt& attempt);
  /// Of the step that was solved last.
  [[nodiscard]] const StepOutcome& outcome() const { return outcome_; }
  /// The step that was solved last is kept; the outputs hold its values at t1.
  void accept(double t1);
  /// The same without a look at what connections cost in accuracy, as for parts of a macro step.
  void acceptUnwatched(double t1);
  /// What the next step will be told of the end of the one that was solved last: the outputs, or where the
  /// semi-implicit method sent corrected values, those.
  [[nodiscard]] std::span<const double> history() {
    return !semiImplicit_ || finalUpdate_ ? network_.outputs() : correctedHistory();
  }
  /// Accepts the first half of a step. It counts if the other half, which is tried next, is accepted.
  void acceptHalf(double middle);
  /// Somebody else has taken a step: the outputs hold its values at t1.
  void learn(double t1);
  void takeBack();

  [[nodiscard]] bool isExplicit() const { return iterated_.empty() && !masterSlave_; }
  /// Whether inputs are held, so that heldSweep() is all there is to a step.
  [[nodiscard]] bool isPlain() const { return isExplicit() && !approximation_; }
  /// What solve() comes down to then.
  [[nodiscard]] HeldSweep heldSweep() { return {network_, all_, form_}; }
  /// The same with a look at what holding the values costs in accuracy.
  Fault advanceWatched(const subsystem::Step& step);

  /// What the start tells of loops.
  void learnFromStart(const LoopsAtStart& loops);
  /// Who is told of iterations from now on; may be nobody.
  void tell(IterationListener* listener);

  /// Values that extrapolation promised for the end of the step that was solved last, and its degree.
  [[nodiscard]] std::span<const double> predicted() const;
  [[nodiscard]] unsigned predictedDegree() const { return approximation_ ? approximation_->predictedDegree() : 0; }

  /// How the error of interpolation inside that step compares with that of what was promised for its end; where that is
  /// not known yet, the whole of it.
  [[nodiscard]] double interpolationShare() const {
    const double share = approximation_ ? approximation_->interpolationError().largest : 1.0;
    return share > 0.0 ? share : 1.0;
  }

  [[nodiscard]] const std::vector<std::unique_ptr<IteratedCycle>>& iteratedCycles() const { return iterated_; }
  [[nodiscard]] const ErrorEstimate& errorEstimate() const { return estimate_; }
  [[nodiscard]] const FitErrors& fitErrors() const { return fits_; }
  /// Energy is told of these from now on.
  void watchPower(std::vector<PowerBond> bonds) { bonds_ = PowerBonds(std::move(bonds)); }
  [[nodiscard]] const PowerBonds& bonds() const { return bonds_; }
  /// How the inputs that take that output go over a step, of the consumer at that position.
  [[nodiscard]] InputCourse courseOf(std::size_t output, std::size_t consumer) const;

 private:
  /// A stretch of the schedule: members that run once, or one closed cycle.
  struct Stretch {
    Block block;
    IteratedCycle* cycle = nullptr;
    std::size_t cycleIndex = 0;
  };

  Fault run(Block block, const subsystem::Step& step);
  [[nodiscard]] std::span<const double> correctedHistory();
  [[gnu::noinline, gnu::cold]] const StepOutcome& failed(const Fault& fault);
  void solveFromMaster(const subsystem::Step& step);
  void predict(const subsystem::Step& step);
  void sendPredicted(IteratedCycle& cycle);
  void sendExtrapolated(IteratedCycle& cycle);
  /// Tells those who watch what coupling costs of the step that was solved last, before it is remembered.
  void look(double t1);
  /// What the next step follows from, also where this one only serves to try it.
  void acceptForNow(double t1);
  [[nodiscard]] Look lookAt(double t1);
  [[nodiscard]] bool watchesFits() const { return !fits_.isEmpty() && approximation_; }
  [[nodiscard]] std::span<const double> leftOpen();
  /// These are the values at t from now on.
  void remember(double t, std::span<const double> values);

  Network& network_;
  Block all_;
  Form form_;
  bool masterSlave_;
  bool reevaluate_;
  bool semiImplicit_;
  bool finalUpdate_;
  std::optional<Approximation> approximation_;
  std::optional<Waveform> waveform_;
  std::optional<Predictor> predictor_;  ///< of iterating algorithms that guess more than what is
  StepOutcome outcome_;
  bool trusted_ = true;  ///< the last step was solved, so its values continue those before
  std::vector<double> predictedTimes_;
  std::vector<double> predictedSamples_;
  std::vector<double> before_;  ///< where somebody asks: values at the beginning of the step
  std::vector<double> history_;
  double stepBegin_ = 0.0;  ///< s
  ErrorEstimate estimate_;
  FitErrors fits_;
  PowerBonds bonds_;
  std::vector<double> open_;  ///< scratch: what iterations left over, by output
  /// What there is to tell of the first half of a step.
  struct Half {
    Look look;
    std::vector<double> begin;
    std::vector<double> predicted;
    std::vector<double> accepted;
    std::vector<double> open;
    double length = 0.0;  ///< s
    Courses courses{};    ///< where fits are watched
    std::vector<double> powers{};
  };
  std::optional<Half> half_;
  std::vector<std::unique_ptr<IteratedCycle>> iterated_;
  std::vector<Stretch> stretches_;
};

}  // namespace koppla::coupling
