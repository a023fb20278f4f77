#include "koppla/solver/detail/witness.hpp"

#include <cmath>

#include "koppla/core/error.hpp"

namespace koppla::solver::detail {

using subsystem::Status;

namespace {

std::vector<std::size_t> othersOf(const std::vector<std::size_t>& suspects, const std::vector<double>& before,
                                  const std::vector<double>& after) {
  constexpr double kSame = 1e-4;  // solvers that iterate answer alike, not the same
  std::vector<std::size_t> others;
  for (const std::size_t i : suspects)
    if (std::fabs(after[i] - before[i]) > kSame * std::fmax(std::fabs(after[i]), std::fabs(before[i])))
      others.push_back(i);
  return others;
}

}  // namespace

void Witness::begin(const subsystem::Experiment& experiment) {
  experiment_ = experiment;
  instance_->enterInitialisation(experiment);
}

std::vector<std::size_t> Witness::silentOutputs(double t, std::span<const double> u, std::span<const double> changed,
                                                std::size_t count) {
  std::vector<double> first(count);
  std::vector<double> second(count);
  if (instance_->evaluate(t, u, first) >= Status::discard) return {};
  if (instance_->evaluate(t, changed, second) >= Status::discard) return {};
  std::vector<std::size_t> suspects;
  for (std::size_t i = 0; i < count; ++i)
    if (first[i] == second[i]) suspects.push_back(i);
  if (suspects.empty()) return {};
  try {
    return beyond(changed, second, suspects);
  } catch (const core::SubsystemError&) {
    return {};
  }
}

std::vector<std::size_t> Witness::beyond(std::span<const double> u, const std::vector<double>& y,
                                         const std::vector<std::size_t>& suspects) {
  std::vector<double> after = y;
  instance_->leaveInitialisation();
  if (instance_->readOutputs(after) >= Status::discard) return {};
  std::vector<std::size_t> others = othersOf(suspects, y, after);
  if (!others.empty()) return others;
  constexpr double kShort = 1e-6;  // of the experiment: nothing that is static moves in it, and little else
  const double t0 = experiment_.start;
  const double t1 = t0 + kShort * (experiment_.end - t0);
  if (!(t1 > t0) || instance_->advance({t0, t1, true}, subsystem::held(u), after).status >= Status::discard) return {};
  return othersOf(suspects, y, after);
}

}  // namespace koppla::solver::detail
