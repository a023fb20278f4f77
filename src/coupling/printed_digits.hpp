#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// Half a unit of the last digit of a value that is printed with so many; 0: with all.
double roundingOf(double value, unsigned digits);

/// Of each port that is read from what a program prints, the first of these values.
std::vector<std::size_t> printedAmong(const Network& network, std::span<const std::size_t> values);

/// The value among these that is printed with the fewest digits, as far as known by now; none where all have all.
std::optional<std::size_t> fewestDigits(const Network& network, std::span<const std::size_t> values);

/// What a user is told of them: of an output with so many digits, and by how many tolerances the solution may be off.
std::string wordsOfOpenDigits(unsigned digits, double open);

/// What printed digits leave open of a loop's solution. Answers that are off by half a unit of their last digit move it
/// by 1 / (1 - g) as much with a slope g, though sent and answered agree to the last digit. Between two evaluations u
/// moves by d and the residual by v = (g - 1) d, of which rounding r of the answers may hide as much: 1 / (1 - g) is
/// |d| / (|v| + |r|) at least. Nothing is learned and nothing open as long as no digits are known.
class PrintedDigits {
 public:
  /// Values are compared by their tolerances, which follow `sizes`.
  PrintedDigits(const core::Tolerance& tolerance, std::span<const double> sizes)
      : tolerance_(tolerance), sizes_(sizes) {}

  /// With so many the answers are printed, as far as known by now.
  void know(unsigned digits) { digits_ = digits; }
  /// Two evaluations in a row.
  void learn(std::span<const double> sentBefore, std::span<const double> answeredBefore, std::span<const double> sent,
             std::span<const double> answered);
  /// In tolerances, of the value where it is most.
  [[nodiscard]] double leaveOpen(std::span<const double> answered) const;

  static constexpr double kNotable = 3.0;  ///< tolerances that a solution may be off by and still be called near

 private:
  [[nodiscard]] double weight(std::size_t i, double value) const;

  unsigned digits_ = 0;
  core::Tolerance tolerance_;
  std::span<const double> sizes_;
  double amplification_ = 1.0;
};

}  // namespace koppla::coupling
