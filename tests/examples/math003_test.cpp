// examples/math003. Counts are those of the MASTERSIM report or of its recalculation on an exact time grid; plateaus of
// x4 at h = 0.1 follow by hand, since every step moves it by 0.6 or not at all.

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "koppla/results/comparison.hpp"
#include "koppla/results/load.hpp"

#include "example_run.hpp"

namespace koppla::test::math003_test {
namespace {

struct Expected {
  std::string project;
  std::string stepCalls;
  int acceptedSteps;
  int convergenceFailures;
  std::array<double, 3> plateaus;  ///< x4 at 2.9 s, 4.9 s and 10 s
};

TEST(Math003Examples, FixedStepsHaveTheCountsAndPlateausOfTheReadme) {
  const std::vector<Expected> all{{"jacobi", "100/100/100", 100, 0, {3.6, -2.4, 3.6}},
                                  {"gauss-seidel", "100/100/100", 100, 0, {3.0, -3.0, 3.0}},
                                  {"iterated-gauss-seidel", "100/130/130", 100, 10, {2.4, -2.4, 2.4}}};
  for (const Expected& expected : all) {
    SCOPED_TRACE(expected.project);
    const ExampleRun run = runExample("math003/" + expected.project);
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    EXPECT_EQ(run.stepCalls(), expected.stepCalls);
    EXPECT_EQ(run.statistics.at("accepted_steps"), expected.acceptedSteps);
    EXPECT_EQ(run.statistics.at("convergence_failures"), expected.convergenceFailures);
    EXPECT_EQ(run.table.time.back(), 10.0);
    EXPECT_NEAR(run.at("part3.x4", 2.9), expected.plateaus[0], 1e-7);
    EXPECT_NEAR(run.at("part3.x4", 4.9), expected.plateaus[1], 1e-7);
    EXPECT_NEAR(run.at("part3.x4", 10.0), expected.plateaus[2], 1e-7);
  }
}

TEST(Math003Examples, VariableStepTakesTheStepsOfTheReport) {
  const ExampleRun run = runExample("math003/variable-step");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_EQ(run.stepCalls(), "116/159/159");
  EXPECT_EQ(run.statistics.at("accepted_steps"), 101);
  EXPECT_EQ(run.statistics.at("convergence_failures"), 15);
  EXPECT_NEAR(run.at("part3.x4", 2.5), 2.5054848, 1e-9);
  EXPECT_EQ(run.table.time.back(), 10.0);
}

TEST(Math003Examples, DoubleStepKeepsTheExactSolutionWithFewerCallsThanTheReport) {
  const ExampleRun run = runExample("math003/double-step");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const std::vector<std::string> patterns{"part3.x4"};
  const results::Comparison comparison =
      results::compare(run.table, results::load(examplesFolder() / "math003/exact.csv"), {0.0, 1e-4}, patterns);
  EXPECT_TRUE(comparison.equal()) << results::text(comparison);
  const std::array limits{1244, 1511, 1511};
  for (std::size_t i = 0; i < limits.size(); ++i)
    EXPECT_LE(run.statistics.at("subsystems").at(i).at("step").at("count").get<int>(), limits[i]);
}

TEST(Math003Examples, NewtonFailsOnEachRampSinceThereIsNoSolution) {
  const ExampleRun run = runExample("math003/newton");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_EQ(run.statistics.at("accepted_steps"), 100);
  EXPECT_GE(run.statistics.at("convergence_failures"), 3);
}

TEST(Math003Examples, TheReferenceIsTheExactSolution) {
  const results::Table exact = results::load(examplesFolder() / "math003/exact.csv");
  const auto ramp = [](double t, double from, double to) { return std::clamp(t, from, to) - from; };
  for (std::size_t i = 0; i < exact.time.size(); ++i) {
    const double t = exact.time[i];
    const double x4 =
        6.0 * (ramp(t, 1.0, 1.0 + 2.5 / 6.0) - ramp(t, 3.0, 3.0 + 5.0 / 6.0) + ramp(t, 5.0, 5.0 + 5.0 / 6.0));
    EXPECT_NEAR(exact.find("part3.x4")->numbers[i], x4, 1e-12) << t;
  }
}

}  // namespace
}  // namespace koppla::test::math003_test
