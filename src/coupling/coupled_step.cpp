#include "koppla/coupling/coupled_step.hpp"

namespace koppla::coupling {

namespace {

Form formOf(const AlgorithmSettings& settings) {
  const bool parallel = settings.kind == AlgorithmKind::jacobi || settings.kind == AlgorithmKind::iteratedJacobi;
  return parallel ? Form::parallel : Form::sequence;
}

}  // namespace

IteratedCycle::IteratedCycle(Network& network, Block block, const AlgorithmSettings& settings)
    : problem(network, block, formOf(settings)),
      algorithm(settings.kind == AlgorithmKind::newton ? newton(settings) : fixedPoint(settings)) {}

CoupledStep::CoupledStep(Network& network, const std::vector<Cycle>& cycles, const AlgorithmSettings& settings)
    : network_(network), all_{0, network.size()}, form_(formOf(settings)) {
  if (!settings.iterates()) {
    stretches_.push_back({all_, nullptr, 0});
    return;
  }
  form_ = Form::sequence;  // outside closed cycles values flow forward only: nothing needs to be late
  std::size_t position = 0;
  for (const Cycle& cycle : cycles) {
    const Block block{position, position + cycle.members.size()};
    position = block.last;
    if (cycle.closed) {
      iterated_.push_back(std::make_unique<IteratedCycle>(network, block, settings));
      stretches_.push_back({block, iterated_.back().get(), iterated_.size() - 1});
    } else if (!stretches_.empty() && stretches_.back().cycle == nullptr) {
      stretches_.back().block.last = block.last;
    } else {
      stretches_.push_back({block, nullptr, 0});
    }
  }
}

StepOutcome CoupledStep::solve(const Attempt& attempt) {
  const subsystem::Step& step = attempt.step;
  StepOutcome outcome;
  for (const Stretch& stretch : stretches_) {
    if (stretch.cycle == nullptr) {
      outcome.fault = form_ == Form::parallel ? network_.advanceInParallel(stretch.block, step)
                                              : network_.advanceInSequence(stretch.block, step);
      if (outcome.fault) return outcome;
      continue;
    }
    IteratedCycle& cycle = *stretch.cycle;
    outcome.fault = cycle.problem.begin({step.t0, step.t1, false}, attempt.start);
    if (outcome.fault) return outcome;
    const Solution solution = cycle.algorithm->solve(cycle.problem, attempt.untested);
    cycle.evaluations += solution.evaluations;
    cycle.jacobians += solution.jacobians;
    outcome.fault = solution.fault;
    if (outcome.fault) return outcome;
    if (!solution.converged) {
      ++cycle.failures;
      if (outcome.converged) {
        outcome.cycle = stretch.cycleIndex;
        outcome.norm = solution.norm;
      }
      outcome.converged = false;
      if (!attempt.keepGoing) return outcome;
    }
  }
  return outcome;
}

void CoupledStep::accept() {
  for (const auto& cycle : iterated_) cycle->algorithm->accept(cycle->problem);
}

}  // namespace koppla::coupling
