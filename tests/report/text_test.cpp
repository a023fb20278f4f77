#include "koppla/report/text.hpp"

#include <gtest/gtest.h>

namespace koppla::report {
namespace {

TEST(Text, CountsCharactersNotBytes) {
  EXPECT_EQ(cells("µs"), 2U);
  EXPECT_EQ(cells(""), 0U);
}

TEST(Text, ClipsWithAnEllipsis) {
  EXPECT_EQ(clipped("mass.x", 6), "mass.x");
  EXPECT_EQ(clipped("mass.x", 4), "mas…");
  EXPECT_EQ(clipped("äöüß", 3), "äö…");
  EXPECT_EQ(clipped("mass.x", 1), "…");
  EXPECT_EQ(clipped("mass.x", 0), "");
  EXPECT_EQ(clipped("", 0), "");
  EXPECT_EQ(clipped("ab", 2), "ab");
  EXPECT_EQ(clipped("abc", 2), "a…");
  EXPECT_EQ(clipped("xäyö", 3), "xä…") << "never within a character";
}

}  // namespace
}  // namespace koppla::report
