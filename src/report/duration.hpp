#pragma once

#include <string>

namespace koppla::report {

/// A duration as a person would say it, from nanoseconds to years: below a minute three digits and one unit ("12.3
/// ms"), above it the two largest units ("2 min 5 s", "3 h 12 min", "4 d 6 h"), above a year (365.25 d) three digits
/// again
/// ("1.25 years"). What is not finite is "unknown".
std::string duration(double seconds);

}  // namespace koppla::report
