#include "koppla/report/duration.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::report {
namespace {

TEST(Duration, GoesFromNanosecondsToYears) {
  EXPECT_EQ(duration(0.0), "0 s");
  EXPECT_EQ(duration(12e-9), "12 ns");
  EXPECT_EQ(duration(1.5e-6), "1.5 µs");
  EXPECT_EQ(duration(0.01234), "12.3 ms");
  EXPECT_EQ(duration(1.0), "1 s");
  EXPECT_EQ(duration(59.9), "59.9 s");
  EXPECT_EQ(duration(90.0), "1 min 30 s");
  EXPECT_EQ(duration(3600.0), "1 h");
  EXPECT_EQ(duration(3600.0 * 3 + 60.0 * 12), "3 h 12 min");
  EXPECT_EQ(duration(86400.0 * 4 + 3600.0 * 6), "4 d 6 h");
  EXPECT_EQ(duration(86400.0 * 365.25), "1 year");
  EXPECT_EQ(duration(86400.0 * 365.25 * 2.5), "2.5 years");
  EXPECT_EQ(duration(86400.0 * 365.25 * 12345.0), "12345 years");
}

TEST(Duration, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(duration(0.99996e-3), "1 ms");
  EXPECT_EQ(duration(0.99996), "1 s");
  EXPECT_EQ(duration(59.97), "1 min");
  EXPECT_EQ(duration(119.6), "2 min");
  EXPECT_EQ(duration(3599.7), "1 h");
  EXPECT_EQ(duration(86400.0 - 1.0), "1 d");
}

TEST(Duration, RoundsToThreeDigitsInTheUnitThatTheyGive) {
  EXPECT_EQ(duration(999.4e-9), "999 ns");
  EXPECT_EQ(duration(999.6e-9), "1 µs");
  EXPECT_EQ(duration(999.4e-6), "999 µs");
  EXPECT_EQ(duration(999.6e-6), "1 ms");
  EXPECT_EQ(duration(0.9994), "999 ms");
  EXPECT_EQ(duration(1.234), "1.23 s");
  EXPECT_EQ(duration(12.34), "12.3 s");
  EXPECT_EQ(duration(59.94), "59.9 s");
  EXPECT_EQ(duration(59.96), "1 min");
  EXPECT_EQ(duration(60.0), "1 min");
  constexpr double kYear = 86400.0 * 365.25;
  EXPECT_EQ(duration(1.234 * kYear), "1.23 years");
  EXPECT_EQ(duration(999.4 * kYear), "999 years");
  EXPECT_EQ(duration(999.5 * kYear), "1000 years");
  EXPECT_EQ(duration(999.6 * kYear), "1000 years");
  EXPECT_EQ(duration(1000.0 * kYear), "1000 years");
  EXPECT_EQ(duration(1999.0 * kYear), "1999 years");
}

TEST(Duration, HasTwoUnitsRoundedToTheSmallerOne) {
  EXPECT_EQ(duration(61.0), "1 min 1 s");
  EXPECT_EQ(duration(119.4), "1 min 59 s");
  EXPECT_EQ(duration(3599.4), "59 min 59 s");
  EXPECT_EQ(duration(3600.0 + 29.0), "1 h");
  EXPECT_EQ(duration(3600.0 + 31.0), "1 h 1 min");
  EXPECT_EQ(duration(86400.0 - 31.0), "23 h 59 min");
  EXPECT_EQ(duration(86400.0 - 29.0), "1 d");
  EXPECT_EQ(duration(86400.0 + 3600.0), "1 d 1 h");
  EXPECT_EQ(duration(86400.0 * 365.0 + 3600.0 * 5.0), "365 d 5 h");
  EXPECT_EQ(duration(86400.0 * 365.25 - 1.0), "365 d 6 h");
}

TEST(Duration, TinyAndStrangeOnesAreTold) {
  EXPECT_EQ(duration(2e-12), "0.002 ns");
  EXPECT_EQ(duration(-0.0), "0 s");
  EXPECT_EQ(duration(-1.5), "-1.5 s");
  EXPECT_EQ(duration(-90.0), "-1 min 30 s");
  EXPECT_EQ(duration(-INFINITY), "unknown");
  EXPECT_EQ(duration(std::nan("")), "unknown");
  EXPECT_EQ(duration(INFINITY), "unknown");
}

}  // namespace
}  // namespace koppla::report
