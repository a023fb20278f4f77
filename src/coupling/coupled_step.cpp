#include "koppla/coupling/coupled_step.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

namespace {

bool needsApproximation(const Network& network, const AlgorithmSettings& settings) {
  const bool waitsForSignals = settings.kind == AlgorithmKind::gaussSeidel && !network.prescribedOutputs().empty();
  return waitsForSignals || settings.degree > 0 || settings.kind == AlgorithmKind::masterSlave || settings.reevaluate ||
         network.hasStatics() || settings.kind == AlgorithmKind::iteratedJacobi ||
         settings.kind == AlgorithmKind::semiImplicit || settings.iteratesWaveforms();
}

/// The degree of the first iterate; absent: the predictor chooses it.
std::optional<unsigned> predictorDegree(const AlgorithmSettings& settings) {
  constexpr unsigned kNewton = 2;
  if (settings.predictor) return settings.predictor;
  if (settings.kind == AlgorithmKind::newton) return std::max(kNewton, settings.degree);
  if (settings.acceleration.kind == AcceleratorKind::automatic) return std::nullopt;
  return settings.degree;
}

InterfaceProblem problemOf(Network& network, Block block, Form form, Approximation* approximation, Waveform* waveform) {
  if (waveform != nullptr) return {network, block, form, *waveform};
  return {network, block, form, approximation};
}

std::unique_ptr<Algorithm> algorithmOf(const AlgorithmSettings& settings, Network& network,
                                       const InterfaceProblem& problem) {
  if (settings.kind == AlgorithmKind::semiImplicit) return semiImplicit(settings, network, problem);
  if (settings.kind == AlgorithmKind::newton) return newton(settings, network, problem);
  return fixedPoint(settings, network, problem);
}

}  // namespace

IteratedCycle::IteratedCycle(Network& network, Block block, const AlgorithmSettings& settings,
                             Approximation* approximation, Waveform* waveform)
    : problem(problemOf(network, block, settings.form(), approximation, waveform)),
      algorithm(algorithmOf(settings, network, problem)) {
  for (std::size_t position = block.first; position < block.last; ++position)
    isLinear = isLinear && network.subsystem(position).describe().capabilities.linear;
}

CoupledStep::CoupledStep(Network& network, const std::vector<Cycle>& cycles, const AlgorithmSettings& settings,
                         bool predicts)
    : network_(network),
      all_{0, network.size()},
      form_(settings.form()),
      masterSlave_(settings.kind == AlgorithmKind::masterSlave),
      reevaluate_(settings.reevaluate),
      semiImplicit_(settings.kind == AlgorithmKind::semiImplicit),
      finalUpdate_(settings.semiImplicit.finalUpdate),
      before_(network.outputs().size()),
      estimate_(network.outputs().size()),
      fits_(network) {
  if (predicts || needsApproximation(network, settings))
    approximation_.emplace(network.outputs().size(), settings.degree, network.heldOutputs(), network.slopedOutputs());
  // Held inputs of explicit methods are those of the beginning where nothing has to be waited for.
  if (approximation_ && !settings.iterates() && settings.degree == 0)
    approximation_->keepBegin(network.prescribedOutputs());
  const std::size_t values = network.outputs().size();
  const std::optional<unsigned> degree = predictorDegree(settings);
  const bool guessesPresent = degree && *degree == 0 && !settings.iteratesWaveforms();  // which is there already
  if (settings.iterates() && !semiImplicit_ && !guessesPresent)
    predictor_.emplace(values, degree, network.heldOutputs());
  if (settings.iteratesWaveforms())
    waveform_.emplace(values, settings.waveform, settings.degree, network.heldOutputs());
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
      iterated_.push_back(std::make_unique<IteratedCycle>(
          network, block, settings, approximation_ ? &*approximation_ : nullptr, waveform_ ? &*waveform_ : nullptr));
      stretches_.push_back({block, iterated_.back().get(), iterated_.size() - 1});
    } else if (!stretches_.empty() && stretches_.back().cycle == nullptr) {
      stretches_.back().block.last = block.last;
    } else {
      stretches_.push_back({block, nullptr, 0});
    }
  }
}

void CoupledStep::begin(double t) {
  before_.assign(network_.outputs().begin(), network_.outputs().end());
  if (approximation_) approximation_->clear();
  if (predictor_) predictor_->clear();
  bonds_.begin(t);
  remember(t, network_.outputs());
}

void CoupledStep::begin(double t, double h, const Past& past) {
  std::vector<double> earlier;
  for (unsigned i = 1; i <= earlierSamples(); ++i)
    for (std::size_t v = 0; v < network_.outputs().size(); ++v) {
      const OutputName name = network_.outputName(v);
      earlier.push_back(past({name.member, name.port}, name.element, t - static_cast<double>(i) * h));
    }
  begin(t, h, earlier);
}

void CoupledStep::begin(double t, double h, std::span<const double> earlier) {
  begin(t);
  const std::size_t values = network_.outputs().size();
  const auto add = [&](auto& history) {
    if (!history) return;
    history->clear();
    for (std::size_t i = earlierSamples(); i > 0; --i)
      history->add(t - static_cast<double>(i) * h, earlier.subspan((i - 1) * values, values));
  };
  add(approximation_);
  add(predictor_);
  remember(t, network_.outputs());
}

std::vector<double> CoupledStep::earlier(double t, double h, unsigned samples) const {
  std::optional<Approximation> past = approximation_;
  if (past) past->begin(t, t + h);
  std::vector<double> values;
  for (unsigned i = 1; i <= samples; ++i)
    for (std::size_t v = 0; v < network_.outputs().size(); ++v)
      values.push_back(past ? past->value(v, -static_cast<double>(i)) : network_.outputs()[v]);
  return values;
}

inline void CoupledStep::remember(double t, std::span<const double> values) {
  if (approximation_) approximation_->add(t, values, network_.slopes());
  if (predictor_) predictor_->add(t, values);
}

std::span<const double> CoupledStep::correctedHistory() {
  history_.assign(network_.outputs().begin(), network_.outputs().end());
  std::vector<double> sent;
  for (const auto& cycle : iterated_) {
    const std::vector<std::size_t>& cut = cycle->problem.cut();
    sent.resize(cut.size());
    cycle->problem.readSent(cut, sent);
    for (std::size_t i = 0; i < cut.size(); ++i) history_[cut[i]] = sent[i];
  }
  return history_;
}

void CoupledStep::approximate(double t) {
  if (approximation_) return;
  approximation_.emplace(network_.outputs().size(), 0, network_.heldOutputs());
  approximation_->add(t, network_.outputs());
}

Fault CoupledStep::run(Block block, const subsystem::Step& step) {
  if (waveform_) return network_.advance(block, step, form_, *waveform_);
  if (approximation_) return network_.advance(block, step, form_, *approximation_);
  return network_.advance(block, step, form_);
}

const StepOutcome& CoupledStep::failed(const Fault& fault) {
  outcome_.fault = fault;
  return outcome_;
}

const StepOutcome& CoupledStep::solve(const Attempt& attempt) {
  const subsystem::Step& step = attempt.step;
  StepOutcome& outcome = outcome_;
  outcome = {};
  outcome.reached = step.t1;
  stepBegin_ = step.t0;
  if (!step.returnsBefore) half_.reset();
  if (!approximation_ || bonds_.size() > 0) std::ranges::copy(network_.outputs(), before_.begin());
  if (masterSlave_) {
    solveFromMaster(step);
    return outcome;
  }
  if (approximation_) approximation_->begin(step.t0, step.t1);
  if (waveform_) waveform_->begin(network_.outputs());
  trusted_ = !attempt.untested;
  const bool predicts = predictor_ && !attempt.untested;  // one evaluation must not rest on a guess across a jump
  if (predicts) predict(step);
  for (const Stretch& stretch : stretches_) {
    if (stretch.cycle == nullptr) {
      if (const Fault fault = run(stretch.block, step)) return failed(fault);
      continue;
    }
    IteratedCycle& cycle = *stretch.cycle;
    if (semiImplicit_)
      sendExtrapolated(cycle);
    else if (predicts)
      sendPredicted(cycle);
    if (const Fault fault = cycle.problem.begin(step, attempt.start)) return failed(fault);
    const Solution& solution = cycle.algorithm->solve(cycle.problem, attempt.untested);
    cycle.evaluations += solution.evaluations;
    cycle.jacobians += solution.jacobians;
    if (solution.poor) ++cycle.poor;
    cycle.longestChain = std::max(cycle.longestChain, solution.chain);
    if (solution.fault) return failed(solution.fault);
    if (approximation_) approximation_->interpolate(network_.outputsOf(stretch.block), network_.outputs());
    if (waveform_) waveform_->fit(network_.outputsOf(stretch.block));
    if (solution.suspicious && !cycle.isLinear) {
      ++cycle.suspicious;
      if (!outcome.suspicious) outcome.suspicious = stretch.cycleIndex;
    }
    if (solution.converged() && solution.amplification > outcome.amplification) {
      outcome.amplification = solution.amplification;
      outcome.slowest = stretch.cycleIndex;
    }
    if (!solution.converged()) {
      trusted_ = false;
      ++cycle.failures;
      if (outcome.converged() || isHopeless(solution.ending)) {
        outcome.cycle = stretch.cycleIndex;
        outcome.ending = solution.ending;
      }
      if (!attempt.keepGoing || isHopeless(solution.ending)) return outcome;
    }
  }
  if (reevaluate_) outcome.fault = network_.reevaluate(all_, step.t1);
  return outcome;
}

/// Schmoll, sec. 2.4.2.2: the master takes one step of its own with extrapolated inputs; the others follow to where it
/// stands, with its course interpolated.
void CoupledStep::solveFromMaster(const subsystem::Step& step) {
  approximation_->begin(step.t0, step.t1);
  const SingleStep single = network_.advanceSingle(0, step, *approximation_);
  outcome_.reached = single.reached;
  outcome_.fault = single.fault;
  if (outcome_.fault) return;
  const subsystem::Step taken = step.part(step.t0, outcome_.reached, outcome_.reached - step.t0, true);
  approximation_->begin(taken.t0, taken.t1);
  approximation_->interpolate(network_.outputsOf(0), network_.outputs(), network_.slopes());
  outcome_.fault = network_.advance({1, all_.last}, taken, Form::sequence, *approximation_);
}

/// Prepares what sendPredicted() sends of every cycle.
void CoupledStep::predict(const subsystem::Step& step) {
  const std::size_t points = waveform_ ? waveform_->points() : 1;
  predictedTimes_.resize(points);
  for (std::size_t point = 1; point < points; ++point)
    predictedTimes_[point - 1] =
        step.t0 + (step.t1 - step.t0) * static_cast<double>(point) / static_cast<double>(points);
  predictedTimes_.back() = step.t1;
  predictor_->begin(predictedTimes_);
}

/// Also of values that nobody uses before they are computed: then the first evaluation can be compared with what was
/// expected of it.
void CoupledStep::sendPredicted(IteratedCycle& cycle) {
  const std::size_t points = cycle.problem.points();
  if (predictor_->degree() == 0 && points == 1) return;  // the values at the beginning are there already
  const std::vector<std::size_t>& values = cycle.problem.coupled();
  predictedSamples_.resize(points * values.size());
  for (std::size_t point = 0; point < points; ++point)
    for (std::size_t i = 0; i < values.size(); ++i)
      predictedSamples_[point * values.size() + i] = predictor_->predict(point, values[i]);
  cycle.problem.send(values, predictedSamples_);
}

/// The predictor of the semi-implicit method is the polynomial that its inputs follow.
void CoupledStep::sendExtrapolated(IteratedCycle& cycle) {
  const std::vector<std::size_t>& cut = cycle.problem.cut();
  predictedSamples_.clear();
  for (const std::size_t value : cut) predictedSamples_.push_back(approximation_->predicted()[value]);
  cycle.problem.send(cut, predictedSamples_);
}

std::span<const double> CoupledStep::predicted() const {
  return approximation_ ? approximation_->predicted() : std::span<const double>(before_);
}

void CoupledStep::accept(double t1) {
  look(t1);
  acceptUnwatched(t1);
}

void CoupledStep::acceptUnwatched(double t1) {
  for (const auto& cycle : iterated_) cycle->algorithm->accept(cycle->problem);
  // Values behind a jump, or of a step that nobody tested, say nothing about where those before lead to.
  if (!trusted_ && predictor_) predictor_->clear();
  acceptForNow(t1);
}

void CoupledStep::learn(double t1) {
  remember(t1, network_.outputs());
}

Look CoupledStep::lookAt(double t1) {
  Look look{.t1 = t1, .begin = before_, .predicted = predicted(), .accepted = network_.outputs(), .open = leftOpen()};
  if (approximation_) {
    look.extrapolated = approximation_->extrapolationError();
    look.interpolated = approximation_->interpolationError();
    look.earlier = approximation_->earlierError();
  }
  return look;
}

void CoupledStep::look(double t1) {
  const Look whole = lookAt(t1);
  if (half_) [[unlikely]] {
    estimate_.add(half_->look);
    bonds_.add(half_->look);
    if (watchesFits()) fits_.add(half_->look.t1, half_->length, half_->courses);
    half_.reset();
  }
  estimate_.add(whole);
  if (bonds_.size() > 0) bonds_.add(whole);
  if (watchesFits()) fits_.add(t1, t1 - stepBegin_, approximation_->courses());
}

void CoupledStep::acceptHalf(double middle) {
  const auto copyOf = [](std::span<const double> values) { return std::vector(values.begin(), values.end()); };
  const Look look = lookAt(middle);
  half_ = {look, copyOf(look.begin), copyOf(look.predicted), copyOf(look.accepted), copyOf(look.open)};
  half_->look.begin = half_->begin;
  half_->look.predicted = half_->predicted;
  half_->look.accepted = half_->accepted;
  half_->look.open = half_->open;
  half_->length = middle - stepBegin_;
  if (watchesFits()) {
    half_->courses = approximation_->courses();
    half_->powers.assign(half_->courses.powers,
                         half_->courses.powers + (half_->courses.degree + 1) * half_->courses.values);
    half_->courses.powers = half_->powers.data();
  }
  acceptForNow(middle);
}

/// Inputs end at what was sent, their sources at what was answered.
std::span<const double> CoupledStep::leftOpen() {
  if (iterated_.empty()) return {};
  open_.resize(network_.outputs().size(), 0.0);  // all but the cuts stay as they are
  for (const auto& cycle : iterated_) {
    const std::vector<std::size_t>& cut = cycle->problem.cut();
    if (cycle->problem.points() > 1) continue;
    cycle->problem.forSamples(
        cut, [&](std::size_t i, double sent, double answered) { open_[cut[i]] = std::fabs(sent - answered); });
  }
  return open_;
}

void CoupledStep::acceptForNow(double t1) {
  remember(t1, history());
}

void CoupledStep::takeBack() {
  if (approximation_) approximation_->takeBack();
  if (predictor_) predictor_->takeBack();
}

void CoupledStep::learnFromStart(const LoopsAtStart& loops) {
  for (const auto& cycle : iterated_) cycle->algorithm->learnFromStart(loops);
}

void CoupledStep::tell(IterationListener* listener) {
  for (const auto& cycle : iterated_) cycle->algorithm->tell(listener);
}

Fault CoupledStep::advanceWatched(const subsystem::Step& step) {
  std::ranges::copy(network_.outputs(), before_.begin());
  const Fault fault = network_.advance(all_, step, form_);
  if (!fault) look(step.t1);
  return fault;
}

InputCourse CoupledStep::courseOf(std::size_t output, std::size_t consumer) const {
  if (network_.isStatic(consumer)) return InputCourse::exact;
  if (approximation_ && approximation_->keepsBegin(output)) return InputCourse::extrapolated;
  for (const auto& cycle : iterated_) {
    const Block values = network_.outputsOf(cycle->problem.block());
    if (output >= values.first && output < values.last) return InputCourse::interpolated;
  }
  const bool sees = form_ == Form::sequence && output < network_.outputsOf(consumer).first;
  return sees ? InputCourse::interpolated : InputCourse::extrapolated;
}

}  // namespace koppla::coupling
