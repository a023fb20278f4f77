#include "koppla/coupling/algorithm.hpp"

namespace koppla::coupling {

namespace {

class FixedPoint final : public Algorithm {
 public:
  explicit FixedPoint(const AlgorithmSettings& settings) : settings_(settings) {}

  Solution solve(InterfaceProblem& problem, bool untested) override {
    Solution solution;
    do {
      solution.fault = problem.evaluate();
      ++solution.evaluations;
      if (solution.fault || untested) return solution;
      solution.norm = change(problem);
      const bool discreteSettled = settings_.discrete == DiscreteTest::ignore || !problem.discreteChanged();
      solution.converged = solution.norm <= 1.0 && discreteSettled;
    } while (!solution.converged && solution.evaluations < settings_.maxIterations);
    return solution;
  }

  void accept(const InterfaceProblem& /*problem*/) override {}

 private:
  [[nodiscard]] double change(const InterfaceProblem& problem) const {
    std::vector<double> sent(problem.coupled().size());
    std::vector<double> difference(sent.size());
    problem.readSent(problem.coupled(), sent);
    problem.readAnswered(problem.coupled(), difference);
    for (std::size_t i = 0; i < sent.size(); ++i) difference[i] -= sent[i];
    return core::weightedNorm(settings_.norm, {settings_.rtol, settings_.atol}, difference, sent);
  }

  AlgorithmSettings settings_;
};

}  // namespace

std::unique_ptr<Algorithm> fixedPoint(const AlgorithmSettings& settings) {
  return std::make_unique<FixedPoint>(settings);
}

}  // namespace koppla::coupling
