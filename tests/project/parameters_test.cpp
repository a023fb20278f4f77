// Parameters of subsystems, in the file and from outside.

#include "koppla/project/parameters.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/document.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::parameters_test {
namespace {

using test::mistakes;
using test::ProblemList;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Parameter> parametersOf(const std::string& text, ProblemList& problems) {
  Findings findings;
  std::vector<Parameter> parameters = readParameters(parseToml(text, "x.toml"), findings);
  problems = test::list(findings.mistakes);
  return parameters;
}

TEST(Parameters, OfTablesHaveTheNamesOfTheirWay) {
  ProblemList problems;
  const std::vector<Parameter> found =
      parametersOf("k = 1\nbus.a.b = 2.5\n[list]\nv = [1, true, 'x']\n[list.deep]\nw = 3\n", problems);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].port.value, "k");
  EXPECT_EQ(found[1].port.value, "bus.a.b");
  EXPECT_EQ(found[1].port.place.column, 1U) << "where the name begins";
  EXPECT_EQ(found[1].values.at(0).value, RawValue(2.5));
  EXPECT_EQ(found[1].values.at(0).place.column, 11U);
  EXPECT_EQ(found[2].port.value, "list.v");
  EXPECT_EQ(found[2].port.place.line, 4U) << "not that of its table";
  ASSERT_EQ(found[2].values.size(), 3U);
  EXPECT_EQ(found[2].values[1].value, RawValue(true));
  EXPECT_EQ(found[2].values[2].value, RawValue("x"));
  EXPECT_EQ(found[3].port.value, "list.deep.w");
  EXPECT_EQ(found[3].port.place.line, 6U);
}

TEST(Parameters, OfWhichAValueIsNoneAreLeftOut) {
  ProblemList problems;
  const std::vector<Parameter> found =
      parametersOf("a = 2020-01-01\nb = [1, [2], 3]\nc = [[1], [2]]\nd = 5\nd2 = []\n", problems);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].port.value, "d");
  EXPECT_TRUE(found[1].values.empty());
  EXPECT_THAT(problems, ElementsAre(HasSubstr("1:5 The parameter 'a' holds a date or a time;"),
                                    HasSubstr("2:9 The parameter 'b' holds an array;"),
                                    HasSubstr("3:6 The parameter 'c' holds an array;")));
}

TEST(Parameters, AreSetOnce) {
  ProblemList problems;
  const std::vector<Parameter> found = parametersOf("a.b = 1\n\"a.b\" = 2\n\"a.c\" = 3\n", problems);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].values.at(0).value, RawValue(std::int64_t{1}));
  EXPECT_THAT(problems, ElementsAre("2:1 The parameter 'a.b' is set already in line 1."));
}

Reading readingWith(std::initializer_list<std::string_view> settings) {
  std::vector<Override> overrides;
  for (const std::string_view setting : settings) overrides.push_back(parseOverride(setting));
  return parse(
      "format = 1\n[simulation]\nend = 10.0\nstep = 0.1\n[[subsystems]]\nname = \"a\"\nfmu = "
      "\"a.fmu\"\n[subsystems.parameters]\nk = "
      "1.0\nl = 2.0\n[[subsystems]]\nname = \"b\"\nfmu = \"b.fmu\"\n",
      "loop.toml", overrides);
}

TEST(Parameters, FromOutsideReplaceThoseOfTheFile) {
  const Reading reading = readingWith({"a.k=3", "b.m=[1, 2]", "a.n=x", "a.k=4"});
  EXPECT_THAT(mistakes(reading), IsEmpty());
  const std::vector<Parameter>& ofA = reading.project.subsystems.at(0).parameters;
  ASSERT_EQ(ofA.size(), 3U);
  EXPECT_EQ(ofA[0].port.value, "l");
  EXPECT_EQ(ofA[1].port.value, "n");
  EXPECT_EQ(ofA[2].port.value, "k");
  EXPECT_EQ(ofA[2].values.at(0).value, RawValue(std::int64_t{4}));
  EXPECT_EQ(ofA[2].port.place.file, commandLine().file);
  EXPECT_EQ(reading.project.subsystems.at(1).parameters.at(0).values.size(), 2U);
}

TEST(Parameters, FromOutsideThatAreNoValuesAreRefused) {
  const Reading reading = readingWith({"a.k=2020-01-01", "a.l=[[1]]", "b.m=7"});
  EXPECT_THAT(mistakes(reading), ElementsAre(HasSubstr("command line The parameter 'k' holds a date or a time;"),
                                             HasSubstr("command line The parameter 'l' holds an array;")));
  EXPECT_EQ(reading.project.subsystems.at(0).parameters.size(), 2U) << "those of the file";
  EXPECT_EQ(reading.project.subsystems.at(1).parameters.size(), 1U) << "the next one is taken";
}

TEST(Parameters, WhatWasMeantIsTold) {
  const auto said = [](std::string_view setting) {
    const ProblemList all = mistakes(readingWith({setting}));
    EXPECT_EQ(all.size(), 1U) << setting;
    return all.front();
  };
  EXPECT_THAT(said("end=5"),
              HasSubstr("'end' names neither an option nor a subsystem's parameter. Did you mean 'simulation.end'?"));
  EXPECT_THAT(said("c.k=5"),
              HasSubstr("'c.k' names neither an option nor a subsystem's parameter. Did you mean 'a.k'?"));
  EXPECT_THAT(said("bb.kk=5"), HasSubstr("Did you mean 'b.kk'?"));
  EXPECT_THAT(said("simulaton.end=5"), HasSubstr("Did you mean 'simulation.end'?"));
  EXPECT_THAT(said("simulation=5"), HasSubstr("Known here: simulation.start, simulation.end, simulation.step,"));
  EXPECT_THAT(said("a.=5"), HasSubstr("'a.' names neither an option nor"));
  EXPECT_THAT(said("a=5"), HasSubstr("'a' names neither an option nor"));
}

TEST(Parameters, NumbersBeyondDoublesAreToldFromTexts) {
  const auto said = [](const std::string& value) {
    return mistakes(readingWith({"simulation.explosion_limit=" + value}));
  };
  for (const char* large : {"1e999", "+1e999", "-1e999"})
    EXPECT_THAT(said(large), ElementsAre("command line 'explosion_limit' in [simulation] is " + std::string(large) +
                                         "; it must be a finite number, at most 1.8e+308."));
  for (const char* text : {"1e999x", "x", "fast", "'1e999'x"})
    EXPECT_THAT(said(text), ElementsAre("command line 'explosion_limit' in [simulation] is the string '" +
                                        std::string(text) + "'; expected is a number. Write one such as 0.1."));
  EXPECT_THAT(said("1e300"), IsEmpty());
  EXPECT_THAT(said("true"),
              ElementsAre("command line 'explosion_limit' in [simulation] is the boolean true; expected is a number."));
}

}  // namespace
}  // namespace koppla::project::parameters_test
