#pragma once

#include <span>

namespace koppla::study {

/// What a box plot shows of some numbers.
struct BoxStatistics {
  double least = 0.0;
  double lowerQuartile = 0.0;
  double median = 0.0;
  double upperQuartile = 0.0;
  double most = 0.0;
  double mean = 0.0;
};

/// Of one number at least. Quartiles lie between the two nearest numbers, as the median of an even count does.
BoxStatistics boxStatistics(std::span<const double> numbers);

}  // namespace koppla::study
