#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace koppla::test {

/// The largest of the numbers that it was shown. Other than std::max and std::fmax it does not lose a NaN, and is NaN
/// itself before the first number: no comparison holds then, so that neither a value that is none nor a series without
/// samples passes for a small error.
class Largest {
 public:
  template <class... Others>
  void see(double value, Others... others) {
    if (!seen_ || std::isnan(value) || value > value_) value_ = value;
    seen_ = true;
    if constexpr (sizeof...(others) > 0) see(others...);
  }
  operator double() const { return value_; }  // NOLINT(google-explicit-constructor): it is used as a number

 private:
  double value_ = std::numeric_limits<double>::quiet_NaN();
  bool seen_ = false;
};

/// The smallest, in the same way.
class Smallest {
 public:
  template <class... Others>
  void see(double value, Others... others) {
    negative_.see(-value);
    if constexpr (sizeof...(others) > 0) see(others...);
  }
  operator double() const { return -negative_; }  // NOLINT(google-explicit-constructor): it is used as a number

 private:
  Largest negative_;
};

inline double largestOf(std::span<const double> values) {
  Largest largest;
  for (const double value : values) largest.see(value);
  return largest;
}

inline double smallestOf(std::span<const double> values) {
  Smallest smallest;
  for (const double value : values) smallest.see(value);
  return smallest;
}

template <class... Others>
double largestOf(double value, Others... others) {
  Largest largest;
  largest.see(value, others...);
  return largest;
}

}  // namespace koppla::test
