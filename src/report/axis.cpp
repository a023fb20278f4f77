#include "koppla/report/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

namespace koppla::report {

namespace {

constexpr double kRounding = 1e-9;  // of a step between ticks

/// The smallest of 1, 2, 5, 10, 20, ... (times any power of ten) that is not below the least step.
double decimalStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1.0 - kRounding)) return factor * power;
  return 10.0 * power;
}

double leastStep(Range range, std::size_t mostTicks) {
  return (range.high - range.low) / static_cast<double>(std::max<std::size_t>(mostTicks, 2) - 1);
}

std::string tickText(double value, double step) {
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + kRounding)));
  return fmt::format("{:.{}f}", value, decimals);
}

/// Marks at the multiples of the step.
std::vector<Tick> ticksAt(Range range, double step) {
  std::vector<Tick> ticks;
  const double first = std::ceil(range.low / step - kRounding);
  const double last = std::floor(range.high / step + kRounding);
  for (int i = 0; first + i <= last; ++i) {
    const double k = first + i;
    ticks.push_back({k * step, tickText(k * step, step)});
  }
  return ticks;
}

/// The unit in which an axis is shown, in units of the data: a number, or a power of ten. Those of the largest and the
/// smallest numbers are no numbers themselves (10^-324), or no accurate ones, but their two halves are.
class Scale {
 public:
  explicit Scale(double factor) : first_(factor) {}
  explicit Scale(int powerOfTen) {
    constexpr int kHalved = 290;
    const int second = std::abs(powerOfTen) < kHalved ? 0 : powerOfTen / 2;
    first_ = std::pow(10.0, powerOfTen - second);
    second_ = std::pow(10.0, second);
  }

  [[nodiscard]] Range shown(Range range) const { return {range.low / first_ / second_, range.high / first_ / second_}; }
  [[nodiscard]] double data(double value) const { return value * first_ * second_; }
  [[nodiscard]] Range data(Range range) const { return {data(range.low), data(range.high)}; }
  [[nodiscard]] std::vector<Tick> data(std::vector<Tick> ticks) const {
    for (Tick& tick : ticks) tick.at = data(tick.at);
    return ticks;
  }

 private:
  double first_ = 1.0;
  double second_ = 1.0;
};

double magnitude(Range range) {
  return std::max(std::fabs(range.low), std::fabs(range.high));
}

std::string superscript(int number) {
  constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) result += kDigits.at(static_cast<std::size_t>(digit - '0'));
  return result;
}

/// 0 where the values read well as they are, otherwise the multiple of three below their magnitude.
int sharedPower(Range range) {
  const double largest = magnitude(range);
  constexpr double kLarge = 1e5;
  constexpr double kSmall = 1e-2;
  if (largest < kLarge && largest >= kSmall) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(largest) / 3.0 + kRounding));
}

double length(Range range) {
  return range.high - range.low;
}

struct Widened {
  Range range;
  double step;
};

/// The marks added at the ends may make too many; around zero there are three at least.
Widened widenedToTicks(Range range, double step, std::size_t mostTicks) {
  const auto most = static_cast<double>(std::max<std::size_t>(mostTicks, 3));
  while (true) {
    const Range widened{std::floor(range.low / step + kRounding) * step,
                        std::ceil(range.high / step - kRounding) * step};
    if (length(widened) / step + 1.0 <= most + kRounding) return {widened, step};
    step = decimalStep(1.5 * step);
  }
}

struct TimeUnit {
  double from;     ///< s, the shortest range that is shown in it
  double seconds;  ///< of one
  std::string_view name;
};

constexpr double kHour = 3600.0;
constexpr double kDay = 24.0 * kHour;
constexpr double kYear = 365.0 * kDay;
constexpr std::array<TimeUnit, 7> kTimeUnits{{{3.0 * kYear, kYear, "a"},
                                              {10.0 * kDay, kDay, "d"},
                                              {2.0 * kHour, kHour, "h"},
                                              {1e-2, 1.0, "s"},
                                              {1e-5, 1e-3, "ms"},
                                              {1e-8, 1e-6, "µs"},
                                              {0.0, 1e-9, "ns"}}};

double timeStep(const TimeUnit& unit, double least) {
  if (unit.name == "h" && least * (1.0 - kRounding) > 0.5)  // parts of a day
    for (const double step : {1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0})
      if (step >= least * (1.0 - kRounding)) return step;
  return decimalStep(least);
}

/// The whole ones in a range of powers of ten.
struct Powers {
  int first;
  int last;  ///< first - 1 where there is none
};

Powers powersIn(Range powers) {
  return {static_cast<int>(std::ceil(powers.low - kRounding)), static_cast<int>(std::floor(powers.high + kRounding))};
}

std::vector<Tick> wholePowers(Range powers, std::size_t mostTicks) {
  const auto [first, last] = powersIn(powers);
  const int between = 1 + (last - first) / static_cast<int>(std::max<std::size_t>(mostTicks, 2));
  std::vector<Tick> ticks;
  for (int power = first; power <= last; power += between)
    ticks.push_back({static_cast<double>(power), "10" + superscript(power)});
  return ticks;
}

std::vector<Tick> onesTwosAndFives(Range powers) {
  const auto [first, last] = powersIn(powers);
  std::vector<Tick> ticks;
  for (int power = first - 1; power <= last; ++power)
    for (const int factor : {1, 2, 5}) {
      const double at = power + std::log10(factor);
      if (at >= powers.low && at <= powers.high)
        ticks.push_back({at, (factor == 1 ? "" : std::to_string(factor) + "·") + "10" + superscript(power)});
    }
  return ticks;
}

/// Round numbers, as multiples of the power below; half as many, since their texts are twice as long.
std::vector<Tick> roundMultiples(Range powers, std::size_t mostTicks) {
  const int power = powersIn(powers).last;
  const Range numbers{std::pow(10.0, powers.low - power), std::pow(10.0, powers.high - power)};
  std::vector<Tick> ticks;
  for (const Tick& tick : valueAxis(numbers, {.quantity = "", .unit = "", .mostTicks = mostTicks / 2}).ticks)
    ticks.push_back({power + std::log10(tick.at), tick.text + "·10" + superscript(power)});
  return ticks;
}

}  // namespace

Axis timeAxis(Range range, std::size_t mostTicks) {
  constexpr double kShortest = 1e-12;      // s
  constexpr double kLatest = 1e6 * kYear;  // s
  range = withAir(range);
  if (length(range) < kShortest || magnitude(range) > kLatest)
    return valueAxis(range, {.quantity = "time", .unit = "s", .mostTicks = mostTicks});
  const auto* const unit =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& u) { return length(range) >= u.from; });
  const Scale scale(unit->seconds);
  const Range shown = scale.shown(range);
  const double step = timeStep(*unit, leastStep(shown, mostTicks));
  return {range, scale.data(ticksAt(shown, step)), 0, axisLabel("time", unit->name)};
}

Axis valueAxis(Range range, const ValueAxis& options) {
  range = withAir(range);
  const int power = sharedPower(range);
  const Scale scale(power);
  Range shown = scale.shown(range);
  const double leastWhole = options.whole && power >= 0 ? std::pow(10.0, -power) : 0.0;
  double step = std::max(leastWhole, decimalStep(leastStep(shown, options.mostTicks)));
  if (options.toTicks) {
    if (const Widened widened = widenedToTicks(shown, step, options.mostTicks);
        length(widened.range) <= 1.3 * length(shown) && std::isfinite(magnitude(scale.data(widened.range)))) {
      shown = widened.range;
      step = widened.step;
      range = scale.data(shown);
    }
  }
  // One mark alone does not tell how far apart values are.
  while (ticksAt(shown, step).size() < 2 && step > leastWhole) step = std::max(leastWhole, decimalStep(0.4 * step));
  return {range, scale.data(ticksAt(shown, step)), power, axisLabel(options.quantity, options.unit, power)};
}

Axis horizontalAxis(const results::Table& table, std::size_t mostTicks) {
  const Range range = timeRange(table);
  if (table.over.empty()) return timeAxis(range, mostTicks);
  return valueAxis(range, {table.over, "", mostTicks, true, false});
}

Axis verticalAxis(const Panel& panel, Range range, std::size_t mostTicks, bool toTicks) {
  if (panel.decades()) return decadeAxis(range, mostTicks, axisLabel(panel.quantity(), panel.unit));
  return valueAxis(range, {panel.quantity(), panel.unit, mostTicks, panel.whole(), toTicks});
}

Axis decadeAxis(Range powers, std::size_t mostTicks, std::string label) {
  std::vector<Tick> ticks = wholePowers(powers, mostTicks);
  if (ticks.size() < 2) ticks = onesTwosAndFives(powers);
  if (ticks.empty()) ticks = roundMultiples(powers, mostTicks);
  return {powers, std::move(ticks), 0, std::move(label)};
}

std::string axisLabel(std::string_view quantity, std::string_view unit, int powerOfTen) {
  const std::string power = powerOfTen == 0 ? "" : "10" + superscript(powerOfTen);
  if (unit.empty() && power.empty()) return std::string(quantity);
  if (unit.empty()) return fmt::format("{} / {}", quantity, power);
  if (power.empty() && unit.find('/') == std::string_view::npos) return fmt::format("{} / {}", quantity, unit);
  return fmt::format("{} / ({}{}{})", quantity, power, power.empty() ? "" : " ", unit);
}

}  // namespace koppla::report
