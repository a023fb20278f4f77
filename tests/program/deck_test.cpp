// Input files from templates.

#include "koppla/program/deck.hpp"

#include <clocale>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "refusal.hpp"

namespace koppla::test {
namespace {

using program::Deck;
using program::Field;
using testing::AllOf;
using testing::HasSubstr;

const std::vector<Field> kFields{{"q", {1}}, {"T", {500001, 500002, 500004}, 2, true}};
const std::vector<double> kQ{7867.659983518221};
const std::vector<double> kT{1.0, -2.0, 3.25, 1e-3, 0.1, 1e300};

std::string render(const std::string& text) {
  const std::vector<std::span<const double>> values{kQ, kT};
  return Deck(text, "wall.template", kFields).render(values);
}

std::string problems(const std::string& text) {
  return refusal([&] { Deck(text, "wall.template", kFields); });
}

TEST(Deck, MarkedPlacesGetValuesAndTheRestStaysAsItIs) {
  EXPECT_EQ(render("*FLUX\r\n 1, {{ q }} , {{T[3]}}\n}} { {x}\n"), "*FLUX\r\n 1, 7867.659983518221 , 3.25\n}} { {x}\n");
  EXPECT_EQ(std::strtod(render("{{q}}").c_str(), nullptr), kQ[0]);
}

/// A locale with a decimal comma, made here since no system must have one; false where that cannot be done.
bool takeDecimalComma(const std::filesystem::path& folder) {
  core::writeWhole(folder / "source",
                   "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
                   "grouping -1\nEND LC_NUMERIC\n");
  const std::string command =
      "localedef --quiet --force -i " + (folder / "source").string() + " " + (folder / "comma").string() + " >&2";
  [[maybe_unused]] const int status = std::system(command.c_str());  // warns of what else a locale has
  ::setenv("LOCPATH", folder.c_str(), 1);
  return std::setlocale(LC_NUMERIC, "comma") != nullptr && *std::localeconv()->decimal_point == ',';
}

TEST(Deck, NumbersHaveAPointWhateverTheLocale) {
  const core::TemporaryFolder folder("locale");
  if (!takeDecimalComma(folder.path())) GTEST_SKIP() << "no locale with a decimal comma";
  const std::string text = render("{{q:%.12e}}|{{q:%-10.2f}}|{{q}}|{{T[1]:6.1f}}");
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  EXPECT_EQ(text, "7.867659983518e+03|7867.66   |7867.659983518221|   1.0");
}

TEST(Deck, FormatsAreThoseOfPrintfOrOfAnExactWidth) {
  EXPECT_EQ(render("{{q:%.12e}}|{{q:%-10.2f}}|{{q:%g}}"), "7.867659983518e+03|7867.66   |7867.66");
  EXPECT_EQ(render("{{q:15.8e}}|{{T[1]:6.1f}}|"), " 7.86765998e+03|   1.0|");
}

TEST(Deck, AValueThatDoesNotFitItsWidthIsNotCutOff) {
  const std::string problem = refusal([] { render("first\n{{q:5.2f}}\n"); });
  EXPECT_THAT(problem, HasSubstr("wall.template:2: 7867.66 needs 7 characters; the mark {{q:5.2f}} has 5."));
}

TEST(Deck, ATableHasOneLineForEveryId) {
  EXPECT_EQ(render("*TEMP\n  {{#each T}}\n{{id:8}}, {{value}}, {{value2:%.1e}}\n{{/each}}\n*END\n"),
            "*TEMP\n  500001, 1, -2.0e+00\n  500002, 3.25, 1.0e-03\n  500004, 0.1, 1.0e+300\n*END\n");
  EXPECT_EQ(render("{{#each T}}{{id}} {{/each}}\n"), "500001 500002 500004 \n");
  EXPECT_EQ(render("{{#each q}}\n{{id}}={{q}}\n{{/each}}\n{{#each q}}\n{{value}}\n{{/each}}"),
            "1=7867.659983518221\n7867.659983518221\n");
}

TEST(Deck, EveryMistakeIsNamedWithItsLine) {
  const std::string all = problems(
      "{{Q}}\n{{T}}\n{{T[7]}} {{q[x]}}\n{{q:%d}} {{q:e}}\n{{/each}}\n{{q\n{{#each T}}\n{{value3}}\n{{id:x}}\n");
  EXPECT_THAT(all,
              HasSubstr("wall.template:1: There is no input or parameter 'Q' for the mark {{Q}}. Did you mean 'q'?"));
  EXPECT_THAT(all, HasSubstr("wall.template:2: 'T' has 6 values; the mark {{T}} says not which."));
  EXPECT_THAT(all, HasSubstr("wall.template:3: 'T' has no element 7. It has 6, counted from 1."));
  EXPECT_THAT(all, HasSubstr("wall.template:3: 'q[x]' names no element."));
  EXPECT_THAT(all, HasSubstr("wall.template:4: '%d' is no format of a number."));
  EXPECT_THAT(all, HasSubstr("wall.template:4: 'e' is no format of a number."));
  EXPECT_THAT(all, HasSubstr("wall.template:5: {{/each}} ends no block."));
  EXPECT_THAT(all, HasSubstr("wall.template:6: The mark {{ has no }} on its line."));
  EXPECT_THAT(all, HasSubstr("wall.template:8: 'T' has 2 values for each id, so there is no value3."));
  EXPECT_THAT(all, HasSubstr("wall.template:9: 'x' is no width of an id."));
  EXPECT_THAT(all, HasSubstr("wall.template:7: The block {{#each ...}} has no end."));
  EXPECT_THAT(problems("{{#each T}}{{#each q}}"), HasSubstr("begins inside another one"));
  EXPECT_THAT(problems("{{#each nobody}}{{value}}{{/each}}"), HasSubstr("no input or parameter 'nobody'"));
}

TEST(Deck, AFormatCannotReachBeyondOneNumber) {
  EXPECT_THAT(problems("{{q:%s}}"), HasSubstr("is no format"));
  EXPECT_THAT(problems("{{q:%n}}"), HasSubstr("is no format"));
  EXPECT_THAT(problems("{{q:%e%e}}"), HasSubstr("is no format"));
  EXPECT_THAT(problems("{{q:%*e}}"), HasSubstr("is no format"));
  EXPECT_THAT(problems("{{q:%9999999999.1e}}"), HasSubstr("is no format"));
  EXPECT_THAT(problems("{{q:%Le}}"), HasSubstr("is no format"));
}

/// Besides: a port of two values without ids of the user's, and one whose name begins as a mark of tables does.
std::string renderMore(const std::string& text) {
  const std::vector<Field> fields{{"q", {1}}, {"pair", {1, 2}}, {"T", {500001, 500002}, 2, true}, {"value_x", {1}}};
  const std::vector<double> q{7867.659983518221};
  const std::vector<double> pair{8.0, -9.5};
  const std::vector<double> t{1.0, -2.0, 3.25, 1e-3};
  const std::vector<double> x{0.5};
  const std::vector<std::span<const double>> values{q, pair, t, x};
  std::string result;
  const std::string refused = refusal([&] { result = Deck(text, "more.template", fields).render(values); });
  return refused == "no error" ? result : refused;
}

TEST(Deck, ElementsAreCountedFromOneToTheLast) {
  EXPECT_EQ(render("{{T[1]}} {{ T[ 6 ] }}"), "1 1e+300");
  EXPECT_THAT(problems("{{T[0]}}"), HasSubstr("'T' has no element 0. It has 6, counted from 1."));
  EXPECT_EQ(renderMore("{{pair[1]}};{{pair[2]}};{{T[4]}}"), "8;-9.5;0.001");
  EXPECT_THAT(renderMore("{{pair}}"), HasSubstr("'pair' has 2 values; the mark {{pair}} says not which."));
}

TEST(Deck, WhatIsNoNumberOfAnElementIsRefused) {
  for (const char* mark : {"T[]", "T[1x]", "T[x]", "T[-1]", "T[99999999999999999999]"})
    EXPECT_THAT(problems("{{" + std::string(mark) + "}}"), HasSubstr("'" + std::string(mark) + "' names no element."));
  for (const char* name : {"q[1", "q1]", "q]", "id", "value", "value1"})
    EXPECT_THAT(problems("{{" + std::string(name) + "}}"),
                HasSubstr("There is no input or parameter '" + std::string(name) + "' for the mark"));
}

TEST(Deck, AMarkMustEndOnItsLine) {
  for (const char* text : {"a\n{{q", "a\n{{q\n", "a\n{{q\n}}", "a\n{{"})
    EXPECT_THAT(problems(text), HasSubstr("wall.template:2: The mark {{ has no }} on its line.")) << text;
}

TEST(Deck, FormatsHaveLimits) {
  for (const char* format : {"", "%", "%5", "+", "15.8", "08.3e", "-15.8e", "+15.8e", ".8e", "0.8e", "%101e", "%.101e",
                             "%.xe", "%1.2.3e", "%1x.2e", "%.8", "101.2e", "%5.2ex"})
    EXPECT_THAT(problems("{{q:" + std::string(format) + "}}"),
                HasSubstr("'" + std::string(format) + "' is no format of a number."))
        << format;
  EXPECT_EQ(render("{{q:%100e}}").size(), 100U);
  EXPECT_EQ(render("{{q:100.2e}}").size(), 100U);
  EXPECT_EQ(render("{{q:%+.100e}}").size(), std::string("+7.e+03").size() + 100U);
  EXPECT_EQ(render("{{T[6]:%.100f}}").size(), 301U + 1U + 100U) << "1e300 has 301 digits before its point";
}

TEST(Deck, AValueMayFillItsWidthAndNoMore) {
  EXPECT_EQ(render("[{{q:14.8e}}]"), "[7.86765998e+03]");
  EXPECT_THAT(refusal([] { render("{{q:13.8e}}"); }),
              HasSubstr("7.86765998e+03 needs 14 characters; the mark {{q:13.8e}}"));
  EXPECT_THAT(refusal([] { render("{{T[2]:1.0f}}"); }),
              HasSubstr("-2 needs 2 characters; the mark {{T[2]:1.0f}} has 1."));
  EXPECT_EQ(render("{{T[1]:1.0f}}"), "1");
}

TEST(Deck, IdsHaveAWidthOfTheirOwn) {
  EXPECT_EQ(render("{{#each T}}{{id:12d}}|{{id:6}}|{{id: 7 }}\n{{/each}}"),
            "      500001|500001| 500001\n      500002|500002| 500002\n      500004|500004| 500004\n");
  EXPECT_EQ(render("{{#each q}}{{id:1}}{{/each}}"), "1");
  EXPECT_THAT(refusal([] { render("\n{{#each T}}{{id:5}}{{/each}}"); }),
              HasSubstr("wall.template:2: 500001 needs 6 characters; the mark {{id:5}} has 5."));
  for (const char* width : {"0", "", "d", "x", "-8", "8e"})
    EXPECT_THAT(problems("{{#each T}}{{id:" + std::string(width) + "}}{{/each}}"), HasSubstr("is no width of an id."));
}

TEST(Deck, ComponentsOfATableAreCountedFromOneToTheLast) {
  EXPECT_EQ(render("{{#each T}}{{value1}} {{value}} {{value2}};{{/each}}"), "1 1 -2;3.25 3.25 0.001;0.1 0.1 1e+300;");
  EXPECT_THAT(problems("{{#each T}}{{value0}}{{/each}}"),
              HasSubstr("'T' has 2 values for each id, so there is no value0."));
  EXPECT_THAT(problems("{{#each T}}{{valuex}}{{/each}}"), HasSubstr("There is no input or parameter 'valuex'"));
}

TEST(Deck, ATableMayHoldElementsOfOtherPorts) {
  EXPECT_EQ(renderMore("{{#each T}}{{id}}:{{value_x}},{{pair[2]}},{{q:%.1f}} {{/each}}"),
            "500001:0.5,-9.5,7867.7 500002:0.5,-9.5,7867.7 ");
}

TEST(Deck, MarksOfTablesTakeTheirLineWithThemAndNothingElse) {
  EXPECT_EQ(render("a {{q:%.0f}} b\n \t{{#each T}} \t\r\n {{id}}\n\t {{/each}}\nend\n"),
            "a 7868 b\n 500001\n 500002\n 500004\nend\n");
  EXPECT_EQ(render("{{#each q}}\n{{/each}}\n  {{#each T}}\n<{{id}}>\n  {{/each}}"), "<500001>\n<500002>\n<500004>\n");
  EXPECT_EQ(render("  {{#each q}}\n{{id}}\n{{/each}}"), "1\n");
  EXPECT_EQ(render("x  {{#each q}}\n{{id}}{{/each}}\ny"), "x  \n1\ny") << "not alone on its line";
  EXPECT_EQ(render(" {{#each q}} x{{id}}\n {{/each}} z\n"), "  x1\n  z\n");
  EXPECT_EQ(render("{{#each q}}{{id}}\n  {{/each}}"), "1\n");
}

TEST(Deck, LinesAreCountedThroughTables) {
  EXPECT_THAT(problems("{{#each T}}\n\n{{/each}}\n{{nobody}}\n\n{{else}}\n"),
              AllOf(HasSubstr("wall.template:4: There is no input or parameter 'nobody'"),
                    HasSubstr("wall.template:6: There is no input or parameter 'else'")));
}

}  // namespace
}  // namespace koppla::test
