#include "koppla/coupling/printed_digits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppla::coupling {

double roundingOf(double value, unsigned digits) {
  if (digits == 0 || value == 0.0 || !std::isfinite(value)) return 0.0;
  return 0.5 * std::pow(10.0, std::floor(std::log10(std::fabs(value))) + 1.0 - digits);
}

std::vector<std::size_t> printedAmong(const Network& network, std::span<const std::size_t> values) {
  std::vector<std::size_t> printed;
  for (const Block& port : portsAmong(network, values))
    if (network.isPrinted(values[port.first])) printed.push_back(values[port.first]);
  return printed;
}

std::optional<std::size_t> fewestDigits(const Network& network, std::span<const std::size_t> values) {
  std::optional<std::size_t> fewest;
  for (const std::size_t value : values) {
    const unsigned digits = network.digitsOf(value);
    if (digits > 0 && (!fewest || digits < network.digitsOf(*fewest))) fewest = value;
  }
  return fewest;
}

std::string wordsOfOpenDigits(unsigned digits, double open) {
  return fmt::format(
      "what is read from its files has {} digits, and with the slope of the loop half a unit of the last one moves the "
      "solution by {:.3g} times the tolerance, though sent and answered agree. Make the program print more digits, or "
      "loosen "
      "algorithm.rtol",
      digits, open);
}

double PrintedDigits::weight(std::size_t i, double value) const {
  return tolerance_.weight(value, sizes_[i]);
}

void PrintedDigits::learn(std::span<const double> sentBefore, std::span<const double> answeredBefore,
                          std::span<const double> sent, std::span<const double> answered) {
  if (digits_ == 0) return;
  double moved = 0.0;
  double changed = 0.0;
  double rounding = 0.0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const double w = weight(i, answered[i]);
    const double d = w * (sent[i] - sentBefore[i]);
    const double v = w * (answered[i] - answeredBefore[i]) - d;
    const double lost = w * (roundingOf(answered[i], digits_) + roundingOf(answeredBefore[i], digits_));
    moved += d * d;
    changed += v * v;
    rounding += lost * lost;
  }
  if (!(moved > 0.0) || !std::isfinite(moved)) return;
  amplification_ = std::max(amplification_, std::sqrt(moved) / (std::sqrt(changed) + std::sqrt(rounding)));
}

double PrintedDigits::leaveOpen(std::span<const double> answered) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < answered.size(); ++i)
    largest = std::max(largest, weight(i, answered[i]) * roundingOf(answered[i], digits_));
  return amplification_ * largest;
}

}  // namespace koppla::coupling
