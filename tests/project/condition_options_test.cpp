// Which options of a condition have an effect with its kind, and what it becomes.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::condition_options_test {
namespace {

using test::mistakes;
using test::warnings;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// The lines stand from line 13 on.
Reading readingOf(const std::string& lines, const std::string& algorithm = "jacobi") {
  return parse(
      "format = 1\nsimulation = { end = 1.0, step = 0.1 }\nalgorithm = { kind = \"" + algorithm +
          "\" }\n[[subsystems]]\nname = \"a\"\nmodel = \"oscillator-body\"\n[[subsystems]]\nname = \"b\"\nmodel = "
          "\"oscillator-body\"\n[[conditions]]\nname = \"link\"\nbetween = [\"a.point\", \"b.point\"]\n" +
          lines,
      "loop.toml");
}

ConditionEntry conditionOf(const std::string& lines, const std::string& algorithm = "jacobi") {
  const Reading reading = readingOf(lines, algorithm);
  EXPECT_THAT(mistakes(reading), IsEmpty()) << lines;
  return reading.project.conditions.at(0);
}

const std::string kSpring = "kind = \"spring-damper\"\nstiffness = 2.0\n";
const std::string kLaw = "kind = \"law\"\nforce = \"x\"\n";
const std::string kJoint = "kind = \"joint\"\njoint = \"atpoint\"\n";

TEST(ConditionOptions, BelongToTheirKind) {
  struct Option {
    std::string line;
    bool ofSpring, ofLaw, ofJoint;
  };
  const std::vector<Option> options{{"damping = 0.5", true, false, false},
                                    {"decomposition = \"force-force\"", true, true, false},
                                    {"scaled = true", true, true, false},
                                    {"method = \"baumgarte\"", false, false, true}};
  for (const Option& option : options)
    for (const auto& [kind, used] :
         {std::pair(kSpring, option.ofSpring), std::pair(kLaw, option.ofLaw), std::pair(kJoint, option.ofJoint)}) {
      const Reading reading = readingOf(kind + option.line + "\n");
      EXPECT_THAT(mistakes(reading), IsEmpty()) << kind << option.line;
      EXPECT_EQ(warnings(reading).empty(), used) << kind << option.line;
    }
  EXPECT_THAT(warnings(readingOf(kSpring + "force = \"x\"\n")),
              ElementsAre(HasSubstr("only a condition of kind 'law' has a formula.")));
  EXPECT_THAT(warnings(readingOf(kJoint + "force = \"x\"\n")),
              ElementsAre(HasSubstr("only a condition of kind 'law' has a formula.")));
  EXPECT_THAT(warnings(readingOf(kLaw + "stiffness = 1\n")),
              ElementsAre(HasSubstr("a condition of kind 'law' has a formula.")));
  EXPECT_THAT(warnings(readingOf(kJoint + "stiffness = 1\n")), ElementsAre(HasSubstr("a rigid joint has no spring.")));
  EXPECT_THAT(mistakes(readingOf("kind = \"law\"\n")),
              ElementsAre(StartsWith("10:1 There is no 'force' in [[conditions]].")));
  EXPECT_THAT(mistakes(readingOf("kind = \"joint\"\n")),
              ElementsAre(StartsWith("10:1 There is no 'joint' in [[conditions]].")));
}

TEST(ConditionOptions, OfAMistypedKindMayBeMeantForIt) {
  const Reading reading = readingOf(
      "kind = \"jiont\"\njoint = \"fixed\"\nforce = \"x\"\nstiffness = 1\nmethod = \"baumgarte\"\nbeta = 1\nscaled = "
      "true\nalignment = \"cross\"\ndecomposition = \"force-force\"\n");
  EXPECT_THAT(mistakes(reading), testing::Contains(StartsWith("13:8 'jiont' is no value of 'kind'")));
  EXPECT_THAT(warnings(reading), IsEmpty());
}

TEST(ConditionOptions, OfAMethodBelongToIt) {
  struct Option {
    std::string line;
    std::string method;
  };
  for (const Option& option : {Option{"beta = 0", "baumgarte"}, Option{"gamma = 0", "baumgarte"},
                               Option{"velocity_weight = 0", "weighted-multipliers"},
                               Option{"acceleration_weight = 0", "weighted-multipliers"}}) {
    for (const std::string method : {"baumgarte", "weighted-multipliers", "stabilised-index-2"}) {
      const Reading reading = readingOf(kJoint + "method = \"" + method + "\"\n" + option.line + "\n");
      EXPECT_THAT(mistakes(reading), IsEmpty());
      if (method == option.method)
        EXPECT_THAT(warnings(reading), IsEmpty()) << option.line;
      else
        EXPECT_THAT(warnings(reading), ElementsAre(HasSubstr("it belongs to method = \"" + option.method + "\".")))
            << option.line;
    }
    EXPECT_THAT(warnings(readingOf(kSpring + option.line + "\n")),
                ElementsAre(HasSubstr("only a condition of kind 'joint' is held by a method.")))
        << option.line;
    EXPECT_THAT(warnings(readingOf(kJoint + "method = \"baumgart\"\n" + option.line + "\n")), IsEmpty())
        << "which may be meant";
  }
  const ConditionEntry first = conditionOf(kJoint + "method = \"baumgarte\"\nbeta = 3\ngamma = 4\n");
  EXPECT_EQ(std::get<RigidLaw>(first.law).beta, 3.0);
  EXPECT_EQ(std::get<RigidLaw>(first.law).gamma, 4.0);
  const ConditionEntry second =
      conditionOf(kJoint + "method = \"weighted-multipliers\"\nvelocity_weight = 5\nacceleration_weight = 6\n");
  EXPECT_EQ(std::get<RigidLaw>(second.law).velocityWeight, 5.0);
  EXPECT_EQ(std::get<RigidLaw>(second.law).accelerationWeight, 6.0);
  EXPECT_EQ(std::get<RigidLaw>(second.law).method, coupling::ConstraintMethod::weightedMultipliers);
}

TEST(ConditionOptions, AnAlignmentIsOfJointsThatHoldOrientationsEqual) {
  std::string word;
  for (const auto alignment : mechanics::kAlignments) word = mechanics::word(alignment);
  for (const auto kind : mechanics::kJointKinds) {
    const Reading reading = readingOf("kind = \"spring-damper\"\nstiffness = 1\njoint = \"" +
                                      std::string(mechanics::word(kind)) + "\"\nalignment = \"" + word + "\"\n");
    const bool used = kind == mechanics::JointKind::fixed || kind == mechanics::JointKind::orientation;
    EXPECT_EQ(warnings(reading).empty(), used) << mechanics::word(kind);
  }
}

TEST(ConditionOptions, SpringsAreGivenByStiffnessOrDampingOrBoth) {
  const auto spring = [](const std::string& lines) {
    return std::get<SpringDamperLaw>(conditionOf("kind = \"spring-damper\"\n" + lines).law);
  };
  EXPECT_EQ(spring("stiffness = 2\n").stiffness, std::vector{2.0});
  EXPECT_EQ(spring("damping = 3\n").damping, std::vector{3.0});
  EXPECT_EQ(spring("stiffness = [2, 4]\ndamping = 3\n").stiffness, (std::vector{2.0, 4.0}));
  EXPECT_THAT(mistakes(readingOf("kind = \"spring-damper\"\n")),
              ElementsAre(StartsWith("13:8 A spring-damper without stiffness and damping does nothing.")));
}

TEST(ConditionOptions, NameTwoMarkers) {
  const ConditionEntry condition = conditionOf(kSpring);
  EXPECT_EQ(condition.name.value, "link");
  EXPECT_EQ(condition.first.subsystem + "/" + condition.first.port, "a/point");
  EXPECT_EQ(condition.second.subsystem + "/" + condition.second.port, "b/point");
  const auto between = [](const std::string& markers) {
    return mistakes(
        parse("format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nmodel = "
              "\"oscillator-body\"\n[[conditions]]\nname = \"link\"\nbetween = " +
                  markers + "\n" + kSpring,
              "loop.toml"));
  };
  for (const char* wrong : {"[]", "[\"a.point\"]", "[\"a.point\", \"a.point\", \"a.point\"]"})
    EXPECT_THAT(between(wrong), ElementsAre(StartsWith("8:11 A condition acts between two markers; given: "))) << wrong;
  EXPECT_THAT(between("[\"a\", \"b.point\"]"), testing::Contains(StartsWith("8:12 'a' names no marker.")));
}

TEST(ConditionOptions, UnderSemiImplicitCouplingForcesAreExchangedUnlessSaid) {
  EXPECT_EQ(conditionOf(kSpring).decomposition.value, Decomposition::forceDisplacement);
  EXPECT_EQ(conditionOf(kSpring, "semi-implicit").decomposition.value, Decomposition::forceForce);
  for (const std::string algorithm : {"jacobi", "semi-implicit"})
    EXPECT_EQ(conditionOf(kSpring + "decomposition = \"displacement-force\"\n", algorithm).decomposition.value,
              Decomposition::displacementForce);
  EXPECT_EQ(conditionOf(kSpring, "semi-implicit").decomposed, false);
}

}  // namespace
}  // namespace koppla::project::condition_options_test
