// examples/exhaust-tract. Iterations are those of the notes, sec. 9.5, by the error of all rotations against the direct
// solution.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/exhaust.hpp"
#include "support/figure.hpp"

namespace koppla::test::exhaust_tract_test {
namespace {

double iterationsTo1e6(const ExampleRun& run) {
  static const Exhaust::Field exact = Exhaust().coupledRotations();
  std::vector<double> errors(run.history.time.size());
  std::vector<Exhaust::Field> rotations(errors.size(), Exhaust::Field(Exhaust::kValues));
  for (std::size_t k = 0; k < Exhaust::kValues; ++k) {
    const std::vector<double>& real = run.iterated(fmt::format("structure.theta[{}]", 2 * k + 1));
    const std::vector<double>& imaginary = run.iterated(fmt::format("structure.theta[{}]", 2 * k + 2));
    for (std::size_t i = 0; i < errors.size(); ++i) rotations[i][k] = {real[i], imaginary[i]};
  }
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = meanError(rotations[i], exact);
  return iterationsTo(1e-6, errors);
}

TEST(ExhaustTractExamples, NeedTheIterationsOfTheNote) {
  const ExampleRun unrelaxed = runExample("exhaust-tract/unrelaxed");
  const ExampleRun adaptive = runExample("exhaust-tract/adaptive");
  ASSERT_EQ(adaptive.command.exitCode, 0) << adaptive.command.errors;
  const double many = iterationsTo1e6(unrelaxed), few = iterationsTo1e6(adaptive);
  showFigure({"jung 30", "run", "62 and 25 iterations to 1e-6"}, fmt::format("{} and {}", many, few),
             many == 62.0 && few == 25.0);
  const ExampleRun chosen = runExample("exhaust-tract/default");
  ASSERT_EQ(chosen.command.exitCode, 0) << chosen.command.errors;
  showAtMost({"jung 30", "run-default", "at most 25 iterations to 1e-6 with no setting"}, iterationsTo1e6(chosen),
             25.0);
  // 117.5 Hz, second rotation of the second body, which the rotors halve.
  const double real = chosen.of("structure.theta[549]").back(), imaginary = chosen.of("structure.theta[550]").back();
  EXPECT_NEAR(std::hypot(real, imaginary), 2.55447e-3, 1e-7);
}

}  // namespace
}  // namespace koppla::test::exhaust_tract_test
