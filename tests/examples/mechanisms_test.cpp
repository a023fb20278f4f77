// examples/mechanisms: rigid bodies of Lu's thesis in two subsystems each, joined by the coupling. Reference solutions
// are those of the monolithic equations; errors may be 1.5 times those of an independent implementation of the methods.

#include <cmath>

#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"

namespace koppla::test::mechanisms_test {
namespace {

using Settings = std::vector<std::string>;

constexpr double kAllowed = 1.5;

/// Values of some variables at an instant (s).
struct Instant {
  double t;
  std::vector<double> values;
};

struct Reference {
  std::string project;
  std::vector<std::string> variables;
  std::vector<Instant> instants;
};

ExampleRun run(const std::string& project, const Settings& settings) {
  std::vector<std::string> arguments;
  for (const std::string& setting : settings) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  ExampleRun result = runExample("mechanisms/" + project, arguments);
  EXPECT_EQ(result.command.exitCode, 0) << project << " " << result.command.errors;
  return result;
}

/// The largest error of each variable.
std::vector<test::Largest> errorsOf(const ExampleRun& run, const Reference& reference) {
  std::vector<test::Largest> errors(reference.variables.size());
  for (const auto& [t, values] : reference.instants)
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i].see(std::fabs(run.at(reference.variables[i], t) - values[i]));
  return errors;
}

/// `tabulated`: errors of the table, of each variable.
ExampleRun expectErrors(const Reference& reference, const Settings& settings, const std::vector<double>& tabulated) {
  ExampleRun result = run(reference.project, settings);
  const std::vector<test::Largest> errors = errorsOf(result, reference);
  std::string variant;
  for (const std::string& setting : settings) variant += " " + setting;
  for (std::size_t i = 0; i < errors.size(); ++i)
    EXPECT_LE(errors[i], kAllowed * tabulated.at(i)) << reference.project << variant << " " << reference.variables[i];
  return result;
}

/// Of all components of a joint's output over the run.
double largest(const ExampleRun& run, const std::string& output) {
  test::Largest result;
  for (const results::Series& series : run.table.series)
    if (series.name.starts_with(output))
      for (const double value : series.numbers) result.see(std::fabs(value));
  EXPECT_GE(result, 0.0) << output;
  return result;
}

double energyGained(const ExampleRun& run) {
  const auto total = [&](double t) { return run.at("crank.energy", t) + run.at("lever.energy", t); };
  return total(run.table.time.back()) - total(0.0);
}

const std::vector<std::string> kPendulum{"upper.rod1.rotation", "lower.rod2.rotation"};
const std::vector<std::string> kLever{"crank.rod1.rotation", "lever.rod2.rotation"};

const Reference kDoublePendulum{"double-pendulum",
                                kPendulum,
                                {{0.10, {0.77288670, -0.83685989}},
                                 {0.25, {0.76156455, -1.09068298}},
                                 {0.50, {0.75809734, -1.77479310}},
                                 {1.00, {0.77380289, -2.23129559}}}};

TEST(MechanismExamples, DoublePendulumWithRigidJoint) {
  const ExampleRun byStabilisation = expectErrors(kDoublePendulum, {}, {4.5e-7, 5.3e-7});
  EXPECT_LE(largest(byStabilisation, "hinge.position_defect"), kAllowed * 4.8e-7);
  EXPECT_LE(largest(byStabilisation, "hinge.velocity_defect"), kAllowed * 9.6e-5);
  // Multipliers at the start are those of the accelerations.
  EXPECT_NEAR(byStabilisation.at("hinge.lambda[1]", 0.0), -1.83938, 1e-5);
  EXPECT_NEAR(byStabilisation.at("hinge.lambda[2]", 0.0), -0.61312, 1e-5);
  expectErrors(kDoublePendulum, {"hinge.gamma=0"}, {1.1e-7, 1.3e-7});
  const std::string weighted = "hinge.method=weighted-multipliers";
  expectErrors(kDoublePendulum, {weighted}, {3.5e-8, 3.4e-8});
  expectErrors(kDoublePendulum, {weighted, "hinge.acceleration_weight=1"}, {2.8e-7, 2.4e-7});
}

const Reference kFlexiblePendulum{"flexible-pendulum",
                                  kPendulum,
                                  {{0.10, {0.99953024, -0.80196358}},
                                   {0.25, {0.94531618, -1.11879824}},
                                   {0.50, {1.00133577, -1.57081362}},
                                   {1.00, {0.96551845, -2.07815200}}}};

TEST(MechanismExamples, DoublePendulumWithFlexibleJoint) {
  expectErrors(kFlexiblePendulum, {}, {1.10e-4, 5.22e-5});
  expectErrors(kFlexiblePendulum, {"algorithm.degree=1"}, {9.8e-6, 4.9e-7});
  expectErrors(kFlexiblePendulum, {"algorithm.degree=2"}, {2.0e-6, 1.0e-7});
}

TEST(MechanismExamples, FlexibleJointsAreOfSecondOrderInEveryDecomposition) {
  for (const std::string decomposition : {"force-displacement", "displacement-force", "displacement-displacement"}) {
    const auto error = [&](const std::string& step) {
      return errorsOf(run("flexible-pendulum",
                          {"algorithm.degree=1", "simulation.step=" + step, "link.decomposition=" + decomposition}),
                      kFlexiblePendulum)
          .back();
    };
    EXPECT_NEAR(std::log2(error("1e-3") / error("5e-4")), 2.0, 0.1) << decomposition;
  }
}

const Reference kSlottedLever{"slotted-lever",
                              kLever,
                              {{0.25, {0.72491989, 1.50837219}},
                               {0.50, {0.54374337, 1.29096229}},
                               {1.00, {-0.01648671, -0.05625333}},
                               {1.50, {-2.22138804, -2.59666694}},
                               {2.00, {-4.37561405, -3.87972238}}}};

TEST(MechanismExamples, SlottedLeverWithRigidJoint) {
  const ExampleRun coarse = expectErrors(kSlottedLever, {}, {3.80e-3, 2.38e-3});
  EXPECT_NEAR(energyGained(coarse), -0.0751, 0.001);
  EXPECT_LE(largest(coarse, "slide.position_defect"), kAllowed * 4.3e-8);
  EXPECT_LE(largest(coarse, "slide.velocity_defect"), kAllowed * 2.1e-5);
  expectErrors(kSlottedLever, {"slide.method=weighted-multipliers"}, {3.80e-3, 2.38e-3});
  const ExampleRun fine = expectErrors(kSlottedLever, {"slide.gamma=1e-6", "algorithm.degree=1"}, {9.3e-7, 6.5e-7});
  EXPECT_LE(std::fabs(energyGained(fine)), kAllowed * 6.4e-6);
}

TEST(MechanismExamples, SlottedLeverWithFlexibleJoint) {
  const Reference reference{"flexible-lever",
                            kLever,
                            {{0.25, {0.71678131, 1.51106283}},
                             {0.50, {0.54215291, 1.29154361}},
                             {1.00, {-0.01834039, -0.05398546}},
                             {1.50, {-2.21435600, -2.58836329}},
                             {2.00, {-4.37438975, -3.87216185}}}};
  expectErrors(reference, {}, {6.35e-3, 3.48e-3});
  expectErrors(reference, {"algorithm.degree=1"}, {4.7e-5, 2.5e-5});
  expectErrors(reference, {"algorithm.degree=2"}, {1.2e-6, 7.3e-7});
}

TEST(MechanismExamples, DoublePendulumOnAStiffSupport) {
  const Reference reference{"supported-pendulum", kPendulum, {{1.00, {0.77380290, -2.23129587}}}};
  const ExampleRun fine = expectErrors(reference, {}, {4.7e-7, 3.0e-6});
  EXPECT_LE(largest(fine, "hinge.position_defect"), 1e-11);
  const ExampleRun coarse = expectErrors(reference, {"simulation.step=1e-2"}, {4.5e-5, 2.9e-4});
  EXPECT_LT(largest(fine, "hinge.mu"), largest(coarse, "hinge.mu"));
  expectErrors(reference, {"algorithm.relaxation=0.9"}, {1.4e-7, 1.3e-6});
  expectErrors(reference, {"algorithm.relaxation=0.9", "algorithm.degree=1"}, {3.2e-7, 2.5e-6});
}

TEST(MechanismExamples, SlottedLeverOnStiffSupports) {
  const Reference reference{
      "supported-lever",
      kLever,
      {{0.25, {0.73799554, 1.52221454}}, {0.50, {0.66140692, 1.43804469}}, {1.00, {0.63896748, 1.41183613}}}};
  expectErrors(reference, {}, {2.1e-5, 2.5e-5});
  expectErrors(reference, {"simulation.step=1e-2"}, {1.9e-4, 2.3e-4});
}

const Reference kSliderCrank{"slider-crank",
                             {"crank.rod1.rotation", "rod.rod2.rotation"},
                             {{0.25, {1.50387980, 2.61928555}},
                              {0.50, {1.30385747, 2.63832405}},
                              {1.00, {0.41038453, 2.94076443}},
                              {1.50, {-1.98904569, 3.61610046}},
                              {2.00, {-3.71207788, 2.86817859}}}};

TEST(MechanismExamples, SliderCrank) {
  const ExampleRun plain = expectErrors(kSliderCrank, {}, {6.5e-6, 2.7e-6});
  EXPECT_NEAR(plain.at("hinge.lambda[1]", 0.0), -4.28571, 1e-5);
  EXPECT_NEAR(plain.at("hinge.lambda[2]", 0.0), -8.57282, 1e-5);
  expectErrors(kSliderCrank, {"algorithm.relaxation=0.9"}, {2.1e-6, 9.2e-7});
  const ExampleRun linear =
      expectErrors(kSliderCrank, {"algorithm.relaxation=0.9", "algorithm.degree=1"}, {4.3e-6, 1.8e-6});
  // Forces are what straight lines improve.
  EXPECT_LE(std::fabs(linear.at("hinge.lambda[1]", 1.5) + 23.96338), kAllowed * 1.8e-3);
}

const Reference kFourBar{"four-bar",
                         {"left.half21.rotation", "left.half21.position[1]"},
                         {{0.25, {0.88441219, 1.21174894}},
                          {0.50, {1.33663879, 1.11583848}},
                          {0.75, {1.69495956, 0.71691939}},
                          {1.00, {0.94795986, -0.55271573}}}};

TEST(MechanismExamples, FourBarLinkage) {
  expectErrors(kFourBar, {}, {2.2e-6, 1.8e-6});
  expectErrors(kFourBar, {"algorithm.relaxation=0.7"}, {9.2e-6, 7.6e-6});
  expectErrors(kFourBar, {"algorithm.relaxation=0.7", "algorithm.degree=1"}, {5.7e-6, 4.7e-6});
  expectErrors(kFourBar, {"weld.method=baumgarte", "weld.beta=5e-4"}, {8.8e-8, 7.9e-8});
}

/// Joints inside these subsystems as algebraic equations, and further settings.
Settings algebraic(const std::vector<std::string>& subsystems, const Settings& further = {}) {
  Settings settings = further;
  for (const std::string& name : subsystems) {
    settings.push_back(name + ".constraints=stabilised-index-2");
    settings.push_back(name + ".integrator=radau-fixed");
  }
  return settings;
}

TEST(MechanismExamples, SliderCrankWithAlgebraicEquationsInside) {
  const auto expect = [](const Settings& settings, const std::vector<double>& tabulated) {
    return expectErrors(kSliderCrank, algebraic({"crank", "rod"}, settings), tabulated);
  };
  const ExampleRun plain = expect({}, {6.5e-6, 2.7e-6});
  EXPECT_NEAR(plain.at("hinge.lambda[1]", 0.0), -4.28571, 1e-5);
  EXPECT_NEAR(plain.at("hinge.lambda[2]", 0.0), -8.57282, 1e-5);
  EXPECT_LE(largest(plain, "hinge.velocity_defect"), 1e-9);
  // Where Baumgarte's form drifts by about mu / rate, the guide is kept: y2 = sin(phi2).
  const std::vector<double>& y2 = plain.of("rod.rod2.position[2]");
  const std::vector<double>& phi2 = plain.of("rod.rod2.rotation");
  for (std::size_t i = 0; i < y2.size(); ++i) ASSERT_NEAR(y2[i], std::sin(phi2[i]), 1e-12);
  expect({"algorithm.relaxation=0.9"}, {2.1e-6, 9.2e-7});
  expect({"algorithm.relaxation=0.9", "algorithm.degree=1"}, {4.3e-6, 1.8e-6});
}

TEST(MechanismExamples, FourBarLinkageWithAlgebraicEquationsInside) {
  const auto expect = [](const Settings& settings, const std::vector<double>& tabulated) {
    expectErrors(kFourBar, algebraic({"left", "right"}, settings), tabulated);
  };
  expect({}, {2.2e-6, 1.8e-6});
  expect({"algorithm.relaxation=0.7"}, {9.2e-6, 7.6e-6});
  expect({"algorithm.relaxation=0.7", "algorithm.degree=1"}, {5.7e-6, 4.7e-6});
  expect({"weld.method=baumgarte", "weld.beta=5e-4"}, {8.8e-8, 7.9e-8});
}

TEST(MechanismExamples, OtherMethodsWithAlgebraicEquationsInside) {
  const std::string weighted = "weighted-multipliers";
  // Accelerations enter the conditions, and with them the reactions inside.
  expectErrors(kDoublePendulum, algebraic({"upper", "lower"}), {4.5e-7, 5.3e-7});
  expectErrors(kDoublePendulum,
               algebraic({"upper", "lower"}, {"hinge.method=" + weighted, "hinge.acceleration_weight=1"}),
               {2.8e-7, 2.4e-7});
  // Each side reads the pose of the other one.
  expectErrors(kSlottedLever, algebraic({"crank", "lever"}, {"slide.method=" + weighted}), {3.80e-3, 2.38e-3});
  expectErrors(kSlottedLever, algebraic({"crank", "lever"}, {"slide.gamma=1e-6", "algorithm.degree=1"}),
               {9.3e-7, 6.5e-7});
}

TEST(MechanismExamples, FourBarLinkageInSpace) {
  // The table of the reference shows seven decimals.
  const Reference reference{"spatial-four-bar",
                            {"left.rod2.position[1]", "left.rod2.position[2]", "left.rod2.position[3]",
                             "left.rod2.rotation[1]", "left.rod2.rotation[2]", "left.rod2.rotation[3]"},
                            {{0.5, {0.2539205, 0.2513000, 0.9999864, 1.5707965, -0.7801844, 0.0}},
                             {1.0, {0.2821454, 0.2602744, 0.9990996, 1.5708675, -0.7434068, 0.0}},
                             {1.5, {0.3650994, 0.2832149, 0.9888992, 1.5734276, -0.6417399, 0.0}},
                             {2.0, {0.5449843, 0.3191988, 0.9297859, 1.6033070, -0.4433776, 0.0}}}};
  const ExampleRun fine = expectErrors(reference, {}, std::vector(6, 5e-8));
  EXPECT_LE(largest(fine, "weld.position_defect"), kAllowed * 1.8e-10);
  EXPECT_LE(largest(fine, "weld.velocity_defect"), kAllowed * 3.6e-7);
  expectErrors(reference, {"simulation.step=1e-2", "weld.beta=5e-3"}, std::vector(6, 1.1e-7));
}

std::vector<std::string> positionsOfBoth() {
  return {"first.body.position[1]",  "first.body.position[2]",  "first.body.position[3]",
          "second.body.position[1]", "second.body.position[2]", "second.body.position[3]"};
}

TEST(MechanismExamples, TwoBodiesWithFlexibleJoints) {
  struct Case {
    Settings joint;
    std::vector<double> ends;
    std::vector<double> tabulated;  ///< force/force, force/displacement, displacement/displacement
  };
  const std::vector<Case> all{
      {{},
       {-0.0063011707, -0.0032333797, -0.0860796031, 0.4210422570, 0.1180007718, -0.3345866516},
       {8.0e-4, 7.2e-4, 1.2e-3}},
      {{"link.joint=inplane"},
       {-0.0037651148, 0.0012553222, -0.0709860210, 0.4223311926, 0.1186664064, -0.3378070973},
       {5.2e-4, 5.3e-4, 4.6e-4}},
      {{"link.joint=perpendicular", "link.stiffness=50", "link.damping=1"},
       {-0.0046336427, -0.0155609416, -0.0720541091, 0.4314212428, 0.0974686095, -0.3360945606},
       {1.4e-4, 1.4e-4, 7.7e-5}},
      // A joint of four rows, each with its own spring and damper.
      {{"link.joint=universal", "link.stiffness=[2000, 2000, 2000, 50]", "link.damping=[20, 20, 20, 1]"},
       {0.0000919123, -0.0245840544, -0.0864284288, 0.4300302464, 0.1023565254, -0.3305547962},
       {8.8e-4, 8.0e-4, 1.0e-3}}};
  for (const Case& c : all) {
    const Reference reference{"two-bodies", positionsOfBoth(), {{0.2, c.ends}}};
    const std::vector<std::string> decompositions{"force-force", "force-displacement", "displacement-displacement"};
    for (std::size_t i = 0; i < decompositions.size(); ++i) {
      Settings settings = c.joint;
      settings.push_back("link.decomposition=" + decompositions[i]);
      expectErrors(reference, settings, std::vector(6, c.tabulated[i]));
    }
  }
}

TEST(MechanismExamples, TwoBodiesWithRigidJoints) {
  const Reference revolute{
      "two-bodies-rigid",
      positionsOfBoth(),
      {{0.2, {-0.0081692390, -0.0707092733, -0.0336855034, 0.4507043941, -0.0446374627, -0.3296258533}}}};
  const ExampleRun run = expectErrors(revolute, {}, std::vector(6, 1.2e-4));
  EXPECT_LE(largest(run, "hinge.position_defect"), kAllowed * 3.3e-7);
  EXPECT_LE(largest(run, "hinge.velocity_defect"), kAllowed * 3.3e-4);
  expectErrors(revolute, {"hinge.method=weighted-multipliers"}, std::vector(6, 1.2e-4));
  expectErrors(revolute, {"hinge.method=stabilised-index-2"}, std::vector(6, 1.2e-4));
  // Another joint needs another start of the second body.
  const Reference ball{
      "two-bodies-rigid",
      positionsOfBoth(),
      {{0.2, {-0.0027190700, -0.0024459547, -0.0753710118, 0.4206172226, 0.1104005816, -0.3071427743}}}};
  expectErrors(ball,
               {"hinge.joint=atpoint", "second.body.position=[0.4004720046, 0.1290685813, -0.2333841329]",
                "second.body.rotation=[-0.1055786819, 0.2959103120, 0.1961702105]",
                "second.body.velocity=[0.1451354368, -0.0114694293, 0.2771602832]",
                "second.body.angular_velocity=[-0.2434822535, 0.2293565811, 0.4418394559]"},
               std::vector(6, 4.9e-8));
}

}  // namespace
}  // namespace koppla::test::mechanisms_test
