// What begins after a rest in which steps have grown: it is met, whether its beginning is known or not.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/native/signal.hpp"
#include "koppla/solver/integrate.hpp"

#include "fmu_system.hpp"

namespace koppla::run::late_changes_test {
namespace {

using native::Interpolation;
using stepping::StepControlKind;
using Member = std::unique_ptr<subsystem::Subsystem>;

/// x' = u, so that x is at last what u has been in all.
struct Integral {
  double value;
  Outcome outcome;
  std::vector<double> times;
  std::uint64_t steps;
};

Integral integrated(Member source, StepControlKind kind) {
  Settings settings;
  settings.step = 0.1;
  settings.end = 10.0;
  settings.stepControl.kind = kind;
  settings.stepControl.rtol = 1e-3;
  coupling::System system;
  system.members.push_back({"s", std::move(source), {}});
  const native::LinearStateSpace integrator{
      .inputs = {"u"}, .outputs = {"x"}, .A = {{0.0}}, .B = {{1.0}}, .C = {{1.0}}, .x0 = {0.0}};
  system.members.push_back({"a", solver::integrate(native::linearStateSpace(integrator), {}), {}});
  // Somebody takes it, so that its course is watched, too.
  system.members.push_back({"b", test::makeSubsystem(test::gain(1.0)), {}});
  test::connect(system, {{"s.y", "a.u"}, {"a.x", "b.u"}});
  test::MemoryRecorder rows;
  core::Log log;
  Run run(std::move(system), settings, log, {&rows});
  Integral integral{};
  integral.outcome = run.initialise();
  if (integral.outcome.ok()) integral.outcome = run.simulate();
  integral.value = std::get<double>(run.value("a.x"));
  integral.steps = run.statistics().acceptedSteps;
  integral.times = rows.times;
  return integral;
}

Member course(std::function<double(double)> f) {
  test::Formula formula = test::clockSignal();
  formula.output = [f](const auto&, double t, const auto&) { return std::vector<double>{f(t)}; };
  return test::makeSubsystem(formula);
}

class LateChanges : public testing::TestWithParam<StepControlKind> {};

/// Nobody knows when it begins; but no step is longer than a fiftieth of the run.
TEST_P(LateChanges, OfUnknownBeginningAreMet) {
  const Integral pulse = integrated(course([](double t) { return t > 5.0 && t < 5.43 ? 1.0 : 0.0; }), GetParam());
  ASSERT_TRUE(pulse.outcome.ok()) << pulse.outcome.message;
  EXPECT_NEAR(pulse.value, 0.43, 0.01 * 0.43);
  constexpr double kWidth = 0.05;
  const Integral bell =
      integrated(course([](double t) { return std::exp(-std::pow((t - 5.0) / kWidth, 2.0)); }), GetParam());
  ASSERT_TRUE(bell.outcome.ok()) << bell.outcome.message;
  EXPECT_NEAR(bell.value, kWidth * std::sqrt(M_PI), 0.01 * kWidth);
}

/// However short they are. An input that jumps from zero may be late by rtol times the step that was given, 1e-4 s, and
/// so may what follows it.
TEST_P(LateChanges, OfASignalAreMet) {
  constexpr double kWidth = 0.01;
  for (const Interpolation interpolation : {Interpolation::hold, Interpolation::linear}) {
    const bool held = interpolation == Interpolation::hold;
    const std::vector<double> times{0.0, 5.0, 5.0 + kWidth, 5.0 + 2.0 * kWidth};
    const std::vector<double> values{0.0, held ? 1.0 : 0.0, held ? 0.0 : 1.0, 0.0};
    auto signal = native::signal({.times = times, .columns = {{"y", values}}, .interpolation = interpolation});
    const Integral pulse = integrated(solver::integrate(std::move(signal), {}), GetParam());
    ASSERT_TRUE(pulse.outcome.ok()) << pulse.outcome.message;
    EXPECT_NEAR(pulse.value, kWidth, 3e-4) << held;
    for (const double t : {5.0, 5.0 + kWidth})
      EXPECT_NE(std::ranges::find(pulse.times, t), pulse.times.end()) << "a step ends at " << t;
  }
}

/// Tables of different origin have the same instants but for rounding: no step lies between these.
TEST_P(LateChanges, OfSignalsWithinRoundingAreMetOnce) {
  const double other = std::nextafter(5.0, 6.0);
  const auto step = [](double t) {
    return native::signal({.times = {0.0, t}, .columns = {{"y", {0.0, 1.0}}}, .interpolation = Interpolation::hold});
  };
  Settings settings;
  settings.step = 0.1;
  settings.end = 10.0;
  settings.stepControl.kind = GetParam();
  settings.stepControl.rtol = 1e-3;
  const native::LinearStateSpace sum{
      .inputs = {"u", "v"}, .outputs = {"x"}, .A = {{0.0}}, .B = {{1.0, 1.0}}, .C = {{1.0}}, .x0 = {0.0}};
  coupling::System system;
  system.members.push_back({"s", solver::integrate(step(5.0), {}), {}});
  system.members.push_back({"r", solver::integrate(step(other), {}), {}});
  system.members.push_back({"a", solver::integrate(native::linearStateSpace(sum), {}), {}});
  system.members.push_back({"b", test::makeSubsystem(test::gain(1.0)), {}});
  test::connect(system, {{"s.y", "a.u"}, {"r.y", "a.v"}, {"a.x", "b.u"}});
  test::MemoryRecorder rows;
  core::Log log;
  run::Run run(std::move(system), settings, log, {&rows});
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  for (std::size_t i = 1; i < rows.times.size(); ++i) EXPECT_GT(rows.times[i] - rows.times[i - 1], 1e-10);
  EXPECT_NEAR(std::get<double>(run.value("a.x")), 10.0, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LateChanges,
                         testing::Values(StepControlKind::doubleStep, StepControlKind::predictorCorrector));

/// Values near the smallest double have few digits or none: a tolerance for each of them would shorten steps for
/// nothing.
TEST(TinyValues, CostNoSteps) {
  const auto bell = [](double t) { return std::exp(-std::pow((t - 5.0) / 0.05, 2.0)); };
  const Integral whole = integrated(course(bell), StepControlKind::doubleStep);
  const Integral without =
      integrated(course([&](double t) { return bell(t) > 1e-280 ? bell(t) : 0.0; }), StepControlKind::doubleStep);
  ASSERT_TRUE(whole.outcome.ok()) << whole.outcome.message;
  EXPECT_LE(whole.steps, without.steps + without.steps / 10);
}

}  // namespace
}  // namespace koppla::run::late_changes_test
