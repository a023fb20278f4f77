// Step control where the master may stop before the end of the step that it is asked for: what counts is the step that
// was taken.

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"

namespace koppla::run::master_step_control_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kMicroStep = 0.125;  // s, of the master

std::unique_ptr<subsystem::Subsystem> member(double A, double B, double microStep) {
  const native::LinearStateSpace model{
      .inputs = {"u"}, .outputs = {"x"}, .A = {{A}}, .B = {{B}}, .C = {{1.0}}, .x0 = {1.0}};
  return solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::ode4, .microStep = microStep});
}

/// x' = 20 x is the master; a lag follows it.
coupling::System growing() {
  coupling::System system;
  system.members.push_back({"master", member(20.0, 0.0, kMicroStep), {}});
  system.members.push_back({"slave", member(-1.0, 1.0, kMicroStep), {}});
  koppla::test::connect(system, {{"master.x", "slave.u"}});
  return system;
}

/// Its first own step is short, the others are four times as long.
class Starting final : public subsystem::detail::Wrapper {
 public:
  explicit Starting(std::unique_ptr<Subsystem> inner) : Wrapper(std::move(inner)) {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    const double own = step.t0 + std::exchange(own_, 4.0 * kMicroStep);
    return inner().advance({.t0 = step.t0, .t1 = std::fmin(own, step.t1), .final = step.final}, u, y);
  }

 private:
  double own_ = kMicroStep;  // s
};

Settings controlled(stepping::Estimate estimate) {
  Settings settings;
  settings.step = 1.0;
  settings.algorithm.kind = coupling::AlgorithmKind::masterSlave;
  settings.algorithm.degree = 1;
  settings.algorithm.startUp = coupling::StartUp::trivial;
  settings.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  settings.stepControl.estimate = estimate;
  settings.stepControl.rtol = 0.25;
  settings.stepControl.maxStep = 1.0;
  return settings;
}

TEST(MasterStepControl, AFixedStepIsAskedForAgain) {
  coupling::System system = growing();
  system.members[0].subsystem = std::make_unique<Starting>(member(-1.0, 0.0, 1.0));
  Settings settings = controlled(stepping::Estimate::schmoll);
  settings.stepControl.kind = stepping::StepControlKind::fixed;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.step().ok());
  ASSERT_EQ(run.time(), kMicroStep);
  ASSERT_TRUE(run.step().ok());
  EXPECT_EQ(run.time(), 5.0 * kMicroStep);
}

/// The step of 0.125 s is far off and becomes a fifth, as `shrink` has it; the whole second that was asked for would
/// become 0.2 s, which is no shorter for the master.
TEST(MasterStepControl, TheNextStepFollowsFromTheOneThatTheMasterTook) {
  Settings settings = controlled(stepping::Estimate::schmoll);
  settings.stepControl.rtol = 1e-6;
  core::Log log;
  run::Run run(growing(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.step().ok());
  ASSERT_EQ(run.time(), kMicroStep);
  ASSERT_TRUE(run.step().ok());
  EXPECT_DOUBLE_EQ(run.time(), kMicroStep + kMicroStep / 5.0);
}

/// The first step asked for is rtol times the given one, 0.25 s. In 0.125 s the solver of order 4 takes x from 1 to the
/// first five terms of e^2.5. Allowed is rtol of that, of a tenth of the size so far, which is 1, and of a hundredth of
/// what x would change by in the second that was given.
TEST(MasterStepControl, AKeptStepIsToldAsTheOneThatTheMasterTook) {
  constexpr double z = 20.0 * kMicroStep;
  constexpr double x = 1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0;
  constexpr double allowed = 0.25 * (x + 0.01 * (x - 1.0) / kMicroStep + 0.1);
  core::Log log;
  std::vector<std::string> warnings;
  log.addSink([&](core::Severity, std::string_view, std::string_view text) { warnings.emplace_back(text); },
              core::Severity::warning);
  run::Run run(growing(), controlled(stepping::Estimate::couplingError), log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.step().ok());
  EXPECT_EQ(run.time(), kMicroStep);
  EXPECT_THAT(
      warnings,
      ElementsAre(HasSubstr(fmt::format(
          "the step from 0 s to 0.125 s has a coupling error of {:.4g} times the tolerance", (x - 1.0) / allowed))));
}

}  // namespace
}  // namespace koppla::run::master_step_control_test
