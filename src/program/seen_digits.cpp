#include "koppla/program/seen_digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace koppla::program {

namespace {

/// One of 10^3 arbitrary doubles is named by as few digits as that or less.
constexpr unsigned kFew = 12;

/// A significand of few bits, as of 3, 0.625 or 123456. Other decimal fractions are rounded to all that a double has;
/// 2.1e11, where all doubles are whole numbers, has 28.
bool isBinaryFraction(double value) {
  constexpr int kBits = 20;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), kBits);
  return scaled == std::trunc(scaled);
}

/// Of the shortest text that reads back to the same double.
unsigned digitsNeeded(double value) {
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return static_cast<unsigned>(std::count_if(text.data(), std::find(text.data(), end, 'e'), isDigit));
}

}  // namespace

void SeenDigits::look(double value, bool anew) {
  if (most_ > kFew || isBinaryFraction(value)) return;
  const unsigned needed = digitsNeeded(value);
  if (needed > most_) {
    most_ = needed;
    times_ = 0;
  }
  if (anew && needed == most_) ++times_;
}

unsigned SeenDigits::digits() const {
  constexpr unsigned kLeast = 2;  // levels such as 0.1, 0.2, 0.3 are no rounding
  constexpr unsigned kTimes = 3;
  return times_ >= kTimes && most_ >= kLeast && most_ <= kFew ? most_ : 0;
}

}  // namespace koppla::program
