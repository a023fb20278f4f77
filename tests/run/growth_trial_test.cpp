// What a repeated stretch of time leaves behind: nothing.

#include "koppla/run/growth_trial.hpp"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/coupling/initialisation.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::growth_trial_test {
namespace {

constexpr double kStep = 0.125;  // s

/// y' = k u
std::unique_ptr<subsystem::Subsystem> integratorOf(double k) {
  const native::LinearStateSpace model{
      .inputs = {"u"}, .outputs = {"y"}, .A = {{0.0}}, .B = {{k}}, .C = {{1.0}}, .x0 = {1.0}};
  return solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact, .microStep = 1.0});
}

TEST(GrowthTrial, PutsSlopesBackAsItPutsValuesBack) {
  coupling::System system;
  system.members.push_back({"a", integratorOf(1.0), {}});
  system.members.push_back({"b", integratorOf(-1.0), {}});
  test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  const coupling::AlgorithmSettings settings{
      .kind = coupling::AlgorithmKind::jacobi, .degree = 1, .samples = coupling::Samples::valuesAndSlopes};
  const auto cycles = coupling::findCycles(system);
  coupling::Network network(system, cycles, 1e100, settings.samples);
  for (coupling::Member& member : system.members) member.subsystem->enterInitialisation({0.0, 10.0, {}});
  coupling::initialise(system, network, 0.0, settings);
  for (coupling::Member& member : system.members) member.subsystem->leaveInitialisation();
  coupling::CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  ASSERT_FALSE(step.solve({{0.0, kStep, true}, {}}).fault);
  step.accept(kStep);
  GrowthWatch watch(network, system, cycles, GrowthWatch::kChecked);
  std::atomic<bool> notice = false;
  watch.begin(kStep, notice);
  const std::vector<double> values(network.outputs().begin(), network.outputs().end());
  const std::vector<double> slopes(network.slopes().begin(), network.slopes().end());
  ASSERT_EQ(slopes.size(), 2U);

  const Halt halt;
  GrowthTrial trial(network, cycles, step, watch, kStep, 10.0, halt);
  ASSERT_FALSE(trial.unsaved());
  (void)trial.staysSmall(settings, kStep, 2);
  EXPECT_THAT(network.slopes(), ::testing::Not(::testing::ElementsAreArray(slopes))) << "of the trial's last step";
  ASSERT_FALSE(trial.putBack());
  EXPECT_THAT(network.outputs(), ::testing::ElementsAreArray(values));
  EXPECT_THAT(network.slopes(), ::testing::ElementsAreArray(slopes));
}

}  // namespace
}  // namespace koppla::run::growth_trial_test
