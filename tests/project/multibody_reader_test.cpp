// Numbers, names and ends of the items of a multibody model.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::multibody_reader_test {
namespace {

using mechanics::MultibodySettings;
using mechanics::Vector;
using test::mistakes;
using test::ProblemList;
using test::warnings;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// The lines of a subsystem stand from line 6 on.
Reading readingOf(const std::string& lines) {
  return parse(
      "format = 1\nsimulation = { end = 1.0, step = 0.01 }\n[[subsystems]]\nname = \"a\"\nmodel = \"multibody\"\n" +
          lines,
      "bodies.toml");
}

ProblemList problemsIn(const std::string& lines) {
  return mistakes(readingOf(lines));
}

MultibodySettings systemOf(const std::string& lines) {
  const Reading reading = readingOf(lines);
  EXPECT_THAT(mistakes(reading), IsEmpty()) << lines;
  EXPECT_THAT(warnings(reading), IsEmpty()) << lines;
  return std::get<MultibodySettings>(reading.project.subsystems.at(0).model->settings);
}

const std::string kPlanar = "[[subsystems.bodies]]\nname = \"rod\"\nmass = 2.0\ninertia = 0.5\n";  // to line 9
const std::string kSpatial =
    "rotation = \"cardan\"\n[[subsystems.bodies]]\nname = \"rod\"\nmass = 2.0\ninertia = [1, 2, 3]\n";  // 10
const std::string kTip =
    "[subsystems.markers]\ntip = {body = \"rod\", at = [0.5, 0, 0]}\nend = {body = \"rod\", at = [1, 0, 0]}\n";

TEST(MultibodyReader, PointsHaveTwoComponentsInThePlaneAndThreeInSpace) {
  EXPECT_EQ(systemOf("gravity = [1, 2]\n" + kPlanar).gravity, (Vector{1.0, 2.0, 0.0}));
  EXPECT_EQ(systemOf("gravity = [1, 2, 0]\n" + kPlanar).gravity, (Vector{1.0, 2.0, 0.0}));
  EXPECT_EQ(systemOf("gravity = [1, 2, 3]\n" + kSpatial).gravity, (Vector{1.0, 2.0, 3.0}));
  EXPECT_THAT(problemsIn("gravity = [1, 2, 3]\n" + kPlanar),
              ElementsAre(StartsWith("6:11 'gravity' in [[subsystems]] leaves the plane: z is 3.")));
  EXPECT_THAT(problemsIn("gravity = [1, 2]\n" + kSpatial),
              ElementsAre("6:11 'gravity' in [[subsystems]] has 2 components. Give [x, y, z]."));
  for (const std::string head : {"", "rotation = \"cardan\"\n"})
    for (const char* wrong : {"[1]", "[]", "[1, 2, 3, 4]"})
      EXPECT_THAT(problemsIn("gravity = " + std::string(wrong) + "\n" + (head.empty() ? kPlanar : kSpatial)),
                  ElementsAre(HasSubstr(head.empty() ? "components. Give [x, y]." : "components. Give [x, y, z].")));
  EXPECT_THAT(problemsIn("gravity = 5\n" + kPlanar),
              ElementsAre(HasSubstr("6:11 'gravity' in [[subsystems]] is the integer 5;")));
}

TEST(MultibodyReader, NobodyKnowsSizesWhereTheRotationIsNoWord) {
  const std::string wrong = "rotation = \"planer\"\n";
  EXPECT_THAT(problemsIn(wrong + "gravity = [1, 2, 3]\n" + kPlanar),
              ElementsAre(HasSubstr("'planer' is no value of 'rotation'")));
  EXPECT_THAT(problemsIn(wrong + "gravity = [1]\n" + kPlanar +
                         "position = [1]\nrotation = [1, 2]\nangular_velocity = [1, 2, 3]\n"),
              ElementsAre(HasSubstr("'planer' is no value of 'rotation'")));
}

TEST(MultibodyReader, DirectionsMayLeaveThePlane) {
  const MultibodySettings system =
      systemOf(kPlanar + "[subsystems.markers]\ntip = {body = \"rod\", axis = [0, 0, 1], cross = [1, 0]}\n");
  EXPECT_EQ(system.markers.at(0).place.axis, (Vector{0.0, 0.0, 1.0}));
  EXPECT_EQ(system.markers.at(0).place.cross, (Vector{1.0, 0.0, 0.0}));
  EXPECT_EQ(system.markers.at(0).name, "tip");
  EXPECT_THAT(problemsIn(kPlanar + "[subsystems.markers]\ntip = {body = \"rod\", at = [0, 0, 1]}\n"),
              ElementsAre(StartsWith("11:27 'at' in tip leaves the plane: z is 1.")));
}

TEST(MultibodyReader, SpinsHaveOneComponentInThePlaneAndThreeInSpace) {
  const auto velocity = [](const std::string& body, const char* value) {
    return systemOf(body + "angular_velocity = " + value + "\n").bodies.at(0).angularVelocity;
  };
  EXPECT_EQ(velocity(kPlanar, "4"), (Vector{0.0, 0.0, 4.0}));
  EXPECT_EQ(velocity(kPlanar, "[4]"), (Vector{0.0, 0.0, 4.0}));
  EXPECT_EQ(velocity(kSpatial, "[4, 5, 6]"), (Vector{4.0, 5.0, 6.0}));
  EXPECT_THAT(problemsIn(kPlanar + "angular_velocity = [4, 5, 6]\n"),
              ElementsAre("10:20 'angular_velocity' in [[bodies]] has 3 components. Give one number."));
  for (const char* wrong : {"4", "[4]", "[4, 5]"})
    EXPECT_THAT(problemsIn(kSpatial + "angular_velocity = " + wrong + "\n"),
                ElementsAre(HasSubstr("components. Give [x, y, z].")));
}

TEST(MultibodyReader, RotationsHaveAsManyParametersAsTheirKind) {
  EXPECT_EQ(systemOf(kPlanar + "rotation = 0.5\n").bodies.at(0).rotation, std::vector{0.5});
  EXPECT_EQ(systemOf(kSpatial + "rotation = [1, 2, 3]\n").bodies.at(0).rotation, (std::vector{1.0, 2.0, 3.0}));
  EXPECT_TRUE(systemOf(kPlanar).bodies.at(0).rotation.empty());
  EXPECT_THAT(problemsIn(kSpatial + "rotation = [1, 0, 0, 0]\n"),
              ElementsAre("11:12 'rotation' in [[bodies]] has 4 components. The rotation 'cardan' has 3."));
}

TEST(MultibodyReader, InertiaIsPositiveAboutEveryAxis) {
  EXPECT_EQ(systemOf(kPlanar).bodies.at(0).inertia[2], 0.5);
  EXPECT_EQ(systemOf(kSpatial).bodies.at(0).inertia, (Vector{1.0, 2.0, 3.0}));
  const auto with = [](const char* rotation, const char* inertia) {
    return problemsIn("rotation = \"" + std::string(rotation) +
                      "\"\n[[subsystems.bodies]]\nname = \"rod\"\nmass = 2.0\ninertia = " + inertia + "\n");
  };
  EXPECT_THAT(with("planar", "[1, 2, 3]"),
              ElementsAre("10:11 'inertia' in [[bodies]] has 3 components. Give one number."));
  EXPECT_THAT(with("cardan", "1"), ElementsAre("10:11 'inertia' in [[bodies]] has 1 components. Give [Jx, Jy, Jz]."));
  EXPECT_THAT(with("planar", "0"), ElementsAre("10:11 'inertia' in [[bodies]] is 0; it must be above 0."));
  EXPECT_THAT(with("cardan", "[1, 2, 0]"), ElementsAre("10:11 'inertia' in [[bodies]] is 0; it must be above 0."));
  EXPECT_THAT(with("cardan", "[-1, 2, 3]"), ElementsAre("10:11 'inertia' in [[bodies]] is -1; it must be above 0."));
}

TEST(MultibodyReader, SpringsHaveOneNumberForAllDirectionsOrOneEach) {
  const auto stiffness = [](const std::string& body, const std::string& value) {
    return systemOf(body + kTip +
                    "[[subsystems.springs]]\nname = \"s\"\nfirst = \"tip\"\nsecond = \"end\"\nstiffness = " + value +
                    "\n")
        .springs.at(0)
        .stiffness;
  };
  EXPECT_EQ(stiffness(kPlanar, "7"), (Vector{7.0, 7.0, 0.0}));
  EXPECT_EQ(stiffness(kPlanar, "[7]"), (Vector{7.0, 7.0, 0.0}));
  EXPECT_EQ(stiffness(kPlanar, "[7, 0]"), (Vector{7.0, 0.0, 0.0}));
  EXPECT_EQ(stiffness(kSpatial, "7"), (Vector{7.0, 7.0, 7.0}));
  EXPECT_EQ(stiffness(kSpatial, "[7, 8, 9]"), (Vector{7.0, 8.0, 9.0}));
  const auto problems = [](const std::string& body, const std::string& value) {
    return problemsIn(body + kTip +
                      "[[subsystems.springs]]\nname = \"s\"\nfirst = \"tip\"\nsecond = \"end\"\ndamping = " + value +
                      "\n");
  };
  EXPECT_THAT(problems(kPlanar, "[7, 8, 9]"),
              ElementsAre("17:11 'damping' in [[springs]] has 3 components. Give one number, or 2."));
  EXPECT_THAT(problems(kSpatial, "[7, 8]"),
              ElementsAre("18:11 'damping' in [[springs]] has 2 components. Give one number, or 3."));
  EXPECT_THAT(problems(kSpatial, "[7, 8, -9]"),
              ElementsAre("18:11 'damping' in [[springs]] is -9; it must be at least 0."));
}

TEST(MultibodyReader, NamesAreThereAndDifferentAmongAllItems) {
  EXPECT_THAT(problemsIn("[[subsystems.bodies]]\nname = \"\"\nmass = 2.0\ninertia = 0.5\n"),
              ElementsAre("7:8 A body has no name. Give it one."));
  EXPECT_THAT(problemsIn("[[subsystems.bodies]]\nmass = 2.0\ninertia = 0.5\n"),
              ElementsAre(StartsWith("6:1 There is no 'name' in [[bodies]].")));
  EXPECT_THAT(problemsIn(kPlanar + "[subsystems.markers]\nrod = {body = \"rod\"}\n"),
              ElementsAre(StartsWith("11:1 The name 'rod' is used already in line 7.")));
  EXPECT_THAT(problemsIn(kPlanar + kTip + "[[subsystems.forces]]\nname = \"tip\"\nmarker = \"tip\"\n"),
              ElementsAre(StartsWith("14:8 The name 'tip' is used already in line 11.")));
}

TEST(MultibodyReader, WhatIsNamedIsThere) {
  EXPECT_THAT(problemsIn(kPlanar + "[[subsystems.forces]]\nname = \"f\"\nmarker = \"tip\"\n"),
              ElementsAre("12:10 There is no marker 'tip' in this subsystem. Declare it in [subsystems.markers]."));
  EXPECT_THAT(problemsIn("[[subsystems.torsion_springs]]\nname = \"t\"\nfirst = \"rod\"\n"),
              testing::Contains("8:9 There is no body 'rod' in this subsystem. Declare it in [[subsystems.bodies]]."));
  EXPECT_THAT(problemsIn(kPlanar + kTip + "[[subsystems.forces]]\nname = \"f\"\nmarker = \"tap\"\n"),
              ElementsAre("15:10 There is no marker 'tap' in this subsystem. Did you mean 'tip'?"));
  EXPECT_THAT(problemsIn(kPlanar + "[[subsystems.forces]]\nname = \"f\"\n"),
              ElementsAre("10:1 There is no 'marker' in [[forces]]. Write marker = \"...\", the name of a marker."));
  EXPECT_THAT(
      problemsIn(
          kPlanar +
          "[subsystems.markers]\ntip = {body = \"road\"}\n[[subsystems.forces]]\nname = \"f\"\nmarker = \"tip\"\n"),
      ElementsAre(HasSubstr("There is no body 'road'")))
      << "who names the marker has made no mistake";
}

TEST(MultibodyReader, SpringsAndJointsHaveTwoEnds) {
  for (const std::string kind : {"[[subsystems.springs]]\n", "[[subsystems.joints]]\njoint = \"revolute\"\n"}) {
    const bool joint = kind.find("joint") != std::string::npos;
    const std::string ground = joint ? "ground = {at = [1, 0]}\n" : "ground = [1, 0]\n";
    const auto with = [&](const std::string& ends) {
      return problemsIn(kPlanar + "[[subsystems.bodies]]\nname = \"bar\"\nmass = 2.0\ninertia = 0.5\n" + kTip +
                        "far = {body = \"bar\"}\n" + kind + "name = \"s\"\nfirst = \"tip\"\n" + ends);
    };
    EXPECT_THAT(with("second = \"far\"\n"), IsEmpty());
    EXPECT_THAT(with(ground), IsEmpty());
    EXPECT_THAT(with(""), ElementsAre(HasSubstr("The second end is missing.")));
    EXPECT_THAT(with("second = \"far\"\n" + ground),
                ElementsAre(HasSubstr("'second' and 'ground' exclude each other. Remove one of them.")));
  }
}

TEST(MultibodyReader, AJointIsBetweenTwoBodies) {
  const auto with = [](const std::string& second) {
    return problemsIn(kPlanar + "[[subsystems.bodies]]\nname = \"bar\"\nmass = 2.0\ninertia = 0.5\n" + kTip +
                      "far = {body = \"bar\"}\n[[subsystems.joints]]\nname = \"j\"\njoint = \"revolute\"\nfirst = "
                      "\"tip\"\nsecond = \"" +
                      second + "\"\n");
  };
  EXPECT_THAT(with("far"), IsEmpty());
  EXPECT_THAT(with("end"),
              ElementsAre("22:10 The joint 'j' connects the body 'rod' with itself. Name markers on two bodies."));
  EXPECT_THAT(with("fahr"), ElementsAre(HasSubstr("There is no marker 'fahr'")));
}

TEST(MultibodyReader, AJointHasThePlacesOfItsMarkers) {
  const MultibodySettings system =
      systemOf(kPlanar + "[[subsystems.bodies]]\nname = \"bar\"\nmass = 2.0\ninertia = 0.5\n" + kTip +
               "far = {body = \"bar\", at = [3, 4]}\n[[subsystems.joints]]\nname = \"j\"\njoint = \"revolute\"\nfirst "
               "= \"tip\"\nsecond = \"far\"\n");
  const mechanics::InternalJoint& joint = system.joints.at(0);
  EXPECT_EQ(joint.name, "j");
  EXPECT_EQ(joint.first, "rod");
  EXPECT_EQ(joint.second, "bar");
  EXPECT_EQ(joint.joint.first.at, (Vector{0.5, 0.0, 0.0}));
  EXPECT_EQ(joint.joint.second.at, (Vector{3.0, 4.0, 0.0}));
}

TEST(MultibodyReader, TheRateBelongsToBaumgarte) {
  EXPECT_EQ(systemOf("constraints = \"baumgarte\"\nrate = 7\n" + kPlanar).rate, 7.0);
  EXPECT_THAT(warnings(readingOf("rate = 7\n" + kPlanar)),
              ElementsAre("6:1 'rate' in [[subsystems]] has no effect: it belongs to constraints = \"baumgarte\"."));
  EXPECT_THAT(warnings(readingOf("constraints = \"nobodys\"\nrate = 7\n" + kPlanar)), IsEmpty())
      << "which may be meant";
  EXPECT_THAT(problemsIn("constraints = \"baumgarte\"\nrate = 0\n" + kPlanar),
              ElementsAre(HasSubstr("it must be above 0.")));
}

TEST(MultibodyReader, BodiesAreNeeded) {
  EXPECT_THAT(problemsIn("bodies = 3\n"), ElementsAre(HasSubstr("'bodies' in [[subsystems]] is the integer 3;")));
  EXPECT_THAT(problemsIn(""), ElementsAre(HasSubstr("3:1 There are no bodies.")));
}

TEST(MultibodyReader, TorsionSpringsTurnInThePlane) {
  const MultibodySettings system = systemOf(
      kPlanar +
      "[[subsystems.torsion_springs]]\nname = \"t\"\nfirst = \"rod\"\nstiffness = 0\ndamping = 0\nrelaxed = -1\n");
  EXPECT_EQ(system.torsionSprings.at(0).first, "rod");
  EXPECT_EQ(system.torsionSprings.at(0).second, "");
  EXPECT_EQ(system.torsionSprings.at(0).relaxed, -1.0);
}

}  // namespace
}  // namespace koppla::project::multibody_reader_test
