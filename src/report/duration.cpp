#include "koppla/report/duration.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace koppla::report {

namespace {

constexpr double kSecondsPerMinute = 60.0;
constexpr double kSecondsPerHour = 60.0 * kSecondsPerMinute;
constexpr double kSecondsPerDay = 24.0 * kSecondsPerHour;
constexpr double kSecondsPerYear = 365.25 * kSecondsPerDay;

double roundedToThreeDigits(double value) {
  const double magnitude = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::round(value / magnitude) * magnitude;
}

std::string threeDigits(double value) {
  // %g would write 1e+03 for a thousand years, and for what it rounds to it
  return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string inOneUnit(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> kUnits{{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  for (const Unit& unit : kUnits)
    if (roundedToThreeDigits(seconds) >= unit.seconds)
      return fmt::format("{} {}", threeDigits(seconds / unit.seconds), unit.name);
  return fmt::format("{} ns", threeDigits(seconds / 1e-9));
}

/// Rounded to the smaller unit, which is left out where it is zero.
std::string inTwoUnits(double seconds, double large, std::string_view largeName, double small,
                       std::string_view smallName) {
  const double all = std::round(seconds / small);
  const double perLarge = std::round(large / small);
  const double whole = std::floor(all / perLarge);
  const double rest = all - whole * perLarge;
  std::string result = fmt::format("{:.0f} {}", whole, largeName);
  if (rest > 0.0) result += fmt::format(" {:.0f} {}", rest, smallName);
  return result;
}

}  // namespace

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0.0) return "-" + duration(-seconds);
  if (seconds == 0.0) return "0 s";
  if (roundedToThreeDigits(seconds) < kSecondsPerMinute) return inOneUnit(seconds);
  if (std::round(seconds) < kSecondsPerHour) return inTwoUnits(seconds, kSecondsPerMinute, "min", 1.0, "s");
  if (std::round(seconds / kSecondsPerMinute) * kSecondsPerMinute < kSecondsPerDay)
    return inTwoUnits(seconds, kSecondsPerHour, "h", kSecondsPerMinute, "min");
  if (seconds < kSecondsPerYear) return inTwoUnits(seconds, kSecondsPerDay, "d", kSecondsPerHour, "h");
  const std::string years = threeDigits(seconds / kSecondsPerYear);
  return years + (years == "1" ? " year" : " years");
}

}  // namespace koppla::report
