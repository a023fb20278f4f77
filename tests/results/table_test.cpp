#include "koppla/results/table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

namespace koppla::results {
namespace {

Table withNames(const std::vector<std::string>& names) {
  Table table;
  table.source = "run/results.csv";
  for (const std::string& name : names) {
    Series series;
    series.name = name;
    table.series.push_back(series);
  }
  return table;
}

std::vector<std::string> namesOf(const std::vector<const Series*>& chosen) {
  std::vector<std::string> names;
  for (const Series* series : chosen) names.push_back(series->name);
  return names;
}

TEST(Table, FindsASeriesByItsName) {
  const Table table = withNames({"a.x", "b.x"});
  EXPECT_EQ(table.find("b.x"), &table.series[1]);
  EXPECT_EQ(table.find("b"), nullptr);
}

TEST(Select, ChoosesByPatternsInTheOrderOfTheTable) {
  const Table table = withNames({"a.x", "b.y", "b.x"});
  EXPECT_EQ(namesOf(select(table, std::vector<std::string>{"b.x", "a.*"})), (std::vector<std::string>{"a.x", "b.x"}));
}

TEST(Select, ChoosesAllWithoutPatterns) {
  const Table table = withNames({"a.x", "b.y"});
  EXPECT_EQ(select(table, {}).size(), 2U);
}

TEST(Select, NamesEveryPatternThatFitsNothingAndWhatMayBeMeant) {
  const Table table = withNames({"mass.position", "mass.velocity"});
  try {
    select(table, std::vector<std::string>{"mass.*", "mass.positoin", "wheel.*"});
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].remedy, "Did you mean 'mass.position'?");
    EXPECT_EQ(error.problems()[0].place.file, "run/results.csv");
    EXPECT_NE(error.problems()[1].message.find("wheel.*"), std::string::npos);
  }
}

TEST(Select, SaysWhereThereIsNothingToChooseFrom) {
  try {
    select(withNames({}), std::vector<std::string>{"a.x"});
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_STREQ(error.what(), "run/results.csv: No variable fits 'a.x'. It holds no variable at all.");
  }
  EXPECT_TRUE(select(withNames({}), {}).empty());
}

TEST(Select, ListsWhatThereIsWhereNothingIsNear) {
  try {
    select(withNames({"a.x", "b.y"}), std::vector<std::string>{"wheel.speed"});
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_STREQ(error.what(), "run/results.csv: No variable fits 'wheel.speed'. Known here: a.x, b.y.");
    EXPECT_EQ(error.problems().at(0).place.line, 0U);
    EXPECT_EQ(error.problems().at(0).place.column, 0U);
  }
}

}  // namespace
}  // namespace koppla::results
