#include <Eigen/Dense>

#include "koppla/coupling/algorithm.hpp"

namespace koppla::coupling {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The matrix I - d answered / d sent is kept from step to step. It is renewed where it slows the iteration down: when
/// the next correction is not expected to reach the tolerance, or when several steps in a row needed a second one.
class Newton final : public Algorithm {
 public:
  Newton(const AlgorithmSettings& settings, const Network& network, const InterfaceProblem& problem)
      : settings_(settings),
        monitor_(network, problem, settings, 1),
        sent_(problem.cut().size()),
        residual_(problem.cut().size()) {}

  const Solution& solve(InterfaceProblem& problem, bool untested) override {
    Solution& solution = newSolution();
    double lastNorm = 0.0;
    monitor_.begin();
    while (true) {
      solution.fault = problem.evaluate();
      ++solution.evaluations;
      if (solution.fault) solution.ending = Ending::failed;
      if (solution.fault || untested) return solution;
      monitor_.watch(problem);
      // Corrections by a matrix without inverse lead anywhere, and relative tests pass there.
      if (monitor_.exploded()) {
        solution.ending = Ending::exploded;
        return solution;
      }
      solution.norm = readResidual(problem);
      const bool discreteSettled = settings_.discrete == DiscreteTest::ignore || !problem.discreteChanged();
      solution.ending = solution.norm <= 1.0 && discreteSettled ? Ending::converged : Ending::capReached;
      if (solution.converged() || solution.evaluations >= settings_.maxIterations) break;
      if (sent_.empty()) continue;  // only discrete values flow back: they settle by themselves or not at all
      if (needsRenewal(solution, lastNorm)) {
        solution.fault = renew(problem);
        ++solution.jacobians;
        if (solution.fault) return solution;
      }
      lastNorm = solution.norm;
      correct(problem);
    }
    stepsWithSecondCorrection_ = solution.evaluations > 2 ? stepsWithSecondCorrection_ + 1 : 0;
    return solution;
  }

  void accept(const InterfaceProblem& /*problem*/) override { monitor_.accept(); }

  [[nodiscard]] const ConvergenceMonitor& monitor() const override { return monitor_; }

 private:
  /// Its norm.
  double readResidual(const InterfaceProblem& problem) {
    const core::Tolerance tolerance{settings_.rtol, settings_.atol};
    core::NormByValue values(tolerance);
    problem.forSamples(problem.cut(), [&](std::size_t i, double sent, double answered) {
      sent_[i] = sent;
      residual_[i] = answered - sent;
      values.add(residual_[i], sent);
    });
    return core::isByValue(settings_.norm) ? values.norm(settings_.norm, sent_.size())
                                           : core::weightedNorm(settings_.norm, tolerance, residual_, sent_);
  }

  [[nodiscard]] bool needsRenewal(const Solution& solution, double lastNorm) const {
    constexpr unsigned kPatience = 3;  // steps; a Jacobian costs about one evaluation
    if (!factorised_) return true;
    if (solution.evaluations == 1) return stepsWithSecondCorrection_ >= kPatience;
    const double contraction = solution.norm / lastNorm;
    return contraction * solution.norm > 1.0;
  }

  Fault renew(InterfaceProblem& problem) {
    if (const Fault fault = problem.sensitivities(blocks_)) return fault;
    const auto n = static_cast<Eigen::Index>(problem.cut().size());
    matrix_.setIdentity(n, n);
    for (const Derivative& d : problem.derivatives(blocks_, problem.cut()))
      matrix_(static_cast<Eigen::Index>(d.row), static_cast<Eigen::Index>(d.column)) -= d.value;
    factors_.compute(matrix_);
    factorised_ = true;
    stepsWithSecondCorrection_ = 0;
    return {};
  }

  void correct(InterfaceProblem& problem) {
    const auto n = static_cast<Eigen::Index>(sent_.size());
    correction_.resize(n);
    if (n == 1)  // the usual case, for which the solution of systems of any size takes longer than two small FMUs
      correction_[0] = residual_[0] / matrix_(0, 0);
    else
      correction_ = factors_.solve(Eigen::Map<const Eigen::VectorXd>(residual_.data(), n));
    // A singular matrix says nothing about where to go; the answers themselves are then the next guess.
    if (!correction_.allFinite()) return;
    Eigen::Map<Eigen::VectorXd>(sent_.data(), n) += correction_;
    problem.send(problem.cut(), sent_);
  }

  AlgorithmSettings settings_;
  ConvergenceMonitor monitor_;
  std::vector<double> sent_;
  std::vector<double> residual_;  ///< answered - sent
  Eigen::VectorXd correction_;
  std::vector<Sensitivity> blocks_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> factors_;
  bool factorised_ = false;
  unsigned stepsWithSecondCorrection_ = 0;
};

}  // namespace

std::unique_ptr<Algorithm> newton(const AlgorithmSettings& settings, const Network& network,
                                  const InterfaceProblem& problem) {
  return std::make_unique<Newton>(settings, network, problem);
}

}  // namespace koppla::coupling
