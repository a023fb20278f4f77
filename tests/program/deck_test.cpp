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

}  // namespace
}  // namespace koppla::test
