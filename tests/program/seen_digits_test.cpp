#include "koppla/program/seen_digits.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::program::seen_digits_test {
namespace {

/// As a program prints it and we read it.
double printed(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);  // NOLINT(clang-diagnostic-format-nonliteral)
  return std::strtod(text.data(), nullptr);
}

/// All answers at one instant.
unsigned seen(const std::vector<double>& answers) {
  SeenDigits digits;
  for (std::size_t i = 0; i < answers.size(); ++i) digits.look(answers[i], i > 0 && answers[i] != answers[i - 1]);
  return digits.digits();
}

std::vector<double> iteration(const char* format, double size, int count) {
  std::vector<double> answers;
  for (int i = 0; i < count; ++i) answers.push_back(printed(format, size * (1.0 + std::exp(-i))));
  return answers;
}

TEST(SeenDigits, AreThoseOfTheFormat) {
  for (const double size : {M_PI, 1e-7 * M_PI, -1e-3 * M_PI, 2.1e11}) {
    EXPECT_EQ(seen(iteration("%.4g", size, 12)), 4U) << size;
    EXPECT_EQ(seen(iteration("%.5e", size, 12)), 6U) << size;
    EXPECT_EQ(seen(iteration("%.10g", size, 12)), 10U) << size;
  }
}

TEST(SeenDigits, AreNotKnownFromFewAnswers) {
  EXPECT_EQ(seen(iteration("%.4g", M_PI, 3)), 0U);
  EXPECT_EQ(seen({3.142, 3.142, 3.142, 3.142, 3.142}), 0U) << "the same answer";
}

TEST(SeenDigits, AreAllWhereAllArePrinted) {
  EXPECT_EQ(seen(iteration("%.17g", M_PI, 12)), 0U);
  EXPECT_EQ(seen(iteration("%.15e", 1e-7 * M_PI, 12)), 0U);
  std::vector<double> mixed = iteration("%.4g", M_PI, 12);
  mixed.push_back(M_PI);
  EXPECT_EQ(seen(mixed), 0U) << "one answer shows them";
}

/// Whole numbers and binary fractions are what they are, whatever the format.
TEST(SeenDigits, AreNotSeenInExactNumbers) {
  EXPECT_EQ(seen({1, 20, 300, 4123, 5231, 4310, 7123, 1e5, 123456}), 0U);
  EXPECT_EQ(seen({0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 1.125}), 0U);
  EXPECT_EQ(seen({0.5, 0.75, 0.875, 0.9375, 0.96875, 0.984375}), 0U);
  const double unit = std::ldexp(1.0, 40);
  EXPECT_EQ(seen({3.0 * unit, 5.0 * unit, 7.0 * unit, 11.0 * unit, 13.0 / unit, 17.0 / unit}), 0U) << "of any size";
}

/// y = 0.9 u + 0.1 from u = 0, with all digits: every answer has one more than the one before.
TEST(SeenDigits, AreNotSeenInShortNumbersThatGrow) {
  std::vector<double> answers{0.1};
  for (int i = 0; i < 8; ++i) answers.push_back(printed("%.15g", 0.9 * answers.back() + 0.1));
  EXPECT_EQ(seen(answers), 0U);
}

/// Levels that are switched to as time goes on are no answers to other questions.
TEST(SeenDigits, AreNotSeenInASchedule) {
  SeenDigits digits;
  for (const double level : {0.12, 0.24, 0.36, 0.48, 0.61}) digits.look(level, false);
  EXPECT_EQ(digits.digits(), 0U);
}

}  // namespace
}  // namespace koppla::program::seen_digits_test
