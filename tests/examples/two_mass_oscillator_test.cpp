// examples/two-mass-oscillator: Schmoll's linear test model (sec. 2.2), cut in all ways of sec. 2.3. Obtained must be
// the exact solution exp(A t) z(0) (2.13), with an error of order p + 1 in the macro step.

#include <cmath>

#include <gtest/gtest.h>

#include "example_run.hpp"

namespace koppla::test::two_mass_oscillator_test {
namespace {

constexpr double kExact = -0.45424153929;  // m, x1 at 0.1 s

double errorOf(const std::string& project, const std::vector<std::string>& arguments = {}) {
  const ExampleRun run = runExample("two-mass-oscillator/" + project, arguments);
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_DOUBLE_EQ(run.table.time.back(), 0.1);
  return std::fabs(run.of("s1.x").back() - kExact);
}

TEST(TwoMassOscillatorExamples, EveryDecompositionHasTheOrderOfItsPolynomials) {
  for (const std::string decomposition :
       {"force-force", "force-displacement", "displacement-force", "displacement-displacement"}) {
    for (const int degree : {1, 2, 3}) {
      const auto error = [&](const std::string& step) {
        return errorOf("force-displacement", {"--set", "link.decomposition=" + decomposition, "--set",
                                              "algorithm.degree=" + std::to_string(degree), "--step", step});
      };
      EXPECT_NEAR(std::log2(error("1e-5") / error("5e-6")), degree + 1.0, 0.1) << decomposition << " " << degree;
    }
  }
}

TEST(TwoMassOscillatorExamples, FilesDifferByOneWordAndGiveWhatTheReadmeSays) {
  EXPECT_NEAR(errorOf("force-displacement"), 7.8e-6, 0.1e-6);
  EXPECT_NEAR(errorOf("force-force"), 3.6e-6, 0.1e-6);
  EXPECT_NEAR(errorOf("displacement-displacement"), 1.5e-6, 0.1e-6);
}

TEST(TwoMassOscillatorExamples, AMasterTakesStepsOfItsOwn) {
  const ExampleRun run = runExample("two-mass-oscillator/master-slave");
  EXPECT_EQ(run.stepCalls(), "10000/10000");  // 0.1 s in steps of 1e-5 s
  EXPECT_LT(std::fabs(run.of("s1.x").back() - kExact), 1e-5);
}

TEST(TwoMassOscillatorExamples, StepControlKeepsTheErrorNearItsTolerance) {
  // The local tolerance is 1e-4; over 23 periods of the faster mode the global error stays near it.
  EXPECT_LT(errorOf("predictor-corrector"), 1e-3);
  EXPECT_LT(errorOf("predictor-corrector", {"--set", "step_control.atol=1e-6", "--set", "step_control.rtol=1e-6"}),
            0.1 * errorOf("predictor-corrector"));
}

}  // namespace
}  // namespace koppla::test::two_mass_oscillator_test
