// examples/programs. Two programs behind files do what the same models do in process.

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

/// The largest difference of two histories, relative to the value.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  test::Largest largest;
  for (std::size_t i = 0; i < a.size(); ++i) largest.see(std::fabs(a[i] - b[i]) / std::fabs(b[i]));
  return largest;
}

ExampleRun inProcessRun() {
  return runExample("wall-radiation/unrelaxed", {"--set", "conduction.lambda=6.5"});
}

TEST(ProgramExamples, TheIterationsAreThoseInProcess) {
  const ExampleRun behindFiles = runExample("programs/unrelaxed");
  const ExampleRun inProcess = inProcessRun();
  ASSERT_EQ(behindFiles.command.exitCode, 0) << behindFiles.command.errors;
  showEqual({"jung 1", "count", "58 iterations"}, behindFiles.evaluations(), 58);
  EXPECT_EQ(inProcess.evaluations(), 58);
  test::Largest largest;
  for (const char* value : {"conduction.T1", "radiation.q"})
    largest.see(distance(behindFiles.iterated(value), inProcess.iterated(value)));
  showAtMost({"jung 1", "history", "at most 1e-12 from the history in process"}, largest, 1e-12);
  EXPECT_NEAR(behindFiles.of("conduction.T1").back(), 378.9591, 2e-4);
  EXPECT_NEAR(behindFiles.of("radiation.q").back(), 7867.66, 2e-2);
}

TEST(ProgramExamples, UnderJacobiTheyDoNotSeeEachOthersNewAnswers) {
  const std::vector<std::string> jacobi{"--set", "algorithm.kind=iterated-jacobi", "--set", "conduction.lambda=11"};
  const ExampleRun behindFiles = runExample("programs/unrelaxed", jacobi);
  const ExampleRun inProcess = runExample("wall-radiation/unrelaxed", jacobi);
  ASSERT_EQ(behindFiles.command.exitCode, 0) << behindFiles.command.errors;
  ASSERT_EQ(inProcess.command.exitCode, 0) << inProcess.command.errors;
  EXPECT_EQ(behindFiles.evaluations(), inProcess.evaluations());
  EXPECT_LE(distance(behindFiles.iterated("radiation.q"), inProcess.iterated("radiation.q")), 1e-12);
}

TEST(ProgramExamples, CallsAndTheirTimeAreCounted) {
  const ExampleRun run = runExample("programs/unrelaxed", {"--set", "conduction.lambda=11"});
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  bool counted = true;
  for (const nlohmann::json& subsystem : run.statistics.at("subsystems"))
    counted = counted && subsystem.at("step").at("count").get<int>() == run.evaluations() &&
              subsystem.at("step").at("seconds").get<double>() > 0.0;
  showFigure({"jung 14", "calls", "as many calls of each program as iterations, with their time"},
             fmt::format("{} iterations, calls {}", run.evaluations(), run.stepCalls()), counted);
}

TEST(ProgramExamples, ServicesGiveTheSameIterations) {
  const ExampleRun services = runExample("programs/service");
  const ExampleRun inProcess = inProcessRun();
  ASSERT_EQ(services.command.exitCode, 0) << services.command.errors;
  EXPECT_EQ(services.evaluations(), 58);
  EXPECT_LE(distance(services.iterated("radiation.q"), inProcess.iterated("radiation.q")), 1e-12);
}

/// A plate that cools by radiation, one implicit Euler step.
double cooled(double before) {
  const auto defect = [before](double T) {
    const double q = 5.67e-8 * 0.8 * (std::pow(T + 273.15, 4) - std::pow(293.15, 4));
    return T - before + q * 60.0 / 2e4;
  };
  double low = 0.0;
  double high = before;  // the defect rises with the temperature
  for (int i = 0; i < 100; ++i) (defect(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(ProgramExamples, ATransientProgramIsIteratedFromItsRestartFile) {
  const ExampleRun run = runExample("programs/transient");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const std::vector<double>& temperature = run.of("plate.T");
  ASSERT_EQ(temperature.size(), 11U);
  double expected = 500.0;
  for (std::size_t step = 1; step < temperature.size(); ++step) {
    expected = cooled(expected);
    EXPECT_NEAR(temperature[step], expected, 1e-6) << "step " << step;
  }
}

TEST(ProgramExamples, AFailingProgramEndsTheRunWithItsOwnWords) {
  const core::TemporaryFolder folder("example");
  const CommandResult run = command({"run", (examplesFolder() / "programs/unrelaxed.toml").string(), "--folder",
                                     (folder.path() / "run").string(), "--set", "conduction.lambda=-1"});
  EXPECT_EQ(run.exitCode, 3) << run.errors;
  EXPECT_THAT(run.errors,
              testing::AllOf(testing::HasSubstr("The program 'conduction' failed in step"),
                             testing::HasSubstr("exit status 1"), testing::HasSubstr("wall: no conductivity")));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run/programs/conduction/s000000/i001/wall.inp"));
}

}  // namespace
}  // namespace koppla::test
