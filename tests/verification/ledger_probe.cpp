// Tests that end in every way a test can end; what they leave in the ledger is looked at by ledger_test.cpp. No part of
// ctest.

#include <cstdlib>

#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::verification::ledger_probe {
namespace {

TEST(Probe, Passes) {
  test::showAtMost({"note A1", "steps", "at most 1"}, 0.5, 1.0);
}

TEST(Probe, FailsElsewhere) {
  test::showAtMost({"note A1", "steps", "at most 1"}, 0.5, 1.0);
  EXPECT_EQ(1, 2);
}

TEST(Probe, IsSkipped) {
  test::showAtMost({"note A1", "steps", "at most 1"}, 0.5, 1.0);
  GTEST_SKIP();
}

TEST(Probe, Dies) {
  test::showAtMost({"note A1", "steps", "at most 1"}, 0.5, 1.0);
  std::_Exit(0);
}

TEST(Probe, HasNoNumber) {
  test::showAtMost({"note A1", "steps", "at most 1"}, test::Largest(), 1.0);
}

TEST(Probe, KnowsThatItIsTooMuch) {
  test::showUnmet({"note A1", "steps", "at most 1"}, "2");
}

}  // namespace
}  // namespace koppla::verification::ledger_probe
