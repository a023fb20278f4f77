// examples/added-mass. Stability, iterations and errors are those of the notes, sec. 9.6; the oscillator as a program
// behind files does what it does in process.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::added_mass_test {
namespace {

constexpr double kStep = 0.01;  // s

ExampleRun coupled(const std::string& project, double addedMass, const std::string& option, double value) {
  return runExample("added-mass/" + project,
                    {"--set", fmt::format("fluid.m_f={}", addedMass), "--set", fmt::format("{}={}", option, value)});
}

double angularFrequency(double addedMass) {
  return 2.0 * std::numbers::pi / std::sqrt(1.0 + addedMass);
}

double largestDeflection(const ExampleRun& run) {
  test::Largest largest;
  for (const double x : run.of("structure.x")) largest.see(std::fabs(x));
  return largest;
}

/// The exact deflection stays within 1 m.
bool isStable(const ExampleRun& run) {
  return run.command.exitCode == 0 && largestDeflection(run) < 1.01;
}

double meanIterations(const ExampleRun& run) {
  return run.evaluations() / run.statistics.at("accepted_steps").get<double>();
}

TEST(AddedMassExamples, LooseCouplingIsUnstableBeyondACriticalMassHoweverShortTheStep) {
  const auto verdict = [](double addedMass, double step) {
    return isStable(coupled("loose", addedMass, "simulation.step", step));
  };
  const std::array stable{verdict(0.2, 0.01), verdict(0.2, 0.001), verdict(0.6, 0.01), verdict(0.6, 0.001)};
  showFigure({"jung 5", "loose", "order 1: stable for 0.2 kg, unstable for 0.6 kg, at steps of 0.01 and 0.001 s"},
             fmt::format("stable: 0.2 kg {} {}, 0.6 kg {} {}", stable[0], stable[1], stable[2], stable[3]),
             stable == std::array{true, true, false, false});
  EXPECT_TRUE(isStable(coupled("loose", 0.6, "algorithm.degree", 0))) << "order 0 delays, which damps";
  EXPECT_FALSE(isStable(coupled("loose", 0.2, "algorithm.degree", 2)));
}

TEST(AddedMassExamples, RelaxedStrongCouplingIsStableForAllMasses) {
  int stable = 0;
  for (const double addedMass : {0.2, 0.6, 0.95, 1.5, 4.0}) {
    const ExampleRun run = coupled("relaxed", addedMass, "simulation.step", kStep);
    const double error = run.of("structure.x").back() - std::cos(2.0 * angularFrequency(addedMass));
    if (isStable(run) && std::fabs(error) < 4e-3) ++stable;
  }
  showFigure({"jung 5", "strong", "stable and exact to 4e-3 m with 0.2, 0.6, 0.95, 1.5, 4 kg"},
             fmt::format("{} of 5", stable), stable == 5);
}

TEST(AddedMassExamples, TheErrorOfStrongCouplingIsOfSecondOrder) {
  std::vector<double> errors;
  for (const double step : {0.02, 0.01, 0.005})
    errors.push_back(coupled("relaxed", 0.6, "simulation.step", step).of("structure.x").back() -
                     std::cos(2.0 * angularFrequency(0.6)));
  const double first = std::log2(errors[0] / errors[1]), second = std::log2(errors[1] / errors[2]);
  const bool same = std::fabs(errors[0] + 3.95e-3) < 5e-6 && std::fabs(errors[1] + 9.9e-4) < 1e-5 &&
                    std::fabs(errors[2] + 2.5e-4) < 5e-6;
  showFigure({"jung 5", "second-order", "errors -3.95e-3, -9.9e-4, -2.5e-4 m at steps of 0.02, 0.01, 0.005 s: order 2"},
             fmt::format("{:.3g}, {:.3g}, {:.3g}; {:.2f}, {:.2f}", errors[0], errors[1], errors[2], first, second),
             same && std::fabs(first - 2.0) < 0.05 && std::fabs(second - 2.0) < 0.05);
}

TEST(AddedMassExamples, BetterExtrapolationSavesIterations) {
  std::vector<double> means;
  for (const int order : {0, 1, 2})
    means.push_back(meanIterations(coupled("strong", 0.6, "algorithm.predictor", order)));
  // 17.55 is 17.5 or 17.6, by the last bit.
  showFigure(
      {"jung 6", "iterations", "29.2, 23.5, 17.5 iterations a step with extrapolation of order 0, 1, 2"},
      fmt::format("{:.2f}, {:.2f}, {:.2f}", means[0], means[1], means[2]),
      std::fabs(means[0] - 29.2) < 0.06 && std::fabs(means[1] - 23.5) < 0.06 && std::fabs(means[2] - 17.5) < 0.06);
}

TEST(AddedMassExamples, FactorsSteeredToTheToleranceOfTheirGroupSaveMost) {
  struct Row {
    double addedMass;
    std::array<double, 3> iterations;  // extrapolation of order 0, 1, 2
  };
  std::string obtained;
  bool near = true;
  for (const Row& row : {Row{0.2, {5.4, 4.7, 4.5}}, Row{4.0, {6.1, 5.8, 5.5}}}) {
    for (std::size_t order = 0; order < 3; ++order) {
      const double mean =
          meanIterations(coupled("relaxed", row.addedMass, "algorithm.predictor", static_cast<double>(order)));
      near = near && std::fabs(mean - row.iterations[order]) < 0.06;
      obtained += fmt::format("{:.2f} ", mean);
    }
  }
  showFigure({"jung 6", "relaxed", "L/NL(1,a): 5.4, 4.7, 4.5 iterations a step with 0.2 kg, 6.1, 5.8, 5.5 with 4 kg"},
             obtained, near);
}

/// Root mean square of the estimated error of the extrapolated force.
double estimated(const ExampleRun& run) {
  for (const nlohmann::json& connection : run.statistics.at("connections"))
    if (connection.at("from") == "fluid.f") return connection.at("error_rms").get<double>();
  return NAN;
}

TEST(AddedMassExamples, WhatExtrapolationMissesIsEstimated) {
  constexpr double kMass = 0.1;  // kg, stable with both orders
  const double w = angularFrequency(kMass);
  // f = m_f w^2 cos(w t) less the extrapolation of order p are its differences of order p + 1.
  const auto missed = [&](int order) {
    return kMass * w * w * std::pow(2.0 * std::sin(w * kStep / 2.0), order + 1) / std::numbers::sqrt2;
  };
  const double constant = estimated(coupled("loose", kMass, "algorithm.degree", 0));
  const double linear = estimated(coupled("loose", kMass, "algorithm.degree", 1));
  showFigure({"jung 6", "estimate",
              fmt::format("RMS of what extrapolation of order 0 and 1 misses, {:.3g} and {:.3g} N, within 5 %",
                          missed(0), missed(1))},
             fmt::format("{:.3g} and {:.3g} N", constant, linear),
             std::fabs(constant / missed(0) - 1.0) < 0.05 && std::fabs(linear / missed(1) - 1.0) < 0.05);
}

TEST(AddedMassExamples, AProgramWithRestartFilesDoesTheSame) {
  const std::vector<std::string> longSteps{"--set", "simulation.step=0.05", "--set", "simulation.end=1.0"};
  const ExampleRun strong = runExample("added-mass/program-relaxed");
  const ExampleRun inProcess = runExample("added-mass/relaxed", longSteps);
  ASSERT_EQ(strong.command.exitCode, 0) << strong.command.errors;
  test::Largest largest;
  for (std::size_t row = 0; row < strong.table.time.size(); ++row)
    largest.see(std::fabs(strong.of("structure.x").at(row) - inProcess.of("structure.x").at(row)));
  EXPECT_GT(strong.evaluations(), 60) << "every step is repeated";
  showAtMost({"jung 5", "program", "strong coupling of a transient program: within 1e-8 m of the run in process"},
             largest, 1e-8);
  const ExampleRun loose = runExample("added-mass/program-loose");
  EXPECT_EQ(loose.stepCalls(), "20/20");
  const auto largestForce = [](const ExampleRun& run) {
    return std::ranges::max(run.of("fluid.f"), {}, [](double f) { return std::fabs(f); });
  };
  showFigure({"jung 5", "program-loose", "loose coupling of a transient program: unstable for 0.6 kg"},
             fmt::format("largest force {:.3g} N, strong {:.3g} N", std::fabs(largestForce(loose)),
                         std::fabs(largestForce(strong))),
             std::fabs(largestForce(loose)) > 10.0 * std::fabs(largestForce(strong)));
}

}  // namespace
}  // namespace koppla::test::added_mass_test
