#include "koppla/core/moment.hpp"

#include <gtest/gtest.h>

namespace koppla::core::moment_test {
namespace {

using Clock = std::chrono::system_clock;

TEST(Moment, IsWrittenInUniversalTime) {
  EXPECT_EQ(moment(Clock::from_time_t(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(moment(Clock::from_time_t(951782399)), "2000-02-28T23:59:59Z");
}

TEST(Moment, ReadsBack) {
  const Clock::time_point when = Clock::from_time_t(1'700'000'000);
  EXPECT_EQ(parseMoment(moment(when)), when);
}

TEST(Moment, OtherTextsAreNone) {
  for (const char* text : {"", "yesterday", "2000-13-01T00:00:00Z", "2000-01-01T00:00:00Z+"})
    EXPECT_FALSE(parseMoment(text)) << text;
}

}  // namespace
}  // namespace koppla::core::moment_test
