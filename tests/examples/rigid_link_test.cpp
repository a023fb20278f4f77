// examples/rigid-link: Lu's two-mass oscillator with a rigid link (sec. 3.1), of FMUs. Obtained must be what the
// methods give with exact integration, recomputed independently of Koppla, and the exact solution: one mass of 3 kg.

#include <cmath>

#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::rigid_link_test {
namespace {

ExampleRun runLink(const std::string& project, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> arguments;
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  ExampleRun run = runExample("rigid-link/" + project, arguments);
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_EQ(run.table.time.size(), 1001U);
  return run;
}

double largest(const std::vector<double>& values) {
  test::Largest result;
  for (const double value : values) result.see(std::fabs(value));
  return result;
}

struct Motion {
  double x, v, lambda;
};

/// (m1 + m2) x'' + (d1 + d2) x' + (c1 + c2) x = 0 from x = 0 with 100 m/s; the force on the first mass.
Motion exact(double t) {
  const double delta = 10.0 / 3.0;
  const double omega = std::sqrt(2000.0 / 3.0 - delta * delta);
  const double x = 100.0 / omega * std::exp(-delta * t) * std::sin(omega * t);
  const double v = 100.0 * std::exp(-delta * t) * std::cos(omega * t) - delta * x;
  return {x, v, 2.0 / 3.0 * (500.0 * x + 5.0 * v)};
}

/// sqrt(sum of squared errors / sum of squared exact values) over all macro points.
double relativeError(const ExampleRun& run, const std::string& variable, double Motion::*quantity) {
  double errors = 0.0;
  double values = 0.0;
  for (std::size_t i = 0; i < run.table.time.size(); ++i) {
    const double right = exact(run.table.time[i]).*quantity;
    errors += std::pow(run.of(variable)[i] - right, 2);
    values += right * right;
  }
  return std::sqrt(errors / values);
}

struct Row {
  std::string project;
  std::vector<std::string> settings;
  Motion at01;  ///< s1.x, s1.v, rod.lambda at 0.1 s
};

TEST(RigidLinkExamples, HaveTheValuesOfExactIntegration) {
  // Marker and joint of "weighted-multipliers" do for the first two methods.
  const std::string file = "weighted-multipliers";
  const std::vector<Row> rows{
      {file,
       {"algorithm.degree=0", "rod.method=baumgarte", "rod.beta=0"},
       {1.5364960873, -65.0053006902, 311.21744759}},
      {"baumgarte", {}, {1.5364922299, -65.0072450092, 307.28384213}},
      {file,
       {"algorithm.degree=0", "rod.method=baumgarte", "rod.beta=2e-3", "rod.gamma=1e-6"},
       {1.5364806577, -65.0071879244, 307.28217162}},
      {file, {"rod.method=baumgarte", "rod.beta=2e-3", "rod.gamma=1e-6"}, {1.5364961003, -65.0092336195, 295.47120184}},
      {file, {"algorithm.degree=0", "rod.acceleration_weight=0"}, {1.5364951281, -65.0072585538, 307.28426326}},
      {file, {"algorithm.degree=0"}, {1.5364893508, -65.0072227873, 307.28345489}},
      {file, {}, {1.5364960886, -65.0092346666, 295.47119545}},
      {"stabilised-index-2", {}, {1.5364760809, -65.0091735482, 307.25762640}}};
  test::Largest worst;
  for (const Row& row : rows) {
    const ExampleRun run = runLink(row.project, row.settings);
    worst.see(std::fabs(run.at("s1.x", 0.1) / row.at01.x - 1.0), std::fabs(run.at("s1.v", 0.1) / row.at01.v - 1.0),
              std::fabs(run.at("rod.lambda", 0.1) / row.at01.lambda - 1.0));
  }
  showAtMost({"lu R23", "fmus", "values of all 8 tabulated methods to 1e-8 relative, subsystems in FMUs"}, worst, 1e-8);
}

TEST(RigidLinkExamples, Method3HasNeitherGapNorDifferenceOfVelocities) {
  const ExampleRun run = runLink("stabilised-index-2");
  showAtMost({"lu R17", "fmus-position", "|x2 - x1| <= 1e-12 m at every macro point, FMUs"},
             largest(run.of("rod.position_defect")), 1e-12);
  showAtMost({"lu R17", "fmus-velocity", "|v2 - v1| <= 1e-11 m/s at every macro point, FMUs"},
             largest(run.of("rod.velocity_defect")), 1e-11);
  for (std::size_t i = 0; i < run.table.time.size(); ++i)  // the joint says what the masses do
    ASSERT_EQ(run.of("rod.position_defect")[i], run.of("s1.x")[i] - run.of("s2.x")[i]);
}

TEST(RigidLinkExamples, DefectsAndErrorsAreThoseOfTheReadme) {
  const auto expect = [](const std::string& project, double position, double velocity, double x, double v) {
    const ExampleRun run = runLink(project);
    const auto isNear = [&project](double obtained, double expected) {
      EXPECT_NEAR(obtained, expected, 0.03 * expected) << project;
    };
    isNear(relativeError(run, "s1.x", &Motion::x), x);
    isNear(relativeError(run, "s1.v", &Motion::v), v);
    if (position > 0.0) isNear(largest(run.of("rod.position_defect")), position);
    if (velocity > 0.0) isNear(largest(run.of("rod.velocity_defect")), velocity);
  };
  expect("baumgarte", 7.0e-6, 3.5e-3, 1.5e-6, 2.7e-5);
  expect("weighted-multipliers", 1.6e-8, 9.2e-6, 3.3e-9, 8.8e-9);
  expect("stabilised-index-2", 0.0, 0.0, 1.8e-5, 1.9e-5);
}

TEST(RigidLinkExamples, ForcesOfHigherDegreeAreRightAtMacroPoints) {
  const auto error = [](const std::string& project) {
    const ExampleRun run = runLink(project);
    test::Largest worst;
    for (std::size_t i = 20; i < run.table.time.size(); ++i)  // 20 ms for the start
      worst.see(std::fabs(run.of("rod.lambda")[i] - exact(run.table.time[i]).lambda));
    return worst;
  };
  // Held over a step, a force is its mean: half a step late at the end of it, by H/2 times its rate.
  EXPECT_NEAR(error("baumgarte"), 11.84, 0.12);
  EXPECT_NEAR(error("weighted-multipliers"), 0.0636, 1e-4);  // recomputed with exact integration
}

TEST(RigidLinkExamples, Method2LeavesOutAccelerationsThatWouldMakeItUnstable) {
  // With H = 5e-3 s, c = 1e5 N/m, d = 10 N s/m the mean of all three forces is unstable.
  const ExampleRun run = runExample("rigid-link/weighted-multipliers", {"--set", "algorithm.degree=0", "--step", "5e-3",
                                                                        "--set", "s1.c=1e5", "--set", "s2.c=1e5"});
  const bool warned =
      run.command.errors.find("accelerations answer to the forces of the joints only") != std::string::npos;
  const bool bounded = run.command.exitCode == 0 && largest(run.of("s1.v")) < 110.0;  // 100 m/s at the start
  showFigure({"lu R16", "fmus", "unstable with accelerations: warned and stable, subsystems in FMUs"},
             std::string(warned ? "warned" : "not warned") + (bounded ? ", stable" : ", unstable"), warned && bounded);
}

TEST(RigidLinkExamples, CostTwoStepsAndOneForEveryInput) {
  const std::string obtained = runLink("baumgarte").stepCalls() + ", " + runLink("weighted-multipliers").stepCalls() +
                               ", " + runLink("stabilised-index-2").stepCalls();
  // 2 + n in each of 1000 macro steps, and 1 + n for the rehearsal of the first one.
  const std::string demanded = "3002/3002/0, 3002/3002/0, 4003/4003/0";
  showFigure({"lu R8", "fmus", "1000 macro steps of methods 1, 2, 3 and their rehearsal: " + demanded}, obtained,
             obtained == demanded);
}

}  // namespace
}  // namespace koppla::test::rigid_link_test
