// Which characters, names and texts are formulas: against the rules as they are documented, character by character.

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/detail/formula.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/force_formula.hpp"

#include "model_access.hpp"

namespace koppla::native::formula_text_test {
namespace {

using detail::Formula;
using testing::HasSubstr;
using testing::StartsWith;

const std::array<std::string, 3> kNames{"w", "u", "a"};

std::string mistakeIn(const std::string& text) {
  std::array<double, 3> values{1.0, 2.0, 3.0};
  return test::inputError([&] { Formula("f", text, {kNames, values}); });
}

double valueOf(const std::string& text) {
  std::array<double, 3> values{1.0, 2.0, 3.0};
  return Formula("f", text, {kNames, values}).value();
}

const std::string kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const std::string kDigits = "0123456789";

TEST(FormulaText, HoldsNumbersNamesOperatorsAndParentheses) {
  const std::string allowed = kLetters + kDigits + " \t\n+-*/^(),.?:<>=!&|";
  for (int code = 1; code < 256; ++code) {
    const auto c = static_cast<char>(code);
    const std::string text = std::string("u") + c;
    const bool refused = mistakeIn(text).find(
                             "at character 2: this character has no meaning in a formula. Formulas hold "
                             "numbers, names, operators and parentheses.") != std::string::npos;
    EXPECT_EQ(refused, allowed.find(c) == std::string::npos) << code;
  }
}

TEST(FormulaText, NamesAreIdentifiers) {
  for (int code = 1; code < 256; ++code) {
    const auto c = static_cast<char>(code);
    const bool isLetter = kLetters.find(c) != std::string::npos, isDigit = kDigits.find(c) != std::string::npos;
    EXPECT_EQ(detail::isIdentifier(std::string(1, c)), isLetter) << code;
    EXPECT_EQ(detail::isIdentifier(std::string("a") + c + "b"), isLetter || isDigit) << code;
  }
  EXPECT_FALSE(detail::isIdentifier(""));
  EXPECT_TRUE(detail::isIdentifier(std::string(100, 'a')));
  EXPECT_FALSE(detail::isIdentifier(std::string(101, 'a')));
}

/// '=' alone assigns; in ==, !=, <= and >= it compares.
TEST(FormulaText, AssignsNothing) {
  const std::string assigns = ": a formula assigns nothing. Write == to compare.";
  for (const auto& [text, place] : std::vector<std::pair<std::string, int>>{
           {"=u", 1}, {"u=", 2}, {"u=3", 2}, {"u+=3", 3}, {"u=>3", 2}, {"u = = 3", 3}, {"u<(a=3)", 5}})
    EXPECT_THAT(mistakeIn(text), HasSubstr("is wrong at character " + std::to_string(place) + assigns)) << text;
  EXPECT_EQ(valueOf("u==2"), 1.0);
  EXPECT_EQ(valueOf("u!=2"), 0.0);
  EXPECT_EQ(valueOf("u<=1"), 0.0);
  EXPECT_EQ(valueOf("u>=1"), 1.0);
}

/// A text of any length and kind is quoted by its beginning, without characters that are none to read.
TEST(FormulaText, IsQuotedByItsBeginning) {
  const std::string sixty(60, '#');
  EXPECT_THAT(mistakeIn(sixty), StartsWith("The formula of f, \"" + sixty + "\", is wrong at character 1"));
  EXPECT_THAT(mistakeIn(sixty + "#"), StartsWith("The formula of f, \"" + sixty + "...\", is wrong at character 1"));
  EXPECT_THAT(mistakeIn("\x01\x1f\x7f\xc3\xa4 ~}!;\"\t\nu"),
              StartsWith("The formula of f, \"????? ~}!;\"\t\nu\", is wrong at character 1"));
}

TEST(FormulaText, IsAtMostFourThousandCharactersLong) {
  const std::string longest = "u" + std::string(3999, ' ');
  EXPECT_EQ(valueOf(longest), 2.0);
  EXPECT_THAT(mistakeIn(longest + " "),
              HasSubstr("has 4001 characters. At most 4000 are read; divide it into several outputs or states."));
}

/// Parentheses that were closed do not count, and those that nobody opened are no credit.
TEST(FormulaText, CountsOpenParentheses) {
  std::string sum = "0";
  for (int k = 0; k < 150; ++k) sum += "+(u)";
  EXPECT_EQ(valueOf(sum), 300.0);
  EXPECT_THAT(mistakeIn("u)))" + std::string(101, '(')),
              HasSubstr("at character 105: more than 100 parentheses are open. "
                        "Divide it into several outputs or states."));
}

TEST(FormulaText, MistakesHaveAPlaceAndARemedy) {
  EXPECT_EQ(mistakeIn("3 u"),
            "The formula of f, \"3 u\", is wrong at character 3: Unexpected variable \"u\". Correct the formula.");
  EXPECT_THAT(mistakeIn("u, w"), HasSubstr("is wrong at character 2: it has several results. Write one expression."));
  EXPECT_THAT(mistakeIn("max(u, w), 3, 4"),
              HasSubstr("is wrong at character 6: it has several results. Write one expression."));
  for (const char* text : {"", "u +", "(u", "u)", "3 u", "sin()", "u ? 3", "1e", "u u", "max(,)", "@"}) {
    const std::string mistake = mistakeIn(text);
    EXPECT_THAT(mistake, HasSubstr("is wrong at character ")) << text;
    EXPECT_EQ(mistake.find(" position"), std::string::npos) << mistake;
    EXPECT_EQ(mistake.find(".."), std::string::npos) << mistake;
    EXPECT_TRUE(mistake.ends_with(".")) << mistake;
  }
  EXPECT_THAT(mistakeIn("2*cose(u)"), HasSubstr("Did you mean 'cos'?"));
  EXPECT_THAT(mistakeIn("2*exq(u)"), HasSubstr("Did you mean 'exp'?"));
}

TEST(FormulaText, TellsItsVariablesInTheirOrder) {
  std::array<double, 3> values{1.0, 2.0, 3.0};
  EXPECT_EQ(Formula("f", "a + w", {kNames, values}).used(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(Formula("f", "a*u - w/u", {kNames, values}).used(), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(Formula("f", "7", {kNames, values}).used(), std::vector<std::size_t>{});
  const Formula formula("f", "a - w", {kNames, values});
  values = {5.0, 0.0, 7.0};
  EXPECT_EQ(formula.value(), 2.0) << "with the values as they stand";
}

TEST(FormulaText, NamesThatAreTakenAreNamed) {
  const auto messages = [](const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const core::Problem& problem : detail::variableProblems("m", names)) result.push_back(problem.message);
    return result;
  };
  EXPECT_EQ(messages({"a", "b1", "_x"}), std::vector<std::string>{});
  EXPECT_EQ(
      messages({"a", "a", "1b", "t", "max", "_pi", ""}),
      (std::vector<std::string>{
          "m: the name 'a' is used twice.", "m: a name is empty.", "m: \"1b\" cannot be a name in formulas.",
          "m: the name 't' has a meaning in formulas already.", "m: the name 'max' has a meaning in formulas already.",
          "m: the name '_pi' has a meaning in formulas already."}));
}

TEST(FormulaText, ForceLawsAreFormulasOfDistanceAndRate) {
  const auto law = forceFormula("x*x - 3*v");
  EXPECT_EQ(law->force(2.0, 5.0), -11.0);
  EXPECT_EQ(law->force(-3.0, 1.0), 6.0);
  EXPECT_THAT(test::inputError([] { forceFormula("y"); }), StartsWith("The formula of the force law, \"y\", is wrong"));
}

/// Inputs are the first variables behind t; a parameter or the time is no feed-through.
TEST(FormulaText, FeedThroughIsThatOfInputsOnly) {
  const auto model =
      expressions({.inputs = {{"u"}, {"w"}},
                   .parameters = {{"p", 1.0}},
                   .states = {{"x", 0.0, "1"}, {"y", 0.0, "1"}},
                   .unknowns = {{"z", 0.0, "z - w"}},
                   .outputs = {{"o1", "t*p"}, {"o2", "x + y"}, {"o3", "z"}, {"o4", "u"}, {"o5", "p + w"}}});
  const auto needs = [&](const char* output) {
    return *model->describe().dependenciesOf(test::portOf(*model, output));
  };
  using Ports = std::vector<subsystem::PortIndex>;
  EXPECT_EQ(needs("o1"), Ports{});
  EXPECT_EQ(needs("o2"), Ports{});
  EXPECT_EQ(needs("o3"), Ports{1});
  EXPECT_EQ(needs("o4"), Ports{0});
  EXPECT_EQ(needs("o5"), Ports{1});
  EXPECT_EQ(model->unknownName(0), "z");
  EXPECT_TRUE(model->determinesUnknowns());
  const auto& ports = model->describe().ports;
  EXPECT_EQ(ports[test::portOf(*model, "y.start")].description, "state y at the start");
  EXPECT_EQ(ports[test::portOf(*model, "z.start")].description, "unknown z at the start");
  EXPECT_EQ(ports[test::portOf(*model, "o5")].description, "p + w");
}

TEST(FormulaText, OutputsMayNotShareNamesWithOtherPorts) {
  const auto mistake = [](const ExpressionModel& model) { return test::inputError([&] { expressions(model); }); };
  EXPECT_EQ(mistake({.inputs = {{"u"}}, .states = {{"x", 0.0, "1"}}, .outputs = {{"x", "x"}, {"y", "u"}}}), "");
  EXPECT_EQ(mistake({.parameters = {{"p", 1.0}}, .outputs = {{"p", "1"}}}),
            "expressions: another port has the name of the output 'p'. Rename one of the two.");
  EXPECT_EQ(
      mistake({.outputs = {{"y", "1"}, {"y", "2"}}}),
      "expressions: another port has the name of the output 'y'. Rename one of the two.\nexpressions: another port has "
      "the name of the output 'y'. Rename one of the two.");
}

}  // namespace
}  // namespace koppla::native::formula_text_test
