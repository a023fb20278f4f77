#pragma once

#include <memory>
#include <vector>

#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// What is asked of one macro step.
struct Attempt {
  subsystem::Step step;
  Start start;
  bool untested = false;   ///< accept without convergence test: one evaluation per cycle
  bool keepGoing = false;  ///< go on with the next cycle after one that did not converge
};

/// How one macro step of the whole system ended.
struct StepOutcome {
  bool converged = true;
  std::size_t cycle = 0;  ///< not converged: which of iteratedCycles()
  double norm = 0.0;
  Fault fault;
};

/// A closed cycle that is iterated, and what that cost so far.
struct IteratedCycle {
  IteratedCycle(Network& network, Block block, const AlgorithmSettings& settings);

  InterfaceProblem problem;
  std::unique_ptr<Algorithm> algorithm;
  std::uint64_t evaluations = 0;
  std::uint64_t jacobians = 0;
  std::uint64_t failures = 0;
};

/// One macro step of all members by the chosen algorithm. Explicit algorithms run the whole schedule once; iterating
/// ones go cycle by cycle and run once what lies between closed cycles.
class CoupledStep {
 public:
  CoupledStep(Network& network, const std::vector<Cycle>& cycles, const AlgorithmSettings& settings);

  /// The network's outputs hold the values at step.t0 and afterwards those at step.t1. With `step.final` nobody asks
  /// for a repetition of the step as a whole; iterated cycles repeat their own part anyway.
  StepOutcome solve(const Attempt& attempt);
  /// What solve() comes down to for an explicit algorithm: one run through the schedule.
  [[nodiscard]] bool isExplicit() const { return iterated_.empty(); }
  Fault advance(const subsystem::Step& step) {
    return form_ == Form::parallel ? network_.advanceInParallel(all_, step) : network_.advanceInSequence(all_, step);
  }
  /// The step that was solved last is kept.
  void accept();

  [[nodiscard]] const std::vector<std::unique_ptr<IteratedCycle>>& iteratedCycles() const { return iterated_; }

 private:
  /// A stretch of the schedule: members that run once, or one closed cycle.
  struct Stretch {
    Block block;
    IteratedCycle* cycle = nullptr;
    std::size_t cycleIndex = 0;
  };

  Network& network_;
  Block all_;
  Form form_;
  std::vector<std::unique_ptr<IteratedCycle>> iterated_;
  std::vector<Stretch> stretches_;
};

}  // namespace koppla::coupling
