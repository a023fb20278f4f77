#include "koppla/native/expressions.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::inputError;
using test::outputsOf;
using testing::HasSubstr;

/// Value of one formula of u = 3, k = 2 and t = 0.5.
double valueOf(const std::string& formula) {
  const auto model =
      expressions({.inputs = {{"u"}}, .parameters = {{"k", 2.0}}, .states = {}, .outputs = {{"y", formula}}});
  return outputsOf(*model, {}, {3.0}, 0.5)[0];
}

std::string mistakeIn(const std::string& formula) {
  return inputError([&] { valueOf(formula); });
}

TEST(Expressions, OfStatesAreAnOrdinaryDifferentialEquation) {
  // Van der Pol: x'' = mu (1 - x^2) x' - x + u
  const auto model = expressions({.inputs = {{"u", 0.25, "N"}},
                                  .parameters = {{"mu", 5.0}},
                                  .states = {{"x", 2.0, "v"}, {"v", -1.0, "mu*(1 - x^2)*v - x + u"}},
                                  .outputs = {{"x", "x", "m"}, {"power", "u*v"}}});
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{2.0, -1.0}));
  EXPECT_EQ(test::derivativesOf(*model, {2.0, -1.0}, {3.0}), (std::vector<double>{-1.0, 16.0}));
  EXPECT_EQ(outputsOf(*model, {2.0, -1.0}, {3.0}), (std::vector<double>{2.0, -3.0}));
  EXPECT_EQ(model->describe().ports[0].start, core::Value(0.25));
  EXPECT_EQ(model->describe().ports[0].unit, "N");

  test::setPort(*model, "mu", 1.0);
  test::setPort(*model, "v.start", 7.0);
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{2.0, 7.0}));
  EXPECT_EQ(test::derivativesOf(*model, {2.0, -1.0}, {3.0}), (std::vector<double>{-1.0, 4.0}));
}

TEST(Expressions, FeedThroughIsWhatStandsInTheFormula) {
  const auto model = expressions({.inputs = {{"w"}, {"u"}},
                                  .parameters = {{"k", 1.0}},
                                  .states = {{"x", 0.0, "u"}},
                                  .outputs = {{"a", "x"}, {"b", "k*w + t"}, {"c", "w*u"}}});
  const auto& described = model->describe();
  EXPECT_EQ(*described.dependenciesOf(*described.find("a")), std::vector<subsystem::PortIndex>{});
  EXPECT_EQ(*described.dependenciesOf(*described.find("b")), std::vector<subsystem::PortIndex>{0});
  EXPECT_EQ(*described.dependenciesOf(*described.find("c")), (std::vector<subsystem::PortIndex>{0, 1}));
}

TEST(Expressions, FormulasMeanWhatMathematicsMeans) {
  EXPECT_EQ(valueOf("u"), 3.0);
  EXPECT_EQ(valueOf("k + u*k^u"), 26.0);
  EXPECT_EQ(valueOf("-u^2"), -9.0);
  EXPECT_EQ(valueOf("2^u^k"), 512.0);
  EXPECT_EQ(valueOf("8/4/2"), 1.0);
  EXPECT_EQ(valueOf("t < 1 && u >= 3 ? 10 : 20"), 10.0);
  EXPECT_EQ(valueOf("(u == 3) + (u != 3) + 2*(u <= 2)"), 1.0);
  EXPECT_EQ(valueOf("1e-3 * 1.5E3"), 1.5);
  EXPECT_EQ(valueOf("min(u, k, t) + max(u, k) + abs(-u) + sign(-u)"), 0.5 + 3.0 + 3.0 - 1.0);
  EXPECT_DOUBLE_EQ(valueOf("sin(pi*t) + cos(0) + ln(exp(u)) + log10(1000) + log2(8) + sqrt(u*u)"), 14.0);
  EXPECT_DOUBLE_EQ(valueOf("log(exp(2))"), 2.0);
  EXPECT_DOUBLE_EQ(valueOf("atan2(1, 1)*4"), std::acos(-1.0));
  EXPECT_TRUE(std::isinf(valueOf("1/(u - 3)")));
  EXPECT_TRUE(std::isnan(valueOf("sqrt(-u)")));
}

TEST(Expressions, MistakesInFormulasAreNamed) {
  const std::string where = "The formula of output 'y', ";
  EXPECT_EQ(mistakeIn("2*gain + u"),
            where +
                "\"2*gain + u\", is wrong at character 3: Unexpected token \"gain\". Known here: k, t, u, _e, _pi, pi, "
                "abs, acos, acosh, asin, asinh, atan, ... (32 in all).");
  EXPECT_THAT(mistakeIn("2*sine(u)"), HasSubstr("at character 3: Unexpected token \"sine\". Did you mean 'sin'?"));
  EXPECT_THAT(mistakeIn("u +"), HasSubstr("is wrong at character 4: Unexpected end of expression"));
  EXPECT_THAT(mistakeIn("(u"), HasSubstr("Missing parenthesis. Correct the formula."));
  EXPECT_THAT(mistakeIn(""), HasSubstr("Expression is empty."));
  EXPECT_THAT(mistakeIn("3 u"), HasSubstr("is wrong at character 3: Unexpected variable"));
  EXPECT_THAT(mistakeIn("sin(1, 2)"), HasSubstr("Too many parameters for function \"sin\". Correct the formula."));
  EXPECT_THAT(mistakeIn("u, k"), HasSubstr("is wrong at character 2: it has several results. Write one expression."));
}

TEST(Expressions, FormulasCanDoNothingButCompute) {
  EXPECT_THAT(mistakeIn("k = 3"),
              HasSubstr("is wrong at character 3: a formula assigns nothing. Write == to compare."));
  EXPECT_THAT(mistakeIn("u + (k=5)"), HasSubstr("is wrong at character 7: a formula assigns nothing."));
  EXPECT_THAT(mistakeIn("\"text\""), HasSubstr("is wrong at character 1: this character has no meaning in a formula."));
  EXPECT_THAT(mistakeIn("u; k"), HasSubstr("is wrong at character 2: this character has no meaning in a formula."));
  EXPECT_THAT(mistakeIn(std::string("u\0k", 3)),
              HasSubstr("\"u?k\", is wrong at character 2: this character has no meaning"));
}

TEST(Expressions, HugeFormulasAreRefusedBeforeTheyAreRead) {
  EXPECT_EQ(valueOf(std::string(100, '(') + "u" + std::string(100, ')')), 3.0);
  EXPECT_THAT(mistakeIn(std::string(101, '(') + "u" + std::string(101, ')')),
              HasSubstr("is wrong at character 101: more than 100 parentheses are open."));
  EXPECT_THAT(mistakeIn(std::string(60, '(') + "(u)+" + std::string(41, '(')),
              HasSubstr("is wrong at character 105: more than 100 parentheses are open."));
  std::string sum = "u";
  while (sum.size() < 3999) sum += "+u";
  EXPECT_EQ(valueOf(sum), 3.0 * 2000.0);
  EXPECT_THAT(mistakeIn(std::string(1000000, '-')), HasSubstr("has 1000000 characters. At most 4000 are read;"));
  EXPECT_LT(mistakeIn(std::string(1000000, '-')).size(), 300U);
}

RC_GTEST_PROP(Expressions, AnyTextIsAFormulaOrAnInputError, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("u", "k", "t", "1", ".5", "1e3", "+", "-", "*", "/", "^", "(", ")", ",", "?", ":",
                                    "<", "==", "=", "!", "&&", "||", "sin", "min", "sum", " ", "_", "x", "\"", "\n"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  try {
    valueOf(text);
  } catch (const core::InputError& error) {
    RC_ASSERT(std::string(error.what()).find("output 'y'") != std::string::npos);
  }
}

TEST(Expressions, MistakesInNamesAreNamed) {
  const auto mistake = [](ExpressionModel model) { return inputError([&] { expressions(model); }); };
  EXPECT_EQ(
      mistake({.inputs = {{"2u"}}, .parameters = {}, .states = {}, .outputs = {}}),
      "expressions: \"2u\" cannot be a name in formulas. Use letters, digits and underscores, no digit first, at most "
      "100 characters.");
  EXPECT_THAT(mistake({.inputs = {{std::string(101, 'a')}}, .parameters = {}, .states = {}, .outputs = {}}),
              HasSubstr("cannot be a name in formulas."));
  EXPECT_EQ(mistake({.inputs = {{""}}, .parameters = {}, .states = {}, .outputs = {}}),
            "expressions: a name is empty. Give every port and state a name.");
  for (const std::string taken : {"t", "sin", "pi", "_e"})
    EXPECT_EQ(mistake({.inputs = {}, .parameters = {{taken, 1.0}}, .states = {}, .outputs = {}}),
              "expressions: the name '" + taken + "' has a meaning in formulas already. Choose another one.");
  EXPECT_EQ(mistake({.inputs = {{"a"}}, .parameters = {}, .states = {{"a", 0.0, "1"}}, .outputs = {}}),
            "expressions: the name 'a' is used twice. Rename one of the two.");
  EXPECT_EQ(mistake({.inputs = {{"a"}}, .parameters = {}, .states = {}, .outputs = {{"a", "1"}}}),
            "expressions: another port has the name of the output 'a'. Rename one of the two.");
  EXPECT_EQ(
      mistake({.inputs = {}, .parameters = {}, .states = {}, .outputs = {{"a-b", "1"}}}),
      "expressions: 'a-b' cannot be the name of an output. Use letters, digits and underscores, no digit first, at "
      "most 100 characters.");
  EXPECT_EQ(mistake({.inputs = {{"a", HUGE_VAL}}, .parameters = {}, .states = {}, .outputs = {}}),
            "expressions: input 'a' is inf. Give a finite number.");
}

TEST(Expressions, AllMistakenFormulasAreListed) {
  const std::string text = inputError([] {
    expressions({.inputs = {}, .parameters = {}, .states = {{"x", 0.0, "1 +"}}, .outputs = {{"y", "x"}, {"z", "*"}}});
  });
  EXPECT_THAT(text, HasSubstr("The formula of state 'x', \"1 +\""));
  EXPECT_THAT(text, HasSubstr("The formula of output 'z', \"*\""));
}

}  // namespace
}  // namespace koppla::native
