#include "koppla/fmi/description_rules.hpp"

#include "koppla/fmi/description_reader.hpp"

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> brokenBy(const DescriptionText& text) {
  std::vector<std::string> result;
  for (const core::Problem& problem : readModelDescription(text.xml(), "m.xml").warnings)
    result.push_back(problem.message);
  return result;
}

std::vector<std::string> brokenBy(const std::string& variable, const std::string& definitions = {}) {
  DescriptionText text;
  text.definitions = definitions;
  text.variables = variable;
  text.structure = "<ModelStructure/>";
  return brokenBy(text);
}

/// The table of FMI 2.0.4, 2.2.7, row by row.
TEST(InitialRules, FollowTheTableOfTheStandard) {
  using C = Causality;
  using V = Variability;
  struct Row {
    C causality;
    V variability;
    bool combination;
    std::optional<Initial> preset;
    std::string allowed;
  };
  const std::vector<Row> table{
      {C::parameter, V::constant, false, Initial::exact, "e"},
      {C::parameter, V::fixed, true, Initial::exact, "e"},
      {C::parameter, V::tunable, true, Initial::exact, "e"},
      {C::parameter, V::discrete, false, Initial::exact, "e"},
      {C::calculatedParameter, V::fixed, true, Initial::calculated, "ac"},
      {C::calculatedParameter, V::tunable, true, Initial::calculated, "ac"},
      {C::calculatedParameter, V::continuous, false, Initial::calculated, "ac"},
      {C::input, V::constant, false, std::nullopt, ""},
      {C::input, V::fixed, false, std::nullopt, ""},
      {C::input, V::discrete, true, std::nullopt, ""},
      {C::input, V::continuous, true, std::nullopt, ""},
      {C::output, V::constant, true, Initial::exact, "e"},
      {C::output, V::tunable, false, Initial::calculated, "eac"},
      {C::output, V::discrete, true, Initial::calculated, "eac"},
      {C::output, V::continuous, true, Initial::calculated, "eac"},
      {C::local, V::constant, true, Initial::exact, "e"},
      {C::local, V::fixed, true, Initial::calculated, "ac"},
      {C::local, V::tunable, true, Initial::calculated, "ac"},
      {C::local, V::discrete, true, Initial::calculated, "eac"},
      {C::local, V::continuous, true, Initial::calculated, "eac"},
      {C::independent, V::continuous, true, std::nullopt, ""},
      {C::independent, V::discrete, false, std::nullopt, ""},
  };
  for (const Row& row : table) {
    const InitialRule rule = initialRule(row.causality, row.variability);
    SCOPED_TRACE(std::string(word(row.causality)) + " " + std::string(word(row.variability)));
    EXPECT_EQ(rule.combination, row.combination);
    EXPECT_EQ(rule.preset, row.preset);
    EXPECT_EQ(rule.allows(Initial::exact), row.allowed.find('e') != std::string::npos);
    EXPECT_EQ(rule.allows(Initial::approx), row.allowed.find('a') != std::string::npos);
    EXPECT_EQ(rule.allows(Initial::calculated), row.allowed.find('c') != std::string::npos);
  }
}

TEST(DescriptionRules, AreKeptByALegalDescription) {
  EXPECT_THAT(brokenBy(DescriptionText{}), IsEmpty());
}

TEST(DescriptionRules, StartValuesAreNeededWhereTheyCount) {
  for (const char* kind : {R"(causality="input")", R"(causality="parameter" variability="fixed")",
                           R"(variability="constant")", R"(initial="exact")", R"(initial="approx")"})
    EXPECT_THAT(
        brokenBy("<ScalarVariable name=\"v\" valueReference=\"1\" " + std::string(kind) + "><Real/></ScalarVariable>"),
        ElementsAre("FMI 2.0.4, 2.2.7: a start value is missing (v)."))
        << kind;
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="v" valueReference="1"><Real start="1"/></ScalarVariable>)"),
              ElementsAre(HasSubstr("a calculated or independent variable has a start value")));
  EXPECT_THAT(
      brokenBy(
          R"(<ScalarVariable name="v" valueReference="1" causality="input"><Real min="2" start="1"/></ScalarVariable>)"),
      ElementsAre(HasSubstr("not between min and max")));
}

TEST(DescriptionRules, CausalityAndVariabilityMustFit) {
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="c" valueReference="1" causality="parameter" variability="constant">
    <Real start="1"/></ScalarVariable>)"),
              ElementsAre(HasSubstr("do not go together (c: constant parameter)")));
  EXPECT_THAT(
      brokenBy(
          R"(<ScalarVariable name="p" valueReference="1" causality="parameter"><Real start="1"/></ScalarVariable>)"),
      ElementsAre(HasSubstr("the variability is missing")));
  EXPECT_THAT(
      brokenBy(
          R"(<ScalarVariable name="i" valueReference="1" causality="input"><Integer start="1"/></ScalarVariable>)"),
      ElementsAre(HasSubstr("the variability is missing")));
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="i" valueReference="1" causality="input" variability="continuous">
    <Integer start="1"/></ScalarVariable>)"),
              ElementsAre(HasSubstr("not real is continuous")));
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="u" valueReference="1" causality="input" initial="exact">
    <Real start="1"/></ScalarVariable>)"),
              ElementsAre(HasSubstr("(u: exact)")));
}

TEST(DescriptionRules, OtherSlipsAreNamed) {
  EXPECT_THAT(
      brokenBy(
          R"(<ScalarVariable name="u" valueReference="1" causality="input"><Real unit="K" start="1"/></ScalarVariable>)"),
      ElementsAre(HasSubstr("2.2.2: a unit is not defined (K of u)")));
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="v" valueReference="1"><Real nominal="0"/></ScalarVariable>)"),
              ElementsAre(HasSubstr("nominal")));
  EXPECT_THAT(
      brokenBy(R"(<ScalarVariable name="v" valueReference="1" variability="discrete"><Enumeration/></ScalarVariable>)"),
      ElementsAre(HasSubstr("items")));
  EXPECT_THAT(
      brokenBy(R"(<ScalarVariable name="a" valueReference="1" causality="input"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="b" valueReference="1" causality="input"><Real start="1"/></ScalarVariable>)"),
      ElementsAre(HasSubstr("share a value reference (a and b)")));
  EXPECT_THAT(brokenBy(R"(<ScalarVariable name="t" valueReference="1" causality="independent"><Real/></ScalarVariable>
    <ScalarVariable name="t2" valueReference="2" causality="independent"><Real/></ScalarVariable>)"),
              ElementsAre(HasSubstr("more than one independent")));
  EXPECT_THAT(brokenBy("", "<DefaultExperiment startTime=\"5\" stopTime=\"1\" stepSize=\"0\" tolerance=\"-1\"/>"),
              ElementsAre(HasSubstr("stopTime before startTime, stepSize not positive, tolerance not positive"),
                          HasSubstr("no variables")));
  DescriptionText text;
  text.flags = "modelIdentifier=\"1-2\"";
  EXPECT_THAT(brokenBy(text), ElementsAre(HasSubstr("not a name in C (1-2)")));
}

TEST(DescriptionRules, ModelStructureListsTheOutputs) {
  DescriptionText text;
  text.structure = "<ModelStructure><Outputs><Unknown index=\"1\"/></Outputs></ModelStructure>";
  EXPECT_THAT(brokenBy(text), ElementsAre(HasSubstr("lists as output what is none (u)"),
                                          HasSubstr("an output is missing in ModelStructure (y)"),
                                          HasSubstr("an output is missing in InitialUnknowns (y)")));
}

TEST(StructuredNames, FollowTheGrammar) {
  for (const char* name : {"a", "_a1", "a.b", "a.b[1].c", "a[1,22]", "der(x)", "der(a.b[3],2)", "'x y'.z", "a.'1.5'[2]",
                           R"('it\'s')", R"('a\\b')", "'.'"})
    EXPECT_TRUE(isStructuredName(name)) << name;
  for (const char* name : {"",      "1a",    "a b",     "a.", ".a", "a..b",     "a[]", "a[1",       "a[i]",    "a[1]b",
                           "der(x", "der()", "der(x,)", "''", "'a", R"('a\q')", "a-b", "x\xc3\xa4", "der(x)y", "a[1,]"})
    EXPECT_FALSE(isStructuredName(name)) << name;
}

TEST(StructuredNames, AreAskedForOnlyWhereDeclared) {
  DescriptionText text;
  text.variables = replaced(text.variables, "\"u\"", "\"u (1)\"");
  EXPECT_THAT(brokenBy(text), IsEmpty());
  text.head += " variableNamingConvention=\"structured\"";
  EXPECT_THAT(brokenBy(text),
              ElementsAre(HasSubstr("2.2.9: names break the naming convention \"structured\" (u (1))")));
}

}  // namespace
}  // namespace koppla::fmi::test
