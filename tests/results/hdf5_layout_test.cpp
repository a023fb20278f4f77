#include "koppla/results/detail/hdf5_layout.hpp"

#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::results::hdf5_layout_test {
namespace {

using core::Type;
using detail::elementName;
using detail::Hdf5Dataset;
using detail::hdf5Layout;
using detail::nameOfElement;

TEST(ElementName, IsTheLastNumberInBrackets) {
  for (const auto& [name, whole, index] :
       {std::tuple("q[3].residual", "q[].residual", 3U), std::tuple("q[1]", "q[]", 1U), std::tuple("[7]", "[]", 7U),
        std::tuple("a[2].b[50]", "a[2].b[]", 50U), std::tuple("a[2]]", "a[]]", 2U),
        std::tuple("a][12]", "a][]", 12U)}) {
    const auto element = elementName(name);
    ASSERT_TRUE(element) << name;
    EXPECT_EQ(element->whole, whole);
    EXPECT_EQ(element->index, index);
    EXPECT_EQ(nameOfElement(element->whole, element->index), name) << "the way back";
  }
}

TEST(ElementName, IsNoneOfOtherNames) {
  for (const char* name : {"", "q", "q[]", "q[0]", "q[03]", "q[1", "q]1[", "q[a]", "q[1a]", "q[ 1]", "q[-1]",
                           "q[1].b[x]", "q[18446744073709551616]"})
    EXPECT_FALSE(elementName(name)) << name;
}

Column column(const std::string& name, Type type = Type::real, const std::string& unit = "",
              const std::string& description = "") {
  return {name, type, unit, description};
}

std::vector<std::string> namesOf(const std::vector<Hdf5Dataset>& datasets) {
  std::vector<std::string> names;
  for (const Hdf5Dataset& dataset : datasets) names.push_back(dataset.name);
  return names;
}

std::vector<std::string> pathsOf(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back(column(name));
  std::vector<std::string> paths;
  for (const Hdf5Dataset& dataset : hdf5Layout(columns)) paths.push_back(dataset.path);
  return paths;
}

using Names = std::vector<std::string>;

TEST(Hdf5Layout, AVectorIsOneDataset) {
  const std::vector<Hdf5Dataset> all =
      hdf5Layout({column("a.n", Type::integer), column("a.q[1]", Type::real, "m", "d"), column("a.x"),
                  column("a.q[2]", Type::real, "m", "d"), column("a.y"), column("a.q[3]", Type::real, "m", "d")});
  ASSERT_EQ(namesOf(all), (Names{"a.n", "a.q[]", "a.x", "a.y"}));
  const Hdf5Dataset& q = all[1];
  EXPECT_EQ(q.path, "a/q");
  EXPECT_EQ(q.type, Type::real);
  EXPECT_EQ(q.unit, "m");
  EXPECT_EQ(q.description, "d");
  EXPECT_EQ(q.column, 1U);
  EXPECT_EQ(q.columnStep, 2U);
  EXPECT_EQ(q.first, 0U) << "of the reals";
  EXPECT_EQ(q.step, 2U);
  EXPECT_EQ(q.elements, 3U);
  EXPECT_TRUE(q.vector());
  EXPECT_EQ(all[3].column, 4U);
  EXPECT_EQ(all[3].first, 3U);
  EXPECT_EQ(all[3].elements, 1U);
  EXPECT_EQ(all[3].columnStep, 1U);
  EXPECT_EQ(all[3].step, 1U);
  EXPECT_FALSE(all[3].vector());
}

TEST(Hdf5Layout, TheDistanceInTheRowIsThatAmongValuesOfTheType) {
  const std::vector<Hdf5Dataset> all =
      hdf5Layout({column("s", Type::string), column("q[1].r"), column("q[1].on", Type::boolean), column("q[2].r"),
                  column("q[2].on", Type::boolean), column("q[3].r"), column("q[3].on", Type::boolean)});
  ASSERT_EQ(namesOf(all), (Names{"s", "q[].r", "q[].on"}));
  EXPECT_EQ(all[1].columnStep, 2U);
  EXPECT_EQ(all[1].step, 1U);
  EXPECT_EQ(all[2].column, 2U);
  EXPECT_EQ(all[2].first, 0U);
  EXPECT_EQ(all[2].step, 1U);
  EXPECT_EQ(all[2].elements, 3U);
  EXPECT_EQ(all[2].path, "q/on");
}

TEST(Hdf5Layout, IntegersAndEnumerationsShareTheirArray) {
  const std::vector<Hdf5Dataset> all =
      hdf5Layout({column("a", Type::integer), column("b", Type::enumeration), column("c", Type::boolean),
                  column("d", Type::integer), column("e", Type::string), column("f", Type::real)});
  std::vector<std::size_t> places;
  for (const Hdf5Dataset& dataset : all) places.push_back(dataset.first);
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 1, 0, 2, 0, 0}));
}

TEST(Hdf5Layout, WhatDiffersIsNoElementOfTheVector) {
  const Column one = column("q[1]", Type::real, "m", "d");
  const Column two = column("q[2]", Type::real, "m", "d");
  for (const Column& other : {column("q[2]", Type::integer, "m", "d"), column("q[2]", Type::real, "mm", "d"),
                              column("q[2]", Type::real, "m", "e"), column("q[3]", Type::real, "m", "d"),
                              column("p[2]", Type::real, "m", "d"), column("q[1]", Type::real, "m", "d")})
    EXPECT_EQ(namesOf(hdf5Layout({one, other})), (Names{"q[1]", other.name}));
  for (const Column& other : {column("q[3]", Type::integer, "m", "d"), column("q[3]", Type::real, "mm", "d"),
                              column("q[3]", Type::real, "m", "e"), column("q[4]", Type::real, "m", "d"),
                              column("q[2]", Type::real, "m", "d")})
    EXPECT_EQ(namesOf(hdf5Layout({one, two, other})), (Names{"q[]", other.name}));
}

TEST(Hdf5Layout, AVectorBeginsWithItsFirstElement) {
  EXPECT_EQ(namesOf(hdf5Layout({column("q[2]"), column("q[3]")})), (Names{"q[2]", "q[3]"}));
  EXPECT_EQ(namesOf(hdf5Layout({column("q[2]"), column("q[1]"), column("q[2]")})), (Names{"q[2]", "q[]"}));
  EXPECT_EQ(namesOf(hdf5Layout({column("q[1]")})), Names{"q[1]"});
}

TEST(Hdf5Layout, ElementsAreAtEqualDistancesAmongColumnsAndValues) {
  EXPECT_EQ(namesOf(hdf5Layout({column("q[1]"), column("q[2]"), column("x"), column("q[3]")})),
            (Names{"q[]", "x", "q[3]"}));
  EXPECT_EQ(namesOf(hdf5Layout({column("q[1]"), column("q[2]"), column("n", Type::integer), column("q[3]")})),
            (Names{"q[]", "n", "q[3]"}))
      << "neighbours among the reals, but not among the columns";
  EXPECT_EQ(
      namesOf(hdf5Layout({column("q[1]"), column("x"), column("q[2]"), column("n", Type::integer), column("q[3]")})),
      (Names{"q[]", "x", "n", "q[3]"}))
      << "every second column, but not every second real";
}

TEST(Hdf5Layout, PathsAreGroupsAndDatasetsThatTheFileCanHave) {
  EXPECT_EQ(pathsOf({"a.x", "a.y.z", "b"}), (Names{"a/x", "a/y.z", "b"}));
  EXPECT_EQ(pathsOf({".x", "x."}), (Names{".x", "x/_"}));
  EXPECT_EQ(pathsOf({"a/b.c/d", std::string("e\0f", 3), ""}), (Names{"a_b/c_d", "e_f", "_"}));
  EXPECT_EQ(pathsOf({".", "..", "a.."}), (Names{"_", "..", "a/_"}));
}

TEST(Hdf5Layout, NoPathIsThereTwice) {
  EXPECT_EQ(pathsOf({"x", "x", "x", "x_2"}), (Names{"x", "x_2", "x_3", "x_2_2"}));
  EXPECT_EQ(pathsOf({"a.x", "a/x", "a.x"}), (Names{"a/x", "a_x", "a/x_2"}));
  EXPECT_EQ(pathsOf({"time", "time.x"}), (Names{"time_2", "time.x"})) << "the time itself has that name";
  EXPECT_EQ(pathsOf({"a", "a.x", "b.x", "b"}), (Names{"a", "a.x", "b/x", "b_2"})) << "no dataset is a group as well";
}

/// Every column is an element of one dataset, which finds its value in the row.
TEST(Hdf5Layout, HoldsEveryColumnOnce) {
  const std::array types{Type::real, Type::integer, Type::boolean, Type::string, Type::enumeration};
  for (unsigned seed = 0; seed < 500; ++seed) {
    unsigned state = seed * 2654435761U + 12345U;
    const auto below = [&](unsigned n) {
      state = state * 1664525U + 1013904223U;
      return (state >> 16U) % n;
    };
    std::vector<Column> columns;
    while (columns.size() < 14) {
      const std::string name = std::string(1, static_cast<char>('a' + below(3))) + (below(2) == 0 ? ".q" : "");
      const Type type = types.at(below(5));
      const unsigned size = below(5);
      if (size == 0) columns.push_back(column(name, type, below(2) == 0 ? "m" : ""));
      for (unsigned i = 1; i <= size; ++i) columns.push_back(column(name + "[" + std::to_string(i) + "]", type));
    }
    std::array<std::size_t, 5> used{};
    std::vector<std::size_t> places;
    for (const Column& c : columns)
      places.push_back(used.at(c.type == Type::enumeration ? 1U : static_cast<std::size_t>(c.type))++);
    std::vector<int> held(columns.size(), 0);
    std::set<std::string> paths;
    for (const Hdf5Dataset& dataset : hdf5Layout(columns)) {
      EXPECT_TRUE(paths.insert(dataset.path).second) << dataset.path;
      for (std::size_t k = 0; k < dataset.elements; ++k) {
        const std::size_t at = dataset.column + k * dataset.columnStep;
        ASSERT_LT(at, columns.size());
        ++held[at];
        EXPECT_EQ(dataset.vector() ? nameOfElement(dataset.name, k + 1) : dataset.name, columns[at].name);
        EXPECT_EQ(dataset.type, columns[at].type);
        EXPECT_EQ(dataset.unit, columns[at].unit);
        EXPECT_EQ(dataset.first + k * dataset.step, places[at]);
      }
    }
    EXPECT_EQ(held, std::vector<int>(columns.size(), 1));
    for (const std::string& path : paths)
      if (const std::size_t slash = path.find('/'); slash != std::string::npos) {
        EXPECT_FALSE(paths.contains(path.substr(0, slash))) << path;
      }
  }
}

}  // namespace
}  // namespace koppla::results::hdf5_layout_test
