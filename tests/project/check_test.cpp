// What is wrong with names, orders and masters before anything is opened.

#include "koppla/project/check.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::check_test {
namespace {

using test::mistakes;
using test::ProblemList;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(ParseElement, TakesTheLastBracketsOfAName) {
  const auto part = parseElement("position[2]");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->port, "position");
  EXPECT_EQ(part->number, 2U);
  EXPECT_EQ(parseElement("a[12]")->number, 12U);
  EXPECT_EQ(parseElement("a[12]")->port, "a");
  EXPECT_EQ(parseElement("a[1][20]")->port, "a[1]");
  EXPECT_EQ(parseElement("a[1][20]")->number, 20U);
  EXPECT_EQ(parseElement("a[0]")->number, 0U);
  for (const char* other : {"", "a", "[1]", "a[1", "a1]", "a[]", "a[x]", "a[1x]", "a[-1]", "a[+1]", "a[1]b", "a[1.0]",
                            "a]1[", "a[99999999999999999999]"})
    EXPECT_FALSE(parseElement(other)) << other;
}

/// Native subsystems of these names, the first of which stands in line 5, in every third line.
std::string bodies(const std::vector<std::string>& names, const std::string& algorithm = "") {
  std::string text = "format = 1\nsimulation = { end = 1, step = 0.1 }\nalgorithm = { " + algorithm + " }\n";
  for (const std::string& name : names)
    text += "[[subsystems]]\nname = \"" + name + "\"\nmodel = \"oscillator-body\"\n";
  return text;
}

ProblemList problemsIn(const std::string& text) {
  return mistakes(parse(text, "loop.toml"));
}

TEST(Check, NamesHaveNoDotsBlanksAndControls) {
  for (const char* name : {"a", "!", "a-b_c", "\u00e9", "~", "1"})
    EXPECT_THAT(problemsIn(bodies({name})), IsEmpty()) << name;
  for (const char* name : {"a.b", " ", "a b", "a\\tb", "a\\u007F", "a\\u0001"})
    EXPECT_THAT(problemsIn(bodies({name})), ElementsAre(StartsWith("5:8 '"))) << name;
}

TEST(Check, SubsystemsAndConditionsHaveNamesOfTheirOwn) {
  const auto withCondition = [](const std::string& name, const std::string& second) {
    return bodies({"a", "b"}) + "[[conditions]]\nname = \"" + name +
           "\"\nkind = \"spring-damper\"\nstiffness = 1\nbetween = [\"a.point\", \"" + second + "\"]\n";
  };
  EXPECT_THAT(problemsIn(withCondition("link", "b.point")), IsEmpty());
  EXPECT_THAT(problemsIn(withCondition("b", "b.point")),
              ElementsAre("11:8 The name 'b' is used already in line 8. Give every condition a name of its own."));
  EXPECT_THAT(problemsIn(withCondition("", "b.point")),
              ElementsAre("11:8 A condition has no name. Write name = \"...\", without dots and blanks."));
  EXPECT_THAT(problemsIn(withCondition("link", "a.other")),
              ElementsAre(StartsWith("14:23 The condition 'link' acts between 'a' and itself.")));
  EXPECT_THAT(problemsIn(withCondition("link", "c.point")),
              ElementsAre(StartsWith("14:23 There is no subsystem 'c'.")));
  EXPECT_THAT(problemsIn(withCondition("link", "b.")),
              ElementsAre("14:23 'b' names no marker. Write \"subsystem.marker\"."));
  EXPECT_THAT(problemsIn(withCondition("link", ".x")),
              ElementsAre("14:23 '' names no marker. Write \"subsystem.marker\"."));
}

TEST(Check, TheMasterIsTheFirstInOrder) {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto with = [&](const std::string& master, const std::string& order) {
    return problemsIn(bodies(names, "kind = \"master-slave\", master = \"" + master + "\"" + order));
  };
  EXPECT_THAT(with("b", ", order = [\"b\", \"a\", \"c\"]"), IsEmpty());
  EXPECT_THAT(with("c", ""), IsEmpty());
  EXPECT_THAT(
      with("c", ", order = [\"b\", \"a\", \"c\"]"),
      ElementsAre("3:47 The master 'c' is not the first in order; 'b' is. Put it first, or leave 'order' out."));
  EXPECT_THAT(with("d", ", order = [\"b\", \"a\", \"c\"]"),
              ElementsAre(StartsWith("3:47 There is no subsystem 'd' to be the master.")));
}

TEST(Check, TheOrderNamesEverySubsystemOnce) {
  EXPECT_THAT(
      problemsIn(bodies({"a", "b", "c"}, "order = [\"b\", \"a\"]")),
      ElementsAre("3:24 The order does not say when 'c' is evaluated. Name every subsystem, or leave 'order' out."));
  EXPECT_THAT(problemsIn(bodies({"a", "b"}, "order = [\"b\", \"a\"]")), IsEmpty());
}

TEST(Check, NobodyIsInsideItselfOrSomebodyInside) {
  const auto with = [](const std::string& ofA, const std::string& ofB) {
    std::string text = bodies({"a"});
    if (!ofA.empty()) text += "inside = \"" + ofA + "\"\n";
    text += "[[subsystems]]\nname = \"b\"\nmodel = \"oscillator-body\"\n";
    if (!ofB.empty()) text += "inside = \"" + ofB + "\"\n";
    return problemsIn(text + "[[subsystems]]\nname = \"c\"\nmodel = \"oscillator-body\"\n");
  };
  EXPECT_THAT(with("c", "c"), IsEmpty());
  EXPECT_THAT(with("a", ""),
              ElementsAre("7:10 'a' cannot be inside itself. Name the subsystem whose integrator solves it."));
  EXPECT_THAT(with("b", "c"), ElementsAre("7:10 'b' is inside 'c' itself. Name a subsystem that is inside no other."));
  EXPECT_THAT(with("d", ""), ElementsAre(StartsWith("7:10 There is no subsystem 'd' for 'a' to be inside.")));
}

TEST(Check, AnInputIsConnectedOnceAsAWholeOrByElements) {
  const auto with = [](const std::vector<std::string>& ends) {
    std::string text = bodies({"a", "b"});
    for (const std::string& end : ends) text += "[[connections]]\nfrom = \"a.x\"\nto = \"" + end + "\"\n";
    return problemsIn(text);
  };
  EXPECT_THAT(with({"b.u[1]", "b.u[2]", "b.v", "a.u"}), IsEmpty());
  EXPECT_THAT(with({"b.u[1]", "b.u[1]"}),
              ElementsAre(StartsWith("15:6 The input 'b.u[1]' is connected already in line 12.")));
  EXPECT_THAT(with({"b.u", "b.v", "b.u"}),
              ElementsAre(StartsWith("18:6 The input 'b.u' is connected already in line 12.")));
  EXPECT_THAT(with({"b.u", "b.u[2]"}),
              ElementsAre(StartsWith("15:6 The input 'b.u[2]' is connected already in line 12.")));
  EXPECT_THAT(with({"b.u[2]", "b.u"}),
              ElementsAre(StartsWith("15:6 The input 'b.u' is connected already in line 12.")));
}

TEST(SubsystemIndex, FindsTheFirstOfAName) {
  Project project;
  for (const char* name : {"a", "b", "", "a"}) {
    SubsystemEntry entry{{name, {}}, {{}, {}}};
    project.subsystems.push_back(std::move(entry));
  }
  project.unreadSubsystems = {"lost"};
  const SubsystemIndex index(project);
  EXPECT_EQ(index.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(index.find("a"), 0U);
  EXPECT_EQ(index.find("b"), 1U);
  EXPECT_EQ(index.find(""), std::nullopt);
  EXPECT_TRUE(index.isNobodys("c"));
  EXPECT_FALSE(index.isNobodys("b"));
  EXPECT_FALSE(index.isNobodys("lost")) << "it could not be read";
  project.namesAreMissing = true;
  EXPECT_FALSE(SubsystemIndex(project).isNobodys("c")) << "it may be the one without a name";
}

}  // namespace
}  // namespace koppla::project::check_test
