// Results as CSV, ours and others': a table whose series are as long as its times, or a refusal.

#include <string>

#include "koppla/core/error.hpp"
#include "koppla/results/csv_reader.hpp"

#include "target.hpp"

namespace {

void read(std::string_view text, const koppla::results::CsvSource& source) {
  try {
    const koppla::results::Table table = koppla::results::parseCsv(text, source);
    for (const koppla::results::Series& series : table.series)
      koppla::fuzz::demand((series.numeric() ? series.numbers.size() : series.texts.size()) == table.time.size());
  } catch (const koppla::core::InputError& error) {
    koppla::fuzz::demand(!error.problems().empty());
  }
}

}  // namespace

/// Up to a zero byte the text is the side file with units.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = koppla::fuzz::textOf(data, size);
  koppla::results::CsvSource source;
  source.file = "results.csv";
  const std::size_t end = text.find('\0');
  const std::string_view rows = end == std::string_view::npos ? text : text.substr(end + 1);
  if (end != std::string_view::npos) try {
      source.columns = koppla::results::parseUnits(text.substr(0, end), "results.units.csv");
    } catch (const koppla::core::InputError& error) {
      koppla::fuzz::demand(!error.problems().empty());
    }
  read(rows, source);
  source.partial = true;
  source.anyOrder = true;
  read(rows, source);
  return 0;
}
