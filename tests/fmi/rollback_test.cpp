// Rollback is exact: what follows a restored state is bit by bit what followed when it was saved.

#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using subsystem::Slot;
using subsystem::Status;

struct RandomStep {
  double u;
  double h;
};

std::vector<RandomStep> randomSteps() {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-1000, 1000), rc::gen::inRange(1, 100))));
  std::vector<RandomStep> steps;
  for (const auto& [u, h] : numbers) steps.push_back({u / 7.0, h / 300.0});
  return steps;
}

/// Outputs as bits after each step from t.
std::vector<std::uint64_t> run(Instance& instance, double t, const std::vector<RandomStep>& steps) {
  std::vector<std::uint64_t> bits;
  for (const RandomStep& step : steps) {
    instance.u.assign(instance.u.size(), step.u);
    RC_ASSERT(instance.advance(t, t + step.h).status == Status::ok);
    t += step.h;
    for (const double y : instance.y) bits.push_back(std::bit_cast<std::uint64_t>(y));
  }
  return bits;
}

double lengthOf(const std::vector<RandomStep>& steps) {
  double t = 0;
  for (const RandomStep& step : steps) t += step.h;
  return t;
}

void checkRollback(Instance& instance) {
  instance.initialise(0.0, 1e9);
  const std::vector<RandomStep> before = randomSteps();
  const std::vector<RandomStep> after = randomSteps();
  run(instance, 0.0, before);
  const double t = lengthOf(before);
  const Slot slot = *rc::gen::element(Slot::iteration, Slot::macroStep);
  RC_ASSERT(instance.system->save(slot) == Status::ok);
  const auto first = run(instance, t, after);
  for (int i = 0; i < 2; ++i) {
    RC_ASSERT(instance.system->restore(slot) == Status::ok);
    RC_ASSERT(run(instance, t, after) == first);
  }
}

std::shared_ptr<Fmu> opened(const char* name) {
  static core::Log log;
  return Fmu::open(fmuFile(name), log);
}

RC_GTEST_PROP(Rollback, IsExactForALag, ()) {
  static const std::shared_ptr<Fmu> fmu = opened("FirstOrderLag");
  Instance lag(fmu);
  lag.set("T", 0.3);
  lag.bind({"u"}, {"y"});
  checkRollback(lag);
}

RC_GTEST_PROP(Rollback, IsExactWithInterpolatedInputs, ()) {
  static const std::shared_ptr<Fmu> fmu = opened("InterpolatingLag");
  Instance lag(fmu);
  lag.bind({"u"}, {"y"});
  checkRollback(lag);
}

RC_GTEST_PROP(Rollback, IsExactForAllTypesOfPorts, ()) {
  static const std::shared_ptr<Fmu> fmu = opened("FeedThrough");
  Instance all(fmu);
  all.bind({"realIn", "length"}, {"x", "realOut", "'length, in metres'"});
  checkRollback(all);
}

RC_GTEST_PROP(Rollback, SlotsAreIndependent, ()) {
  static const std::shared_ptr<Fmu> fmu = opened("FirstOrderLag");
  Instance lag(fmu);
  lag.bind({"u"}, {"y"});
  lag.initialise(0.0, 1e9);
  const std::vector<RandomStep> steps = randomSteps();
  RC_ASSERT(lag.system->save(Slot::macroStep) == Status::ok);
  const auto first = run(lag, 0.0, steps);
  RC_ASSERT(lag.system->save(Slot::iteration) == Status::ok);
  const double end = lag.observe("y");
  RC_ASSERT(lag.system->restore(Slot::macroStep) == Status::ok);
  RC_ASSERT(run(lag, 0.0, steps) == first);
  RC_ASSERT(lag.system->restore(Slot::iteration) == Status::ok);
  RC_ASSERT(lag.observe("y") == end);
}

}  // namespace
}  // namespace koppla::fmi::test
