// examples/oscillator: x1 = cos(3 t), x2 = -cos(3 t). Values that are held over a step act as if they were late (or
// early) by multiples of h/2, which is a damping to leading order in h; the README derives its rate for each algorithm.
// Obtained must be the amplitude e^(rate h T).

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "example_run.hpp"

namespace koppla::test::oscillator_test {
namespace {

struct Rate {
  std::string project;
  std::string algorithm;
  double rate;  ///< 1/s per second of step: the amplitude is e^(rate h t)
};

/// ln(amplitude) / (h T) at the end of a run.
double obtainedRate(const Rate& expected) {
  std::vector<std::string> arguments{"--set", "algorithm.kind=" + expected.algorithm};
  if (expected.algorithm.starts_with("iterated") || expected.algorithm == "newton")
    arguments.insert(arguments.end(), {"--set", "algorithm.rtol=1e-9", "--set", "algorithm.atol=1e-9"});
  const ExampleRun run = runExample("oscillator/" + expected.project, arguments);
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_DOUBLE_EQ(run.table.time.back(), 2.0 * std::numbers::pi);

  const bool whole = expected.project == "two-masses";
  const auto last = [&run](const std::string& name) { return run.of(name).back(); };
  const double x = (last(whole ? "mass1.x" : "mass.x") - last(whole ? "mass2.x" : "half.x2")) / 2.0;
  const double v = (last(whole ? "mass1.v" : "mass.v") - last(whole ? "mass2.v" : "half.v2")) / 2.0;
  const double h = 1e-3;
  return std::log(std::hypot(x, v / 3.0)) / (h * run.table.time.back());
}

TEST(OscillatorExamples, GrowOrDecayAtTheRateOfTheirDelay) {
  const std::vector<Rate> all{{"two-masses", "jacobi", 6.0},
                              {"two-masses", "gauss-seidel", 2.0},
                              {"two-masses", "iterated-gauss-seidel", -2.0},
                              {"two-masses", "newton", -2.0},
                              {"force-displacement", "jacobi", 2.5},
                              {"force-displacement", "gauss-seidel", 0.5},
                              {"force-displacement", "iterated-gauss-seidel", -1.5},
                              {"force-displacement", "newton", -1.5}};
  for (const Rate& expected : all)
    EXPECT_NEAR(obtainedRate(expected), expected.rate, 0.02) << expected.project << " " << expected.algorithm;
}

TEST(OscillatorExamples, TheErrorIsOfFirstOrder) {
  const auto error = [](const std::string& step) {
    return std::fabs(runExample("oscillator/two-masses", {"--step", step}).of("mass1.x").back() - 1.0);
  };
  EXPECT_NEAR(error("0.001") / error("0.0001"), 10.0, 0.1);
}

}  // namespace
}  // namespace koppla::test::oscillator_test
