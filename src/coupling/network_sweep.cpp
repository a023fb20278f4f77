#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "koppla/coupling/held_sweep.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/twins.hpp"
#include "koppla/coupling/waveform.hpp"

/// Steps of members whose inputs are more than held values: trajectories, static members, several threads.
namespace koppla::coupling {

using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

namespace {

/// The same step with its reciprocal length for all.
Step measured(Step step) {
  step.perSecond = 1.0 / (step.t1 - step.t0);
  return step;
}

}  // namespace

double Network::meanSeconds(std::size_t position) const {
  const std::uint64_t calls = stepCount(position);
  if (calls > 0) return stepSeconds(position) / static_cast<double>(calls);
  constexpr double kStartOfAProcess = 1e-3;  // s
  return entries_[position].subsystem->describe().capabilities.ownProcess ? kStartOfAProcess : 0.0;
}

bool Network::mayMove(std::size_t position) const {
  return !entries_[position].subsystem->describe().capabilities.threadBound;
}

std::size_t Network::threadsWorthwhile() const {
  // More than there are processors, since members may wait for programs and other machines.
  constexpr std::size_t kMost = 8;
  std::size_t members = 0;
  for (std::size_t position = 0; position < size(); ++position)
    if (mayMove(position) && meanSeconds(position) > ParallelSweep::kForkAndJoin) ++members;
  return std::min(members, std::max<std::size_t>(kMost, std::thread::hardware_concurrency()));
}

std::vector<MemberIndex> Network::worthThreads() const {
  std::vector<MemberIndex> members;
  for (std::size_t position = 0; position < size(); ++position)
    if (!mayMove(position) && !isStatic(position) && meanSeconds(position) > ParallelSweep::kForkAndJoin)
      members.push_back(member(position));
  return members;
}

bool Network::threadsPay(std::size_t threads) const {
  const auto seconds = [this](std::size_t position) { return meanSeconds(position); };
  return !ParallelSweep::groups({0, size()}, threads, homes(1), seconds).empty();
}

/// Who does not move and takes steps goes round the threads.
std::vector<std::optional<std::size_t>> Network::homes(std::size_t threads) const {
  std::vector<std::optional<std::size_t>> all(size());
  std::size_t next = 0;
  for (std::size_t position = 0; position < size(); ++position)
    if (!mayMove(position)) all[position] = isStatic(position) ? 0 : next++ % threads;
  return all;
}

void Network::useThreads(std::size_t threads, bool forAll) {
  std::size_t members = 0;
  for (std::size_t position = 0; position < size(); ++position) members += isStatic(position) ? 0 : 1;
  threads = std::min(threads, members);
  parallel_ = threads > 1 ? std::make_unique<ParallelSweep>(threads, homes(forAll ? threads : 1)) : nullptr;
}

void Network::keepSlopes(std::size_t position, std::span<double> y) {
  const Entry& entry = entries_[position];
  const auto both = valuesAndSlopes_.begin() + static_cast<std::ptrdiff_t>(2) * entry.yBegin;
  std::copy_n(both, entry.yCount, y.begin());
  std::copy_n(both + entry.yCount, entry.yCount, slopes_.begin() + entry.yBegin);
}

StepResult Network::advanceSloped(std::size_t position, const Step& step, Trajectory u, std::span<double> y) {
  Entry& entry = entries_[position];
  const std::span<double> both(valuesAndSlopes_.data() + std::size_t{2} * entry.yBegin, std::size_t{2} * entry.yCount);
  std::ranges::copy(y, both.begin());  // phases stay near what was there before
  StepResult result;
  if (entry.untimed == 0) {
    result = advanceTimed(position, step, u, both);
  } else {
    --entry.untimed;
    result = entry.subsystem->advance(step, u, both);
  }
  keepSlopes(position, y);
  return result;
}

StepResult Network::advanceMetered(std::size_t position, const Step& step, Trajectory u, std::span<double> y) {
  if (!parallel_) return advanceHere(position, step, u, y);
  StepResult result{};
  parallel_->runAtHome(position, [&] { result = advanceHere(position, step, u, y); });
  return result;
}

StepResult Network::advanceHere(std::size_t position, const Step& step, Trajectory u, std::span<double> y) {
  Entry& entry = entries_[position];
  if (special_[position].sloped) return advanceSloped(position, step, u, y);
  if (entry.untimed == 0) return advanceTimed(position, step, u, y);
  --entry.untimed;
  return entry.subsystem->advance(step, u, y);
}

[[gnu::always_inline]] inline Fault Network::judged(std::size_t position, const StepResult& result,
                                                    std::span<const double> y) {
  if (result.status >= Status::discard) return faultOf(position, result.status, result.reached);
  if (!detail::bounded(y, detail::limitOf(entries_[position].bound))) [[unlikely]]
    return beyondBound(position, y);
  return {};
}

Trajectory Network::trajectoryOf(std::size_t position, const Courses& courses) {
  const Entry& entry = entries_[position];
  return {trajectories_.data() + static_cast<std::size_t>(entry.uBegin) * (courses.mostDegree + 1), entry.uCount,
          courses.degree};
}

[[gnu::always_inline]] inline Trajectory Network::gatherTrajectory(std::size_t position, const Courses& courses) {
  const Entry& entry = entries_[position];
  double* const begin = trajectories_.data() + static_cast<std::size_t>(entry.uBegin) * (courses.mostDegree + 1);
  const std::uint32_t* const sources = sources_.data() + entry.uBegin;
  const double* power = courses.powers;
  double* u = begin;
  for (unsigned k = 0; k <= courses.degree; ++k, power += courses.values)
    for (std::uint32_t i = 0; i < entry.uCount; ++i) *u++ = power[sources[i]];
  if (entry.special) [[unlikely]]
    gatherSpecialTrajectory(position, courses, begin);
  return {begin, entry.uCount, courses.degree};
}

void Network::gatherSpecialTrajectory(std::size_t position, const Courses& courses, double* begin) {
  const Entry& entry = entries_[position];
  const Special& special = special_[position];
  for (unsigned k = 0; k <= courses.degree; ++k) {
    const double* const power = courses.powers + k * courses.values;
    double* const u = begin + static_cast<std::size_t>(k) * entry.uCount;
    for (std::uint32_t i = special.linear.begin; i < special.linear.begin + special.linear.count; ++i) {
      const Linear& map = linear_[i];
      double& value = u[map.input - entry.uBegin];
      value = map.scale * value + (k == 0 ? map.offset : 0.0);
    }
    applyMappings(position, power, u, k == 0);
    for (std::uint32_t i = special.terms.begin; i < special.terms.begin + special.terms.count; ++i) {
      const Term& term = terms_[i];
      u[term.input - entry.uBegin] += term.scale * power[term.source] + (k == 0 ? term.offset : 0.0);
    }
  }
}

[[gnu::always_inline]] inline Fault Network::advanceMember(std::size_t position, const Step& step,
                                                           const Courses& courses) {
  const Trajectory u = gatherTrajectory(position, courses);
  Entry& entry = entries_[position];
  const std::span<double> y(y_.data() + entry.yBegin, entry.yCount);
  StepResult result;
  if (!slopes_.empty() && special_[position].sloped) [[unlikely]] {
    result = advanceSloped(position, step, u, y);
  } else if (entry.untimed != 0) [[likely]] {
    --entry.untimed;
    result = entry.subsystem->advance(step, u, y);
  } else {
    result = advanceTimed(position, step, u, y);
  }
  return judged(position, result, y);
}

template <class MemberStep>
inline Fault Network::forMembers(Block block, const MemberStep& step) {
  if (parallel_) {
    const auto member = [&](std::size_t position) { return isStatic(position) ? Fault{} : step(position); };
    return parallel_->run(block, member, [this](std::size_t position) { return meanSeconds(position); });
  }
  for (std::size_t position = block.first; position < block.last; ++position)
    if (!isStatic(position))
      if (const Fault fault = step(position)) return fault;
  return {};
}

template <class MemberStep>
inline Fault Network::advanceAtHome(std::size_t position, const MemberStep& step) {
  if (!parallel_) return step();
  Fault fault;
  parallel_->runAtHome(position, [&] { fault = step(); });
  return fault;
}

void Network::gatherDiscreteOf(Block block) {
  if (!anySpecial_) return;
  for (std::size_t position = block.first; position < block.last; ++position)
    if (special_[position].discreteInputs) gatherDiscrete(position);
}

Fault Network::evaluateWithPresent(std::size_t position, double t) {
  gather(position);
  if (const Fault fault = evaluate(position, t)) return fault;
  const Entry& entry = entries_[position];
  return judged(position, {Status::ok, t}, {y_.data() + entry.yBegin, entry.yCount});
}

Fault Network::advance(Block block, const Step& asked, Form form, Approximation& approximation) {
  if (twins_ && form == Form::parallel) {
    std::vector<ProbeTask> none;
    return advanceWithProbes(block, asked, approximation, none);
  }
  const Step step = measured(asked);
  trajectories_.resize(u_.size() * (approximation.degree() + 1));
  if (form == Form::parallel) {
    // The approximation does not change meanwhile, so every member gathers its reals right before its step.
    gatherDiscreteOf(block);
    const Courses courses = approximation.courses();
    const auto member = [&](std::size_t position) { return advanceMember(position, step, courses); };
    if (const Fault fault = forMembers(block, member)) return fault;
    if (!anyStatic_) return {};
  }
  for (std::size_t position = block.first; position < block.last; ++position) {
    if (isStatic(position)) {
      if (const Fault fault = evaluateWithPresent(position, step.t1)) return fault;
    } else if (form == Form::sequence) {
      if (special_[position].discreteInputs) gatherDiscrete(position);
      if (const Fault fault =
              advanceAtHome(position, [&] { return advanceMember(position, step, approximation.courses()); }))
        return fault;
    }
    if (form == Form::sequence) approximation.interpolate(outputsOf(position), y_, slopes_);
  }
  return {};
}

void Network::gatherTrajectories(Block block, const Approximation& approximation) {
  trajectories_.resize(u_.size() * (approximation.degree() + 1));
  for (std::size_t position = block.first; position < block.last; ++position)
    if (!isStatic(position)) gatherTrajectory(position, approximation.courses());
}

Fault Network::advanceWithProbes(Block block, const Step& asked, Approximation& approximation,
                                 std::vector<ProbeTask>& probes) {
  const Step step = measured(asked);
  const Courses courses = approximation.courses();
  trajectories_.resize(u_.size() * (courses.mostDegree + 1));
  gatherDiscreteOf(block);
  std::vector<Twins::Task> tasks;
  std::vector<std::size_t> taskOf(size());  // of the member itself; its twins follow
  for (std::size_t position = block.first; position < block.last; ++position) {
    if (isStatic(position)) continue;
    const Entry& entry = entries_[position];
    const Trajectory u = gatherTrajectory(position, courses);
    taskOf[position] = tasks.size();
    tasks.push_back({position, entry.subsystem, u, {y_.data() + entry.yBegin, entry.yCount}});
    for (std::size_t twin = 0; twin < twins_->of(position).size(); ++twin)
      tasks.push_back({position, twins_->of(position)[twin].get(), u, twins_->scratch(position, twin, entry.yCount)});
  }
  // Probes take the place of steps that their twins would take with the others; these follow in the corrected step.
  std::vector<std::size_t> used(size(), 0);
  std::size_t place = 0;
  std::size_t needed = 0;
  for (const ProbeTask& probe : probes) needed += std::size_t{courses.degree + 1} * entries_[probe.position].uCount;
  probeTrajectories_.resize(needed);
  std::vector<std::size_t> taskOfProbe;
  for (const ProbeTask& probe : probes) {
    Twins::Task& task = tasks[taskOf[probe.position] + ++used[probe.position]];
    taskOfProbe.push_back(taskOf[probe.position] + used[probe.position]);
    const std::size_t count = std::size_t{courses.degree + 1} * task.u.count;
    double* const own = probeTrajectories_.data() + place;
    std::copy_n(task.u.coefficients, count, own);
    for (unsigned k = 0; k <= courses.degree; ++k)
      own[std::size_t{k} * task.u.count + probe.input] += probe.change * approximation.weightOfEnd(k);
    task.u.coefficients = own;
    // Phases are compared with those of the member, which is asked at the same time.
    std::ranges::copy(std::span(y_).subspan(entries_[probe.position].yBegin, task.y.size()), task.y.begin());
    place += count;
  }
  twins_->run(tasks, step);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Twins::Task& task = tasks[taskOfProbe[i]];
    probes[i].y = task.y;
    probes[i].fault = judged(task.position, task.result, task.y);
  }
  for (std::size_t position = block.first; position < block.last; ++position) {
    const Twins::Task& task = tasks[taskOf[position]];
    const Fault fault =
        isStatic(position) ? evaluateWithPresent(position, step.t1) : judged(position, task.result, task.y);
    if (fault) return fault;
  }
  return {};
}

/// Phases follow the sample before; the first one follows what it was in the last iteration, not the end of the step.
void Network::recallFirstSample(Block own, const Waveform& waveform) {
  std::copy(waveform.at(1).data() + own.first, waveform.at(1).data() + own.last, y_.data() + own.first);
}

/// One member piece by piece; its answers become samples, its splines stay as they are.
Fault Network::advanceThrough(std::size_t position, const Step& step, Waveform& waveform) {
  const Block own = outputsOf(position);
  recallFirstSample(own, waveform);
  for (unsigned j = 0; j < waveform.points(); ++j) {
    const double nominal = step.length / waveform.points();
    const Step piece = measured(step.part(waveform.time(step, j), waveform.time(step, j + 1), nominal, j == 0));
    if (const Fault fault = advanceMember(position, piece, waveform.piece(j))) return fault;
    std::copy(y_.data() + own.first, y_.data() + own.last, waveform.at(j + 1).data() + own.first);
  }
  return {};
}

/// One static member at every point, with the samples there.
Fault Network::evaluateThrough(std::size_t position, const Step& step, Waveform& waveform) {
  const Block own = outputsOf(position);
  recallFirstSample(own, waveform);
  for (unsigned point = 1; point <= waveform.points(); ++point) {
    const Trajectory u = gatherTrajectory(position, waveform.heldAt(point));
    std::ranges::copy(u.power(0), inputsOf(position).begin());
    const double t = waveform.time(step, point);
    if (const Fault fault = evaluate(position, t)) return fault;
    const std::span<const double> y(y_.data() + own.first, own.last - own.first);
    if (const Fault fault = judged(position, {Status::ok, t}, y)) return fault;
    std::ranges::copy(y, waveform.at(point).data() + own.first);
  }
  return {};
}

Fault Network::advance(Block block, const Step& step, Form form, Waveform& waveform) {
  trajectories_.resize(u_.size() * (waveform.piece(0).mostDegree + 1));
  if (form == Form::parallel) {
    gatherDiscreteOf(block);
    const auto member = [&](std::size_t position) { return advanceThrough(position, step, waveform); };
    if (const Fault fault = forMembers(block, member)) return fault;
  }
  for (std::size_t position = block.first; position < block.last; ++position) {
    if (isStatic(position)) {
      gatherDiscreteOf({position, position + 1});
      if (const Fault fault = evaluateThrough(position, step, waveform)) return fault;
    } else if (form == Form::sequence) {
      gatherDiscreteOf({position, position + 1});
      if (const Fault fault = advanceAtHome(position, [&] { return advanceThrough(position, step, waveform); }))
        return fault;
    }
    if (form == Form::sequence) waveform.fit(outputsOf(position));
  }
  return {};
}

SingleStep Network::advanceSingle(std::size_t position, const Step& step, const Approximation& approximation) {
  trajectories_.resize(u_.size() * (approximation.degree() + 1));
  if (special_[position].discreteInputs) gatherDiscrete(position);
  const Trajectory u = gatherTrajectory(position, approximation.courses());
  const Entry& entry = entries_[position];
  const std::span<double> y(y_.data() + entry.yBegin, entry.yCount);
  Step single = step;
  single.single = true;
  const StepResult result = advanceMetered(position, single, u, y);
  return {judged(position, result, y), result.reached};
}

Fault Network::reevaluate(Block block, double t) {
  for (std::size_t position = block.first; position < block.last; ++position)
    if (isStatic(position) || subsystem(position).describe().capabilities.evaluatesBetweenSteps)
      if (const Fault fault = evaluateWithPresent(position, t)) return fault;
  return {};
}

Fault Network::advanceAlone(std::size_t position, const Step& step, std::span<double> y) {
  const Entry& entry = entries_[position];
  return judged(position, advanceMetered(position, step, {u_.data() + entry.uBegin, entry.uCount}, y), y);
}

double Network::inputAtEnd(std::size_t position, std::size_t input, const Approximation* approximation) {
  const Entry& entry = entries_[position];
  if (entry.isStatic || approximation == nullptr) return u_[entry.uBegin + input];
  return trajectoryOf(position, approximation->courses()).value(input, 1.0);
}

Fault Network::probe(std::size_t position, std::size_t input, double change, const Step& step,
                     const Approximation* approximation, std::span<double> y) {
  const Entry& entry = entries_[position];
  if (entry.isStatic || approximation == nullptr) {
    double& u = u_[entry.uBegin + input];
    const double kept = std::exchange(u, u + change);
    const Fault fault = entry.isStatic ? evaluateAlone(position, step.t1, y) : advanceAlone(position, step, y);
    u = kept;
    return fault;
  }
  const Trajectory u = trajectoryOf(position, approximation->courses());
  double* const own = trajectories_.data() + (u.coefficients - trajectories_.data());
  std::array<double, kMaxKnots> kept{};
  for (unsigned k = 0; k <= u.degree; ++k) {
    double& coefficient = own[std::size_t{k} * u.count + input];
    kept[k] = std::exchange(coefficient, coefficient + change * approximation->weightOfEnd(k));
  }
  const Fault fault = judged(position, advanceMetered(position, step, u, y), y);
  for (unsigned k = 0; k <= u.degree; ++k) own[std::size_t{k} * u.count + input] = kept[k];
  return fault;
}

}  // namespace koppla::coupling
