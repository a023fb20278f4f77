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

TEST(Duration, TinyAndStrangeOnesAreTold) {
  EXPECT_EQ(duration(2e-12), "0.002 ns");
  EXPECT_EQ(duration(-1.5), "-1.5 s");
  EXPECT_EQ(duration(std::nan("")), "unknown");
  EXPECT_EQ(duration(INFINITY), "unknown");
}

}  // namespace
}  // namespace koppla::report
