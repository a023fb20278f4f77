#include "koppla/study/certificate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppla::study {

namespace {

/// Root mean square and largest of what two runs differ by.
struct Distance {
  double rms = 0.0;
  double largest = 0.0;
  std::size_t where = 0;
};

Distance distance(const std::vector<double>& a, const std::vector<double>& b) {
  Distance result;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::fabs(a[i] - b[i]);
    squares += apart * apart;
    if (!(apart <= result.largest)) {
      result.largest = apart;
      result.where = i;
    }
  }
  result.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, a.size())));
  return result;
}

double magnitudeOf(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::fmax(largest, std::fabs(value));
  return largest;
}

bool isNear(double order, unsigned nominal) {
  return std::fabs(order - nominal) <= kOrderMargin;
}

/// Beyond any order that steps have: what shorter runs differ by is next to nothing beside what sets the first apart.
constexpr double kAtOnce = 8.0;

std::string doubtAboutOrder(double order, run::OrderRange nominal, double difference, const LeftOpen& open,
                            double size) {
  if (!open.option.empty() && difference <= open.of(size))
    return fmt::format("the runs differ by as little as the iteration leaves open. Tighten {}", open.option);
  if (order < nominal.least)
    return fmt::format(
        "its error falls with order {:.2g}, more slowly than with order {}: the steps are too long, something jumps, "
        "or "
        "start-up or a subsystem's own solver is of lower order. Shorten the step, or let koppla study find the order",
        order, nominal.least);
  if (order > kAtOnce)
    return "only the run itself differs, those with shorter steps agree: something happens that its steps miss. "
           "Certify a run with a shorter step";
  return fmt::format(
      "its error falls with order {:.2g} where {} is expected, so parts of it may cancel at these steps. Certify a run "
      "with a shorter step: if the order stays, the errors printed are right within a third",
      order, ordersOf(nominal));
}

}  // namespace

std::size_t Certificate::certified() const {
  return static_cast<std::size_t>(std::ranges::count_if(variables, &CertifiedVariable::isCertified));
}

std::string ordersOf(run::OrderRange nominal) {
  return nominal.least == nominal.full ? std::to_string(nominal.full)
                                       : fmt::format("{} or {}", nominal.least, nominal.full);
}

double observedOrder(double ratioOfDistances, const std::array<double, 3>& steps) {
  constexpr double kMost = 16.0;
  constexpr int kHalvings = 60;
  const double first = std::log(steps[1] / steps[0]);
  const double second = std::log(steps[2] / steps[0]);
  // (1 - a^q) / (a^q - b^q), which grows with q; 0/0 at q = 0.
  const auto ratio = [&](double q) {
    if (std::fabs(q) < 1e-9) return first / (second - first);
    return std::expm1(q * first) / (std::expm1(q * second) - std::expm1(q * first));
  };
  double low = -kMost;
  double high = kMost;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (ratio(middle) < ratioOfDistances ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

CertifiedVariable certify(const results::Series& series, const std::vector<double>& times,
                          const std::array<const std::vector<double>*, 3>& values, const std::array<double, 3>& steps,
                          run::OrderRange nominal, const LeftOpen& open) {
  constexpr double kRounding = 1e-12;  // of a value that was computed in many operations
  CertifiedVariable result;
  result.name = series.name;
  result.unit = series.unit;
  if (times.empty()) return result;
  const auto [lowest, highest] = std::ranges::minmax(*values[0]);
  result.range = highest - lowest;
  const double size = magnitudeOf(*values[0]);
  const Distance all = distance(*values[0], *values[2]);
  const Distance coarse = distance(*values[0], *values[1]);
  const Distance fine = distance(*values[1], *values[2]);
  result.error = all.largest;
  result.when = times[all.where];
  if (all.largest <= kRounding * size) return result;
  result.order = observedOrder(coarse.rms / fine.rms, steps);
  if (!isNear(result.order, nominal.full) && !isNear(result.order, nominal.least))
    result.doubt = doubtAboutOrder(result.order, nominal, fine.largest, open, size);
  else
    result.error = all.largest / (1.0 - std::pow(steps[2] / steps[0], result.order));
  if (result.doubt.empty() && result.error > std::fmax(result.range, size))
    result.doubt =
        "its error is larger than the values themselves, so the order is that of nothing. Shorten the step; where runs "
        "with "
        "shorter steps grow, they are unstable";
  return result;
}

void doubt(CertifiedVariable& variable, const std::vector<double>& times, const std::vector<double>& values,
           const std::vector<double>& third) {
  constexpr double kRoundingOfTime = 1e-9;  // of a value: thirds of a step are rounded, halves are not
  const Distance apart = distance(values, third);
  if (apart.largest <= kRoundingOfTime * std::fmax(magnitudeOf(values), magnitudeOf(third))) return;
  variable.error = apart.largest;
  variable.when = times[apart.where];
  variable.doubt =
      "half and a quarter of the step change nothing, but a third does: something happens between the ends of steps, "
      "in time with them. Choose a step that is shorter than what happens";
}

}  // namespace koppla::study
