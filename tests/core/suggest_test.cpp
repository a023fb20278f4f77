#include "koppla/core/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::core {
namespace {

TEST(Suggest, NearestForgivesOneSlipSwapAndCase) {
  const std::vector<std::string> words{"start", "end", "step", "max_iterations"};
  EXPECT_EQ(nearest("stpe", words), "step");
  EXPECT_EQ(nearest("END", words), "end");
  EXPECT_EQ(nearest("max_iteration", words), "max_iterations");
}

TEST(Suggest, ThousandsOfMistypedNamesTakeNoTime) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("subsystem_number_" + std::to_string(i));
  for (int i = 0; i < 3000; i += 10)
    ASSERT_EQ(nearest("subsystm_nmber_" + std::to_string(i), names), names[static_cast<std::size_t>(i)]);
}

TEST(Suggest, FarWordsAreNotSuggestedButListed) {
  const std::vector<std::string> words{"start", "end"};
  EXPECT_EQ(nearest("temperature", words), "");
  EXPECT_EQ(suggestion("temperature", words), "Known here: start, end.");
  EXPECT_EQ(suggestion("temperature", {}), "");
}

/// Optimal string alignment by its definition, blind to case.
std::size_t distanceOf(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto last = [](std::string_view text, std::size_t back) { return std::tolower(text[text.size() - back]); };
  const std::string_view shorterA = a.substr(0, a.size() - 1), shorterB = b.substr(0, b.size() - 1);
  std::size_t least = std::min(distanceOf(shorterA, b), distanceOf(a, shorterB)) + 1;
  least = std::min(least, distanceOf(shorterA, shorterB) + (last(a, 1) == last(b, 1) ? 0 : 1));
  if (a.size() > 1 && b.size() > 1 && last(a, 1) == last(b, 2) && last(a, 2) == last(b, 1))
    least = std::min(least, distanceOf(a.substr(0, a.size() - 2), b.substr(0, b.size() - 2)) + 1);
  return least;
}

/// The first of the nearest ones, if no more than a third of what was typed is wrong, or one letter.
RC_GTEST_PROP(Suggest, NearestIsTheFirstWithTheLeastDistance, ()) {
  const auto word = rc::gen::resize(6, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'A', 'z', 'Z', '_')));
  const std::string typed = *word;
  const std::vector<std::string> candidates = *rc::gen::container<std::vector<std::string>>(4, word);
  std::string expected;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates)
    if (const std::size_t distance = distanceOf(typed, candidate); distance < least) {
      least = distance;
      expected = candidate;
    }
  RC_ASSERT(nearest(typed, candidates) == expected);
}

/// The same by the whole table, for words so long that several letters may be wrong.
std::size_t distanceByTable(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  const auto same = [&](std::size_t i, std::size_t k) { return std::tolower(a[i - 1]) == std::tolower(b[k - 1]); };
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t k = 0; k <= b.size(); ++k) {
      d[i][k] = i + k;
      if (i == 0 || k == 0) continue;
      d[i][k] = std::min({d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (same(i, k) ? 0 : 1)});
      if (i > 1 && k > 1 && same(i, k - 1) && same(i - 1, k)) d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
    }
  return d[a.size()][b.size()];
}

TEST(Suggest, OfLongWordsAThirdMayBeWrong) {
  std::minstd_rand dice;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(dice() / 7) % n; };
  const auto letter = [&] { return "abC"[below(3)]; };
  std::size_t found = 0;
  for (std::size_t trial = 0; trial < 6000; ++trial) {
    std::string typed;
    for (std::size_t i = 0; i < 1 + trial % 13; ++i) typed += letter();
    std::vector<std::string> candidates;
    for (int i = 0; i < 3; ++i) {
      std::string word = typed;
      for (std::size_t slips = below(10); slips > 0; --slips) {
        const std::size_t at = below(word.size() + 1);
        const std::size_t slip = below(4);
        if (slip == 0 || at + 1 >= word.size())
          word.insert(at, 1, letter());
        else if (slip == 1)
          word.erase(at, 1);
        else if (slip == 2)
          word[at] = letter();
        else
          std::swap(word[at], word[at + 1]);
      }
      candidates.push_back(word);
    }
    std::string expected;
    std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string& candidate : candidates)
      if (const std::size_t distance = distanceByTable(typed, candidate); distance < least) {
        least = distance;
        expected = candidate;
      }
    ASSERT_EQ(nearest(typed, candidates), expected)
        << typed << ": " << candidates[0] << " " << candidates[1] << " " << candidates[2];
    if (!expected.empty()) ++found;
  }
  EXPECT_GT(found, 1000U);
  EXPECT_LT(found, 5000U);
}

TEST(Suggest, AWordOfFiveMayHaveOneSlipOneOfSixTwo) {
  EXPECT_EQ(nearest("abcde", std::vector<std::string>{"abxxe"}), "");
  EXPECT_EQ(nearest("abcdef", std::vector<std::string>{"abxxef"}), "abxxef");
  EXPECT_EQ(nearest("abcdef", std::vector<std::string>{"axxxef"}), "");
}

TEST(Suggest, LooksAtTwentyThousandNames) {
  std::vector<std::string> names(20'000, "a name of quite another length");
  names.push_back("mass.x");
  EXPECT_EQ(nearest("mass.x", names), "") << "large FMUs have more than a suggestion is worth";
  names.erase(names.begin());
  EXPECT_EQ(nearest("mass.x", names), "mass.x");
}

/// Capital letters, from the first to the last, are their small ones; what stands beside them in ASCII is not.
TEST(Suggest, CaseIsThatOfAscii) {
  for (const auto& [typed, meant] : {std::pair("AZ", "az"), std::pair("az", "AZ")})
    EXPECT_EQ(nearest(typed, std::vector<std::string>{"aa", meant}), meant);
  EXPECT_EQ(nearest("@[", std::vector<std::string>{"`{"}), "");
}

TEST(Suggest, TwelveAreListed) {
  std::vector<std::string> words;
  for (int i = 1; i <= 12; ++i) words.push_back("word" + std::to_string(i));
  const std::string twelve =
      "Known here: word1, word2, word3, word4, word5, word6, word7, word8, word9, word10, word11, word12";
  EXPECT_EQ(suggestion("temperature", words), twelve + ".");
  words.push_back("word13");
  EXPECT_EQ(suggestion("temperature", words), twelve + ", ... (13 in all).");
  EXPECT_EQ(suggestion("wrd13", words), "Did you mean 'word13'?");
}

}  // namespace
}  // namespace koppla::core
