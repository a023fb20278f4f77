// Schmoll, sec. 2.6.2.4: micro steps should not be longer than macro steps, a master's not shorter than its slaves'.

#include "koppla/run/doubts.hpp"

#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/figure.hpp"
#include "support/integer_member.hpp"

namespace koppla::run {
namespace {

using stepping::StepControlKind;
using test::integrator;
using test::makeSystem;
using ::testing::EndsWith;

coupling::System pair(double first, double second, bool uncorrected = false) {
  test::Formula a = integrator();
  test::Formula b = integrator();
  a.capabilities.microStep = first;
  a.capabilities.ownSteps = true;
  a.capabilities.uncorrectedOutputs = uncorrected;
  b.capabilities.microStep = second;
  return makeSystem({{"a", a}, {"b", b}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

using Lines = std::vector<std::string>;

Lines doubtsAbout(const coupling::System& system, const Settings& settings) {
  return doubts(system, coupling::findCycles(system), settings);
}

/// 1.7e9 is between 2^30 and 2^31, so doubles there are 2^-22 = 2.384e-7 apart.
TEST(Doubts, TimesThatRoundAPartOfTheStepAreTold) {
  Settings settings;
  settings.step = 1e-4;
  settings.end = 1.0;
  EXPECT_EQ(doubtsAbout(pair(0.0, 0.0), settings), Lines{});
  settings.start = 1.7e9;
  settings.end = 1.7e9 + 1.0;
  const Lines lines = doubtsAbout(pair(0.0, 0.0), settings);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("At 1.7e+09 s two instants are 2.4e-07 s apart, which is 0.0024 of the step of 1e-04 s"), 0U)
      << lines[0];
  settings.step = 1.0;
  EXPECT_EQ(doubtsAbout(pair(0.0, 0.0), settings), Lines{});
}

TEST(Doubts, AMicroStepShouldFitTheMacroStep) {
  Settings settings;
  settings.step = 0.01;
  EXPECT_EQ(doubtsAbout(pair(0.01, 0.001), settings), Lines{});
  EXPECT_EQ(doubtsAbout(pair(0.02, 0.03), settings),
            (Lines{"The micro step of a, 0.02 s, is longer than the macro step, 0.01 s. It is cut short in "
                   "macro steps of that length; shorten its micro_step or lengthen simulation.step.",
                   "The micro step of b, 0.03 s, is longer than the macro step, 0.01 s. It takes no step of its "
                   "own in some macro steps of that length; shorten its micro_step or lengthen simulation.step."}));
}

TEST(Doubts, AMicroStepShouldFitTheShortestMacroStep) {
  Settings settings;
  settings.step = 0.01;
  settings.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  settings.stepControl.minStep = 1e-4;
  EXPECT_EQ(doubtsAbout(pair(1e-4, 1e-5), settings), Lines{});
  EXPECT_EQ(
      doubtsAbout(pair(1e-3, 1e-5), settings),
      Lines{"The micro step of a, 0.001 s, is longer than step_control.min_step, 1e-04 s. It is cut short in macro "
            "steps as short as that; shorten its micro_step or raise min_step."});
}

TEST(Doubts, AMasterShouldBeTheSlowerOne) {
  Settings settings;
  settings.step = 1.0;
  settings.algorithm.kind = coupling::AlgorithmKind::masterSlave;
  EXPECT_EQ(doubtsAbout(pair(1e-3, 1e-4), settings), Lines{});
  EXPECT_EQ(doubtsAbout(pair(1e-4, 1e-3), settings),
            Lines{"The master a has a shorter micro step, 1e-04 s, than b, 0.001 s. Let the slower one be the master, "
                  "or shorten the micro step of b."});
}

TEST(Doubts, AllThreeRelationsOfStepsAreWarnedOf) {
  Settings fixed;
  fixed.step = 0.01;
  Settings controlled = fixed;
  controlled.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  controlled.stepControl.minStep = 1e-4;
  Settings master = fixed;
  master.algorithm.kind = coupling::AlgorithmKind::masterSlave;
  const std::size_t warned = doubtsAbout(pair(0.02, 0.001), fixed).size() +
                             doubtsAbout(pair(1e-3, 1e-5), controlled).size() +
                             doubtsAbout(pair(1e-4, 1e-3), master).size();
  const std::size_t needless = doubtsAbout(pair(0.01, 0.001), fixed).size() +
                               doubtsAbout(pair(1e-4, 1e-5), controlled).size() +
                               doubtsAbout(pair(1e-3, 1e-4), master).size();
  test::showEqual({"schmoll R26", "warnings", "three where steps do not fit"}, static_cast<double>(warned), 3.0);
  test::showEqual({"schmoll R26", "needless", "none where they do"}, static_cast<double>(needless), 0.0);
}

TEST(Doubts, UncorrectedOutputsAreFlagged) {
  Settings settings;
  settings.step = 1.0;
  EXPECT_EQ(doubtsAbout(pair(0.0, 0.0, true), settings),
            Lines{"The outputs of a are those before its solver's last correction, as it was told to deliver them "
                  "(corrected = false)."});
}

TEST(Doubts, StepControlWithoutRealValuesTestsNothing) {
  const auto told = [](StepControlKind kind, bool real, double maxStep = 0.0) {
    coupling::System integers;
    for (const char* name : {"a", "b"})
      integers.members.push_back({name, std::make_unique<test::IntegerMember>([](auto n, auto) { return n; }), {}});
    test::connect(integers, {{"a.out", "b.in"}});
    Settings settings;
    settings.step = 0.1;
    settings.stepControl.kind = kind;
    settings.stepControl.maxStep = maxStep;
    const Lines lines = doubtsAbout(real ? pair(0.0, 0.0) : std::move(integers), settings);
    const auto found =
        std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("Step control tests"); });
    return found == lines.end() ? std::string() : *found;
  };
  EXPECT_THAT(told(StepControlKind::doubleStep, false), EndsWith("Give step_control.max_step, or a fixed step."));
  EXPECT_THAT(told(StepControlKind::predictorCorrector, false),
              EndsWith("Give step_control.max_step, or a fixed step."));
  // Who has given it is not told to give it.
  EXPECT_THAT(told(StepControlKind::doubleStep, false, 0.5), EndsWith("give a shorter one, or a fixed step."));
  EXPECT_EQ(told(StepControlKind::doubleStep, true), "");
  EXPECT_EQ(told(StepControlKind::fixed, false), "");
}

}  // namespace
}  // namespace koppla::run
