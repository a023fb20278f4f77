// examples/dynamic-static: static solvers that another subsystem's integrator calls (Schmoll, part II).

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/figure.hpp"

namespace koppla::test::dynamic_static_test {
namespace {

TEST(DynamicStaticExamples, OscillatorWithItsSpringInAnFmuMovesAsInTheNote) {
  const ExampleRun run = runExample("dynamic-static/fmu", {"--set", "results.variables=[\"*\"]"});
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

/// The rows of Schmoll's table 5.1 from study.csv: the column of a name, one number for each run.
std::vector<double> column(const std::string& csv, const std::string& name) {
  std::vector<double> values;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto place =
      std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(line.find("\"" + name + "\"")), ',');
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    for (std::ptrdiff_t i = 0; i <= place; ++i) std::getline(fields, field, ',');
    values.push_back(std::stod(field));
  }
  return values;
}

TEST(DynamicStaticExamples, AStudyTellsWhatTheLongestStepCosts) {
  const ExampleStudy study = runStudy("dynamic-static/longest-step");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  const std::vector<double> accepted = column(study.rows, "micro_steps"), calls = column(study.rows, "static_calls"),
                            repeated = column(study.rows, "rejected_micro_steps"),
                            iterations = column(study.rows, "corrector_iterations"),
                            sides = column(study.rows, "right_hand_sides"), errors = column(study.rows, "error");
  ASSERT_EQ(accepted.size(), 4U) << study.rows;
  bool consistent = true;
  for (std::size_t i = 0; i < 4; ++i) {
    // P: a call for each attempt; six for each of the four first steps, which are no attempts, and one at the start.
    consistent = consistent && calls[i] == accepted[i] - 4.0 + repeated[i] + 25.0;
    consistent = consistent && sides[i] > iterations[i] && iterations[i] >= accepted[i] - 4.0;
    if (i > 0) consistent = consistent && calls[i] < calls[i - 1];
    EXPECT_LT(errors[i], 1e-5) << i;
  }
  showFigure({"schmoll R58", "table",
              "right-hand sides, accepted and repeated steps, iterations and calls over h_max in study.csv; calls = "
              "accepted + repeated after the start, fewer with longer steps"},
             fmt::format("calls {} {} {} {}", calls[0], calls[1], calls[2], calls[3]), consistent);
}

TEST(DynamicStaticExamples, ThePredictorOnTheOilFilmHasTheResultOfTheFullFormAtHalfTheCalls) {
  const ExampleRun predictor = runExample("dynamic-static/rotor");
  const ExampleRun full = runExample("dynamic-static/rotor", {"--set", "bearing.static_coupling=full"});
  const auto calls = [](const ExampleRun& run) {
    return run.statistics.at("subsystems").at(0).at("static_calls").get<int>();
  };
  EXPECT_LE(2 * calls(predictor), calls(full));
  EXPECT_NEAR(predictor.of("rotor.eps").back(), full.of("rotor.eps").back(), 1e-7);
}

TEST(DynamicStaticExamples, FmusInsidePassTheCheck) {
  const CommandResult check = checkExample("dynamic-static/fmu");
  EXPECT_EQ(check.exitCode, 0) << check.errors;
  EXPECT_EQ(check.errors, "");
}

}  // namespace
}  // namespace koppla::test::dynamic_static_test
