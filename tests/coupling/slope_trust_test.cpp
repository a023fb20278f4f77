// How long slopes are believed.

#include "koppla/coupling/slope_trust.hpp"

#include <gtest/gtest.h>

namespace koppla::coupling::slope_trust_test {
namespace {

using Seen = SlopeTrust::Seen;

/// A step with such a first residual; whether slopes are believed in it.
bool believes(SlopeTrust& trust, double first) {
  trust.look(first);
  return trust.holds();
}

TEST(SlopeTrust, HoldsForSomeSteps) {
  SlopeTrust trust;
  trust.look(1.0);
  trust.accept(Seen::others);
  for (unsigned step = 0; step < SlopeTrust::kFirstAge; ++step) {
    EXPECT_TRUE(believes(trust, 1.0)) << step;
    trust.accept(Seen::nothing);
  }
  EXPECT_FALSE(believes(trust, 1.0)) << "the system may be elsewhere";
  trust.accept(Seen::others);
  EXPECT_TRUE(believes(trust, 1.0)) << "seen again";
}

TEST(SlopeTrust, LastsLongerWhereSlopesWereTheSameAgain) {
  const auto steps = [](SlopeTrust& trust) {
    unsigned count = 0;
    for (; believes(trust, 1.0); ++count) trust.accept(Seen::nothing);
    return count;
  };
  SlopeTrust trust;
  EXPECT_EQ(steps(trust), SlopeTrust::kFirstAge);
  trust.accept(Seen::same);
  EXPECT_EQ(steps(trust), 2 * SlopeTrust::kFirstAge);
  for (unsigned i = 0; i < 10; ++i) trust.accept(Seen::same);
  EXPECT_EQ(steps(trust), SlopeTrust::kMostAge);
  trust.accept(Seen::others);
  EXPECT_EQ(steps(trust), SlopeTrust::kFirstAge);
}

/// A residual is 1 - g times what the prediction is off.
TEST(SlopeTrust, IsLostWhereTheFirstResidualFalls) {
  SlopeTrust trust;
  trust.look(1.0);
  trust.accept(Seen::others);
  EXPECT_TRUE(believes(trust, SlopeTrust::kFallen));
  EXPECT_FALSE(believes(trust, 0.99 * SlopeTrust::kFallen));
  trust.accept(Seen::others);
  EXPECT_TRUE(believes(trust, 0.99 * SlopeTrust::kFallen)) << "predictions have become better: that is the new measure";
}

TEST(SlopeTrust, MeasuresByTheLargestResidualSinceSlopesWereSeen) {
  SlopeTrust trust;
  trust.look(0.01);
  trust.accept(Seen::others);
  EXPECT_TRUE(believes(trust, 1.0));
  trust.accept(Seen::nothing);
  EXPECT_FALSE(believes(trust, 0.1));
}

}  // namespace
}  // namespace koppla::coupling::slope_trust_test
