#include "koppla/run/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/process_mark.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/coupling/twins.hpp"
#include "koppla/run/bonds.hpp"
#include "koppla/run/capabilities.hpp"
#include "koppla/run/connection_errors.hpp"
#include "koppla/run/doubts.hpp"
#include "koppla/run/iteration_record.hpp"
#include "koppla/run/macro_step.hpp"
#include "koppla/run/observation.hpp"
#include "koppla/run/order.hpp"
#include "koppla/run/preparation.hpp"
#include "koppla/run/pulse.hpp"
#include "koppla/run/start_up.hpp"

namespace koppla::run {

namespace {

using SteadyClock = std::chrono::steady_clock;

double secondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

/// Processor time of the process, all threads, s.
double cpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Meter>
Calls callsOf(const Meter& meter) {
  return {meter.count(), meter.seconds()};
}

}  // namespace

struct Run::Impl {
  Impl(coupling::System coupled, Settings chosen, core::Log& runLog, Recorders recorders)
      : startUp(planStartUp(coupled, chosen)),
        system(fitted(std::move(coupled), chosen.algorithm.degree, runLog)),
        settings(withWholeSteps(withGroups(std::move(chosen), system), system, runLog)),
        log(runLog),
        recorder(recorders.results),
        cycles(coupling::findCycles(system)),
        network((requireCapabilities(system, cycles, settings), system), cycles, settings.explosionLimit,
                settings.algorithm.samples),
        macroStep(system, network, cycles, settings, log),
        clock(settings.start, settings.end, settings.step,
              !settings.stepControl.adapts() && settings.algorithm.kind != coupling::AlgorithmKind::masterSlave) {
    addTwins(system, network, macroStep.coupledStep(), settings, log);
    tellIdleNumbers(system, network, macroStep.coupledStep(), settings, log);
    if (settings.algorithm.waveform == 1) bonds = findBonds(system, network, macroStep.coupledStep());
    macroStep.watchPower(bonds.elements);
    if (recorder != nullptr) observation.emplace(system, settings.variables);
    iterations.emplace(system, network, settings, log, recorders.iterations);
    macroStep.tell(&*iterations);
    iterations->onIteration(
        [this](std::uint64_t iteration, double residual) { lookUpFromIterating(iteration, residual); });
    if (recorders.iterations != nullptr && (!settings.algorithm.iterates() || settings.algorithm.solvesLinearised()))
      log.write(core::Severity::warning, "results",
                "results.iterations: only iterated-gauss-seidel and iterated-jacobi have a history of iterations");
    if (!startUp.loss.empty()) log.write(core::Severity::warning, "coupling", startUp.loss);
    for (const std::string& warning : doubts(system, cycles, settings))
      log.write(core::Severity::warning, "coupling", warning);
    for (const std::string& warning : doubtsAboutJoints(system, settings))
      log.write(core::Severity::warning, "coupling", warning);
    for (const std::string& warning : doubtsAboutGroups(system, network, macroStep.coupledStep(), settings))
      log.write(core::Severity::warning, "coupling", warning);
  }

  Outcome initialise();
  void requireInitialised() const;
  [[nodiscard]] bool finished() const;
  [[nodiscard]] Outcome ending() const;
  OutcomeKind advance(double until, std::uint64_t most);
  Outcome step();
  Outcome simulate(double until);
  void lookUpFromIterating(std::uint64_t iteration, double residual);
  [[nodiscard]] Outcome asked(Outcome outcome) const;
  void tell(const Progress& progressNow);
  Outcome close();
  Outcome end();
  Outcome record();
  template <class Work>
  Outcome withOutput(Work work);
  void scheduleNextRow();
  [[nodiscard]] Statistics statistics();
  [[nodiscard]] Progress progress() const;

  StartUpPlan startUp;
  coupling::System system;
  Settings settings;
  core::Log& log;
  results::Recorder* recorder;
  std::vector<coupling::Cycle> cycles;
  coupling::Network network;
  MacroStep macroStep;
  Clock clock;
  Bonds bonds;

  std::optional<Observation> observation;
  std::optional<IterationRecord> iterations;
  double nextRow = HUGE_VAL;   ///< s; never without a recorder
  double lastRow = -HUGE_VAL;  ///< s
  std::uint64_t recordedRows = 0;
  coupling::CallCounter rows;

  double wallClock = 0.0;
  double cpu = 0.0;
  double initialisation = 0.0;
  Halt halt;
  std::function<void(const Progress&)> listener;
  SteadyClock::time_point begin = SteadyClock::now();
  Outcome failure;
  bool initialised = false;
  bool complete = false;      ///< the row at the end is recorded
  bool outputFailed = false;  ///< and the caller knows it
  bool closed = false;
  bool ended = false;
  Outcome closing;
  core::ProcessMark process;
};

/// Where a recorder cannot write, the run ends: its rows are what it is for. So it does where a subsystem has no room
/// for its files before it begins.
template <class Work>
Outcome Run::Impl::withOutput(Work work) {
  try {
    return work();
  } catch (const core::FileError& error) {
    outputFailed = true;
    return {OutcomeKind::outputFailed, error.what()};
  }
}

/// Who gave up because the run was to end has not failed.
Outcome Run::Impl::asked(Outcome outcome) const {
  if (outcome.kind != OutcomeKind::subsystemFailed || !halt.isInterrupted()) return outcome;
  return {OutcomeKind::interrupted,
          fmt::format("Interrupted in the step that begins at {:.12g} s. {}", clock.now(), outcome.message)};
}

Outcome Run::Impl::initialise() {
  begin = SteadyClock::now();
  const double cpuBegin = cpuSeconds();
  Outcome outcome = withOutput([this]() -> Outcome {
    if (Outcome failed = asked(initialiseMembers(system, network, macroStep, settings, log, &halt)); !failed.ok())
      return failed;
    if (recorder != nullptr) recorder->begin(observation->columns());
    Outcome first = recorder != nullptr ? record() : Outcome{};
    if (first.ok()) iterations->begin();
    return first;
  });
  if (outcome.ok()) macroStep.begin(clock, startUp.inShortSteps, halt);
  initialisation = secondsSince(begin);
  wallClock += initialisation;
  cpu += cpuSeconds() - cpuBegin;
  initialised = outcome.ok();
  return outcome;
}

Outcome Run::Impl::record() {
  try {
    const auto inBlocks = [this] { return recorder->secondsOfBlocks(); };
    return rows.measureApartFrom(inBlocks, [this]() -> Outcome {
      const core::Values& values = observation->read(system);
      if (const auto name = observation->exploded(settings.explosionLimit))
        return {
            observation->exploded(std::numeric_limits<double>::max()) ? OutcomeKind::notFinite : OutcomeKind::exploded,
            fmt::format("The variable '{}' is not finite or beyond the explosion limit at {:.12g} "
                        "s. Shorten the step, or look at its inputs before that time.",
                        *name, clock.now())};
      recorder->row(clock.now(), values);
      ++recordedRows;
      lastRow = clock.now();
      scheduleNextRow();
      return {};
    });
  } catch (const core::SubsystemError& error) {
    return {
        OutcomeKind::subsystemFailed,
        fmt::format("The subsystem {} This was at {:.12g} s, when a row was recorded; check its inputs at that time.",
                    error.what(), clock.now())};
  }
}

void Run::Impl::scheduleNextRow() {
  if (settings.outputInterval <= 0.0) {
    nextRow = clock.now();
    return;
  }
  // From the index, like all times; a point that misses a row's time by rounding only counts as that row.
  constexpr double kTie = 1e-9;
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  const double magnitude = std::fmax(std::fabs(settings.start), std::fabs(settings.end));
  const double tie = std::fmin(0.5, kTie + kRounding * magnitude / settings.outputInterval);
  const double done = std::floor((clock.now() - settings.start) / settings.outputInterval + tie);
  nextRow = settings.start + (done + 1.0 - tie) * settings.outputInterval;
}

void Run::Impl::requireInitialised() const {
  if (!initialised) throw core::InternalError("A run was stepped before a successful initialise().");
}

/// At the end, or where a subsystem asked to end.
bool Run::Impl::finished() const {
  return clock.finished() || macroStep.isOver();
}

/// What there is to say about an end that was not the one of the settings.
Outcome Run::Impl::ending() const {
  return {OutcomeKind::ok, macroStep.isOver() ? macroStep.describeEnd(clock.now()) : std::string()};
}

/// Up to `most` macro steps, until a row is due or `until` is reached, and that row.
OutcomeKind Run::Impl::advance(double until, std::uint64_t most) {
  const OutcomeKind kind = macroStep.advance(clock, std::min(until, nextRow), most, halt);
  if (kind != OutcomeKind::ok) {
    failure = macroStep.failure();
    return kind;
  }
  const bool due = clock.now() >= nextRow || finished();
  if (recorder == nullptr || !due) return OutcomeKind::ok;
  const bool isNew = clock.now() > lastRow && !macroStep.isTorn();
  failure = isNew ? record() : Outcome{};
  complete = failure.ok() && finished();
  return failure.kind;
}

Outcome Run::Impl::step() {
  requireInitialised();
  if (finished()) return ending();
  return withOutput([this] { return advance(settings.end, 1) == OutcomeKind::ok ? ending() : failure; });
}

Progress Run::Impl::progress() const {
  const StepCounters& counters = macroStep.counters();
  return {clock.now(),
          macroStep.next(),
          counters.accepted,
          counters.convergenceFailures + counters.errorTestFailures,
          secondsSince(begin),
          0,
          0.0};
}

/// A step may take hours: what it has done so far is told, and kept.
void Run::Impl::lookUpFromIterating(std::uint64_t iteration, double residual) {
  Progress now = progress();
  now.iteration = iteration;
  now.residual = residual;
  tell(now);
}

Outcome Run::Impl::simulate(double until) {
  requireInitialised();
  begin = SteadyClock::now();
  const double cpuBegin = cpuSeconds();
  const double limit = std::min(until, settings.end);
  Pulse pulse(macroStep.counters().accepted);
  Outcome outcome = withOutput([&]() -> Outcome {
    while (clock.now() < limit && !macroStep.isOver()) {
      if (advance(limit, pulse.steps()) != OutcomeKind::ok) return asked(failure);
      if (clock.now() < limit && !macroStep.isOver() && halt.isInterrupted())
        return {OutcomeKind::interrupted,
                fmt::format("Interrupted at {:.12g} s of {:.12g} s.", clock.now(), settings.end)};
      if (pulse.due(macroStep.counters().accepted)) tell(progress());
    }
    return {};
  });
  wallClock += secondsSince(begin);
  cpu += cpuSeconds() - cpuBegin;
  return outcome.ok() ? ending() : outcome;
}

void Run::Impl::tell(const Progress& progressNow) {
  process.endIfForked();
  if (listener) listener(progressNow);
  if (recorder != nullptr) recorder->flush();
  iterations->flush();
}

/// Both records are closed, also where one of them fails; what the caller knows already is not told again.
Outcome Run::Impl::close() {
  process.endIfForked();
  if (closed) return closing;
  closed = true;
  for (const std::string& warning : doubtsAboutTolerances(system, network, macroStep.coupledStep(), settings))
    log.write(core::Severity::warning, "coupling", warning);
  const bool known = outputFailed;
  const bool whole = finished() && (recorder == nullptr || complete) && !known;
  const Outcome history = withOutput([&]() -> Outcome {
    iterations->end(whole);
    return {};
  });
  const Outcome rowsClosed = withOutput([&]() -> Outcome {
    if (recorder != nullptr && whole) recorder->complete();
    if (recorder != nullptr && !whole) recorder->abandon();
    return {};
  });
  if (!known) closing = rowsClosed.ok() ? history : rowsClosed;
  return closing;
}

Outcome Run::Impl::end() {
  if (ended) return closing;
  ended = true;
  close();
  for (coupling::Member& member : system.members) member.subsystem->terminate();
  if (network.twins() != nullptr) network.twins()->terminate();
  return closing;
}

Statistics Run::Impl::statistics() {
  const StepCounters& counters = macroStep.counters();
  Statistics result;
  result.wallClock = wallClock;
  result.initialisation = initialisation;
  result.output = {recordedRows, rows.secondsWith(recorder == nullptr ? 0.0 : recorder->secondsOfBlocks())};
  result.algorithm = {counters.solutions, counters.algorithm.seconds()};
  result.acceptedSteps = counters.accepted;
  result.convergenceFailures = counters.convergenceFailures;
  result.errorTest = callsOf(counters.errorTest);
  result.errorTestFailures = counters.errorTestFailures;
  result.growthChecks = callsOf(counters.growthChecks);
  result.discardedSteps = counters.discarded;
  result.smallestStep = counters.accepted > 0 ? counters.smallest : 0.0;
  result.largestStep = counters.largest;
  result.members.resize(network.size());
  for (std::size_t position = 0; position < network.size(); ++position)
    result.members[network.member(position)] = {system.members[network.member(position)].name,
                                                {network.stepCount(position), network.stepSeconds(position)},
                                                callsOf(network.saveCalls(position)),
                                                callsOf(network.restoreCalls(position)),
                                                network.subsystem(position).effort()};
  for (const auto& cycle : macroStep.coupledStep().iteratedCycles()) {
    CycleStatistics entry;
    for (std::size_t i = cycle->problem.block().first; i < cycle->problem.block().last; ++i)
      entry.members.push_back(system.members[network.member(i)].name);
    entry.evaluations = cycle->evaluations;
    entry.longestChain = cycle->longestChain;
    for (const coupling::HeldConstraint& joint : cycle->algorithm->held())
      result.joints.push_back({system.members[network.member(joint.position)].name, joint.defect, joint.defectRate});
    entry.poorlyCorrected = cycle->poor;
    entry.jacobians = cycle->jacobians;
    entry.convergenceFailures = cycle->failures;
    entry.suspicious = cycle->suspicious;
    result.cycles.push_back(std::move(entry));
  }
  result.repeatedSteps = counters.repeated;
  result.cpu = cpu;
  result.order = nominalOrder(system, settings);
  // The estimate is of one polynomial over the step; inside a waveform values were iterated.
  if (settings.algorithm.waveform == 1)
    result.connections = connectionStatistics(system, network, macroStep.coupledStep(), settings);
  result.bonds = bondStatistics(system, bonds, macroStep.coupledStep().bonds());
  return result;
}

Run::Run(coupling::System system, Settings settings, core::Log& log, Recorders recorders) {
  settings = withTestedSteps(std::move(settings), system, log);
  impl_ = std::make_unique<Impl>(std::move(system), std::move(settings), log, recorders);
}

Run::Run(Run&&) noexcept = default;

Run::~Run() {
  if (!impl_) return;
  const bool told = impl_->closed;
  try {
    const Outcome outcome = impl_->end();
    if (!told && !outcome.ok()) impl_->log.write(core::Severity::error, "run", outcome.message);
  } catch (const std::exception& error) {
    impl_->log.write(core::Severity::error, "run", error.what());
  }
}

std::vector<EvaluationGroup> Run::order() const {
  std::vector<EvaluationGroup> groups;
  for (const coupling::Cycle& cycle : impl_->cycles) {
    EvaluationGroup& group = groups.emplace_back();
    group.closed = cycle.closed;
    for (const coupling::MemberIndex member : cycle.members)
      group.members.push_back(impl_->system.members[member].name);
  }
  return groups;
}

Outcome Run::initialise() {
  return impl_->initialise();
}
Outcome Run::step() {
  return impl_->step();
}
Outcome Run::simulate() {
  return impl_->simulate(HUGE_VAL);
}
Outcome Run::simulate(double until) {
  return impl_->simulate(until);
}
Outcome Run::close() {
  return impl_->close();
}
Outcome Run::end() {
  return impl_->end();
}
double Run::time() const {
  return impl_->clock.now();
}
bool Run::finished() const {
  return impl_->finished();
}
Statistics Run::statistics() const {
  return impl_->statistics();
}
void Run::interrupt() {
  impl_->halt.interrupt();
}
void Run::onProgress(std::function<void(const Progress&)> listener) {
  impl_->listener = std::move(listener);
}

core::Value Run::value(std::string_view name) {
  std::vector<std::string> names;
  for (coupling::Member& member : impl_->system.members) {
    const std::string prefix = member.joint ? "" : member.name + ".";
    const auto& description = member.subsystem->describe();
    if (!prefix.empty()) names.push_back(member.name);
    if (!name.starts_with(prefix)) continue;
    const auto port = description.find(name.substr(prefix.size()));
    if (!port) {
      if (!prefix.empty()) names.clear();
      for (const subsystem::Port& known : description.ports) names.push_back(member.nameOf(known));
      if (!prefix.empty()) break;
      continue;
    }
    core::Values values;
    member.subsystem->observe(std::span(&*port, 1), values);
    switch (description.ports[*port].type) {
      case core::Type::real:
        return values.reals.front();
      case core::Type::boolean:
        return values.booleans.front() != 0;
      case core::Type::string:
        return values.strings.front();
      default:
        return values.integers.front();
    }
  }
  throw core::InputError(fmt::format("There is no variable '{}'.", name), core::suggestion(name, names));
}

}  // namespace koppla::run
