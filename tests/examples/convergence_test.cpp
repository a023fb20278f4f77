// examples/convergence: held values are of first order whatever the algorithm; the error of the oscillator per second
// of step follows from the delays that examples/oscillator/README.md derives.

#include <gtest/gtest.h>

#include "example_run.hpp"

namespace koppla::test::convergence_test {
namespace {

TEST(ConvergenceExamples, TheOscillatorIsOfFirstOrderByEveryAlgorithm) {
  const ExampleStudy study = runStudy("convergence/oscillator");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  EXPECT_EQ(study.command.errors, "");
  const std::vector<double> found = study.slopes();
  ASSERT_EQ(found.size(), 3U) << study.fits;
  for (const double slope : found) EXPECT_NEAR(slope, 1.0, 0.1);
  EXPECT_EQ(study.rowsWith("\"jacobi\",1,\"unstable\""), 1U) << study.rows;
  EXPECT_EQ(study.rowsWith(",0.001,\"ok\""), 3U) << study.rows;
  const double jacobi = study.errorOf("\"jacobi\",0.001,\"ok\",");
  EXPECT_NEAR(study.errorOf("\"newton\",0.001,\"ok\",") / jacobi, 1.5 / 2.5, 0.05);
  EXPECT_NEAR(study.errorOf("\"gauss-seidel\",0.001,\"ok\",") / jacobi, 0.5 / 2.5, 0.05);
}

TEST(ConvergenceExamples, PredatorAndPreyAreOfFirstOrderAsWell) {
  const ExampleStudy study = runStudy("convergence/lotka-volterra");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  const std::vector<double> found = study.slopes();
  ASSERT_EQ(found.size(), 2U) << study.fits;
  EXPECT_NEAR(found[0], 1.0, 0.15) << "Jacobi's cycle has grown too far for its first order to be seen sharply";
  EXPECT_NEAR(found[1], 1.0, 0.05);
}

TEST(ConvergenceExamples, TheTwoMassOscillatorHasTheOrderOfItsPolynomials) {
  const ExampleStudy study = runStudy("convergence/two-mass-oscillator");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  const std::vector<double> found = study.slopes();
  ASSERT_EQ(found.size(), 4U) << study.fits;
  // Degree 0 is next to its stability limit here, 1.4e-5 s, where its slope is steeper.
  for (std::size_t degree = 1; degree < 4; ++degree) EXPECT_NEAR(found[degree], 1.0 + double(degree), 0.02);
}

}  // namespace
}  // namespace koppla::test::convergence_test
