#include "koppla/core/suggest.hpp"

#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace koppla::core
