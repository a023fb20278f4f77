#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"

/// Steps of members whose inputs are more than held values: trajectories, static members, several threads.
namespace koppla::coupling {

using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

double Network::meanSeconds(std::size_t position) const {
  const std::uint64_t calls = stepCount(position);
  return calls == 0 ? 0.0 : stepSeconds(position) / static_cast<double>(calls);
}

std::size_t Network::threadsWorthwhile() const {
  // More than there are processors, since members may wait for programs and other machines.
  constexpr std::size_t kMost = 8;
  std::size_t members = 0;
  for (std::size_t position = 0; position < size(); ++position)
    if (meanSeconds(position) > ParallelSweep::kForkAndJoin) ++members;
  return std::min(members, std::max<std::size_t>(kMost, std::thread::hardware_concurrency()));
}

bool Network::threadsPay(std::size_t threads) const {
  return !ParallelSweep::groups({0, size()}, threads, [this](std::size_t position) {
            return meanSeconds(position);
          }).empty();
}

void Network::useThreads(std::size_t threads) {
  parallel_ = threads > 1 ? std::make_unique<ParallelSweep>(threads) : nullptr;
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
  Entry& entry = entries_[position];
  if (special_[position].sloped) return advanceSloped(position, step, u, y);
  if (entry.untimed == 0) return advanceTimed(position, step, u, y);
  --entry.untimed;
  return entry.subsystem->advance(step, u, y);
}

inline Fault Network::judged(std::size_t position, const StepResult& result, std::span<const double> y) const {
  if (result.status >= Status::discard) return faultOf(position, result.status, result.reached);
  bool bounded = true;
  for (const double value : y) bounded &= std::fabs(value) <= explosionLimit_;
  if (!bounded) return {FaultKind::exploded, static_cast<std::uint32_t>(position), 0.0};
  return {};
}

Trajectory Network::trajectoryOf(std::size_t position, const Approximation& approximation) {
  const Entry& entry = entries_[position];
  return {trajectories_.data() + static_cast<std::size_t>(entry.uBegin) * (approximation.degree() + 1), entry.uCount,
          approximation.degreeInUse()};
}

inline Trajectory Network::gatherTrajectory(std::size_t position, const Approximation& approximation) {
  const Entry& entry = entries_[position];
  double* const begin = trajectories_.data() + static_cast<std::size_t>(entry.uBegin) * (approximation.degree() + 1);
  const std::uint32_t* const sources = sources_.data() + entry.uBegin;
  const unsigned degree = approximation.degreeInUse();
  const double* power = approximation.power(0).data();
  const std::size_t values = approximation.power(0).size();
  double* u = begin;
  for (unsigned k = 0; k <= degree; ++k, power += values)
    for (std::uint32_t i = 0; i < entry.uCount; ++i) *u++ = power[sources[i]];
  if (entry.special) [[unlikely]]
    gatherSpecialTrajectory(position, approximation, begin);
  return {begin, entry.uCount, degree};
}

void Network::gatherSpecialTrajectory(std::size_t position, const Approximation& approximation, double* begin) {
  const Entry& entry = entries_[position];
  const Special& special = special_[position];
  for (unsigned k = 0; k <= approximation.degreeInUse(); ++k) {
    const double* const power = approximation.power(k).data();
    double* const u = begin + static_cast<std::size_t>(k) * entry.uCount;
    for (std::uint32_t i = special.linear.begin; i < special.linear.begin + special.linear.count; ++i) {
      const Linear& map = linear_[i];
      double& value = u[map.input - entry.uBegin];
      value = map.scale * value + (k == 0 ? map.offset : 0.0);
    }
    for (std::uint32_t i = special.terms.begin; i < special.terms.begin + special.terms.count; ++i) {
      const Term& term = terms_[i];
      u[term.input - entry.uBegin] += term.scale * power[term.source] + (k == 0 ? term.offset : 0.0);
    }
  }
}

inline Fault Network::advanceMember(std::size_t position, const Step& step, const Approximation& approximation) {
  const Trajectory u = gatherTrajectory(position, approximation);
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

Fault Network::advanceMembers(Block block, const Step& step, const Approximation& approximation) {
  if (parallel_) {
    const auto member = [&](std::size_t position) {
      return isStatic(position) ? Fault{} : advanceMember(position, step, approximation);
    };
    return parallel_->run(block, member, [this](std::size_t position) { return meanSeconds(position); });
  }
  for (std::size_t position = block.first; position < block.last; ++position)
    if (!isStatic(position))
      if (const Fault fault = advanceMember(position, step, approximation)) return fault;
  return {};
}

Fault Network::evaluateWithPresent(std::size_t position, double t) {
  gather(position);
  if (const Fault fault = evaluate(position, t)) return fault;
  const Entry& entry = entries_[position];
  return judged(position, {Status::ok, t}, {y_.data() + entry.yBegin, entry.yCount});
}

Fault Network::advance(Block block, const Step& asked, Form form, Approximation& approximation) {
  const Step step{asked.t0, asked.t1, asked.final, asked.single, 1.0 / (asked.t1 - asked.t0)};
  trajectories_.resize(u_.size() * (approximation.degree() + 1));
  if (form == Form::parallel) {
    // The approximation does not change meanwhile, so every member gathers its reals right before its step.
    if (anySpecial_)
      for (std::size_t position = block.first; position < block.last; ++position)
        if (special_[position].discreteInputs) gatherDiscrete(position);
    if (const Fault fault = advanceMembers(block, step, approximation)) return fault;
    if (!anyStatic_) return {};
  }
  for (std::size_t position = block.first; position < block.last; ++position) {
    if (isStatic(position)) {
      if (const Fault fault = evaluateWithPresent(position, step.t1)) return fault;
    } else if (form == Form::sequence) {
      if (special_[position].discreteInputs) gatherDiscrete(position);
      if (const Fault fault = advanceMember(position, step, approximation)) return fault;
    }
    if (form == Form::sequence) approximation.interpolate(outputsOf(position), y_, slopes_);
  }
  return {};
}

SingleStep Network::advanceSingle(std::size_t position, const Step& step, const Approximation& approximation) {
  trajectories_.resize(u_.size() * (approximation.degree() + 1));
  if (special_[position].discreteInputs) gatherDiscrete(position);
  const Trajectory u = gatherTrajectory(position, approximation);
  const Entry& entry = entries_[position];
  const std::span<double> y(y_.data() + entry.yBegin, entry.yCount);
  const StepResult result = advanceMetered(position, {step.t0, step.t1, step.final, true}, u, y);
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
  return trajectoryOf(position, *approximation).value(input, 1.0);
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
  const Trajectory u = trajectoryOf(position, *approximation);
  double* const own = trajectories_.data() + (u.coefficients - trajectories_.data());
  std::array<double, kMaxKnots> kept{};
  for (unsigned k = 0; k <= u.degree; ++k) {
    double& coefficient = own[k * u.count + input];
    kept[k] = std::exchange(coefficient, coefficient + change * approximation->weightOfEnd(k));
  }
  const Fault fault = judged(position, advanceMetered(position, step, u, y), y);
  for (unsigned k = 0; k <= u.degree; ++k) own[k * u.count + input] = kept[k];
  return fault;
}

}  // namespace koppla::coupling
