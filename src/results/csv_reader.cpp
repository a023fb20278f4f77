#include "koppla/results/csv_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "koppla/core/value.hpp"
#include "koppla/results/csv_header.hpp"
#include "koppla/results/csv_number.hpp"
#include "koppla/results/csv_scanner.hpp"

namespace koppla::results {

namespace {

constexpr std::string_view kDecimalPoint = "Write numbers with a decimal point.";

std::string_view withoutMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

class TableReader {
 public:
  TableReader(std::string_view text, const CsvSource& source)
      : source_(source), delimiter_(delimiterOf(text)), scanner_(text, delimiter_, source.file) {
    rows_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Table read() {
    table_.source = source_.file;
    table_.partial = source_.partial;
    readNames();
    while (scanner_.nextRow(fields_) && !cutOff()) {
      checkCount();
      if (table_.time.empty()) chooseTypes();
      addTime();
      for (std::size_t i = 0; i < table_.series.size(); ++i) addValue(i, fields_[i + 1]);
    }
    refuseDecimalCommas();
    return std::move(table_);
  }

 private:
  void readNames() {
    if (!scanner_.nextRow(fields_)) throw scanner_.mistake(0, "The file is empty.", "Check that it is the right one.");
    if (cutOff()) return;
    CsvHeader header = readHeader(fields_, scanner_);
    secondsPerTime_ = header.secondsPerTime;
    if (header.timeUnit != "s") table_.notes.push_back("Times are given in " + header.timeUnit + "; read as seconds.");

    std::unordered_map<std::string_view, const Column*> known;
    for (const Column& column : source_.columns) known.emplace(column.name, &column);
    table_.time.reserve(rows_);
    for (CsvHeader::Name& name : header.names) {
      Series series;
      const auto found = known.find(name.name);
      typeKnown_.push_back(found != known.end());
      if (found != known.end()) {
        series.type = found->second->type;
        series.unit = found->second->unit;
        series.description = found->second->description;
      } else {
        series.unit = std::move(name.unit);
      }
      series.name = std::move(name.name);
      table_.series.push_back(std::move(series));
    }
  }

  /// Whether the row at hand is the broken end of a file that its writer could not complete.
  bool cutOff() {
    const Field& last = fields_.back();
    if (!last.closed && !source_.partial)
      throw scanner_.mistake(last.offset, "A quote is opened here and never closed.", "Close it, or restore the file.");
    if (last.complete || !source_.partial) return false;
    table_.notes.emplace_back("The last row is cut off and was left out.");
    return true;
  }

  void checkCount() {
    const std::size_t wanted = table_.series.size() + 1;
    if (fields_.size() == wanted + 1 && fields_.back().raw.empty()) return;  // a delimiter at the end of the line
    if (fields_.size() == wanted) return;
    throw scanner_.mistake(fields_.front().offset,
                           "The row has " + std::to_string(fields_.size()) + " fields, the first line names " +
                               std::to_string(wanted) + " columns.",
                           fields_.size() > wanted ? "Put texts that hold the delimiter into quotes."
                                                   : "Restore the file; it may have been cut off.");
  }

  void chooseTypes() {
    const bool quotesMeanText = !fields_.front().quoted;
    for (std::size_t i = 0; i < table_.series.size(); ++i) {
      Series& series = table_.series[i];
      const Field& field = fields_[i + 1];
      const bool noNumber = !field.raw.empty() && !number(field.raw);
      const bool text = field.quoted && quotesMeanText;
      if (!typeKnown_[i] && (text || noNumber)) series.type = core::Type::string;
      const bool comma = !typeKnown_[i] && !text && delimiter_ != ',' && hasDecimalComma(field.raw);
      withCommas_.push_back(comma ? std::optional<Field>(field) : std::nullopt);
      if (series.numeric())
        series.numbers.reserve(rows_);
      else
        series.texts.reserve(rows_);
    }
  }

  void addTime() {
    const Field& field = fields_.front();
    const double time = toNumber(field) * secondsPerTime_;
    if (!std::isfinite(time))
      throw scanner_.mistake(field.offset, "Time is " + core::text(time) + ".", "Times must be finite.");
    if (!source_.anyOrder && !table_.time.empty() && time < table_.time.back())
      throw scanner_.mistake(field.offset,
                             "Time goes from " + core::text(table_.time.back()) + " s to " + core::text(time) + " s.",
                             "The first column must hold the time, and times must not decrease.");
    table_.time.push_back(time);
  }

  void addValue(std::size_t column, const Field& field) {
    Series& series = table_.series[column];
    if (series.numeric()) {
      series.numbers.push_back(toNumber(field));
      return;
    }
    series.texts.push_back(field.text());
    std::optional<Field>& first = withCommas_[column];
    if (first && !field.raw.empty() && !number(field.raw) && !hasDecimalComma(field.raw)) first.reset();
  }

  /// Columns of numbers would pass for texts otherwise.
  void refuseDecimalCommas() const {
    for (const std::optional<Field>& first : withCommas_)
      if (first)
        throw scanner_.mistake(first->offset, "'" + first->text() + "' is not a number.", std::string(kDecimalPoint));
  }

  [[nodiscard]] double toNumber(const Field& field) const {
    if (const std::optional<double> value = number(field.raw)) return *value;
    const bool decimalComma = delimiter_ != ',' && field.raw.find(',') != std::string_view::npos;
    throw scanner_.mistake(field.offset, "'" + field.text() + "' is not a number.",
                           decimalComma        ? std::string(kDecimalPoint)
                           : field.raw.empty() ? "Fill in the missing value."
                                               : "Every row of this column must hold a number, as its first row does.");
  }

  const CsvSource& source_;
  char delimiter_;
  CsvScanner scanner_;
  std::size_t rows_ = 0;  ///< about as many as will come
  double secondsPerTime_ = 1.0;
  std::vector<bool> typeKnown_;
  /// By column: the first field, if all of them so far are numbers, and this one has a decimal comma.
  std::vector<std::optional<Field>> withCommas_;
  std::vector<Field> fields_;
  Table table_;
};

}  // namespace

Table parseCsv(std::string_view text, const CsvSource& source) {
  return TableReader(withoutMark(text), source).read();
}

std::vector<Column> parseUnits(std::string_view text, const std::string& file) {
  constexpr std::array kTypes{core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string,
                              core::Type::enumeration};
  std::vector<Column> columns;
  CsvScanner scanner(withoutMark(text), ',', file);
  std::vector<Field> fields;
  scanner.nextRow(fields);  // the names of the columns
  while (scanner.nextRow(fields)) {
    if (fields.size() != 4)
      throw scanner.mistake(fields.front().offset,
                            "The row has " + std::to_string(fields.size()) + " fields instead of 4.",
                            "Each row needs name, type, unit and description.");
    const auto* const type = std::find_if(kTypes.begin(), kTypes.end(),
                                          [&](core::Type candidate) { return core::word(candidate) == fields[1].raw; });
    if (type == kTypes.end())
      throw scanner.mistake(fields[1].offset, "'" + fields[1].text() + "' is not a type.",
                            "Types are real, integer, boolean, string and enumeration.");
    columns.push_back({fields[0].text(), *type, fields[2].text(), fields[3].text()});
  }
  return columns;
}

}  // namespace koppla::results
