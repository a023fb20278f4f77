#include <algorithm>
#include <cmath>
#include <complex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/condition_rows.hpp"
#include "koppla/coupling/correction.hpp"
#include "koppla/coupling/stiff_laws.hpp"

namespace koppla::coupling {

namespace {

constexpr std::array kLevels{Level::position, Level::velocity, Level::acceleration};
constexpr std::size_t kAcceleration = 2;

/// One macro step (Lu, sec. 3.2.3): with predicted values all members run once, and once more per input that they
/// consume; one linear solve; all run again with corrected values.
class SemiImplicit final : public Algorithm {
 public:
  SemiImplicit(const AlgorithmSettings& settings, Network& network, const InterfaceProblem& problem)
      : settings_(settings),
        network_(network),
        rows_(network, problem),
        monitor_(network, problem, settings, 2),
        stiffLaws_(network, problem, settings.degree),
        last_(network.outputs().size(), 0.0),
        own_(network.outputs().size(), 0.0),
        present_(network.outputs().size(), 0.0) {
    before_.resize(problem.cut().size());
    for (std::size_t value = 0; value < own_.size(); ++value)
      for (const OwnNumber& increment : settings.semiImplicit.increments)
        if (increment.isOf(network.outputName(value).member, network.outputName(value).port))
          own_[value] = increment.number;
  }

  const Solution& solve(InterfaceProblem& problem, bool untested) override {
    Solution& solution = newSolution();
    monitor_.begin();
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = problem.atBegin(problem.cut()[i]);
    if (!rehearsed_ && !untested) rehearse(problem, solution);
    if (!predict(problem, solution, untested) || untested || problem.cut().empty()) return solution;
    while (true) {
      if (!correct(problem, solution)) return solution;
      solution.fault = problem.evaluate();
      if (!judge(problem, solution) || !areHeld(problem, solution)) return solution;
      look(problem, solution);
      if (!settings_.semiImplicit.iterate || solution.norm <= 1.0) return solution;
      if (solution.evaluations >= settings_.maxIterations) {
        solution.ending = Ending::capReached;
        return solution;
      }
      if (!differentiate(problem, solution)) return solution;
    }
  }

  void accept(const InterfaceProblem& /*problem*/) override {
    monitor_.accept();
    last_ = present_;
    rows_.accept();
  }

  void tell(IterationListener* listener) override { listener_ = listener; }
  [[nodiscard]] const ConvergenceMonitor& monitor() const override { return monitor_; }
  [[nodiscard]] std::span<const HeldConstraint> held() const override { return rows_.held(); }

 private:
  /// An evaluation has ended.
  bool judge(InterfaceProblem& problem, Solution& solution) {
    ++solution.evaluations;
    ++solution.chain;
    if (!goesOn(solution)) return false;
    monitor_.watch(problem);
    if (!monitor_.exploded()) return true;
    solution.ending = Ending::exploded;
    return false;
  }

  /// After a correction: a constraint that is off by a hundredth of the motions that it connects is a reason for doubt;
  /// by all of them, for an end.
  bool areHeld(const InterfaceProblem& problem, Solution& solution) {
    constexpr double kDoubtful = 1e-2;
    constexpr double kLost = 1.0;
    if (settings_.explosionGrowth == 0.0) return true;
    for (std::size_t i = 0; i < rows_.held().size(); ++i) {
      const HeldConstraint now = rows_.present(i);
      if (now.share() > kLost) {
        solution.ending = Ending::opened;
        obstacle_.opened = now;
        return false;
      }
      if (now.share() >= kDoubtful && listener_ != nullptr && doubted_.insert(i).second)
        listener_->warning(
            problem, now.position,
            fmt::format("this joint is open by {:.2g}, a hundredth of the motions that it connects or more: "
                        "the results are not to be trusted. Shorten the step",
                        now.defect));
    }
    return true;
  }

  static bool goesOn(Solution& solution) {
    if (solution.fault) solution.ending = Ending::failed;
    return !solution.fault;
  }

  /// Before the first step nobody knows how large corrections are, so one is computed and thrown away: differences over
  /// shorter distances drown in rounding where an input moves little in one step, as a force does a position.
  void rehearse(InterfaceProblem& problem, Solution& solution) {
    rehearsed_ = true;
    bool linear = true;
    for (std::size_t position = problem.block().first; position < problem.block().last; ++position)
      linear = linear && network_.subsystem(position).describe().capabilities.linear;
    if (linear || !probes() || settings_.semiImplicit.increment) return;
    Solution trial;
    std::vector<double> correction;
    if (predict(problem, trial, false) && solveLinearised(problem, trial, correction))
      for (std::size_t i = 0; i < correction.size(); ++i) last_[problem.cut()[i]] = std::fabs(correction[i]);
    solution.evaluations += trial.evaluations;
    solution.jacobians += trial.jacobians;
    problem.sendAgain();
  }

  /// With twins the probes run at the same time as the step.
  bool predict(InterfaceProblem& problem, Solution& solution, bool untested) {
    const bool atOnce = network_.twins() != nullptr && !untested && probes();
    solution.fault = atOnce ? problem.evaluateWithProbes(blocks_, increments()) : problem.evaluate();
    if (!judge(problem, solution)) return false;
    if (untested) return true;
    if (!atOnce) return differentiate(problem, solution);
    held_.clear();
    if (guardsAccelerations()) problem.heldSensitivities(held_);
    ++solution.jacobians;
    solution.chain += static_cast<unsigned>(problem.mostProbesInTurn());
    return true;
  }

  [[nodiscard]] bool probes() const { return settings_.semiImplicit.sensitivities == SensitivityKind::differences; }

  /// A difference over the distance of the last correction is as good as the linearisation itself.
  [[nodiscard]] Increments increments() const {
    constexpr double kUsual = 1e-5;
    if (const auto& given = settings_.semiImplicit.increment) return {*given, *given, {}, own_};
    return {kUsual, 1.0, last_, own_};
  }

  bool differentiate(InterfaceProblem& problem, Solution& solution) {
    held_.clear();
    if (guardsAccelerations()) problem.heldSensitivities(held_);  // before probes move the states
    solution.fault = probes() ? problem.sensitivities(blocks_, increments()) : problem.leadingSensitivities(blocks_);
    ++solution.jacobians;
    if (probes()) solution.chain += static_cast<unsigned>(problem.mostProbesInTurn());
    return goesOn(solution);
  }

  void warnAboutStiffLaws(const InterfaceProblem& problem) {
    for (const StiffLaws::Finding& finding : stiffLaws_.examine(problem, blocks_))
      if (listener_ != nullptr)
        listener_->warning(
            problem, finding.position,
            fmt::format("this law is so stiff that the motion between its points grows {:.3g} times per "
                        "step with degree = {}. Choose degree = 0, which is stable, or shorten the step; "
                        "'koppla stability' finds the limit",
                        finding.growth, settings_.degree));
  }

  [[nodiscard]] core::Tolerance tolerance() const { return {settings_.rtol, settings_.atol}; }
  [[nodiscard]] std::vector<double> sizesOf(const std::vector<std::size_t>& values) const {
    std::vector<double> sizes;
    for (const std::size_t value : values) sizes.push_back(monitor_.sizes().of(value));
    return sizes;
  }

  /// What one more correction would still change, in units of the tolerances, and how that compares to the last one.
  /// Only where the conditions are to be met in full: relaxation and the mean of method 2 leave something over on
  /// purpose.
  void look(const InterfaceProblem& problem, Solution& solution) {
    constexpr double kPoor = 0.1;
    if (settings_.semiImplicit.relaxation < 1.0 || rows_.weights()[0] < 1.0 || correction_.empty()) return;
    std::vector<double> rest = rows_.residualAfter(problem, Level::position);
    factors_[0].solve(rest);
    std::vector<double> sent(rest.size());
    problem.readSent(problem.cut(), sent);
    const std::vector<double> sizes = sizesOf(problem.cut());
    const double left = core::weightedNorm(settings_.norm, tolerance(), rest, sent, sizes);
    const double done = core::weightedNorm(settings_.norm, tolerance(), correction_, sent, sizes);
    solution.poor = left > 1.0 && left > kPoor * done;
    if (!solution.poor || settings_.semiImplicit.iterate || listener_ == nullptr) return;
    if (std::exchange(toldOfPoorCorrection_, true)) return;
    std::size_t worst = 0;
    const auto weighted = [&](std::size_t i) { return std::fabs(rest[i]) / tolerance().allowed(sent[i], sizes[i]); };
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (weighted(i) > weighted(worst)) worst = i;
    listener_->warning(problem, problem.producerOf(problem.cut()[worst]),
                       fmt::format("one correction is not enough here: another one would change what is exchanged by "
                                   "{:.2g} times as much ({:.2g} times the tolerances). Shorten the step, or set "
                                   "algorithm.iterate = true; further steps of this kind are only counted",
                                   left / done, left));
  }

  /// With a degree above 0 positions and velocities alone are unstable, so that there is nothing to fall back on.
  [[nodiscard]] bool guardsAccelerations() const {
    return settings_.degree == 0 && rows_.weights()[kAcceleration] > 0.0;
  }

  /// Method 2 with accelerations: how far they answer to the multipliers as they would in a very short step. At 1 they
  /// do; below 1/2, or where they answer the other way, what they ask for makes the coupling unstable (Lu R16).
  [[nodiscard]] double shareOfAccelerations(const InterfaceProblem& problem) const {
    const std::size_t n = rows_.accelerated().size();
    const std::vector<double> overStep = rows_.accelerationMatrix(problem, blocks_);
    const std::vector<double> atOnce = rows_.accelerationMatrix(problem, held_);
    std::vector<Derivative> transposed;
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column)
        if (const double value = atOnce[row * n + column]; value != 0.0) transposed.push_back({column, row, value});
    Correction inverse;
    inverse.factorise(n, transposed, [](std::size_t, std::size_t) { return 0.0; });
    if (!inverse.dependentRows().empty()) return 1.0;  // the correction itself will tell
    std::vector<double> quotient;
    for (std::size_t row = 0; row < n; ++row) {
      std::vector<double> part(overStep.begin() + static_cast<std::ptrdiff_t>(row * n),
                               overStep.begin() + static_cast<std::ptrdiff_t>((row + 1) * n));
      inverse.solve(part);
      for (const double value : part) quotient.push_back(-value);
    }
    double least = 1.0;
    for (const std::complex<double>& value : core::eigenvalues(quotient).value_or(std::vector<std::complex<double>>{}))
      least = std::fmin(least, value.real());
    return least;
  }

  /// Weights of the corrections by level.
  [[nodiscard]] std::array<double, kLevels.size()> weights(const InterfaceProblem& problem) {
    constexpr double kLeast = 0.5;
    std::array<double, kLevels.size()> result = rows_.weights();
    if (held_.empty()) return result;
    const double share = shareOfAccelerations(problem);
    if (share >= kLeast) return result;
    const double rest = 1.0 - result[kAcceleration];
    for (double& weight : result) weight /= rest;
    result[kAcceleration] = 0.0;
    if (!std::exchange(toldOfAccelerations_, true) && listener_ != nullptr)
      listener_->warning(
          problem, rows_.firstConstraint(),
          fmt::format("accelerations answer to the forces of the joints only {:.3g} times as much as in a "
                      "very short step, so they are left out of the mean in this step and where it "
                      "happens again (acceleration_weight = 0). Shorten the step",
                      share));
    return result;
  }

  /// Sends corrected values; false where they are not determined.
  bool correct(InterfaceProblem& problem, Solution& solution) {
    if (!solveLinearised(problem, solution, correction_) && !solveCarefully(problem, solution, correction_))
      return false;
    warnAboutStiffLaws(problem);
    send(problem, correction_, solution);
    return true;
  }

  /// What cannot be told from rounding is probed once more, over a longer distance, before it is called undetermined.
  bool solveCarefully(InterfaceProblem& problem, Solution& solution, std::vector<double>& correction) {
    constexpr double kLong = 1e-2;
    if (!probes() || settings_.semiImplicit.increment) return false;
    solution.ending = Ending::converged;
    solution.fault = problem.sensitivities(blocks_, {kLong, 1.0, last_, own_});
    ++solution.jacobians;
    return goesOn(solution) && solveLinearised(problem, solution, correction);
  }

  bool solveLinearised(const InterfaceProblem& problem, Solution& solution, std::vector<double>& correction) {
    rows_.linearise(problem, blocks_);
    const auto weightOf = weights(problem);
    const std::size_t n = rows_.size();
    correction.assign(n, 0.0);
    for (const Level level : kLevels) {
      const double weight = weightOf.at(static_cast<std::size_t>(level));
      if (weight == 0.0) continue;
      std::vector<double> part = rows_.residual(level);
      Correction& factors = factors_.at(static_cast<std::size_t>(level));
      factors.factorise(n, rows_.matrix(level),
                        [&](std::size_t row, std::size_t column) { return rows_.noise(level, row, column); });
      if (!factors.dependentRows().empty()) {
        solution.ending = Ending::singular;
        obstacle_.drowned = factors.drowned();
        obstacle_.undetermined.clear();
        for (const std::size_t row : factors.dependentRows()) obstacle_.undetermined.push_back(problem.cut()[row]);
        return false;
      }
      factors.solve(part);
      for (std::size_t i = 0; i < n; ++i) correction[i] += weight * part[i];
    }
    return true;
  }

  void send(InterfaceProblem& problem, const std::vector<double>& correction, Solution& solution) {
    const std::size_t n = correction.size();
    const SemiImplicitSettings& own = settings_.semiImplicit;
    std::vector<double> values(n);
    problem.readSent(problem.cut(), values);
    for (std::size_t i = 0; i < n; ++i) {
      present_[problem.cut()[i]] = std::fabs(correction[i]);
      values[i] += correction[i];
      if (own.relaxed == Relaxed::all || rows_.isMultiplier(i))
        values[i] = own.relaxation * values[i] + (1.0 - own.relaxation) * before_[i];
    }
    solution.norm = core::weightedNorm(settings_.norm, tolerance(), correction, values, sizesOf(problem.cut()));
    problem.send(problem.cut(), values);
  }

  AlgorithmSettings settings_;
  Network& network_;
  ConditionRows rows_;
  ConvergenceMonitor monitor_;
  StiffLaws stiffLaws_;
  IterationListener* listener_ = nullptr;
  std::vector<Sensitivity> held_;     ///< with time held
  bool toldOfAccelerations_ = false;  ///< that they were left out
  std::vector<Sensitivity> blocks_;
  std::array<Correction, kLevels.size()> factors_;
  std::set<std::size_t> doubted_;  ///< constraints that a warning has named
  bool rehearsed_ = false;
  bool toldOfPoorCorrection_ = false;
  std::vector<double> correction_;  ///< the last one, of the cut
  std::vector<double> before_;      ///< values of the cut at the beginning of the step
  std::vector<double> last_;        ///< magnitudes of the last accepted correction, by output
  std::vector<double> own_;         ///< relative increments, by output; 0: none of its own
  std::vector<double> present_;     ///< of the present one
};

}  // namespace

std::unique_ptr<Algorithm> semiImplicit(const AlgorithmSettings& settings, Network& network,
                                        const InterfaceProblem& problem) {
  return std::make_unique<SemiImplicit>(settings, network, problem);
}

}  // namespace koppla::coupling
