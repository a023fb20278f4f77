#include "koppla/core/error.hpp"

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

TEST(Error, AProblemReadsAsPlaceMessageRemedy) {
  EXPECT_EQ(text(Problem{{"a.toml", 3, 7}, "Unknown key 'stp'.", "Did you mean 'step'?"}),
            "a.toml:3:7: Unknown key 'stp'. Did you mean 'step'?");
  EXPECT_EQ(text(Problem{{"a.toml", 3, 0}, "Odd.", ""}), "a.toml:3: Odd.");
  EXPECT_EQ(text(Problem{{"a.toml", 0, 7}, "Odd.", ""}), "a.toml: Odd.") << "no column without its line";
  EXPECT_EQ(text(Problem{{"", 3, 7}, "Odd.", "Mend it."}), "Odd. Mend it.");
  EXPECT_EQ(text(Problem{{"a.fmu", 0, 0}, "Broken.", ""}), "a.fmu: Broken.");
}

TEST(Error, AnInputErrorCarriesEveryProblemALine) {
  const InputError error({Problem{{"a", 1, 1}, "One.", ""}, Problem{{"a", 2, 1}, "Two.", ""}});
  EXPECT_STREQ(error.what(), "a:1:1: One.\na:2:1: Two.");
  EXPECT_EQ(error.problems().size(), 2U);
}

}  // namespace
}  // namespace koppla::core
