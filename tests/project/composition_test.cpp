// What is said of conditions and of subsystems inside others when they are put together.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::composition_test {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Said {
  ProblemList mistakes;
  std::vector<std::string> warnings;
};

Said saidOf(const std::string& text) {
  const Reading reading = parse(text, "loop.toml");
  if (!reading.findings.mistakes.empty()) return {mistakes(reading), {}};
  core::Log log;
  Said said;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { said.warnings.emplace_back(message); },
              core::Severity::warning);
  said.mistakes = problemsOf([&] { build(reading.project, log); });
  if (said.mistakes == ProblemList{"no error"}) said.mistakes.clear();
  return said;
}

std::string bodies(const std::string& algorithm, const std::string& condition) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.5 }\nalgorithm = { " + algorithm +
         " }\n[[subsystems]]\nname = \"a\"\nmodel = \"oscillator-body\"\n[[subsystems]]\nname = \"b\"\nmodel = "
         "\"oscillator-body\"\n[[conditions]]\nname = \"link\"\nkind = \"spring-damper\"\nbetween = [\"a.point\", "
         "\"b.point\"]\n" +
         condition;
}

TEST(Composition, AHeldMotionUnderASpringIsWarnedOf) {
  const std::string semiImplicit = "kind = \"semi-implicit\"";
  const std::string held = "decomposition = \"force-displacement\"\n";
  const Said said = saidOf(bodies(semiImplicit, "stiffness = 8\n" + held));
  EXPECT_THAT(said.mistakes, IsEmpty());
  // A spring of 8 N/m whose motion leads by half a step of 0.5 s: -8 * 0.25 N s/m.
  EXPECT_THAT(
      said.warnings,
      ElementsAre(AllOf(HasSubstr("The condition 'link' sends motions that are held over the step (degree = 0)"),
                        HasSubstr("like a negative damper of 2 on"))));
  EXPECT_THAT(saidOf(bodies(semiImplicit, "stiffness = 8\ndecomposition = \"force-force\"\n")).warnings, IsEmpty());
  EXPECT_THAT(saidOf(bodies(semiImplicit, "stiffness = 8\n")).warnings, IsEmpty());
  EXPECT_THAT(saidOf(bodies(semiImplicit, "damping = 8\n" + held)).warnings, IsEmpty());
  EXPECT_THAT(saidOf(bodies(semiImplicit + ", degree = 1", "stiffness = 8\n" + held)).warnings, IsEmpty());
  EXPECT_THAT(saidOf(bodies("kind = \"jacobi\"", "stiffness = 8\n" + held)).warnings, IsEmpty());
}

/// Subsystems with markers of several sizes and units; the first marker's line stands behind the model's.
std::string withMarker(const std::string& marker, const std::string& outputs = "x = \"w\", v = \"w\", a = \"w\"",
                       const std::string& units = "") {
  return "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\nmodel = "
         "\"oscillator-body\"\n"
         "[[subsystems]]\nname = \"b\"\nmodel = \"expressions\"\ninputs = { F = 0.0, p = 0.0 }\nstates = { w = 2.0 "
         "}\nderivatives = { w = "
         "\"F + p\" }\noutputs = { " +
         outputs + " }\nunits = { " + units + " }\n[subsystems.markers]\ntip = { " + marker +
         " }\n[[conditions]]\nname = \"link\"\nkind = \"spring-damper\"\nstiffness = 1\nbetween = [\"a.point\", "
         "\"b.tip\"]\n";
}

const std::string kTip = "position = \"x\", velocity = \"v\", force = \"F\"";

TEST(Composition, MarkersAreMadeOfPorts) {
  EXPECT_THAT(saidOf(withMarker(kTip)).mistakes, IsEmpty());
  EXPECT_THAT(saidOf(withMarker(kTip + ", acceleration = \"a\", projection = \"p\"")).mistakes, IsEmpty());
  const auto refused = [](const std::string& marker) { return saidOf(withMarker(marker)).mistakes; };
  EXPECT_THAT(refused("position = \"y\", velocity = \"v\", force = \"F\""),
              Contains("15:20 'b' has no output 'y'. Did you mean 'x'?"));
  EXPECT_THAT(refused("position = \"F\", velocity = \"v\", force = \"F\""),
              Contains(StartsWith("15:20 'b' has no output 'F'.")));
  EXPECT_THAT(refused("position = \"x\", velocity = \"z\", force = \"F\""),
              Contains(StartsWith("15:36 'b' has no output 'z'.")));
  EXPECT_THAT(refused("position = \"x\", velocity = \"v\", force = \"x\""),
              Contains(StartsWith("15:49 'b' has no input 'x'.")));
  EXPECT_THAT(refused(kTip + ", acceleration = \"b\""), Contains(HasSubstr("'b' has no output 'b'.")));
  EXPECT_THAT(refused(kTip + ", projection = \"a\""), Contains(HasSubstr("'b' has no input 'a'.")));
  EXPECT_THAT(refused("position = \"x\", velocity = \"v\""),
              ElementsAre("15:1 There is no 'force' in tip. Write force = \"...\", the name of an input in N."));
  EXPECT_THAT(refused("position = 3, velocity = \"v\", force = \"F\""),
              ElementsAre(HasSubstr("15:20 'position' in tip is the integer 3;")))
      << "nothing follows from it";
}

TEST(Composition, UnitsOfMarkersAreWarnedOf) {
  const std::string outputs = "x = \"w\", v = \"w\", a = \"w\"";
  const auto warned = [&](const std::string& units) {
    return saidOf(withMarker(kTip + ", acceleration = \"a\", projection = \"p\"", outputs, units)).warnings;
  };
  const auto ofMarkers = [&](const std::string& units) {
    std::vector<std::string> result;
    for (const std::string& warning : warned(units))
      if (warning.find("a marker takes it for") != std::string::npos) result.push_back(warning);
    return result;
  };
  EXPECT_THAT(ofMarkers("x = \"m\", v = \"m/s\", F = \"N\", a = \"m/s2\", p = \"m/s\""), IsEmpty());
  EXPECT_THAT(ofMarkers(""), IsEmpty());
  for (const auto& [port, unit] :
       {std::pair("x", "m"), std::pair("v", "m/s"), std::pair("F", "N"), std::pair("a", "m/s2"), std::pair("p", "m/s")})
    EXPECT_THAT(
        ofMarkers(std::string(port) + " = \"K\""),
        ElementsAre(HasSubstr("'b." + std::string(port) + "' has the unit K; a marker takes it for " + unit + ".")));
}

// ---- Inside another subsystem ----

std::string model(const std::string& name, const std::string& lines) {
  return "[[subsystems]]\nname = \"" + name + "\"\nmodel = \"expressions\"\n" + lines;
}

const std::string kHead = "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n";
const std::string kState =
    "inputs = { u = 0.0 }\nstates = { x = 1.0 }\nderivatives = { x = \"u\" }\noutputs = { y = \"x\" }\n";
const std::string kStatic = "inputs = { u = 0.0 }\noutputs = { y = \"-u\" }\n";
const std::string kWires =
    "[[connections]]\nfrom = \"a.y\"\nto = \"b.u\"\n[[connections]]\nfrom = \"b.y\"\nto = \"a.u\"\n";

TEST(Composition, OptionsOfStaticSolversThatNobodyCallsAreWarnedOf) {
  const auto warned = [](const std::string& ofA, const std::string& ofB) {
    return saidOf(kHead + model("a", kState + ofA) + model("b", kStatic + ofB) + kWires).warnings;
  };
  EXPECT_THAT(warned("", ""), IsEmpty());
  for (const char* option : {"instances = 2\n", "increment = 0.5\n"}) {
    EXPECT_THAT(warned(option, ""), ElementsAre(HasSubstr("'instances' and 'increment' of 'a' have no effect")))
        << "of the first";
    EXPECT_THAT(warned("", option), ElementsAre(HasSubstr("'instances' and 'increment' of 'b' have no effect")));
    EXPECT_THAT(warned("", std::string("inside = \"a\"\nstatic_coupling = \"full\"\n") + option), IsEmpty())
        << "it is called";
    EXPECT_THAT(warned("", std::string("inside = \"a\"\n") + option), ElementsAre(HasSubstr("of 'b' have no effect")))
        << "it is joined";
  }
  EXPECT_THAT(warned("static_coupling = \"full\"\n", ""),
              ElementsAre(HasSubstr("'static_coupling' of 'a' has no effect")));
  EXPECT_THAT(warned("", "instances = 0\n"), IsEmpty());
}

TEST(Composition, AHostHasStates) {
  EXPECT_THAT(saidOf(kHead + model("a", kStatic) + model("b", kState + "inside = \"a\"\n") + kWires).mistakes,
              ElementsAre(StartsWith("4:8 'a' has no equations that Koppla could integrate together with others.")));
  EXPECT_THAT(saidOf(kHead + model("a", kState) + model("b", kStatic + "inside = \"a\"\n") + kWires).mistakes,
              IsEmpty());
}

TEST(Composition, AnInputIsFedFromInsideOrFromOutside) {
  // a and b are one; c stays outside and tells an element that b does not.
  const std::string vector =
      "[[subsystems]]\nname = \"a\"\nmodel = \"linear-state-space\"\nA = [[-1]]\nB = [[1, 1]]\nC = [[1]]\ninputs = "
      "[\"u\", \"v\"]\noutputs = "
      "[\"y\"]\nx0 = [1]\nintegrator = \"ode4\"\n";
  const Said said = saidOf(kHead + vector + model("b", kStatic + "inside = \"a\"\n") + model("c", kStatic) + kWires +
                           "[[connections]]\nfrom = \"c.y\"\nto = \"a.v\"\n");
  EXPECT_THAT(said.mistakes, IsEmpty()) << "two inputs";
}

TEST(Composition, OneIntegratorIsSaidToSolveAll) {
  const Reading reading =
      parse(kHead + "algorithm = { kind = \"model-coupling\" }\n" + model("a", kState) + model("b", kStatic) + kWires,
            "loop.toml");
  core::Log log;
  std::vector<std::string> said;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { said.emplace_back(message); });
  const coupling::System system = build(reading.project, log).system;
  EXPECT_EQ(system.members.size(), 1U);
  EXPECT_THAT(said, Contains(HasSubstr("One integrator, 'ode4' of 'a', solves all 2 subsystems;")));
  said.clear();
  build(parse(kHead + model("a", kState) + model("b", kStatic + "inside = \"a\"\n") + kWires, "loop.toml").project,
        log);
  EXPECT_THAT(said, Not(Contains(HasSubstr("One integrator")))) << "of those inside the user knows";
}

}  // namespace
}  // namespace koppla::project::composition_test
