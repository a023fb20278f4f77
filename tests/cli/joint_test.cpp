// Rigid joints between FMUs, by the command: what it says to joints that cannot be held and to options that do nothing.

#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "support/figure.hpp"

namespace koppla::test {

namespace {

const std::string kMotion = R"(position = "x", velocity = "v", force = "F")";
const std::string kAll = kMotion + R"(, acceleration = "a", projection = "w")";

std::string mass(const std::string& name, const std::string& marker, const std::string& fmu = "JointMass") {
  return subsystem(name, fmu) + "markers = { end = { " + marker + " } }\n";
}

std::string joint(const std::string& name, const std::string& options) {
  return "[[conditions]]\nname = \"" + name +
         "\"\nkind = \"joint\"\njoint = \"atpoint\"\nbetween = [\"s1.end\", \"s2.end\"]\n" + options;
}

/// Markers of the masses stand in lines 7 and 11, a joint's name in line 13, its options from line 17 on.
std::string masses(const std::string& first, const std::string& second,
                   const std::string& algorithm = "kind = \"semi-implicit\"") {
  return "format = 1\nsimulation = { end = 0.01, step = 1e-3 }\nalgorithm = { " + algorithm + " }\n" + first + second;
}

BadInput badJoint(std::string name, const std::string& marker, const std::string& options,
                  std::vector<std::string> says) {
  return badProject(std::move(name), masses(mass("s1", kMotion), mass("s2", marker)) + joint("rod", options),
                    std::move(says));
}

BadInput badAlgorithm(std::string name, const std::string& algorithm, std::vector<std::string> says) {
  return badProject(std::move(name), masses(mass("s1", kMotion), mass("s2", kMotion), algorithm) + joint("rod", ""),
                    std::move(says));
}

std::string both() {
  return masses(mass("s1", kAll), mass("s2", kAll));
}

}  // namespace

std::vector<BadInput> jointCases() {
  return {
      badProject(
          "StateThatCannotBeSaved",
          masses(mass("s1", kMotion), mass("s2", R"(position = "y", velocity = "y", force = "u")", "NoRestore")) +
              joint("rod", ""),
          {"these subsystems in cycles cannot restore a saved state: s2.", "Rigid joints need repeated steps",
           "kind = \"spring-damper\"", "Algorithms that remain: jacobi, gauss-seidel"}),
      badProject(
          "ProjectionMissing",
          masses(mass("s1", kAll), mass("s2", kMotion)) + joint("rod", "method = \"stabilised-index-2\"\n"),
          {"project.toml:13:8: The joint 'rod' projects velocities", "the marker 's2.end' has no input for that.",
           "Choose method = \"baumgarte\" or \"weighted-multipliers\"", "projection = \"...\""}),
      badJoint("AccelerationMissing", kAll, "gamma = 1e-6\n",
               {"project.toml:13:8: The joint 'rod' looks at accelerations",
                "the marker 's1.end' has no output for them.", "Set them to 0, or give the marker acceleration"}),
      badJoint("WeightOfMissingAcceleration", kAll, "method = \"weighted-multipliers\"\nacceleration_weight = 1.0\n",
               {"project.toml:13:8: The joint 'rod' looks at accelerations", "'s1.end'"}),
      badJoint("ForceMissingInMarker", R"(position = "x", velocity = "v")", "",
               {"project.toml:11:", "There is no 'force'", "force = \"...\""}),
      badJoint("ForcePortUnknown", R"(position = "x", velocity = "v", force = "G")", "",
               {"project.toml:11:", "'s2' has no input 'G'. Did you mean 'F'?"}),
      badJoint("ProjectionThatIsAnOutput", kMotion + R"(, projection = "x")", "",
               {"project.toml:11:", "'s2' has no input 'x'."}),
      badJoint("BetaNegative", kMotion, "beta = -1.0\n", {"project.toml:17:8: 'beta' in [[conditions]] is -1"}),
      badAlgorithm("Jacobi", "kind = \"jacobi\"",
                   {"Only semi-implicit coupling finds the forces of rigid joints", ": rod.",
                    "Choose algorithm.kind = \"semi-implicit\""}),
      badAlgorithm("Default", "degree = 1", {"finds the forces of rigid joints", ": rod."}),
      badAlgorithm("Newton", "kind = \"newton\"", {"finds the forces of rigid joints", ": rod."}),
      badAlgorithm("FormulasOfFmus", "kind = \"semi-implicit\", sensitivities = \"formulas\"",
                   {"Formulas for derivatives over a step", "not for these subsystems: s1, s2.",
                    "sensitivities = \"differences\""}),
      badAlgorithm("StepControl", "kind = \"semi-implicit\" }\nstep_control = { kind = \"double-step\"",
                   {"Rigid joints need steps of one length", "step_control.kind = \"fixed\""}),
      badAlgorithm("RelaxedIteration", "kind = \"semi-implicit\", iterate = true, relaxation = 0.5",
                   {"Corrections that are relaxed do not converge", "Leave one of the two out."}),
      badProject("DifferentWeights",
                 both() + joint("rod", "method = \"weighted-multipliers\"\n") +
                     joint("bar", "method = \"weighted-multipliers\"\nacceleration_weight = 1.0\n"),
                 {"The joints rod and bar have different weights", "the same velocity_weight"}),
  };
}

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Joints, ThatHoldTheSameMotionTwiceAreBothNamed) {
  // With accelerations the initialisation finds it, without them the first step.
  int refused = 0;
  for (const std::string method : {"baumgarte", "weighted-multipliers", "stabilised-index-2"})
    for (const std::string& marker : {kAll, kMotion + R"(, projection = "w")"}) {
      const Workspace workspace;
      const std::string options = "method = \"" + method + "\"\n";
      workspace.write("p.toml",
                      masses(mass("s1", marker), mass("s2", marker)) + joint("rod", options) + joint("bar", options));
      const Result result = workspace.run({"run", "p.toml"});
      const bool named = contains(result.err, "rod") && contains(result.err, "bar") &&
                         contains(result.err, "are redundant at 0 s") && contains(result.err, "Leave one of them out");
      EXPECT_TRUE(named) << result.all();
      if (named && result.exitCode == 4) ++refused;
    }
  showEqual({"lu R7", "fmus", "two equal joints between FMUs: exit code 4 and both named, in 6 of 6 variants"}, refused,
            6);
}

TEST(Joints, ThatAreOpenAtTheStartAreNamed) {
  for (const std::string start : {"x0 = 1.01", "v0 = 0.5"}) {
    const Workspace workspace;
    workspace.write("p.toml", masses(mass("s1", kMotion), mass("s2", kMotion) + "parameters = { " + start + " }\n") +
                                  joint("rod", ""));
    const Result result = workspace.run({"run", "p.toml"});
    EXPECT_EQ(result.exitCode, 4) << result.all();
    EXPECT_TRUE(contains(result.err, "The joint rod is not closed at the start")) << result.err;
    EXPECT_TRUE(contains(result.err, start == "x0 = 1.01" ? "apart by 0.01" : "velocities by 0.5")) << result.err;
  }
}

TEST(Joints, MayBeOpenByTheToleranceThatTheMessageTells) {
  for (const auto& [speed, closed] : {std::pair("1e-6", true), std::pair("1.001e-6", false)}) {
    const Workspace workspace;
    workspace.write(
        "p.toml",
        masses(mass("s1", kMotion), mass("s2", kMotion) + "parameters = { v0 = " + speed + " }\n") + joint("rod", ""));
    const Result result = workspace.run({"run", "p.toml"});
    EXPECT_EQ(result.exitCode, closed ? 0 : 4) << result.all();
    EXPECT_EQ(contains(result.err, "must meet the joint to 1e-06"), !closed) << result.err;
  }
}

TEST(Joints, HaveStepsOfOneLength) {
  const Workspace workspace;
  workspace.write("p.toml", both() + joint("rod", ""));
  const Result result = workspace.run({"run", "p.toml", "--end", "0.0105", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  // 11 steps of 0.0105 / 11 s, and no short one.
  EXPECT_TRUE(contains(result.out, "\"accepted_steps\": 11")) << result.out;
  EXPECT_TRUE(contains(result.out, "\"joints\"")) << result.out;
}

TEST(Joints, OptionsOfOtherMethodsHaveNoEffectAndSayIt) {
  const Workspace workspace;
  workspace.write("p.toml",
                  both() + joint("rod", "method = \"stabilised-index-2\"\nbeta = 1e-3\nvelocity_weight = 1.0\n"));
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.err,
                       "p.toml:18:1: 'beta' in [[conditions]] has no effect: it belongs to method = "
                       "\"baumgarte\"."))
      << result.err;
  EXPECT_TRUE(contains(result.err,
                       "p.toml:19:1: 'velocity_weight' in [[conditions]] has no effect: it belongs to "
                       "method = \"weighted-multipliers\"."))
      << result.err;
}

}  // namespace
}  // namespace koppla::test
