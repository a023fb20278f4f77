// examples/heat-bars. Two bars, one behind the other, against the closed form: as formulas, and by two CalculiX
// processes where that is installed.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::heat_bars_test {
namespace {

constexpr double kT1 = 100.0;  // degC
constexpr double kT2 = 20.0;
constexpr double kL1 = 0.1;  // m
constexpr double kL2 = 0.2;
constexpr double kK2 = 100.0;  // W/(m K)
constexpr int kNodes = 9;      // of the interface

/// The conductivity of the hot bar for a ratio k1 L2 / (k2 L1).
double hotConductivity(double ratio) {
  return ratio * kK2 * kL1 / kL2;
}

double interfaceTemperature(double ratio) {
  const double hot = hotConductivity(ratio) / kL1;
  const double cold = kK2 / kL2;
  return (hot * kT1 + cold * kT2) / (hot + cold);
}

std::vector<std::string> forRatio(double ratio, std::vector<std::string> further = {}) {
  const double k = hotConductivity(ratio);
  std::vector<std::string> arguments{"--set", fmt::format("hot.k={}", k)};
  std::ranges::copy(further, std::back_inserter(arguments));
  return arguments;
}

/// For CalculiX, whose conductivity is a table over the temperature.
std::vector<std::string> forProgram(double ratio, const std::vector<std::string>& further = {}) {
  std::vector<std::string> arguments =
      forRatio(ratio, {"--set", fmt::format("hot.k_at_100={}", hotConductivity(ratio))});
  std::ranges::copy(further, std::back_inserter(arguments));
  return arguments;
}

const std::vector<std::string> kStatic{"--set", "simulation.initialisation=start-values"};

/// The largest error of the interface's temperatures, relative; infinite where there are none.
double errorOf(const ExampleRun& run, double expected, int nodes = kNodes) {
  if (run.command.exitCode != 0) return INFINITY;
  test::Largest largest;
  for (int node = 1; node <= nodes; ++node) {
    const std::string name = nodes == 1 ? "cold.T" : fmt::format("cold.T[{}]", node);
    largest.see(std::fabs(run.of(name).back() / expected - 1.0));
  }
  return largest;
}

TEST(HeatBarsExamples, FormulasNeedFourIterationsFromAnyRatio) {
  int most = 0;
  test::Largest worst;
  for (const double ratio : {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0}) {
    const ExampleRun run = runExample("heat-bars/formulas", forRatio(ratio));
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    most = std::max(most, run.evaluations());
    worst.see(errorOf(run, interfaceTemperature(ratio), 1));
  }
  showAtMost({"public P3", "formulas", "at most 4 iterations, ratios 0.1 to 100"}, most, 4);
  showAtMost({"public P3", "formulas-error", "temperature within 1e-4 of the closed form"}, worst, 1e-4);
}

TEST(HeatBarsExamples, PlainIterationDivergesFromARatioOfOneOn) {
  const std::vector<std::string> plain{"--set", "acceleration.kind=none"};
  EXPECT_EQ(runExample("heat-bars/formulas", forRatio(0.3, plain)).command.exitCode, 0);
  for (const double ratio : {1.0, 3.0}) {
    const CommandResult run = runExample("heat-bars/formulas", forRatio(ratio, plain)).command;
    EXPECT_TRUE(run.exitCode == 4 || run.exitCode == 5) << run.exitCode;
  }
}

TEST(HeatBarsExamples, CalculixNeedsFourIterationsFromAnyRatio) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  int most = 0;
  test::Largest worst;
  for (const double ratio : {0.1, 1.0, 100.0}) {
    const ExampleRun run = runExample("heat-bars/default", forProgram(ratio, kStatic));
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    most = std::max(most, run.evaluations());
    worst.see(errorOf(run, interfaceTemperature(ratio)));
  }
  showAtMost({"public P3", "calculix", "at most 4 iterations, ratios 0.1, 1 and 100"}, most, 4);
  showAtMost({"public P3", "calculix-error", "nine temperatures within 1e-4 of the closed form"}, worst, 1e-4);
}

TEST(HeatBarsExamples, WithoutAnySettingTheFirstRowIsTheSolution) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  int most = 0;
  for (const double ratio : {0.1, 1.0, 10.0, 100.0}) {
    const ExampleRun run = runExample("heat-bars/default", forProgram(ratio));
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    EXPECT_NEAR(run.of("cold.T[5]").front(), interfaceTemperature(ratio), 1e-2);
    EXPECT_LE(errorOf(run, interfaceTemperature(ratio)), 1e-4);
    for (const auto& subsystem : run.statistics["subsystems"])
      most = std::max(most, subsystem["static_calls"].get<int>());
  }
  showAtMost({"public P3", "calls", "at most 4 calls of each program in all, at the start and in the step"}, most, 4);
}

TEST(HeatBarsExamples, AConductivityThatVariesIsFoundAsWell) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  constexpr double kAt0 = 50.0;
  constexpr double kAt100 = 150.0;
  // Kirchhoff: the integral of k over the temperature takes the place of k T; linear elements are exact in it.
  const auto integral = [](double T) { return kAt0 * T + 0.5 * (kAt100 - kAt0) / 100.0 * T * T; };
  double low = kT2;
  double high = kT1;
  for (int i = 0; i < 100; ++i) {
    const double T = 0.5 * (low + high);
    const bool tooHot = (integral(kT1) - integral(T)) / kL1 < kK2 * (T - kT2) / kL2;
    (tooHot ? high : low) = T;
  }
  std::vector<std::string> arguments = kStatic;
  std::ranges::copy(std::vector<std::string>{"--set", "hot.k=50", "--set", "hot.k_at_100=150"},
                    std::back_inserter(arguments));
  const ExampleRun run = runExample("heat-bars/default", arguments);
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  showAtMost({"public P3", "nonlinear-error", "conductivity that trebles: temperatures within 1e-4"}, errorOf(run, low),
             1e-4);
}

TEST(HeatBarsExamples, MeshesThatDoNotMeetPassAllTheHeatOn) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  const ExampleRun run = runExample("heat-bars/meshes", forProgram(3.0, kStatic));
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  double heat = 0.0;
  for (int node = 1; node <= kNodes; ++node) heat -= run.of(fmt::format("hot.Q[{}]", node)).back();
  constexpr double kArea = 4e-4;  // m2
  const double expected = hotConductivity(3.0) * kArea / kL1 * (kT1 - interfaceTemperature(3.0));
  // Nodal heat that is shared out among other nodes is no even flux any more: the temperatures vary a little.
  EXPECT_NEAR(heat / expected, 1.0, 1e-3);
  EXPECT_LE(errorOf(run, interfaceTemperature(3.0), 16), 3e-3);
}

TEST(HeatBarsExamples, WhatSevenDigitsCannotShowIsNotConverged) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  int stagnated = 0;
  for (const double ratio : {0.1, 30.0}) {
    const ExampleRun run = runExample(
        "heat-bars/default", forProgram(ratio, {"--set", "algorithm.rtol=1e-9", "--set", "algorithm.atol=1e-12"}));
    EXPECT_EQ(run.command.exitCode, 4);
    EXPECT_EQ(run.statistics.at("outcome"), "stagnated");
    EXPECT_THAT(run.command.errors, testing::HasSubstr("is read from a file with 7 digits"));
    if (run.command.exitCode == 4 && run.statistics.at("outcome") == "stagnated") ++stagnated;
  }
  showFigure({"public P3", "stagnated", "tolerance 1e-9 on 7 digits: exit code 4 in 2 of 2 runs"},
             fmt::format("{} of 2", stagnated), stagnated == 2);
}

}  // namespace
}  // namespace koppla::test::heat_bars_test
