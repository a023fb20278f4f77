#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>

#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/first_residual.hpp"
#include "koppla/coupling/slope_trust.hpp"

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
        testsOthers_(settings.test == ConvergenceTest::error && problem.coupled().size() > problem.cut().size()),
        tolerance_{settings.rtol, settings.atol},
        sizes_(problem.cut().size()),
        sent_(problem.cut().size()),
        sentBefore_(problem.cut().size()),
        answered_(problem.cut().size()),
        residual_(problem.cut().size()),
        errors_(problem.cut().size()) {}

  const Solution& solve(InterfaceProblem& problem, bool untested) override {
    Solution& solution = newSolution();
    double lastNorm = 0.0;
    double lastResidual = 0.0;
    bool renewed = false;  // in this step
    monitor_.begin();
    measure(problem);
    while (true) {
      solution.fault = problem.evaluate();
      ++solution.evaluations;
      if (solution.fault) solution.ending = Ending::failed;
      if (solution.fault || untested) return solution;
      watch(problem);
      // Corrections by a matrix without inverse lead anywhere, and relative tests pass there.
      if (monitor_.exploded()) {
        solution.ending = Ending::exploded;
        return solution;
      }
      byValues_ = solution.norm = readResidual(problem);
      if (settings_.relativeTo == RelativeTo::firstResidual)
        solution.norm = first_.relate(solution.norm, settings_.rtol, solution.evaluations == 1);
      if (solution.evaluations == 1) trust_.look(byValues_);
      const bool discreteSettled = settings_.discrete == DiscreteTest::ignore || !problem.discreteChanged();
      const bool agrees = solution.norm <= 1.0 && discreteSettled;
      const double error = obstacle_.error =
          agrees ? std::max(estimateError(solution, renewed), errorOfOthers(solution, lastResidual)) : 0.0;
      if (!testsOthers_) monitor_.follow(solution.norm);
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
      lastResidual = solution.norm;
      correct(problem);
    }
    stepsWithSecondCorrection_ = solution.evaluations > 2 ? stepsWithSecondCorrection_ + 1 : 0;
    seen_ = solution.evaluations > 1 ? SlopeTrust::Seen::others : SlopeTrust::Seen::nothing;
    return solution;
  }

  void accept(const InterfaceProblem& /*problem*/) override {
    monitor_.accept();
    trust_.accept(seen_);
  }

  [[nodiscard]] const ConvergenceMonitor& monitor() const override { return monitor_; }

 private:
  /// Values outside the cut follow from it, but small differences of large ones with much larger errors.
  void watch(const InterfaceProblem& problem) {
    if (testsOthers_)
      monitor_.look(problem);
    else
      monitor_.watch(problem);
  }
  /// In tolerances: they may still change by the same share of their last change as the residual of the cut has left.
  [[nodiscard]] double errorOfOthers(const Solution& solution, double lastResidual) const {
    if (!testsOthers_) return 0.0;
    if (solution.evaluations == 1) return monitor_.norm();
    return lastResidual > 0.0 ? std::min(solution.norm / lastResidual, 1.0) * monitor_.norm() : 0.0;
  }

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

  /// Of answers x that agree with what was sent, u, in tolerances; infinite where the matrix does not tell. It takes
  /// the solution to be at p = u + correction, which leaves p - x; where it is an old one, its corrections show what
  /// further ones will still do: with their ratio theta, negative where they turn round,
  ///
  ///     e = (p - x) + theta / (1 - theta) (p - u)
  ///
  double estimateError(const Solution& solution, bool renewed) {
    const bool counts = byValues_ > SlopeTrust::kNegligible;
    if (settings_.test == ConvergenceTest::residual || !counts || sent_.empty()) return 0.0;
    const bool first = solution.evaluations == 1;
    if (!believesMatrix(first)) return HUGE_VAL;
    findCorrection();
    if (!correction_.allFinite()) return HUGE_VAL;
    double share = 0.0;
    if (!first && !renewed) {
      const double theta = ratioOfCorrections();
      if (!(theta < 1.0)) return HUGE_VAL;
      share = theta / (1.0 - theta);
    }
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      answered_[i] = sent_[i] + residual_[i];
      errors_[i] = (1.0 + share) * correction_[static_cast<Eigen::Index>(i)] - residual_[i];
    }
    return core::weightedNorm(settings_.norm, tolerance_, errors_, answered_, sizes_);
  }

  /// In the first evaluation of a step it may be over: one of few columns is found anew in time; of more, corrections
  /// show whether they still fit.
  bool believesMatrix(bool first) {
    constexpr std::size_t kFew = 16;
    if (!first || trust_.holds()) return factorised_;
    if (sent_.size() <= kFew) factorised_ = false;
    return false;
  }

  /// Of this correction to the one before; 0 where that was rounding. Values are compared by their tolerances; those
  /// that have never been anything but zero, and those that nobody tests, are taken as they are.
  [[nodiscard]] double ratioOfCorrections() const {
    constexpr double kRounding = 1e-13;  // corrections below that share of a value tell nothing
    constexpr double kTurned = -0.9;     // cosine
    double product = 0.0;
    double last = 0.0;
    double next = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      const double w = tolerance_.weight(sent_[i], sizes_[i]);
      const double before = w * (sent_[i] - sentBefore_[i]);
      const double now = w * correction_[static_cast<Eigen::Index>(i)];
      product += before * now;
      last += before * before;
      next += now * now;
      size += w * sent_[i] * w * sent_[i];
    }
    if (!(last > kRounding * kRounding * size)) return 0.0;
    const double theta = std::sqrt(next / last);
    return product < kTurned * std::sqrt(last * next) ? -theta : theta;
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

  void correct(InterfaceProblem& problem) {
    findCorrection();
    std::ranges::copy(sent_, sentBefore_.begin());
    // A singular matrix says nothing about where to go; the answers themselves are then the next guess.
    if (!correction_.allFinite()) return;
    Eigen::Map<Eigen::VectorXd>(sent_.data(), correction_.size()) += correction_;
    problem.send(problem.cut(), sent_);
  }

  AlgorithmSettings settings_;
  ConvergenceMonitor monitor_;
  bool testsOthers_;
  core::Tolerance tolerance_;
  std::vector<double> sizes_;                                           ///< of the cut
  std::uint64_t measured_ = std::numeric_limits<std::uint64_t>::max();  ///< version of these
  SlopeTrust trust_;
  FirstResidual first_;
  double byValues_ = 0.0;  ///< norm of the residual in tolerances
  std::vector<double> sent_;
  std::vector<double> sentBefore_;  ///< in the evaluation before
  std::vector<double> answered_;
  std::vector<double> residual_;  ///< answered - sent
  std::vector<double> errors_;    ///< of the answers
  Eigen::VectorXd correction_;
  std::vector<Sensitivity> blocks_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> factors_;
  bool factorised_ = false;
  bool corrected_ = false;  ///< correction_ is that of the last evaluation
  SlopeTrust::Seen seen_ = SlopeTrust::Seen::nothing;
  unsigned stepsWithSecondCorrection_ = 0;
};

}  // namespace

std::unique_ptr<Algorithm> newton(const AlgorithmSettings& settings, const Network& network,
                                  const InterfaceProblem& problem) {
  return std::make_unique<Newton>(settings, network, problem);
}

}  // namespace koppla::coupling
