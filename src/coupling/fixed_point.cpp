#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/detail/accelerated_part.hpp"
#include "koppla/coupling/printed_digits.hpp"
#include "koppla/coupling/slope_trust.hpp"

namespace koppla::coupling {

namespace {

using detail::AcceleratedPart;

constexpr double kNotEstimated = std::numeric_limits<double>::quiet_NaN();

class FixedPoint final : public Algorithm {
 public:
  FixedPoint(const AlgorithmSettings& settings, const Network& network, const InterfaceProblem& problem)
      : maxIterations_(settings.maxIterations),
        estimates_(settings.test == ConvergenceTest::error),
        comparesDiscrete_(settings.discrete == DiscreteTest::compare),
        unaccelerated_(settings.acceleration.kind == AcceleratorKind::none),
        plain_(unaccelerated_ || settings.acceleration.relaxes()),
        network_(network),
        monitor_(network, problem, settings, kInnocent),
        printed_(printedAmong(network, problem.coupled())) {
    const bool all = settings.acceleration.values == Accelerated::all && settings.acceleration.relaxes() &&
                     settings.form() == Form::sequence;  // in parallel all are cut anyway
    if (!all) {
      addPart(problem, problem.cut(), settings.acceleration);
      return;
    }
    for (std::size_t position = problem.block().first; position < problem.block().last; ++position) {
      const Block own = network.outputsOf(position);
      std::vector<std::size_t> values;
      for (const std::size_t value : problem.coupled())
        if (value >= own.first && value < own.last) values.push_back(value);
      addPart(problem, std::move(values), settings.acceleration);
    }
    passing_ = [this](std::size_t position) { passOn(position); };
  }

  const Solution& solve(InterfaceProblem& problem, bool untested) override {
    begin(problem);
    Solution& solution = newSolution();
    unsigned retreats = 0;  // in a row
    while (true) {
      const Fault fault = evaluate(problem);
      ++solution.evaluations;
      if (fault) [[unlikely]] {
        if (fault.kind == FaultKind::exploded && mayRetreat(retreats)) {
          ++retreats;
          retreat();
          continue;
        }
        solution.fault = fault;
        solution.ending = Ending::failed;
        return solution;
      }
      if (untested) {
        problem.keepAnswers();
        return solution;
      }
      monitor_.look(problem);
      if (monitor_.exploded() && mayRetreat(retreats)) {
        report(problem, solution, false);
        ++retreats;
        retreat();
        continue;
      }
      solution.norm = monitor_.norm();
      learn(problem);
      if (iteration_ == 1 && estimates_) lookAtFirst(monitor_.normByValues());
      if (ends(problem, solution)) break;
      report(problem, solution, false);
      retreats = 0;
      propose(problem);
    }
    problem.keepAnswers();
    solution.k = monitor_.k();
    solution.suspicious = solution.converged() && repelled_;
    if (plain_ && !estimates_ && solution.k > 0.0 && solution.k < 1.0)
      solution.amplification = 1.0 / (1.0 - solution.k);
    report(problem, solution, true);
    if (!printed_.empty() && solution.converged()) [[unlikely]]
      warnOfDigits(problem);
    tellRemarks(problem);
    return solution;
  }

  void accept(const InterfaceProblem& /*problem*/) override {
    monitor_.accept();
    trust_.accept(seenSlopes());
    for (AcceleratedPart& part : parts_) part.accept();
  }

  void learnFromStart(const LoopsAtStart& loops) override {
    knowDigits();
    for (AcceleratedPart& part : parts_) {
      if (std::ranges::includes(loops.solved, part.values)) part.accelerator->beginAtSolution();
      for (const LoopEvaluations& loop : loops.seen)
        if (loop.cut == part.values) part.learnFromStart(loop);
    }
  }

  void tell(IterationListener* listener) override {
    listener_ = listener;
    keepsHistory_ = listener != nullptr && listener->keepsHistory();
  }

  [[nodiscard]] const ConvergenceMonitor& monitor() const override { return monitor_; }

 private:
  /// In sequence a jump of one member reaches those before it in the second evaluation.
  static constexpr unsigned kInnocent = 2;

  void addPart(const InterfaceProblem& problem, std::vector<std::size_t> values,
               const AccelerationSettings& acceleration) {
    const std::size_t n = values.size() * problem.points();
    const core::Tolerance tolerance = monitor_.toleranceOf(values);
    AcceleratedPart part(n, tolerance, estimates_);
    const Unknowns unknowns{n, fieldsOf(values, problem.points()), tolerance, part.sizes(),
                            factorsOf(values, problem.points(), acceleration)};
    part.accelerator = makeAccelerator(acceleration, unknowns);
    if (!printed_.empty()) part.watchDigits(tolerance);
    part.isCut.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      part.isCut[i] = std::ranges::binary_search(problem.cut(), values[i % values.size()]);
    part.values = std::move(values);
    parts_.push_back(std::move(part));
  }

  [[nodiscard]] std::vector<Block> fieldsOf(const std::vector<std::size_t>& values, std::size_t points) const {
    std::vector<Block> fields = portsAmong(network_, values);
    const std::size_t once = fields.size();
    for (std::size_t point = 1; point < points; ++point)
      for (std::size_t f = 0; f < once; ++f)
        fields.push_back({fields[f].first + point * values.size(), fields[f].last + point * values.size()});
    return fields;
  }

  /// One per value where fields have factors of their own.
  [[nodiscard]] std::vector<double> factorsOf(const std::vector<std::size_t>& values, std::size_t points,
                                              const AccelerationSettings& acceleration) const {
    std::vector<double> factors;
    if (acceleration.fieldFactors.empty()) return factors;
    for (std::size_t i = 0; i < points * values.size(); ++i) {
      const OutputName name = network_.outputName(values[i % values.size()]);
      const auto isOf = [&name](const OwnNumber& field) { return field.isOf(name.member, name.port); };
      const auto found = std::ranges::find_if(acceleration.fieldFactors, isOf);
      factors.push_back(found == acceleration.fieldFactors.end() ? acceleration.factor : found->number);
    }
    return factors;
  }

  void begin(InterfaceProblem& problem) {
    problem_ = &problem;
    monitor_.begin();
    iteration_ = 0;
    repelled_ = false;
    moved_ = false;
    scattered_ = 0;
    const std::uint64_t version = monitor_.sizes().version();
    if (std::exchange(sizes_, version) != version) [[unlikely]]
      for (AcceleratedPart& part : parts_) part.measure(monitor_.sizes());
    for (AcceleratedPart& part : parts_) part.begin();
    seesAnew_ = false;
    probe_ = 0.0;
  }

  Fault evaluate(InterfaceProblem& problem) {
    ++iteration_;
    obstacle_.error = kNotEstimated;
    if (keepsHistory_) noteDoings();
    const Fault fault = problem.evaluate(passing_);
    if (!printed_.empty()) [[unlikely]]
      knowDigits();
    return fault;
  }

  /// As far as the answers so far have shown them.
  [[gnu::noinline]] void knowDigits() {
    const std::optional<std::size_t> coarsest = fewestDigits(network_, printed_);
    for (AcceleratedPart& part : parts_) part.knowDigits(coarsest ? network_.digitsOf(*coarsest) : 0);
  }

  [[gnu::noinline]] void noteDoings() {
    const Accelerator& accelerator = *parts_.front().accelerator;
    doings_ = iteration_ == 1 ? Doings{.method = "prediction"} : accelerator.doings();
    factors_.clear();
    if (iteration_ == 2 && probe_ > 0.0)
      doings_ = {.method = "probe", .smallestFactor = probe_, .largestFactor = probe_};
    else if (iteration_ > 1 && !passing_)
      factors_.assign(accelerator.factors().begin(), accelerator.factors().end());
  }

  /// All relaxed: the answers of one member, before anybody uses them.
  void passOn(std::size_t position) {
    AcceleratedPart& part = parts_[position - problem_->block().first];
    if (part.values.empty()) return;
    part.read(*problem_);
    if (iteration_ == 1)
      for (std::size_t i = 0; i < part.size(); ++i)
        if (!part.isCut[i]) part.sent()[i] = part.answered()[i];
    part.accelerator->learn(part.sent(), part.answered());
    problem_->send(part.values, part.propose());
  }

  void lookAtFirst(double norm) {
    trust_.look(norm);
    seesAnew_ = norm > SlopeTrust::kNegligible && !trust_.holds() && !monitor_.isHidden();
    if (seesAnew_) [[unlikely]]
      for (AcceleratedPart& part : parts_) part.distrust();
  }
  /// Of the last solution.
  SlopeTrust::Seen seenSlopes() {
    if (!seesAnew_ || iteration_ == 1) return SlopeTrust::Seen::nothing;
    const bool same = std::ranges::all_of(
        parts_, [this](AcceleratedPart& part) { return part.values.empty() || part.cameWhereExpected(monitor_); });
    return same ? SlopeTrust::Seen::same : SlopeTrust::Seen::others;
  }

  void learn(const InterfaceProblem& problem) {
    if (passing_) return;
    AcceleratedPart& part = parts_.front();
    part.read(problem);
    if (!unaccelerated_) findSlope(part);  // what is sent as it was answered cannot come where it is repelled
    part.accelerator->learn(part.sent(), part.answered());
  }

  /// d answered / d sent along the last movement, as far as that is more than rounding.
  void findSlope(AcceleratedPart& part) {
    constexpr double kRounding = 1e-10;
    if (!std::exchange(moved_, true)) return;
    const auto sent = part.sent();
    const auto answered = part.answered();
    const auto sentBefore = part.sentBefore();
    const auto answeredBefore = part.answeredBefore();
    const auto sizes = part.sizes();  // quantities of many units are compared
    double product = 0.0;
    double square = 0.0;
    double answers = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const double unit = sizes[i] > 0.0 ? 1.0 / sizes[i] : 1.0;
      const double moved = unit * (sent[i] - sentBefore[i]);
      const double change = unit * (answered[i] - answeredBefore[i]);
      product += change * moved;
      square += moved * moved;
      answers += change * change;
      size += unit * sent[i] * unit * sent[i];
    }
    // With J d = rho d + a rest of length epsilon, J has a slope within epsilon of rho (J normal).
    constexpr double kMore = 1.01;
    const double rho = product / square;
    const double epsilon = std::sqrt(std::max(answers / square - rho * rho, 0.0));
    if (square > kRounding * kRounding * size) repelled_ = rho - epsilon >= kMore;
  }

  /// Digits may agree far from the solution.
  [[gnu::noinline, gnu::cold]] void warnOfDigits(const InterfaceProblem& problem) {
    double open = 0.0;
    for (AcceleratedPart& part : parts_) open = std::max(open, part.open());
    if (open <= PrintedDigits::kNotable || listener_ == nullptr || std::exchange(toldOfDigits_, true)) return;
    const std::size_t coarsest = fewestDigits(network_, printed_).value();
    listener_->warning(problem, problem.producerOf(coarsest), wordsOfOpenDigits(network_.digitsOf(coarsest), open));
  }

  bool ends(const InterfaceProblem& problem, Solution& solution) {
    const bool discreteSettled = !comparesDiscrete_ || !problem.discreteChanged();
    if (monitor_.exploded())
      solution.ending = Ending::exploded;  // before the test, which such values may pass
    else if (solution.norm <= 1.0 && discreteSettled && isNear(solution))
      solution.ending = monitor_.coarse() ? Ending::stagnated : Ending::converged;
    else if (discreteSettled && isRounding(solution))
      solution.ending = Ending::converged;
    else if (solution.evaluations >= maxIterations_)
      solution.ending = Ending::capReached;
    else if (solution.norm > 1.0 && monitor_.stagnates())
      solution.ending = Ending::stagnated;
    else
      return false;
    // What an iteration that stagnates suffers from; nothing where no value is read from text.
    if (solution.ending == Ending::stagnated)
      obstacle_.coarse = monitor_.coarse() ? monitor_.coarse() : fewestDigits(network_, printed_);
    return true;
  }

  /// Answers that are not as exact as the tolerances ask, since what they are computed from is so large.
  bool isRounding(Solution& solution) {
    if (!estimates_ || solution.norm <= 1.0 || !monitor_.isRounding()) return false;
    for (AcceleratedPart& part : parts_)
      if (!part.values.empty() && !part.scatters()) return false;
    solution.amplification = HUGE_VAL;
    return true;
  }

  /// Whether the answers, which agree with what was sent, are within the tolerances of the solution.
  bool isNear(Solution& solution) {
    return !estimates_ || monitor_.normByValues() <= SlopeTrust::kNegligible || isNearByEstimate(solution);
  }
  [[gnu::noinline]] bool isNearByEstimate(Solution& solution) {
    constexpr unsigned kMostScattered = 5;  // evaluations in a row
    double& error = obstacle_.error = 0.0;
    bool scatters = false;
    for (AcceleratedPart& part : parts_) {
      if (part.values.empty()) continue;
      error = std::max(error, part.error(monitor_));
      scatters = scatters || part.scatters();
    }
    const bool isProbe = iteration_ == 2 && probe_ > 0.0;  // which leads away from the solution
    if (error <= 1.0 && !isProbe) return true;
    scattered_ = scatters ? scattered_ + 1 : 0;
    if (scattered_ < kMostScattered) return false;
    solution.amplification = HUGE_VAL;
    return true;
  }

  void propose(InterfaceProblem& problem) {
    if (passing_) return;
    AcceleratedPart& part = parts_.front();
    if (part.values.empty()) return;  // only discrete values flow back: they settle by themselves or not at all
    part.propose();
    if (iteration_ == 1 && seesAnew_ && maxIterations_ > 2) [[unlikely]]
      probe_ = part.moveVisibly(monitor_.normByValues());
    problem.send(part.values, part.proposal());
  }

  /// Where what was sent led to values beyond all measure, an accelerator may know something less daring.
  [[nodiscard]] bool mayRetreat(unsigned retreats) const {
    constexpr unsigned kMost = 8;  // in a row
    return !passing_ && iteration_ > 1 && iteration_ < maxIterations_ && retreats < kMost &&
           parts_.front().accelerator->canRetreat();
  }

  [[gnu::noinline]] void retreat() {
    AcceleratedPart& part = parts_.front();
    part.accelerator->retreat(part.proposal());
    problem_->send(part.values, part.proposal());
  }

  void report(const InterfaceProblem& problem, const Solution& solution, bool last) {
    if (listener_ != nullptr && !listener_->letsPass()) [[unlikely]]
      reportNow(problem, solution, last);
  }
  [[gnu::noinline, gnu::cold]] void reportNow(const InterfaceProblem& problem, const Solution& solution, bool last) {
    listener_->iteration({problem, monitor_, obstacle_.error, iteration_, last, solution.ending, doings_, factors_});
  }

  void tellRemarks(const InterfaceProblem& problem) {
    for (AcceleratedPart& part : parts_)
      if (part.accelerator->hasRemark()) [[unlikely]]
        tellRemark(problem, *part.accelerator);
  }
  [[gnu::noinline, gnu::cold]] void tellRemark(const InterfaceProblem& problem, Accelerator& accelerator) {
    const std::string remark = accelerator.takeRemark();
    if (listener_ != nullptr) listener_->remark(problem, remark);
  }

  unsigned maxIterations_;
  bool estimates_;  ///< how far the solution is
  bool comparesDiscrete_;
  bool unaccelerated_;
  bool plain_;  ///< answers are sent as they are, or relaxed
  const Network& network_;
  ConvergenceMonitor monitor_;
  std::vector<std::size_t> printed_;    ///< values that are read from text, one a port
  std::vector<AcceleratedPart> parts_;  ///< the cut, or one per member
  SlopeTrust trust_;
  bool seesAnew_ = false;  ///< slopes in this step, since trust is lost
  double probe_ = 0.0;     ///< factor of the residual in the second evaluation of this step; 0: it is a proposal
  InterfaceProblem::Passing passing_;
  IterationListener* listener_ = nullptr;
  bool keepsHistory_ = false;  ///< the listener

  InterfaceProblem* problem_ = nullptr;  ///< while it is being solved
  unsigned iteration_ = 0;
  Doings doings_;                                                    ///< of what is being evaluated
  std::vector<double> factors_;                                      ///< of the same
  unsigned scattered_ = 0;                                           ///< evaluations in a row
  std::uint64_t sizes_ = std::numeric_limits<std::uint64_t>::max();  ///< version of those in use
  bool moved_ = false;                                               ///< this is not the first evaluation of the step
  bool repelled_ = false;  ///< d answered / d sent was above 1 along the last movement
  bool toldOfDigits_ = false;
};

}  // namespace

std::unique_ptr<Algorithm> fixedPoint(const AlgorithmSettings& settings, const Network& network,
                                      const InterfaceProblem& problem) {
  return std::make_unique<FixedPoint>(settings, network, problem);
}

}  // namespace koppla::coupling
