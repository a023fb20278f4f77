// examples/wall-radiation. Iterations, results and the three ways to end are those of Jung's models lin and B480.

#include <cmath>

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

TEST(WallRadiationExamples, ASmallFactorIsNotTakenForConvergence) {
  const ExampleRun run = runExample("wall-radiation/constant", {"--set", "acceleration.factor=1e-9"});
  const double change = 1e-9 * run.iterated("radiation.q.residual").front();
  ASSERT_LT(change, 1e-6 * run.iterated("radiation.q").front()) << "what is sent hardly changes";
  showFigure({"jung 3", "check-on-unrelaxed", "factor 1e-9: no convergence within 250 iterations, exit code 4"},
             fmt::format("exit code {} after {} iterations", run.command.exitCode, run.evaluations()),
             run.command.exitCode == 4 && run.evaluations() == 250);
}

TEST(WallRadiationExamples, ResultsAreCheckedFirstAndRelaxedThen) {
  const ExampleRun run = runExample("wall-radiation/constant", {"--set", "acceleration.factor=0.7"});
  const std::vector<double>& answered = run.iterated("radiation.q");
  const std::vector<double>& residual = run.iterated("radiation.q.residual");
  const std::vector<double>& T1 = run.iterated("conduction.T1");
  bool inOrder = run.words("ending").back() == "converged" && answered.back() == run.of("radiation.q").back();
  for (std::size_t i = 0; i < answered.size(); ++i) {
    const double sent = answered[i] - residual[i];
    // Run and read: conduction answers what was sent, radiation the answer of conduction.
    inOrder = inOrder && std::fabs(T1[i] - (500.0 - sent * 0.1 / 5.0)) < 1e-9;
    const double T = T1[i] + 273.15, U = 293.15;
    inOrder = inOrder && std::fabs(answered[i] / (5.67e-8 * 0.8 * (T * T * T * T - U * U * U * U)) - 1.0) < 1e-12;
    // Check, with what was computed.
    const bool last = i + 1 == answered.size();
    inOrder = inOrder && (std::fabs(residual[i]) <= 1e-6 * std::fabs(answered[i])) == last;
    // Stabilise: what the next iteration sends.
    if (!last) inOrder = inOrder && std::fabs(answered[i + 1] - residual[i + 1] - (sent + 0.7 * residual[i])) < 1e-8;
  }
  showFigure({"jung 3", "order", "run, read, check, stabilise in each of 15 iterations; the unrelaxed answer is kept"},
             fmt::format("{} iterations, {}", answered.size(), inOrder ? "in order" : "not in order"),
             inOrder && answered.size() == 15);
}

}  // namespace
}  // namespace koppla::test::wall_radiation_test
