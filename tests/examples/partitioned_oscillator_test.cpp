// examples/partitioned-oscillator. Errors are taken at the communication points, where they are at most the largest
// ones over all micro steps that the benchmark gives.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"

namespace koppla::test::partitioned_oscillator_test {
namespace {

double largestError(const ExampleRun& run) {
  using std::numbers::pi;
  test::Largest largest;
  for (std::size_t i = 0; i < run.table.time.size(); ++i) {
    const double t = run.table.time[i];
    const double exact = 0.5 * (std::cos(2.0 * pi * t) + std::cos(6.0 * pi * t));
    largest.see(std::fabs(run.of("first.x")[i] - exact));
  }
  return largest;
}

TEST(PartitionedOscillatorExamples, CubicSplinesHaveThePublishedErrors) {
  struct Entry {
    const char* step;
    double error;       // m
    double iterations;  // per step
  };
  for (const Entry& entry : {Entry{"0.04", 3.017e-5, 4.0}, Entry{"0.02", 1.875e-6, 4.0}, Entry{"0.01", 1.168e-7, 3.4},
                             Entry{"0.005", 7.292e-9, 3.0}}) {
    const ExampleRun run = runExample("partitioned-oscillator/waveform", {"--step", entry.step});
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    const double error = largestError(run);
    EXPECT_LT(error, 1.001 * entry.error) << entry.step;
    EXPECT_GT(error, 0.95 * entry.error) << entry.step;
    EXPECT_NEAR(run.evaluations() / run.statistics.at("accepted_steps").get<double>(), entry.iterations, 0.05)
        << entry.step;
  }
}

TEST(PartitionedOscillatorExamples, StraightLinesHaveThePublishedErrors) {
  for (const auto& [step, error] : {std::pair{"0.04", 6.220e-3}, std::pair{"0.02", 1.557e-3},
                                    std::pair{"0.01", 3.889e-4}, std::pair{"0.005", 9.721e-5}}) {
    const ExampleRun run =
        runExample("partitioned-oscillator/waveform", {"--step", step, "--set", "algorithm.degree=1"});
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    EXPECT_NEAR(largestError(run) / error, 1.0, 0.01) << step;
  }
}

TEST(PartitionedOscillatorExamples, LinesAreOfOrderTwoAndSplinesOfOrderFour) {
  const ExampleStudy study = runStudy("partitioned-oscillator/orders");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  const std::vector<double> slopes = study.slopes();
  ASSERT_EQ(slopes.size(), 2U) << study.fits;
  EXPECT_NEAR(slopes[0], 2.0, 0.05);
  EXPECT_NEAR(slopes[1], 4.0, 0.05);
}

}  // namespace
}  // namespace koppla::test::partitioned_oscillator_test
