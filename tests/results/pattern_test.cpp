#include "koppla/results/pattern.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::results {
namespace {

TEST(Pattern, WithoutWildcardsFitsOnlyItself) {
  EXPECT_TRUE(matches("mass.x", "mass.x"));
  EXPECT_FALSE(matches("mass.x", "mass.xy"));
  EXPECT_FALSE(matches("mass.x", "ass.x"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
}

TEST(Pattern, StarStandsForAnyCharactersAndNone) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "mass.x"));
  EXPECT_TRUE(matches("mass.*", "mass.joint.x"));
  EXPECT_TRUE(matches("*.x", "mass.joint.x"));
  EXPECT_TRUE(matches("m*.*x", "mass.x"));
  EXPECT_FALSE(matches("*.x", "mass.y"));
  EXPECT_FALSE(matches("mass.*", "mass"));
}

TEST(Pattern, StarTakesMoreWhenTheFirstPlaceDoesNotFit) {
  EXPECT_TRUE(matches("*ab", "aab"));
  EXPECT_TRUE(matches("a*bc*d", "abbcxbcd"));
  EXPECT_FALSE(matches("a*bc*d", "abbcxbc"));
}

TEST(Pattern, QuestionMarkStandsForExactlyOne) {
  EXPECT_TRUE(matches("m?.x", "m1.x"));
  EXPECT_FALSE(matches("m?.x", "m.x"));
  EXPECT_FALSE(matches("m?.x", "m12.x"));
}

TEST(Pattern, BracketsStandForThemselves) {
  EXPECT_TRUE(matches("pipe.T[1]", "pipe.T[1]"));
  EXPECT_FALSE(matches("pipe.T[1]", "pipe.T1"));
  EXPECT_TRUE(matches("pipe.T[*]", "pipe.T[12]"));
}

TEST(Pattern, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(matches(pattern + "b", std::string(5000, 'a')));
}

TEST(Pattern, AnyOfSeveral) {
  const std::vector<std::string> patterns{"a.*", "b.x"};
  EXPECT_TRUE(matchesAny(patterns, "b.x"));
  EXPECT_FALSE(matchesAny(patterns, "b.y"));
  EXPECT_FALSE(matchesAny({}, "b.y"));
}

RC_GTEST_PROP(Pattern, ANameWithPartsReplacedByStarsFits, (const std::string& name)) {
  const auto from = *rc::gen::inRange<std::size_t>(0, name.size() + 1);
  const auto to = *rc::gen::inRange<std::size_t>(from, name.size() + 1);
  RC_ASSERT(matches(name.substr(0, from) + "*" + name.substr(to), name));
}

}  // namespace
}  // namespace koppla::results
