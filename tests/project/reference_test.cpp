// Exact solutions under the names of a project's variables.

#include "koppla/project/reference.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/project/exact_past.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::reference_test {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;

using Pairs = std::vector<std::pair<const char*, const char*>>;

ReferenceEntry entryOf(LinearReference solution, const Pairs& values, const std::vector<std::string>& states = {}) {
  ReferenceEntry entry;
  entry.place = {"x.toml", 3, 1};
  entry.solution = std::move(solution);
  for (const auto& [variable, name] : values) entry.values.push_back({{variable, {}}, {name, {"x.toml", 5, 2}}});
  for (const std::string& state : states) entry.states.push_back({state, {"x.toml", 6, 3}});
  return entry;
}

/// c = cos(t - t0), s = -sin(t - t0), or combinations of them.
LinearReference rotation(std::vector<std::vector<double>> C = {}, std::vector<std::string> names = {"c", "s"}) {
  return {.A = {{0.0, 1.0}, {-1.0, 0.0}}, .C = std::move(C), .x0 = {1.0, 0.0}, .names = std::move(names)};
}

TEST(ExactValues, OfALinearSolutionBeginWithTheRun) {
  const ExactValues exact(entryOf(rotation(), {{"a.x", "c"}, {"a.v", "-s"}, {"b.v", "s"}}), 0.25);
  EXPECT_EQ(exact.variables(), (std::vector<std::string>{"a.x", "a.v", "b.v"}));
  EXPECT_EQ(exact.find("a.x"), 0U);
  EXPECT_EQ(exact.find("b.v"), 2U);
  EXPECT_EQ(exact.find("b.x"), std::nullopt);
  std::vector<double> y(3);
  for (const double t : {-0.5, 0.25, 1.0}) {
    const std::vector<double> expected{std::cos(t - 0.25), std::sin(t - 0.25), -std::sin(t - 0.25)};
    exact.values(t, y);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(y[i], expected[i], 1e-14);
      EXPECT_NEAR(exact.value(i, t), expected[i], 1e-14);
    }
  }
}

TEST(ExactValues, OfCombinationsOfStates) {
  const ExactValues exact(
      entryOf(rotation({{1.0, 2.0}, {3.0, 0.0}, {0.0, 1.0}}, {"p", "q", "s"}), {{"a.q", "q"}, {"a.p", "p"}}), 0.0);
  EXPECT_NEAR(exact.value(0, 0.5), 3.0 * std::cos(0.5), 1e-14);
  EXPECT_NEAR(exact.value(1, 0.5), std::cos(0.5) - 2.0 * std::sin(0.5), 1e-14);
  EXPECT_TRUE(exact.states().empty()) << "nobody says which variables are the states";
}

TEST(ExactValues, OfFormulasFollowTheTimeOfTheRun) {
  ReferenceEntry entry = entryOf({}, {{"a.x", "f"}, {"a.y", "-g"}});
  entry.solution = FormulaReference{{"f", "2*t"}, {"g", "t^2"}};
  const ExactValues exact(entry, 1.0);
  EXPECT_EQ(exact.value(0, 1.5), 3.0);
  EXPECT_EQ(exact.value(1, 1.5), -2.25);
  EXPECT_TRUE(exact.states().empty());
}

TEST(ExactValues, AnAliasHasAKnownValueTimesASign) {
  ExactValues exact(entryOf(rotation(), {{"a.x", "c"}, {"a.v", "-s"}}), 0.0);
  exact.addAlias("b.v", 1, -1.0);
  exact.addAlias("b.x", 0, 1.0);
  EXPECT_EQ(exact.find("b.v"), 2U);
  EXPECT_NEAR(exact.value(2, 0.5), -std::sin(0.5), 1e-14);
  EXPECT_NEAR(exact.value(3, 0.5), std::cos(0.5), 1e-14);
}

TEST(ExactValues, StatesAreTheVariablesThatHaveTheirValues) {
  const auto states = [](const Pairs& values) { return ExactValues(entryOf(rotation(), values), 0.0).states(); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(states({{"a.v", "s"}, {"a.x", "c"}}), (Names{"a.x", "a.v"})) << "in the order of the solution";
  EXPECT_EQ(states({{"a.x", "c"}, {"b.x", "c"}, {"a.v", "s"}}), (Names{"a.x", "a.v"})) << "the first of several";
  EXPECT_EQ(states({{"a.x", "-c"}, {"b.x", "c"}, {"a.v", "s"}}), (Names{"b.x", "a.v"})) << "not its opposite";
  EXPECT_EQ(states({{"a.x", "c"}, {"a.v", "-s"}}), Names{});
  EXPECT_EQ(states({{"a.v", "s"}}), Names{});
  EXPECT_EQ(states({{"a.x", "c"}}), Names{});
  EXPECT_EQ(ExactValues(entryOf(rotation({{1.0, 0.0}, {0.0, 1.0}}), {{"a.x", "c"}, {"a.v", "s"}}), 0.0).states(),
            Names{})
      << "outputs that happen to be the states";
  EXPECT_EQ(ExactValues(entryOf(rotation({{2.0, 0.0}}, {"p"}), {{"a.p", "p"}}, {"a.x", "a.v"}), 0.0).states(),
            (Names{"a.x", "a.v"}));
}

TEST(ExactValues, TheSolutionStartsAnewFromGivenStates) {
  const ExactValues exact(entryOf(rotation(), {{"a.v", "s"}, {"a.x", "-c"}, {"b.x", "c"}}), 0.25);
  std::vector<double> y(3);
  exact.valuesFrom(1.0, std::vector<double>{0.0, 2.0}, 1.5, y);
  // z' = A z from (0, 2): c = 2 sin, s = 2 cos.
  EXPECT_NEAR(y[0], 2.0 * std::cos(0.5), 1e-14);
  EXPECT_NEAR(y[1], -2.0 * std::sin(0.5), 1e-14);
  EXPECT_NEAR(y[2], 2.0 * std::sin(0.5), 1e-14);
}

TEST(ExactValues, MistakesHaveThePlaceOfTheirEntry) {
  EXPECT_EQ(problemsOf([] {
              ExactValues(entryOf(rotation(), {{"a.x", "d"}, {"a.v", "-cc"}}), 0.0);
            }),
            (ProblemList{"5:2 The exact solution has no 'd'. Did you mean 'c'?",
                         "5:2 The exact solution has no 'cc'. Did you mean 'c'?"}));
  EXPECT_EQ(problemsOf([] {
              ExactValues(entryOf(rotation(), {{"a.x", "c"}}, {"a.x"}), 0.0);
            }),
            ProblemList{"6:3 States given: 1; the exact solution has 2. Name one variable for each."});
  LinearReference wrong = rotation();
  wrong.x0 = {1.0};
  EXPECT_EQ(problemsOf([&] { ExactValues(entryOf(wrong, {{"a.x", "c"}}), 0.0); }).front().substr(0, 4), "3:1 ");
}

/// Two members whose connected outputs have formulas; 'a' has no input, so that its first output is its first port.
const std::string kPast = R"toml(format = 1
simulation = { start = 1.0, end = 2.0, step = 0.5 }
algorithm = { kind = "jacobi", degree = 1, start_up = "analytic" }
[[subsystems]]
name = "a"
model = "expressions"
outputs = { p = "1 + t", q = "2*t", unconnected = "0" }
[[subsystems]]
name = "b"
model = "expressions"
inputs = { u = 0.0, v = 0.0 }
outputs = { r = "u*v" }
[[subsystems]]
name = "c"
model = "expressions"
inputs = { w = 0.0 }
outputs = { z = "w" }
[[connections]]
from = "a.p"
to = "b.u"
[[connections]]
from = "a.q"
to = "b.v"
[[connections]]
from = "b.r"
to = "c.w"
[reference]
kind = "formulas"
formulas = { P = "1 + t", Q = "2*t", R = "2*t*(1 + t)" }
values = { "a.p" = "P", "a.q" = "Q", "b.r" = "R" }
)toml";

TEST(ExactPast, GivesConnectedOutputsInTheOrderOfTheirPorts) {
  const Reading reading = parse(kPast, "loop.toml");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  const coupling::System system = build(reading.project, log).system;
  Findings findings;
  const ExactPast past(reading.project, system, findings);
  EXPECT_TRUE(findings.mistakes.empty());
  std::vector<double> y(3, -1.0);
  past.ofMember(0)(0.5, y);
  EXPECT_EQ(y, (std::vector{1.5, 1.0, -1.0}));
  past.ofMember(1)(0.5, y);
  EXPECT_EQ(y, (std::vector{1.5, 1.0, -1.0}));
  past.ofMember(2)(0.5, y);
  EXPECT_EQ(y, (std::vector{1.5, 1.0, -1.0})) << "none of its outputs is connected";
  std::vector<double> one{-1.0};
  past.ofMember(0)(0.25, one);
  EXPECT_EQ(one, std::vector{1.25});
  const auto ofSystem = past.ofSystem();
  for (const coupling::Connection& connection : system.connections) {
    const std::string name = system.members[connection.from.member].nameOf(
        system.members[connection.from.member].subsystem->describe().ports[connection.from.port]);
    EXPECT_EQ(ofSystem(connection.from, 0, 0.5), name == "a.p" ? 1.5 : name == "a.q" ? 1.0 : 1.5) << name;
  }
}

TEST(ExactPast, NeedsEveryConnectedOutput) {
  std::string text = kPast;
  text.replace(text.find(", \"a.q\" = \"Q\""), 13, "");
  const Reading reading = parse(text, "loop.toml");
  core::Log log;
  EXPECT_EQ(problemsOf([&] { build(reading.project, log); }),
            ProblemList{"27:1 The analytic start needs the exact value of the connected output 'a.q'. Write \"a.q\" = "
                        "\"...\" in [reference.values]."});
}

/// Step control that keeps the coupling error makes lines of what would be held, and lines need a past.
TEST(ExactPast, IsThatOfTheDegreeInUse) {
  std::string text = kPast;
  text.replace(text.find("degree = 1, "), 12, "");
  text.replace(text.find("[[subsystems]]"), 0, "step_control = { kind = \"predictor-corrector\" }\n");
  const Reading reading = parse(text, "loop.toml");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  core::Log log;
  const Coupled coupled = build(reading.project, log);
  EXPECT_EQ(coupled.settings.algorithm.degree, 1U);
  ASSERT_TRUE(coupled.system.past);
  EXPECT_EQ(coupled.system.past(coupled.system.connections.front().from, 0, 0.5), 1.5) << "a.p";
  run::Run run = makeRun(reading.project, log);
  EXPECT_TRUE(run.initialise().ok() && run.simulate().ok());

  const std::string without = text.substr(0, text.find("[reference]"));
  EXPECT_THAT(mistakes(parse(without, "loop.toml")),
              ::testing::ElementsAre(::testing::HasSubstr("An analytic start needs an exact solution.")));
}

/// Options of [reference] and of its parameters may be set from outside, too.
TEST(ExactValues, ParametersOfASolutionAreSetFromOutside) {
  const std::string head = R"(format = 1
simulation = { end = 1.0, step = 0.1 }
[[subsystems]]
name = "a"
model = "oscillator-body"
[reference]
kind = "two-mass-oscillator"
values = { "a.x" = "x1" }
)";
  const std::vector<Override> overrides{parseOverride("reference.parameters.m1=1.5"),
                                        parseOverride("reference.parameters.m2=2"),
                                        parseOverride("reference.parameters.c1=3")};
  for (const char* const parameters : {"", "parameters = { c1 = 0.5, c2 = 7.0 }\n"}) {
    const Reading reading = parse(head + parameters, "loop.toml", overrides);
    ASSERT_EQ(mistakes(reading), ProblemList{});
    const auto& solution = std::get<native::TwoMassOscillator>(reading.project.reference->solution);
    EXPECT_EQ(solution.m1, 1.5);
    EXPECT_EQ(solution.m2, 2.0);
    EXPECT_EQ(solution.c1, 3.0);
    EXPECT_EQ(solution.c2, *parameters == '\0' ? native::TwoMassOscillator{}.c2 : 7.0);
  }
  const std::vector<Override> noTable{parseOverride("reference.parameters=5"),
                                      parseOverride("reference.parameters.c1=3")};
  EXPECT_EQ(mistakes(parse(head, "loop.toml", noTable)),
            ProblemList{"command line 'parameters' in [reference] is the integer 5; expected is a table."});
}

}  // namespace
}  // namespace koppla::project::reference_test
