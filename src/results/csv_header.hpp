#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "koppla/results/csv_scanner.hpp"

namespace koppla::results {

/// The first row of a table.
struct CsvHeader {
  struct Name {
    std::string name;
    std::string unit;  ///< from `name [unit]`
  };

  double secondsPerTime = 1.0;  ///< of the unit in which the time column is given
  std::string timeUnit = "s";
  std::vector<Name> names;  ///< all but the time
};

/// Throws core::InputError where a name is missing or the row holds numbers.
CsvHeader readHeader(const std::vector<Field>& fields, const CsvScanner& scanner);

}  // namespace koppla::results
