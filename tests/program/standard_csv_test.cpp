// Jung's standard csv: id and values, matched by id.

#include "koppla/program/standard_csv.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "refusal.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using program::Id;
using program::IdTable;
using program::parseStandardCsv;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSample =
    "500001 , 43.45 , 23.67\n500002 , 42.54 , 23.13\n500003 , 42.33 , 22.54\n500004 , 45.24 , 23.22\n"
    "500006 , 45.31 , 23.97\n";

TEST(StandardCsv, TheNotesSampleComesBackBitByBit) {
  const IdTable table = parseStandardCsv(kSample, "sample.csv");
  EXPECT_THAT(table.ids, ElementsAre(500001, 500002, 500003, 500004, 500006));
  EXPECT_EQ(table.columns, 2U);
  EXPECT_EQ(table.values[0], 43.45);
  EXPECT_EQ(table.values[9], 23.97);
  const std::string written = program::standardCsvText(table.ids, table.values);
  showFigure({"jung 2", "sample", "the five lines come back as they were"}, written == kSample ? "the same" : written,
             written == kSample);
}

RC_GTEST_PROP(StandardCsv, EveryFiniteDoubleComesBackBitByBit, (const std::map<Id, std::uint64_t>& bits)) {
  std::vector<Id> ids;
  std::vector<double> values;
  for (const auto& [id, pattern] : bits) {
    const double value = std::bit_cast<double>(pattern);
    ids.push_back(id);
    values.push_back(std::isfinite(value) ? value : -0.0);
  }
  const IdTable table = parseStandardCsv(program::standardCsvText(ids, values), "any.csv");
  RC_ASSERT(table.ids == ids);
  RC_ASSERT(table.values.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    RC_ASSERT(std::bit_cast<std::uint64_t>(table.values[i]) == std::bit_cast<std::uint64_t>(values[i]));
}

TEST(StandardCsv, BlanksCommentsAndForeignLineEndsDoNotMatter) {
  const IdTable table =
      parseStandardCsv("# id, T\r\n\r\n  7,1.5\r\n\t-3 ,\t+2.5e1 # the left end\r\n9 , 1d-2", "x.csv");
  EXPECT_THAT(table.ids, ElementsAre(7, -3, 9));
  EXPECT_THAT(table.values, ElementsAre(1.5, 25.0, 0.01));
}

TEST(StandardCsv, ValuesAreMatchedByIdNotByLine) {
  const IdTable table = parseStandardCsv("30 , 3 , 33\n10 , 1 , 11\n99 , 9 , 99\n20 , 2 , 22\n", "x.csv");
  const std::vector<Id> wanted{10, 20, 30};
  EXPECT_THAT(program::valuesOf(table, wanted, "x.csv"), ElementsAre(1, 11, 2, 22, 3, 33));
}

TEST(StandardCsv, MistakesAreNamedWithTheirLine) {
  const auto problem = [](const char* text) { return refusal([&] { parseStandardCsv(text, "x.csv"); }); };
  EXPECT_THAT(problem("1 , 2\n\n2 , 3\n1 , 4\n"), HasSubstr("x.csv:4: The id 1 stands already in line 1."));
  EXPECT_THAT(problem("1 , 2\n2 , 3 , 4\n"), HasSubstr("x.csv:2: Values of the id 2: 2; the lines before have 1."));
  EXPECT_THAT(problem("1 , 2\n2 , nan\n"), HasSubstr("x.csv:2: The value 'nan' is not finite."));
  EXPECT_THAT(problem("1 , -inf\n"), HasSubstr("x.csv:1: The value '-inf' is not finite."));
  EXPECT_THAT(problem("1 , 1e999\n"), HasSubstr("x.csv:1: The value '1e999' is not finite."));
  EXPECT_THAT(problem("1 , *****\n"), HasSubstr("x.csv:1: '*****' is no number."));
  EXPECT_THAT(problem("1 , 2 ,\n"), HasSubstr("x.csv:1: '' is no number."));
  EXPECT_THAT(problem("1.5 , 2\n"), HasSubstr("x.csv:1: '1.5' is no id"));
  EXPECT_THAT(problem("17\n"), HasSubstr("x.csv:1: There is no value behind the id 17."));
}

TEST(StandardCsv, MissingAndDoubleIdsAreErrors) {
  const IdTable table = parseStandardCsv(kSample, "sample.csv");
  const std::vector<Id> wanted{500001, 500005, 500007};
  const std::string missing = refusal([&] { program::valuesOf(table, wanted, "sample.csv"); });
  const std::string twice = refusal([] { parseStandardCsv("5 , 1\n6 , 2\n5 , 1\n", "x.csv"); });
  const bool told = missing.find("Ids without values: 500005, 500007.") != std::string::npos &&
                    twice.find("x.csv:3: The id 5 stands already in line 1.") != std::string::npos;
  showFigure({"jung 2", "missing-and-double", "both are errors that name the id"},
             told ? "both named" : missing + twice, told);
}

TEST(StandardCsv, AMillionLinesInAnyOrderAreTaken) {
  constexpr Id kCount = 1'000'000;
  std::vector<Id> ids(kCount);
  std::iota(ids.begin(), ids.end(), Id{1});
  std::vector<double> values(ids.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(static_cast<double>(ids[i]));
  std::vector<Id> backward(ids.rbegin(), ids.rend());
  const std::vector<double> reversed(values.rbegin(), values.rend());
  const IdTable table = parseStandardCsv(program::standardCsvText(backward, reversed), "large.csv");
  EXPECT_EQ(program::valuesOf(table, ids, "large.csv"), values);
}

TEST(StandardCsv, ATableOfMissingIdsTellsTheFirstFive) {
  const IdTable table = parseStandardCsv("1 , 10\n", "x.csv");
  const auto missing = [&](const std::vector<Id>& wanted) {
    return refusal([&] { program::valuesOf(table, wanted, "x.csv"); });
  };
  EXPECT_THAT(missing({2, 3, 1, 4, 5, 6}), HasSubstr("x.csv: Ids without values: 2, 3, 4, 5, 6. Make the program"));
  EXPECT_THAT(missing({9, 3, 2, 4, 5, 6, 7}), HasSubstr("Ids without values: 9, 3, 2, 4, 5 and 2 more."));
}

TEST(StandardCsv, DoubleIdsAreFoundWhereverTheyStand) {
  const auto problem = [](const char* text) { return refusal([&] { parseStandardCsv(text, "x.csv"); }); };
  EXPECT_THAT(problem("7 , 2\n7 , 3\n"), HasSubstr("x.csv:2: The id 7 stands already in line 1."));
  EXPECT_THAT(problem("\n9 , 2\n7 , 3\n8 , 1\n7 , 5\n"), HasSubstr("x.csv:5: The id 7 stands already in line 3."));
  EXPECT_THAT(parseStandardCsv("3 , 1\n2 , 5\n1 , 4\n", "x.csv").ids, ElementsAre(3, 2, 1));
}

TEST(StandardCsv, IdsAloneAreOneALine) {
  EXPECT_THAT(program::parseIds("# nodes\n3 , 1.5\n\n  1 # left\n-2\r\n", "ids.txt"), ElementsAre(3, 1, -2));
  EXPECT_THAT(program::parseIds("", "ids.txt"), testing::IsEmpty());
  EXPECT_THAT(refusal([] { program::parseIds("3\n x1 , 2\n", "ids.txt"); }),
              HasSubstr("ids.txt:2: 'x1' is no id, a whole number. Each line begins with an id."));
}

TEST(StandardCsv, ValuesStandBehindTheirIdLineByLine) {
  EXPECT_EQ(program::standardCsvText(std::vector<Id>{3, -1}, std::vector<double>{0.5, 1.5, 2.5, 3.5}),
            "3 , 0.5 , 1.5\n-1 , 2.5 , 3.5\n");
  EXPECT_EQ(program::standardCsvText({}, {}), "");
}

}  // namespace
}  // namespace koppla::test
