// examples/dynamic-static: static solvers that another subsystem's integrator calls (Schmoll, part II).

#include <gtest/gtest.h>

#include "example_run.hpp"

namespace koppla::test {
namespace {

TEST(DynamicStaticExamples, OscillatorWithItsSpringInAnFmuMovesAsInTheNote) {
  const ExampleRun run = runExample("dynamic-static/fmu");
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  // Recomputed independently of Koppla: the variable-step BDF of order 4 with tol = 1e-6 takes 2514 steps and
  // 2974 calls, repeated steps included, and has a normalised error of 8.4e-4. 2 m and 5000 m/s are the amplitudes.
  EXPECT_NEAR(run.statistics.at("accepted_steps").get<double>(), 2514.0, 0.03 * 2514.0);
  EXPECT_NEAR(run.statistics.at("subsystems").at(0).at("static_calls").get<double>(), 2974.0, 0.03 * 2974.0);
  EXPECT_NEAR(run.of("body.x").back(), 1.051364086957, 3.0 * 8.4e-4 * 2.0);
  EXPECT_NEAR(run.of("body.v").back(), 522.541102409, 3.0 * 8.4e-4 * 5000.0);
  EXPECT_EQ(run.table.time.back(), 0.05);
  EXPECT_EQ(run.of("spring.f"), run.of("body.f"));
}

TEST(DynamicStaticExamples, FmusInsidePassTheCheck) {
  const CommandResult check = checkExample("dynamic-static/fmu");
  EXPECT_EQ(check.exitCode, 0) << check.errors;
  EXPECT_EQ(check.errors, "");
}

}  // namespace
}  // namespace koppla::test
