// How sure a spectral radius is that looks of growing length show one after the other.

#include "koppla/run/detail/radius_looks.hpp"

#include <cmath>
#include <initializer_list>

#include <gtest/gtest.h>

namespace koppla::run::radius_looks_test {
namespace {

detail::RadiusLooks looksAt(std::initializer_list<double> radii) {
  detail::RadiusLooks looks;
  std::uint64_t steps = 0;
  for (const double radius : radii) looks.add(radius, ++steps);
  return looks;
}

TEST(RadiusLooks, AreAsFarApartAsTheLastThree) {
  EXPECT_NEAR(looksAt({1.1, 1.05, 1.0501}).soFar().uncertainty, 0.05, 1e-12);
  EXPECT_NEAR(looksAt({1.1, 1.05, 1.0501, 1.0502}).soFar().uncertainty, 1e-4, 1e-12);
  EXPECT_EQ(looksAt({1.1, 1.05, 1.0501}).soFar().value, 1.0501);
  EXPECT_EQ(looksAt({1.1, 1.05, 1.0501}).soFar().steps, 3U);
}

TEST(RadiusLooks, AreNotSurerWhereNoneFollows) {
  EXPECT_NEAR(looksAt({1.1, 1.05, 1.0501}).last().uncertainty, 0.05, 1e-12);
  EXPECT_NEAR(looksAt({1.1, 1.05, 1.0501, 1.0502}).last().uncertainty, 1e-4, 1e-12);
}

TEST(RadiusLooks, OfTwoAgreeByChanceUnlessTheyAreAllThereIs) {
  EXPECT_TRUE(std::isinf(looksAt({1.1, 1.05}).soFar().uncertainty));
  EXPECT_NEAR(looksAt({1.1, 1.05}).last().uncertainty, 0.05, 1e-12);
  EXPECT_NEAR(looksAt({3.7, 2.75, 2.76}).last().uncertainty, 0.01, 1e-12) << "plain growth ends looks";
  EXPECT_TRUE(std::isinf(looksAt({1.1}).last().uncertainty)) << "one alone says nothing";
}

TEST(RadiusLooks, AreNeverSurerThanTheirResolution) {
  EXPECT_EQ(looksAt({1.1, 1.1, 1.1}).soFar().uncertainty, 1e-9);
}

}  // namespace
}  // namespace koppla::run::radius_looks_test
