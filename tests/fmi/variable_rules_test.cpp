// Rules of FMI 2.0.4 for single variables, at their borders: names, ranges, aliases, defaults.

#include <string>

#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/description_rules.hpp"
#include "koppla/fmi/detail/xml_element.hpp"

#include "played_fmu.hpp"

namespace koppla::fmi::test::variable_rules_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DescriptionRead readOf(const std::string& variables, const std::string& definitions = {},
                       const std::string& structure = "<ModelStructure/>") {
  DescriptionText text = described(variables, structure);
  text.definitions = definitions;
  return readModelDescription(text.xml(), "m.xml");
}

std::vector<std::string> broken(const std::string& variables, const std::string& definitions = {},
                                const std::string& structure = "<ModelStructure/>") {
  std::vector<std::string> result;
  for (const core::Problem& problem : readOf(variables, definitions, structure).warnings)
    result.push_back(problem.message);
  return result;
}

std::string scalar(const std::string& name, const std::string& attributes, const std::string& type) {
  return "<ScalarVariable name=\"" + name + "\" valueReference=\"1\" " + attributes + "><" + type +
         "/></ScalarVariable>";
}

// --- Names (2.2.9) ---------------------------------------------------------------------------------------------------

bool isLetter(char c) {
  return std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").find(c) != std::string_view::npos;
}
bool isDigit(char c) {
  return std::string_view("0123456789").find(c) != std::string_view::npos;
}
bool isIn(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

/// Every character of ASCII in every place of a name, in front of and behind others that are legal.
TEST(VariableRules, NamesTakeTheCharactersOfTheGrammar) {
  for (int code = 1; code < 128; ++code) {
    const char c = static_cast<char>(code);
    const std::string one(1, c);
    SCOPED_TRACE(code);
    EXPECT_EQ(isStructuredName(one), isLetter(c));
    EXPECT_EQ(isStructuredName(one + "z"), isLetter(c));
    EXPECT_EQ(isStructuredName("a" + one + "z"), isLetter(c) || isDigit(c) || c == '.');
    EXPECT_EQ(isStructuredName("az" + one), isLetter(c) || isDigit(c));
    EXPECT_EQ(isStructuredName("a[" + one + "].z"), isDigit(c));
    EXPECT_EQ(isStructuredName("a[1" + one + "2]"), isDigit(c) || c == ',');
    EXPECT_EQ(isStructuredName("der(a," + one + ")"), isDigit(c));
    const bool quotable = isLetter(c) || isDigit(c) || isIn(c, "!#$%&()*+,-./:;<>=?@[]^{}|~ ");
    EXPECT_EQ(isStructuredName("'" + one + "'"), quotable);
    EXPECT_EQ(isStructuredName("'a" + one + "b'.z"), quotable || c == '\\');  // before b
    EXPECT_EQ(isStructuredName("'a" + one + "b'.z1"), quotable || c == '\\');
    const bool escaped = isIn(c, "'\"?\\abfnrtv");
    EXPECT_EQ(isStructuredName("'\\" + one + "'"), escaped);
    EXPECT_EQ(isStructuredName("'\\" + one + "'.n"), escaped);
    EXPECT_EQ(isStructuredName("'\\" + one + "'.q"), escaped);
  }
  EXPECT_FALSE(isStructuredName("'a\\"));
  EXPECT_FALSE(isStructuredName("'\xc3'.z"));
}

TEST(VariableRules, IdentifiersAreNamesInC) {
  const auto told = [](const std::string& identifier) {
    DescriptionText text;
    text.flags = "modelIdentifier=\"" + identifier + "\"";
    return !readModelDescription(text.xml(), "m.xml").warnings.empty();
  };
  for (const char* name : {"a", "_", "a1", "Z_9", "_1a"}) EXPECT_FALSE(told(name)) << name;
  for (const char* name : {"1a", "9", "a-b", "a b", "a.b", "1_"}) EXPECT_TRUE(told(name)) << name;
}

// --- Values ----------------------------------------------------------------------------------------------------------

TEST(VariableRules, StartValuesLieBetweenTheirLimits) {
  const auto told = [](const std::string& type) {
    const std::vector<std::string> messages =
        broken(scalar("v", "causality=\"parameter\" variability=\"fixed\"", type));
    if (messages.empty()) return false;
    EXPECT_THAT(messages, ElementsAre(HasSubstr("a start value is not between min and max (v)"))) << type;
    return true;
  };
  for (const char* type : {R"(Real start="2" min="2" max="3")", R"(Real start="3" min="2" max="3")",
                           R"(Real start="2.5" min="2")", R"(Real start="2.5" max="3")", R"(Real start="0")",
                           R"(Integer start="-2" min="-2" max="3")", R"(Integer start="3" min="-2" max="3")",
                           R"(Boolean start="true" min="2" max="3")", R"(String start="9" min="2" max="3")"})
    EXPECT_FALSE(told(type)) << type;
  for (const char* type :
       {R"(Real start="1.9" min="2" max="3")", R"(Real start="3.1" min="2" max="3")", R"(Real start="1.9" min="2")",
        R"(Real start="3.1" max="3")", R"(Integer start="-3" min="-2")", R"(Integer start="4" max="3")"})
    EXPECT_TRUE(told(type)) << type;
}

TEST(VariableRules, NominalValuesAreAboveZero) {
  for (const char* nominal : {"0.5", "1e-300", "INF"})
    EXPECT_THAT(broken(scalar("v", "", std::string("Real nominal=\"") + nominal + "\"")), IsEmpty()) << nominal;
  for (const char* nominal : {"0", "-1", "-0.5", "NaN"})
    EXPECT_THAT(broken(scalar("v", "", std::string("Real nominal=\"") + nominal + "\"")),
                ElementsAre(HasSubstr("a nominal value is not positive (v)")))
        << nominal;
}

TEST(VariableRules, UnitsAreDefined) {
  const std::string units = "<UnitDefinitions><Unit name=\"m\"/><Unit name=\"K\"/></UnitDefinitions>";
  for (const char* unit : {"m", "K", ""})
    EXPECT_THAT(broken(scalar("v", "", std::string("Real unit=\"") + unit + "\""), units), IsEmpty()) << unit;
  EXPECT_THAT(broken(scalar("v", "", "Real unit=\"s\""), units),
              ElementsAre(HasSubstr("a unit is not defined (s of v)")));
}

TEST(VariableRules, DefaultExperimentsMakeSense) {
  const auto told = [](const std::string& attributes) {
    return !broken(scalar("v", "", "Real"), "<DefaultExperiment " + attributes + "/>").empty();
  };
  for (const char* experiment :
       {"", R"(startTime="2" stopTime="2")", R"(stopTime="0")", R"(stopTime="0.5")", R"(startTime="-3" stopTime="-2")",
        R"(stepSize="0.5" tolerance="0.25")", R"(startTime="7")"})
    EXPECT_FALSE(told(experiment)) << experiment;
  for (const char* experiment :
       {R"(startTime="2" stopTime="1.9")", R"(stopTime="-0.1")", R"(stepSize="0")", R"(stepSize="-1")",
        R"(tolerance="0")", R"(tolerance="-1")", R"(stopTime="NaN")", R"(stepSize="NaN")", R"(tolerance="NaN")"})
    EXPECT_TRUE(told(experiment)) << experiment;
}

/// 2.2.7: without it a real is continuous; parameters and other types need one.
TEST(VariableRules, VariabilityIsDeclaredWhereItsDefaultDoesNotFit) {
  struct Row {
    std::string attributes;
    std::string type;
    bool told;
    Variability taken;
  };
  for (const Row& row :
       {Row{"", "Real", false, Variability::continuous},
        Row{"causality=\"parameter\"", "Real start=\"1\"", true, Variability::fixed},
        Row{"causality=\"calculatedParameter\"", "Real", true, Variability::fixed},
        Row{"causality=\"calculatedParameter\"", "Integer", true, Variability::fixed},
        Row{"", "Integer", true, Variability::discrete}, Row{"", "Boolean", true, Variability::discrete},
        Row{"variability=\"discrete\"", "Integer", false, Variability::discrete},
        Row{"causality=\"calculatedParameter\" variability=\"tunable\"", "Real", false, Variability::tunable}}) {
    const DescriptionRead read = readOf(scalar("v", row.attributes, row.type));
    SCOPED_TRACE(row.attributes + row.type);
    EXPECT_EQ(read.model.variables.at(0).variability, row.taken);
    ASSERT_EQ(read.warnings.size(), row.told ? 1U : 0U);
    if (row.told) {
      EXPECT_THAT(read.warnings[0].message, HasSubstr("the variability is missing and its default does not fit (v)"));
    }
  }
  EXPECT_THAT(broken(scalar("v", "variability=\"continuous\"", "Boolean")),
              ElementsAre(HasSubstr("a variable that is not real is continuous (v)")));
  EXPECT_THAT(broken(scalar("v", "variability=\"continuous\"", "Real")), IsEmpty());
}

// --- References and structure ----------------------------------------------------------------------------------------

/// Of one kind of values at most one that is set from outside may have a reference.
TEST(VariableRules, WhatIsSetSharesNoReference) {
  const auto told = [](const std::string& first, const std::string& second) {
    const auto messages = broken(first + second);
    return std::ranges::any_of(messages, [](const std::string& m) { return m.find("(a and b)") != std::string::npos; });
  };
  const std::string start = "start=\"1\"";
  const std::string input = variable("a", 4, "input", "Real", start);
  EXPECT_TRUE(told(input, variable("b", 4, "input", "Real", start)));
  EXPECT_TRUE(told(input, variable("b", 4, "parameter", "Real", start)));
  EXPECT_TRUE(told(variable("a", 4, "parameter", "Real", start), variable("b", 4, "parameter", "Real", start)));
  EXPECT_FALSE(told(input, variable("b", 5, "input", "Real", start)));
  EXPECT_FALSE(told(input, variable("b", 4, "output")));
  EXPECT_FALSE(told(variable("a", 4, "output"), variable("b", 4, "output")));
  EXPECT_FALSE(told(input, variable("b", 4, "input", "Integer", start)));
  EXPECT_TRUE(told(variable("a", 4, "input", "Integer", start), variable("b", 4, "input", "Enumeration", start)));
  EXPECT_TRUE(told(variable("a", 4, "input", "Enumeration", start), variable("b", 4, "input", "Integer", start)));
  EXPECT_FALSE(told(variable("a", 4, "input", "Boolean", start), variable("b", 4, "input", "Integer", start)));
  EXPECT_FALSE(told(input, replaced(variable("b", 4, "parameter", "Real", start), "\"fixed\"", "\"constant\"")));
  EXPECT_FALSE(told(input, replaced(variable("b", 4, "input", "Real", start), "name=\"b\"", "name=\"a\"")))
      << "the second of a name is not used";
}

TEST(VariableRules, OneIndependentVariableIsFine) {
  const std::string time = scalar("t", "causality=\"independent\"", "Real");
  EXPECT_THAT(broken(time), IsEmpty());
  EXPECT_THAT(broken(time + replaced(time, "\"t\"", "\"t2\"") + replaced(time, "\"t\"", "\"t3\"")),
              ElementsAre(HasSubstr("there is more than one independent variable (t2, t3)")));
}

/// An output whose start value is exact is no unknown of the initialisation.
TEST(VariableRules, InitialUnknownsAreOutputsThatAreComputed) {
  const std::string outputs = scalar("y", "causality=\"output\" initial=\"exact\"", "Real start=\"1\"") +
                              scalar("z", "causality=\"output\" initial=\"approx\"", "Real start=\"1\"") +
                              scalar("x", "", "Real");
  const std::string listed = "<Outputs><Unknown index=\"1\"/><Unknown index=\"2\"/></Outputs>";
  EXPECT_THAT(broken(outputs, "", "<ModelStructure>" + listed + "</ModelStructure>"),
              ElementsAre(HasSubstr("an output is missing in InitialUnknowns (z)")));
  EXPECT_THAT(
      broken(outputs, "",
             "<ModelStructure>" + listed +
                 "<InitialUnknowns><Unknown index=\"2\"/><Unknown index=\"3\"/></InitialUnknowns></ModelStructure>"),
      IsEmpty());
}

/// Every combination of causality and variability: what the table of 2.2.7 allows, its presets, and for what it does
/// not allow those of the neighbours.
TEST(VariableRules, EveryCombinationHasAnInitialRule) {
  using enum Variability;
  const auto letters = [](const InitialRule& rule) {
    std::string text = rule.combination ? "+" : "-";
    if (rule.exact) text += rule.preset == Initial::exact ? "E" : "e";
    if (rule.approx) text += rule.preset == Initial::approx ? "A" : "a";
    if (rule.calculated) text += rule.preset == Initial::calculated ? "C" : "c";
    return text;
  };
  const std::vector<std::pair<Causality, std::vector<std::string>>> table{
      {Causality::parameter, {"-E", "+E", "+E", "-E", "-E"}},
      {Causality::calculatedParameter, {"-aC", "+aC", "+aC", "-aC", "-aC"}},
      {Causality::input, {"-", "-", "-", "+", "+"}},
      {Causality::output, {"+E", "-eaC", "-eaC", "+eaC", "+eaC"}},
      {Causality::local, {"+E", "+aC", "+aC", "+eaC", "+eaC"}},
      {Causality::independent, {"-", "-", "-", "-", "+"}}};
  for (const auto& [causality, row] : table) {
    std::vector<std::string> found;
    for (const Variability variability : {constant, fixed, tunable, discrete, continuous})
      found.push_back(letters(initialRule(causality, variability)));
    EXPECT_EQ(found, row) << word(causality);
  }
}

// --- XML -------------------------------------------------------------------------------------------------------------

TEST(VariableRules, PlacesAreLinesAndColumns) {
  const detail::Lines lines("ab\n\ncd\n");
  const auto at = [&](std::ptrdiff_t offset) {
    const Position position = lines.at(offset);
    return std::pair(position.line, position.column);
  };
  using Place = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(at(0), Place(1, 1));
  EXPECT_EQ(at(1), Place(1, 2));
  EXPECT_EQ(at(2), Place(1, 3));
  EXPECT_EQ(at(3), Place(2, 1));
  EXPECT_EQ(at(4), Place(3, 1));
  EXPECT_EQ(at(6), Place(3, 3));
  EXPECT_EQ(at(7), Place(4, 1));
  EXPECT_EQ(at(-1), Place(0, 0));
  EXPECT_EQ(detail::Lines("").at(0).line, 0U);
  EXPECT_EQ(detail::Lines("a").at(0).line, 1U);
}

/// Numbers and words as XML Schema writes them; what is none is told, and absent.
TEST(VariableRules, StartValuesAreReadOrTold) {
  const auto start = [](const std::string& type, const std::string& text, std::string told) {
    const DescriptionRead read =
        readOf(scalar("v", "causality=\"input\" variability=\"discrete\"", type + " start=\"" + text + "\""));
    bool found = told.empty();
    for (const core::Problem& problem : read.warnings) found = found || problem.message.find(told) != std::string::npos;
    EXPECT_TRUE(found) << type << " " << text;
    EXPECT_EQ(read.warnings.empty(), told.empty()) << type << " " << text;
    return read.model.variables.at(0).start;
  };
  const std::string integer = "an integer is written as a real (start=";
  const std::string number = "a number cannot be read (start=";
  const std::string boolean = "a boolean is neither 'true' nor 'false' (start=";
  EXPECT_EQ(start("Integer", "7", ""), core::Value(std::int32_t{7}));
  EXPECT_EQ(start("Integer", "-7.0", integer), core::Value(std::int32_t{-7}));
  EXPECT_EQ(start("Integer", "2147483647.0", integer), core::Value(std::int32_t{2147483647}));
  EXPECT_EQ(start("Integer", "2147483648.0", number), std::nullopt);
  EXPECT_EQ(start("Integer", "1.5", number), std::nullopt);
  EXPECT_EQ(start("Integer", "NaN", number), std::nullopt);
  EXPECT_EQ(start("Integer", "seven", number), std::nullopt);
  EXPECT_EQ(start("Real", "1e3", ""), core::Value(1000.0));
  EXPECT_EQ(start("Real", "1,5", number), std::nullopt);
  EXPECT_EQ(start("Boolean", "true", ""), core::Value(true));
  EXPECT_EQ(start("Boolean", " 1 ", ""), core::Value(true));
  EXPECT_EQ(start("Boolean", "false", ""), core::Value(false));
  EXPECT_EQ(start("Boolean", "0", ""), core::Value(false));
  EXPECT_EQ(start("Boolean", "TRUE", boolean), std::nullopt);
  EXPECT_EQ(start("String", "", ""), core::Value(std::string()));
}

/// Comments and attributes of other name spaces are nobody's business; elements and attributes of ours that are unknown
/// are told.
TEST(VariableRules, OnlyWhatIsOursMustBeKnown) {
  const std::string v = scalar("v", "", "Real");
  EXPECT_THAT(broken("<!-- a comment -->" + v + "<?an instruction?>"), IsEmpty());
  EXPECT_THAT(broken(scalar("v", "xmlns:x=\"y\" x:colour=\"red\"", "Real xmlns=\"z\" xmlnsome=\"w\"")), IsEmpty());
  EXPECT_THAT(broken(scalar("v", "colour=\"red\"", "Real taste=\"sweet\"")),
              ElementsAre(HasSubstr("an attribute is unknown (colour of ScalarVariable, taste of Real)")));
  const auto order = [](const std::string& maximum) {
    DescriptionText text;
    text.flags += " maxOutputDerivativeOrder=\"" + maximum + "\"";
    return readModelDescription(text.xml(), "m.xml");
  };
  EXPECT_EQ(order("3").model.coSimulation.maxOutputDerivativeOrder, 3U);
  EXPECT_EQ(order("-1").model.coSimulation.maxOutputDerivativeOrder, 0U);
  EXPECT_THAT(order("-1").warnings.at(0).message, HasSubstr("a number cannot be read (maxOutputDerivativeOrder="));
}

/// What a variable says counts more than what its declared type says, which fills in the rest.
TEST(VariableRules, DeclaredTypesFillInWhatIsMissing) {
  const std::string types = R"(<UnitDefinitions><Unit name="K"/><Unit name="m"/></UnitDefinitions><TypeDefinitions>
    <SimpleType name="T"><Real unit="K" displayUnit="degC" min="1" max="9" nominal="5"/></SimpleType>
    <SimpleType name="I"><Integer min="2" max="8"/></SimpleType></TypeDefinitions>)";
  const auto of = [&](const std::string& type) { return readOf(scalar("v", "", type), types).model.variables.at(0); };
  const Variable filled = of(R"(Real declaredType="T")");
  EXPECT_EQ(filled.unit, "K");
  EXPECT_EQ(filled.displayUnit, "degC");
  EXPECT_EQ(filled.min, 1.0);
  EXPECT_EQ(filled.max, 9.0);
  EXPECT_EQ(filled.nominal, 5.0);
  const Variable own = of(R"(Real declaredType="T" unit="m" displayUnit="mm" min="-1" max="-9" nominal="2")");
  EXPECT_EQ(own.unit, "m");
  EXPECT_EQ(own.displayUnit, "mm");
  EXPECT_EQ(own.min, -1.0);
  EXPECT_EQ(own.max, -9.0);
  EXPECT_EQ(own.nominal, 2.0);
  EXPECT_EQ(of(R"(Integer declaredType="I")").max, 8.0);
  EXPECT_FALSE(of(R"(Real declaredType="I")").max) << "of another kind";
  EXPECT_THAT(broken(scalar("v", "", R"(Real declaredType="I")"), types),
              Contains(HasSubstr("a declared type is not defined, or of another kind (I of v)")));
}

}  // namespace
}  // namespace koppla::fmi::test::variable_rules_test
