#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>

#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/first_residual.hpp"
#include "koppla/coupling/remaining_error.hpp"

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
        tolerance_{settings.rtol, settings.atol},
        sizes_(problem.cut().size()),
        remaining_(tolerance_, sizes_),
        sent_(problem.cut().size()),
        sentBefore_(problem.cut().size()),
        answered_(problem.cut().size()),
        residual_(problem.cut().size()),
        solution_(problem.cut().size()),
        errors_(problem.cut().size()) {}

  const Solution& solve(InterfaceProblem& problem, bool untested) override {
    Solution& solution = newSolution();
    double lastNorm = 0.0;
    bool renewed = false;  // in this step
    monitor_.begin();
    measure(problem);
    remaining_.begin();
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
      byValues_ = solution.norm = readResidual(problem);
      if (settings_.relativeTo == RelativeTo::firstResidual)
        solution.norm = first_.relate(solution.norm, settings_.rtol, solution.evaluations == 1);
      const bool discreteSettled = settings_.discrete == DiscreteTest::ignore || !problem.discreteChanged();
      const bool agrees = solution.norm <= 1.0 && discreteSettled;
      const double error = obstacle_.error = agrees ? estimateError(solution, renewed) : 0.0;
      monitor_.follow(solution.norm);
      const bool rounded =
          !agrees && discreteSettled && settings_.test == ConvergenceTest::error && monitor_.isRounding(residual_);
      if (rounded) solution.amplification = HUGE_VAL;
      solution.ending = (agrees && error <= 1.0) || rounded ? Ending::converged : Ending::capReached;
      if (solution.converged() || solution.evaluations >= settings_.maxIterations) break;
      if (sent_.empty()) continue;  // only discrete values flow back: they settle by themselves or not at all
      const double norm = std::max(solution.norm, error);
      if (needsRenewal(solution.evaluations, norm, lastNorm)) {
        solution.fault = renew(problem);
        ++solution.jacobians;
        if (solution.fault) return solution;
        renewed = true;
      }
      lastNorm = norm;
      correct(problem, solution.evaluations == 1);
    }
    stepsWithSecondCorrection_ = solution.evaluations > 2 ? stepsWithSecondCorrection_ + 1 : 0;
    return solution;
  }

  void accept(const InterfaceProblem& /*problem*/) override {
    monitor_.accept();
    remaining_.accept();
  }

  [[nodiscard]] const ConvergenceMonitor& monitor() const override { return monitor_; }

 private:
  void measure(const InterfaceProblem& problem) {
    const std::uint64_t version = monitor_.sizes().version();
    if (std::exchange(measured_, version) == version) return;
    for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = monitor_.sizes().of(problem.cut()[i]);
  }

  /// Its norm.
  double readResidual(const InterfaceProblem& problem) {
    core::NormByValue values(tolerance_);
    corrected_ = false;
    problem.forSamples(problem.cut(), [&](std::size_t i, double sent, double answered) {
      sent_[i] = sent;
      residual_[i] = answered - sent;
      values.add(residual_[i], sent, sizes_[i]);
    });
    return core::isByValue(settings_.norm) ? values.norm(settings_.norm, sent_.size())
                                           : core::weightedNorm(settings_.norm, tolerance_, residual_, sent_, sizes_);
  }

  /// Of answers that agree with what was sent, in tolerances; infinite where the matrix does not tell.
  double estimateError(const Solution& solution, bool renewed) {
    const bool counts = byValues_ > RemainingError::kNegligible;
    if (settings_.test == ConvergenceTest::residual || !counts || sent_.empty()) return 0.0;
    if (!factorised_) return HUGE_VAL;
    findCorrection();
    if (!correction_.allFinite()) return HUGE_VAL;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      answered_[i] = sent_[i] + residual_[i];
      solution_[i] = sent_[i] + correction_[static_cast<Eigen::Index>(i)];
    }
    const bool first = solution.evaluations == 1;
    const Belief belief{.sent = sent_,
                        .answered = answered_,
                        .solution = solution_,
                        .sentBefore = first ? std::span<const double>{} : std::span<const double>(sentBefore_),
                        .knowsSlopes = first || renewed};
    if (!remaining_.estimate(belief, errors_)) return HUGE_VAL;
    return core::weightedNorm(settings_.norm, tolerance_, errors_, answered_, sizes_);
  }

  [[nodiscard]] bool needsRenewal(unsigned evaluations, double norm, double lastNorm) const {
    constexpr unsigned kPatience = 3;  // steps; a Jacobian costs about one evaluation
    if (!factorised_) return true;
    if (evaluations == 1) return stepsWithSecondCorrection_ >= kPatience;
    const double contraction = norm / lastNorm;
    return !(contraction * norm <= 1.0);
  }

  Fault renew(InterfaceProblem& problem) {
    if (const Fault fault = problem.sensitivities(blocks_)) return fault;
    const auto n = static_cast<Eigen::Index>(problem.cut().size());
    matrix_.setIdentity(n, n);
    for (const Derivative& d : problem.derivatives(blocks_, problem.cut()))
      matrix_(static_cast<Eigen::Index>(d.row), static_cast<Eigen::Index>(d.column)) -= d.value;
    factors_.compute(matrix_);
    factorised_ = true;
    corrected_ = false;
    stepsWithSecondCorrection_ = 0;
    return {};
  }

  void findCorrection() {
    if (std::exchange(corrected_, true)) return;
    const auto n = static_cast<Eigen::Index>(sent_.size());
    correction_.resize(n);
    if (n == 1)  // the usual case, for which the solution of systems of any size takes longer than two small FMUs
      correction_[0] = residual_[0] / matrix_(0, 0);
    else
      correction_ = factors_.solve(Eigen::Map<const Eigen::VectorXd>(residual_.data(), n));
  }

  void correct(InterfaceProblem& problem, bool first) {
    findCorrection();
    std::ranges::copy(sent_, sentBefore_.begin());
    // A singular matrix says nothing about where to go; the answers themselves are then the next guess.
    if (!correction_.allFinite()) return;
    Eigen::Map<Eigen::VectorXd>(sent_.data(), correction_.size()) += correction_;
    problem.send(problem.cut(), sent_);
    if (first) remaining_.firstMove(sentBefore_, sent_);
  }

  AlgorithmSettings settings_;
  ConvergenceMonitor monitor_;
  core::Tolerance tolerance_;
  std::vector<double> sizes_;                                           ///< of the cut
  std::uint64_t measured_ = std::numeric_limits<std::uint64_t>::max();  ///< version of these
  RemainingError remaining_;
  FirstResidual first_;
  double byValues_ = 0.0;  ///< norm of the residual in tolerances
  std::vector<double> sent_;
  std::vector<double> sentBefore_;  ///< in the evaluation before
  std::vector<double> answered_;
  std::vector<double> residual_;  ///< answered - sent
  std::vector<double> solution_;  ///< where the correction leads
  std::vector<double> errors_;    ///< of the answers
  Eigen::VectorXd correction_;
  std::vector<Sensitivity> blocks_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> factors_;
  bool factorised_ = false;
  bool corrected_ = false;  ///< correction_ is that of the last evaluation
  unsigned stepsWithSecondCorrection_ = 0;
};

}  // namespace

std::unique_ptr<Algorithm> newton(const AlgorithmSettings& settings, const Network& network,
                                  const InterfaceProblem& problem) {
  return std::make_unique<Newton>(settings, network, problem);
}

}  // namespace koppla::coupling
