// Schmoll's two-mass oscillator (sec. 2.2, table 2.1), cut in all ways of sec. 2.3 by one word.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/exact_solution.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"
#include "support/extremes.hpp"

namespace koppla::project::conditions_test {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;

const std::string kBodies = R"(format = 1
simulation = { end = 0.01, step = 1e-6 }
algorithm = { kind = "jacobi", degree = 1, start_up = "analytic" }
[[subsystems]]
name = "s1"
model = "oscillator-body"
[[subsystems]]
name = "s2"
model = "oscillator-body"
parameters = { c = 1e5, d = 6.3246, x0 = 2.0 }
[reference]
kind = "two-mass-oscillator"
values = { "s1.x" = "x1", "s1.v" = "v1", "s2.x" = "x2", "s2.v" = "v2", "link.force" = "F" }
)";

/// The condition's name stands in line 15.
const std::string kLink = R"([[conditions]]
name = "link"
kind = "spring-damper"
stiffness = 1e6
damping = 14.1421
between = ["s1.point", "s2.point"]
)";

Reading parseWith(const std::string& text, std::initializer_list<std::string> settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parseOverride(setting));
  return parse(text, "loop.toml", overrides);
}

struct Ends {
  double x1, v1, x2, v2;
};

Ends endsOf(const Reading& reading) {
  EXPECT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  const auto value = [&run](std::string_view name) { return std::get<double>(run.value(name)); };
  return {value("s1.x"), value("s1.v"), value("s2.x"), value("s2.v")};
}

/// Largest relative error against the values of (2.13) at 0.01 s.
double errorOf(const Ends& ends) {
  std::array<double, 5> exact{};
  native::twoMassSolution()->values(0.01, exact);
  EXPECT_NEAR(exact[0], -0.92406831767, 1e-10);
  return test::largestOf(std::fabs(ends.x1 / exact[0] - 1.0), std::fabs(ends.v1 / exact[1] - 1.0),
                         std::fabs(ends.x2 / exact[2] - 1.0), std::fabs(ends.v2 / exact[3] - 1.0));
}

constexpr std::array kDecompositions{"force-force", "force-displacement", "displacement-force",
                                     "displacement-displacement"};

TEST(Conditions, AllDecompositionsSolveTheSameProblem) {
  for (const std::string decomposition : kDecompositions) {
    const auto error = [&](const std::string& step) {
      return errorOf(
          endsOf(parseWith(kBodies + kLink, {"link.decomposition=" + decomposition, "simulation.step=" + step})));
    };
    const double coarse = error("1e-5");
    const double fine = error("1e-6");
    EXPECT_LT(fine, 1e-4) << decomposition;
    // Straight lines between communication points: of second order.
    EXPECT_NEAR(std::log10(coarse / fine), 2.0, 0.3) << decomposition;
  }
}

TEST(Conditions, ALawIsAFormulaOfDistanceAndRate) {
  const Ends spring = endsOf(parseWith(kBodies + kLink));
  const std::string formula = R"([[conditions]]
name = "link"
kind = "law"
force = "1e6*x + 14.1421*v"
between = ["s1.point", "s2.point"]
)";
  for (const std::string decomposition : kDecompositions) {
    const Ends ends = endsOf(parseWith(kBodies + formula, {"link.decomposition=" + decomposition}));
    EXPECT_NEAR(ends.x1, spring.x1, 1e-4) << decomposition;
    EXPECT_NEAR(ends.x2, spring.x2, 1e-4) << decomposition;
  }
}

TEST(Conditions, AddUpAtOneMarker) {
  // Two springs of half the stiffness and damping are one; one of them acts in the coupling, one in a body.
  const std::string halves =
      kLink +
      "[[conditions]]\nname = \"second\"\nkind = \"spring-damper\"\nstiffness = 5e5\ndamping = 7.07105\n"
      "between = [\"s1.point\", \"s2.point\"]\n";
  const std::initializer_list<std::string> settings{"link.stiffness=5e5", "link.damping=7.07105",
                                                    "algorithm.start_up=trivial", "second.decomposition=force-force"};
  EXPECT_LT(errorOf(endsOf(parseWith(kBodies + halves, settings))), 1e-3);
  EXPECT_LT(errorOf(endsOf(parseWith(kBodies + halves,
                                     {"link.stiffness=5e5", "link.damping=7.07105", "algorithm.start_up=trivial"}))),
            1e-3);
}

TEST(Conditions, MarkersCanBeDeclared) {
  const std::string text = R"(format = 1
simulation = { end = 0.01, step = 1e-6 }
algorithm.degree = 1
[[subsystems]]
name = "s1"
model = "oscillator-body"
[[subsystems]]
name = "s2"
model = "expressions"
inputs = { F = 0.0 }
states = { w = 2.0, wd = 0.0 }
derivatives = { w = "wd", wd = "-1e5*w - 6.3246*wd + F" }
outputs = { x = "w", v = "wd" }
[subsystems.markers]
tip = { position = "x", velocity = "v", force = "F" }
[[conditions]]
name = "link"
kind = "spring-damper"
stiffness = 1e6
damping = 14.1421
between = ["s1.point", "s2.tip"]
)";
  EXPECT_LT(errorOf(endsOf(parseWith(text))), 1e-3);
}

ProblemList problemsWith(const std::string& condition, const std::string& more = {}) {
  const Reading reading = parseWith(kBodies + condition + more);
  if (!reading.findings.mistakes.empty()) return mistakes(reading);
  core::Log log;
  return problemsOf([&] { build(reading.project, log); });
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

struct Bad {
  std::string condition;
  ProblemList problems;
};

TEST(Conditions, MistakesAreNamedWithTheirPlace) {
  const std::vector<Bad> all{
      {changed(kLink, "s2.point", "s2.pont"), {"19:24 's2' has no marker 'pont'. Did you mean 'point'?"}},
      {changed(kLink, "s2.point", "s3.point"), {"19:24 There is no subsystem 's3'. Did you mean 's1'?"}},
      {changed(kLink, "s2.point", "s1.point"),
       {"19:24 The condition 'link' acts between 's1' and itself. Name markers of two subsystems."}},
      {changed(kLink, ", \"s2.point\"", ""),
       {"19:11 A condition acts between two markers; given: 1. Write between = [\"first.marker\", "
        "\"second.marker\"]."}},
      {changed(kLink, "\"link\"", "\"s1\""),
       {"15:8 The name 's1' is used already in line 5. Give every condition a name of its own."}},
      {changed(kLink, "spring-damper", "spring"),
       {"16:8 'spring' is no value of 'kind' in [[conditions]]. Known here: spring-damper, law, joint."}},
      {changed(kLink, "stiffness = 1e6", "stiffness = [1e6, 1e6]"),
       {"15:8 The condition 'link' acts along one line; stiffness and damping are one number each. One for each row is "
        "for joints between bodies."}},
      {changed(kLink, "stiffness = 1e6\ndamping = 14.1421\n", ""),
       {"16:8 A spring-damper without stiffness and damping does nothing. Write stiffness = ... in N/m, or damping = "
        "... in N s/m."}},
      {kLink + "decomposition = \"force\"\n",
       {"20:17 'force' is no value of 'decomposition' in [[conditions]]. Known here: force-force, force-displacement, "
        "displacement-force, displacement-displacement."}}};
  for (const Bad& bad : all) EXPECT_EQ(problemsWith(bad.condition), bad.problems) << bad.condition;
}

TEST(Conditions, AFormulaWithAMistakeIsNamed) {
  const ProblemList problems = problemsWith(
      "[[conditions]]\nname = \"link\"\nkind = \"law\"\nforce = \"1e6*y\"\nbetween = [\"s1.point\", \"s2.point\"]\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().substr(0, 27), "17:9 The condition 'link': ") << problems.front();
}

/// A mass in an FMU, whose marker stands in line 11.
Reading withFmu(const std::string& decomposition, const std::string& force = "F") {
  return parseWith(
      "format = 1\nsimulation = { end = 0.01, step = 1e-4 }\n[[subsystems]]\nname = \"s1\"\nmodel = "
      "\"oscillator-body\"\n[[subsystems]]\nname = \"s2\"\nfmu = \"" +
      std::string(KOPPLA_FMU_DIR) +
      "/OscillatorMass.fmu\"\nmicro_step = 1e-5\n[subsystems.markers]\ntip = { position = \"x\", "
      "velocity = \"v\", force = \"" +
      force + "\" }\n" + changed(kLink, "s2.point", "s2.tip") + "decomposition = \"" + decomposition + "\"\n");
}

TEST(Conditions, ActOnFmusThatNeedNotTakeALawIn) {
  core::Log log;
  for (const std::string decomposition : {"force-force", "displacement-force"}) {
    const Reading reading = withFmu(decomposition);
    ASSERT_EQ(mistakes(reading), ProblemList{});
    EXPECT_NO_THROW(makeRun(reading.project, log)) << decomposition;
  }
  const ProblemList refusal{
      "18:17 The condition 'link' puts its law into 's2', which is an FMU: nothing can be composed into it. Choose "
      "decomposition = \"force-force\" or \"displacement-force\"."};
  EXPECT_EQ(problemsOf([&] { build(withFmu("force-displacement").project, log); }), refusal);
  EXPECT_EQ(problemsOf([&] { build(withFmu("force-force", "G").project, log); }).front().substr(0, 29),
            "11:49 's2' has no input 'G'. ");
}

TEST(Reference, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(problemsWith(kLink, "[reference.parameters]\nc3 = 1.0\n").size(), 1U);
  const std::string wrongNames = changed(changed(kBodies, "\"x1\"", "\"x3\""), "\"s1.v\"", "\"s1.w\"");
  core::Log log;
  const Reading reading = parseWith(wrongNames + kLink);
  EXPECT_EQ(problemsOf([&] { build(reading.project, log); }),
            (ProblemList{"13:21 The exact solution has no 'x3'. Did you mean 'x1'?",
                         "13:27 There is no variable 's1.w' with an exact value. Did you mean 's1.f'?"}));
}

TEST(Reference, AnAnalyticStartNeedsEveryConnectedOutput) {
  const std::string without = changed(kBodies, ", \"link.force\" = \"F\"", "");
  core::Log log;
  EXPECT_EQ(problemsOf([&] { build(parseWith(without + kLink).project, log); }),
            ProblemList{"11:1 The analytic start needs the exact value of the connected output 's2.link.force'. Write "
                        "\"s2.link.force\" = \"...\" in [reference.values]."});
  const std::string none = kBodies.substr(0, kBodies.find("[reference]")) + kLink;
  EXPECT_EQ(mistakes(parseWith(none)),
            ProblemList{"3:55 An analytic start needs an exact solution. Write [reference], or leave start_up out."});
}

TEST(Reference, KindsHaveValuesAtAnyTime) {
  const Reading reading = parseWith(R"(format = 1
simulation = { start = 1.0, end = 2.0, step = 0.1 }
[[subsystems]]
name = "a"
model = "oscillator-body"
[reference]
kind = "linear"
A = [[0, 1], [-1, 0]]
x0 = [1, 0]
names = ["c", "s"]
values = { "a.x" = "c", "a.v" = "-s" }
)");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  // x'' = -x from x = 1 at the start of the run: cos and, since s = -sin, its opposite sin.
  const ExactValues exact(*reading.project.reference, 1.0);
  EXPECT_NEAR(exact.value(0, 0.5), std::cos(-0.5), 1e-14);
  EXPECT_NEAR(exact.value(1, 0.5), std::sin(-0.5), 1e-14);
}

TEST(Reference, OfTheNonlinearOscillatorBeginsWithTheRun) {
  const std::string project = R"(format = 1
simulation = { start = 1.0, end = 1.05, step = 1e-5 }
[[subsystems]]
name = "body"
model = "nonlinear-oscillator"
[[subsystems]]
name = "spring"
model = "hardening-spring"
[reference]
kind = "nonlinear-oscillator"
values = { "body.x" = "x", "body.v" = "v", "spring.f" = "f" }
)";
  const Reading reading = parseWith(project);
  ASSERT_EQ(mistakes(reading), ProblemList{});
  const ExactValues exact(*reading.project.reference, 1.0);
  // The check value of the notes for 0.0025 s; 1.0025 is rounded, at 3.8 km/s.
  EXPECT_NEAR(exact.value(0, 1.0025), 0.567580249799, 1e-11);
  EXPECT_TRUE(exact.states().empty());

  const Reading softer = parseWith(project + "parameters = { c = 0, d = 0, ck = 0, dk = 0, x0 = 1.0, v0 = 2.0 }\n");
  ASSERT_EQ(mistakes(softer), ProblemList{});
  EXPECT_NEAR(ExactValues(*softer.project.reference, 1.0).value(0, 1.5), 2.0, 1e-14);
  EXPECT_EQ(mistakes(parseWith(project + "parameters = { beta = 1.0 }\n")).size(), 1U);
  EXPECT_EQ(mistakes(parseWith(project + "states = [\"body.x\", \"body.v\"]\n")).size(), 1U);
}

}  // namespace
}  // namespace koppla::project::conditions_test
