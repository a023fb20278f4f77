// What a run does where its values grow because of the coupling, and that looking for it changes nothing else.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::unstable_runs_test {
namespace {

using coupling::AlgorithmKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Ended {
  Outcome outcome;
  std::vector<std::string> warnings;
  Statistics statistics;
  double x = 0.0;
  std::unique_ptr<test::MemoryRecorder> rows = std::make_unique<test::MemoryRecorder>();
};

/// Two masses on springs to the ground and a link between them, in opposite phase: x1 = -x2 = cos(3 t). With a damping
/// below 0 the masses drive themselves.
coupling::System masses(double damping, core::Log& log) {
  return test::fmuSystem(
      {{"mass1", "OscillatorMass", {{"m", 1.0}, {"c", 1.0}, {"d", damping}, {"x0", 1.0}, {"v0", 0.0}}},
       {"link", "OscillatorLink", {{"c", 4.0}, {"d", 0.0}}},
       {"mass2", "OscillatorMass", {{"m", 1.0}, {"c", 1.0}, {"d", damping}, {"x0", -1.0}, {"v0", 0.0}}}},
      {{"mass1.x", "link.x1"},
       {"mass1.v", "link.v1"},
       {"mass2.x", "link.x2"},
       {"mass2.v", "link.v2"},
       {"link.F", "mass1.F"},
       {"link.F2", "mass2.F"}},
      log);
}

Ended simulate(double damping, const Settings& settings) {
  Ended ended;
  core::Log log;
  Settings recorded = settings;
  recorded.variables = {"mass1.x"};
  Run run(masses(damping, log), recorded, log, ended.rows.get());
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { ended.warnings.emplace_back(message); },
              core::Severity::warning);
  ended.outcome = run.initialise();
  if (ended.outcome.ok()) ended.outcome = run.simulate();
  ended.statistics = run.statistics();
  ended.x = std::get<double>(run.value("mass1.x"));
  run.end();
  return ended;
}

/// Without damping explicit coupling with held forces grows in steps of any length.
Settings unstable() {
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  settings.step = 0.1;
  settings.end = 40.0;
  return settings;
}

TEST(UnstableRuns, StopWithConnectionGrowthAndRemediesAndKeepTheirRows) {
  const Ended ended = simulate(0.0, unstable());
  EXPECT_EQ(ended.outcome.kind, OutcomeKind::unstable);
  EXPECT_EQ(word(ended.outcome.kind), "unstable");
  EXPECT_THAT(ended.outcome.message,
              AllOf(HasSubstr("The coupling is unstable at "), HasSubstr("', which goes to '"),
                    HasSubstr("times its regular size"), HasSubstr("times per step in the last "),
                    HasSubstr("algorithm.kind = \"iterated-gauss-seidel\""), Not(HasSubstr("simulation.step =")),
                    HasSubstr("simulation.on_instability = \"warn\"")));
  EXPECT_TRUE(ended.rows->abandoned);
  // x1 = cos(3 t): far below 1e6 times that, and every row before the one in which it was noticed is there.
  EXPECT_LT(std::fabs(ended.x), 1e4);
  EXPECT_EQ(ended.rows->times.size(), ended.statistics.acceptedSteps);
  EXPECT_GE(ended.statistics.growthChecks.count, 1U);
}

TEST(UnstableRuns, NameAStepThatIsShortEnough) {
  Settings settings = unstable();
  settings.algorithm.degree = 1;
  settings.step = 0.6;
  settings.end = 200.0;
  const Ended ended = simulate(0.2, settings);
  EXPECT_EQ(ended.outcome.kind, OutcomeKind::unstable);
  EXPECT_THAT(ended.outcome.message, HasSubstr("simulation.step = 0."));
}

TEST(UnstableRuns, GoOnWithOneWarningIfAsked) {
  Settings settings = unstable();
  settings.onInstability = OnInstability::warn;
  const Ended ended = simulate(0.0, settings);
  EXPECT_TRUE(ended.outcome.ok()) << ended.outcome.message;
  ASSERT_EQ(ended.warnings.size(), 1U);
  EXPECT_THAT(ended.warnings.front(), AllOf(HasSubstr("The coupling is unstable"), Not(HasSubstr("on_instability"))));
  EXPECT_EQ(ended.rows->times.size(), 401U);
}

TEST(UnstableRuns, AreNotLookedForIfIgnored) {
  Settings settings = unstable();
  settings.onInstability = OnInstability::ignore;
  const Ended ended = simulate(0.0, settings);
  EXPECT_TRUE(ended.outcome.ok()) << ended.outcome.message;
  EXPECT_TRUE(ended.warnings.empty());
  EXPECT_EQ(ended.statistics.growthChecks.count, 0U);
  EXPECT_GT(std::fabs(ended.x), 1e4);
}

TEST(UnstableRuns, AreFoundUnderStepControlThatAcceptsThem) {
  for (const stepping::StepControlKind kind :
       {stepping::StepControlKind::doubleStep, stepping::StepControlKind::convergence,
        stepping::StepControlKind::predictorCorrector}) {
    Settings settings = unstable();
    settings.stepControl.kind = kind;
    settings.stepControl.estimate = kind == stepping::StepControlKind::predictorCorrector ? stepping::Estimate::schmoll
                                                                                          : stepping::Estimate::nicolai;
    settings.stepControl.rtol = 1e9;
    settings.stepControl.atol = 1e9;
    settings.stepControl.maxStep = settings.step;
    settings.stepControl.minStep = settings.step;
    const Ended ended = simulate(0.0, settings);
    EXPECT_EQ(ended.outcome.kind, OutcomeKind::unstable) << static_cast<int>(kind) << ended.outcome.message;
    EXPECT_LT(std::fabs(ended.x), 1e4);
  }
}

/// x' = x: an FMU that says ok to restoring and does not return is somewhere else then.
TEST(UnstableRuns, AnFmuThatDoesNotReturnIsNamedWhereGrowthIsChecked) {
  for (const OnInstability reaction : {OnInstability::stop, OnInstability::ignore}) {
    core::Log log;
    Settings settings;
    settings.step = 0.05;
    settings.end = 10.0;
    settings.onInstability = reaction;
    run::Run run(test::fmuSystem({{"x", "Odd", {{"way", std::string("stays")}, {"x0", 1.0}, {"at", 0.0}}},
                                  {"same", "Gain", {{"k", 1.0}}}},
                                 {{"x.y", "same.u"}, {"same.y", "x.u"}}, log),
                 settings, log);
    ASSERT_TRUE(run.initialise().ok());
    const Outcome outcome = run.simulate();
    EXPECT_EQ(outcome.ok(), reaction == OnInstability::ignore) << outcome.message;
    if (reaction == OnInstability::ignore) continue;
    EXPECT_EQ(outcome.kind, OutcomeKind::subsystemFailed);
    EXPECT_THAT(outcome.message, AllOf(HasSubstr("'x'"), HasSubstr("simulation.on_instability = \"ignore\"")));
  }
}

/// The masses drive themselves: checked several times, and never at fault.
TEST(UnstableRuns, ChecksLeaveNoTrace) {
  std::vector<Settings> ways;
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedJacobi,
        AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton, AlgorithmKind::semiImplicit})
    for (const unsigned degree : {0U, 1U}) {
      ways.emplace_back();
      ways.back().algorithm.kind = kind;
      ways.back().algorithm.degree = degree;
    }
  ways.emplace_back().threads = 2;
  ways.back().algorithm.kind = AlgorithmKind::jacobi;
  ways.emplace_back().algorithm = {.kind = AlgorithmKind::iteratedGaussSeidel, .degree = 2, .waveform = 2};
  ways.emplace_back().stepControl = {.kind = stepping::StepControlKind::doubleStep, .rtol = 1e-3};
  for (Settings& way : ways) {
    way.step = 0.005;
    way.end = 20.0;
    const Ended looked = simulate(-1.0, way);
    way.onInstability = OnInstability::ignore;
    const Ended ignored = simulate(-1.0, way);
    const auto what = testing::Message() << static_cast<int>(way.algorithm.kind) << " " << way.algorithm.degree;
    EXPECT_TRUE(looked.outcome.ok()) << what << ": " << looked.outcome.message;
    EXPECT_TRUE(looked.warnings.empty()) << what << ": " << looked.warnings.front();
    EXPECT_GE(looked.statistics.growthChecks.count, 1U) << what;
    EXPECT_EQ(looked.statistics.acceptedSteps, ignored.statistics.acceptedSteps) << what;
    EXPECT_EQ(looked.rows->of("mass1.x"), ignored.rows->of("mass1.x")) << what;
    EXPECT_GT(std::fabs(looked.x), 1e3) << what << ": exp(10) would be 2e4";
  }
}

}  // namespace
}  // namespace koppla::run::unstable_runs_test
