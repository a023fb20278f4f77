#include "koppla/study/payload.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace koppla::study::payload_test {
namespace {

using Numbers = std::vector<double>;

TEST(Payload, GivesBackWhatWasPackedInItsOrder) {
  Packer packer;
  packer.number(-2.5);
  packer.count(std::numeric_limits<std::uint64_t>::max());
  packer.text("two\n\"lines\"");
  packer.text("");
  packer.numbers({});
  packer.numbers({1e-300, -7.0, 0.1});
  packer.text("x");
  packer.number(4.0);
  const std::string bytes = std::move(packer).take();
  Unpacker unpacker(bytes);
  EXPECT_EQ(unpacker.number(), -2.5);
  EXPECT_EQ(unpacker.count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(unpacker.text(), "two\n\"lines\"");
  EXPECT_EQ(unpacker.text(), "");
  EXPECT_EQ(unpacker.numbers(), Numbers{});
  EXPECT_EQ(unpacker.numbers(), (Numbers{1e-300, -7.0, 0.1}));
  EXPECT_EQ(unpacker.text(), "x");
  EXPECT_EQ(unpacker.number(), 4.0);
}

TEST(Payload, ProblemsKeepPlaceMessageAndRemedy) {
  Packer packer;
  packer.problems({{{"a.toml", 3, 8}, "It is wrong.", "Mend it."}, {{}, "It is missing.", ""}});
  packer.count(5);
  const std::string bytes = std::move(packer).take();
  Unpacker unpacker(bytes);
  const std::vector<core::Problem> problems = unpacker.problems();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].place.file, "a.toml");
  EXPECT_EQ(problems[0].place.line, 3U);
  EXPECT_EQ(problems[0].place.column, 8U);
  EXPECT_EQ(problems[0].message, "It is wrong.");
  EXPECT_EQ(problems[0].remedy, "Mend it.");
  EXPECT_EQ(core::text(problems[1]), core::text({{}, "It is missing.", ""}));
  EXPECT_EQ(unpacker.count(), 5U);
}

TEST(Payload, TooFewBytesAreAFaultOfOurs) {
  Packer packer;
  packer.number(1.0);
  packer.count(2);
  const std::string bytes = std::move(packer).take();
  Unpacker whole(bytes);
  EXPECT_EQ(whole.number(), 1.0);
  EXPECT_EQ(whole.count(), 2U) << "to the last byte";
  EXPECT_THROW(whole.count(), core::InternalError) << "nothing is left";
  Unpacker cut(std::string_view(bytes).substr(0, 15));
  EXPECT_EQ(cut.number(), 1.0);
  EXPECT_THROW(cut.number(), core::InternalError) << "one byte is missing";
}

}  // namespace
}  // namespace koppla::study::payload_test
