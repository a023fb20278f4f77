#include "koppla/results/pattern.hpp"

#include <string>
#include <string_view>
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

/// The first character of the pattern stands for none, one or more of the name's.
bool byDefinition(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return byDefinition(pattern.substr(1), name) || (!name.empty() && byDefinition(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         byDefinition(pattern.substr(1), name.substr(1));
}

std::vector<std::string> words(const std::string& letters, std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() < longest)
      for (const char letter : letters) all.push_back(std::string(all[i]) + letter);
  return all;
}

TEST(Pattern, OfAnyKindFitsWhatItsCharactersStandFor) {
  const std::vector<std::string> names = words("ab", 5);
  for (const std::string& pattern : words("ab*?", 4))
    for (const std::string& name : names)
      ASSERT_EQ(matches(pattern, name), byDefinition(pattern, name)) << pattern << " " << name;
  EXPECT_TRUE(matches("*a*b*", "*a?b*"));
  EXPECT_TRUE(matches("?", "*"));
  EXPECT_FALSE(matches("a", "*"));
  EXPECT_FALSE(matches("a", "?"));
}

TEST(Pattern, IsWhatHasAWildcard) {
  for (const char* text : {"*", "?", "a*", "*a", "a?b"}) EXPECT_TRUE(isPattern(text)) << text;
  for (const char* text : {"", "a", "a.b[1]"}) EXPECT_FALSE(isPattern(text)) << text;
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
