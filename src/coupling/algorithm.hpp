#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/condition_rows.hpp"
#include "koppla/coupling/convergence.hpp"
#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/loop_iteration.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// How the solution of one cycle over one step ended.
struct Solution {
  Ending ending = Ending::converged;
  /// Converged, but where the answers move away from what is sent (slope >= 1 along the last movement): plain iteration
  /// would never have come here, so this may be another solution than the one that was meant.
  bool suspicious = false;
  /// One correction left more than a tenth of itself over, beyond the tolerances.
  bool poor = false;
  unsigned evaluations = 0;  ///< of the whole cycle, Jacobians not counted
  unsigned jacobians = 0;
  unsigned chain = 0;  ///< steps of subsystems that had to wait for each other; 0: evaluations
  double norm = 0.0;   ///< of the last difference between sent and answered; converged at <= 1
  /// Jung's K at the end, see ConvergenceMonitor; may be not a number.
  double k = std::numeric_limits<double>::quiet_NaN();
  /// Error over residual, 1 / (1 - K), where iterations come nearer monotonically and by themselves; infinite where
  /// answers scatter as much as the residual, so that nobody sees how far the solution is.
  double amplification = 1.0;
  Fault fault;

  [[nodiscard]] bool converged() const { return ending == Ending::converged; }
};

/// What stood in the way of a solution. Apart from it, since one is made in every step and most have met nothing.
struct Obstacle {
  std::optional<std::size_t> coarse;  ///< stagnated: an output that is read with too few digits for its tolerance
  HeldConstraint opened{};            ///< opened: the constraint that is not held any more
  /// The residual has converged, but the answers are believed to be so many tolerances from the solution.
  double error = 0.0;
  bool drowned = false;  ///< singular: or what is exchanged cannot be told from rounding of the probes
  std::vector<std::size_t> undetermined{};  ///< singular: outputs whose conditions contradict or repeat each other
};

/// One iteration of a cycle, for whoever keeps a history.
struct IterationReport {
  const InterfaceProblem& problem;
  const ConvergenceMonitor& monitor;
  double error = 0.0;      ///< of the answers, in tolerances; not a number where it was not estimated
  unsigned iteration = 0;  ///< of this step, from 1
  bool last = false;
  Ending ending = Ending::converged;  ///< of the step, in its last iteration
  const Doings& doings;               ///< of the proposal that was evaluated, for who keeps a history
  std::span<const double> factors{};  ///< that it was made with, one per value of the cut; empty: one for all
};

class IterationListener {
 public:
  IterationListener() = default;
  virtual ~IterationListener() = default;
  IterationListener(const IterationListener&) = delete;
  IterationListener& operator=(const IterationListener&) = delete;

  /// Whether reports must say what the acceleration did.
  [[nodiscard]] virtual bool keepsHistory() const = 0;
  virtual void iteration(const IterationReport& report) = 0;
  /// To be asked once before every report: whether this one is not wanted.
  [[nodiscard]] bool letsPass() {
    if (unheard_ == 0) return false;
    --unheard_;
    return true;
  }
  /// Something about the way a cycle is iterated that a user should know.
  virtual void remark(const InterfaceProblem& problem, const std::string& text) = 0;
  /// A reason to doubt the results that lies in the member at that position.
  virtual void warning(const InterfaceProblem& problem, std::size_t position, const std::string& text) = 0;

 protected:
  std::uint64_t unheard_ = 0;  ///< the next so many reports are not wanted
};

/// Solves one cycle over one step. One object per cycle, so it may remember what helps the next step (a Jacobian, a
/// history); only accept() changes what it learned from values, since a solved step may still be rejected.
class Algorithm {
 public:
  Algorithm() = default;
  virtual ~Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  /// `problem` has begun. Untested: one evaluation is enough, whatever the residual. The result is solution().
  virtual const Solution& solve(InterfaceProblem& problem, bool untested) = 0;
  /// Of the step that was solved last. Read in place: a copy would wait for what has just been written.
  [[nodiscard]] const Solution& solution() const { return solution_; }
  /// The step that was solved last is kept.
  virtual void accept(const InterfaceProblem& problem) = 0;
  /// Before the first step: loops at the start, where members have slopes much like those over a step.
  virtual void learnFromStart(const LoopsAtStart& /*loops*/) {}
  /// Who is told of iterations from now on; may be nobody.
  virtual void tell(IterationListener* /*listener*/) {}
  [[nodiscard]] virtual const ConvergenceMonitor& monitor() const = 0;
  /// To be asked for after a solution that has not converged; which output has exploded is known to the monitor.
  [[nodiscard]] const Obstacle& obstacle() const { return obstacle_; }
  /// How well constraints of the cycle were held.
  [[nodiscard]] virtual std::span<const HeldConstraint> held() const { return {}; }

 protected:
  /// The next solution, with nothing in it.
  Solution& newSolution() { return solution_ = {}; }

  Obstacle obstacle_;

 private:
  Solution solution_;
};

/// Repeats the evaluation, with the answers as an accelerator changes them, until they stay (iterated Gauss-Seidel in
/// sequence, iterated Jacobi in parallel form; Nicolai, sec. 5.3).
std::unique_ptr<Algorithm> fixedPoint(const AlgorithmSettings& settings, const Network& network,
                                      const InterfaceProblem& problem);

/// Newton's method on the cut: (I - d answered / d sent) correction = answered - sent.
std::unique_ptr<Algorithm> newton(const AlgorithmSettings& settings, const Network& network,
                                  const InterfaceProblem& problem);

/// Exactly one correction by Newton's method from the predicted values, then one repetition of the step with the
/// corrected ones (Lu, sec. 2.1, 3.2.3), for plain connections, force laws and constraints alike.
std::unique_ptr<Algorithm> semiImplicit(const AlgorithmSettings& settings, Network& network,
                                        const InterfaceProblem& problem);

}  // namespace koppla::coupling
