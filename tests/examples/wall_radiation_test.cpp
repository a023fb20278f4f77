// examples/wall-radiation. Iterations, results and the three ways to end are those of Jung's models lin and B480.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/figure.hpp"

namespace koppla::test::wall_radiation_test {
namespace {

void expectLin5(const ExampleRun& run, int iterations) {
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_EQ(run.evaluations(), iterations);
  EXPECT_NEAR(run.of("conduction.T1").back(), 360.4730, 2e-4);
  EXPECT_NEAR(run.of("radiation.q").back(), 6976.35, 1e-2);
}

TEST(WallRadiationExamples, EveryAccelerationNeedsItsIterations) {
  const ExampleRun unrelaxed = runExample("wall-radiation/unrelaxed");
  expectLin5(unrelaxed, 180);
  EXPECT_NEAR(unrelaxed.iterated("radiation.q.K").back(), -0.9231, 1e-4);
  expectLin5(runExample("wall-radiation/constant"), 6);
  expectLin5(runExample("wall-radiation/constant", {"--set", "acceleration.factor=0.7"}), 15);
  expectLin5(runExample("wall-radiation/aitken"), 7);
  expectLin5(runExample("wall-radiation/adaptive"), 10);
  const ExampleRun chosen = runExample("wall-radiation/default");
  expectLin5(chosen, chosen.evaluations());
  EXPECT_LE(chosen.evaluations(), 10);
}

TEST(WallRadiationExamples, ADivergentLoopIsStabilised) {
  const ExampleRun unrelaxed = runExample("wall-radiation/b480-unrelaxed");
  EXPECT_EQ(unrelaxed.command.exitCode, 4) << unrelaxed.command.errors;
  EXPECT_NE(unrelaxed.command.errors.find("alternating-divergent"), std::string::npos) << unrelaxed.command.errors;
  const ExampleRun chosen = runExample("wall-radiation/b480");
  ASSERT_EQ(chosen.command.exitCode, 0) << chosen.command.errors;
  EXPECT_LE(chosen.evaluations(), 15);
  EXPECT_NEAR(chosen.of("conduction.T1").back(), 404.2160, 2e-4);
  EXPECT_NEAR(chosen.of("radiation.q").back(), 4789.198, 1e-2);
  const auto accelerated = [](const std::string& kind) {
    return runExample("wall-radiation/b480-unrelaxed", {"--set", "acceleration.kind=" + kind}).evaluations();
  };
  EXPECT_EQ(accelerated("aitken"), 8);
  EXPECT_EQ(accelerated("adaptive"), 12);
}

/// lambda = 6.5 with a constant factor, at most 250 iterations.
ExampleRun lin65(const std::string& factor, const std::string& growth) {
  return runExample("wall-radiation/constant",
                    {"--set", "conduction.lambda=6.5", "--set", "acceleration.factor=" + factor, "--set",
                     "algorithm.explosion_growth=" + growth});
}

TEST(WallRadiationExamples, OverflowCapAndConvergenceAreDifferentEnds) {
  const ExampleRun overflow = lin65("1.38", "0");
  showFigure({"jung 12", "overflow-status", "exit code 5, not finite in iteration 16"},
             fmt::format("exit code {}, {} in iteration {}", overflow.command.exitCode,
                         overflow.statistics.at("outcome").get<std::string>(), overflow.evaluations()),
             overflow.command.exitCode == 5 && overflow.statistics.at("outcome") == "not finite" &&
                 overflow.evaluations() == 16);
  EXPECT_NE(overflow.command.errors.find("'radiation.q' is not finite"), std::string::npos) << overflow.command.errors;

  const ExampleRun explosion = lin65("1.38", "1e6");  // the default notices the growth before the overflow
  EXPECT_EQ(explosion.command.exitCode, 5) << explosion.command.errors;
  EXPECT_EQ(explosion.statistics.at("outcome"), "exploded");
  EXPECT_LT(explosion.evaluations(), 16);

  const ExampleRun cap = lin65("1.36", "1e6");
  showFigure({"jung 12", "cap-status", "exit code 4 after 250 iterations"},
             fmt::format("exit code {} after {} iterations", cap.command.exitCode, cap.evaluations()),
             cap.command.exitCode == 4 && cap.evaluations() == 250);

  const ExampleRun converged = lin65("1.05", "1e6");
  showFigure({"jung 12", "converged-status", "exit code 0 after 99 iterations"},
             fmt::format("exit code {} after {} iterations", converged.command.exitCode, converged.evaluations()),
             converged.command.exitCode == 0 && converged.evaluations() == 99);
  EXPECT_NEAR(converged.of("conduction.T1").back(), 378.9591, 2e-4);
}

}  // namespace
}  // namespace koppla::test::wall_radiation_test
