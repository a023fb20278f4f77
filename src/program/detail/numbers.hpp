#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koppla::program::detail {

/// A number as programs print it: also with a leading '+', with Fortran's exponent D, and with its exponent of three
/// digits without a letter. Nothing else around it; nan
/// and inf are numbers here, so that they can be refused by name.
std::optional<double> number(std::string_view word);
std::optional<std::int64_t> integer(std::string_view word);

std::string_view trimmed(std::string_view text);

/// The words of a line between blanks, commas and semicolons; with `separator`, what stands between those characters,
/// without blanks around it.
std::vector<std::string_view> words(std::string_view line, char separator = '\0');

/// Whether a word is a number but for a comma in place of its decimal point.
bool hasDecimalComma(std::string_view word);

/// The word with a decimal comma of a line whose columns stand apart without commas, '1 2,5' or '1;2,5'. Where commas
/// are all that stands between columns they are no decimal ones.
std::optional<std::string_view> decimalCommaIn(std::string_view line);

/// Walks over the lines of a text; LF and CRLF end a line, the last one may have no end.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next line without its end; nothing at the end of the text.
  std::optional<std::string_view> next();
  /// Of the line that next() gave last, counted from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Appends the shortest digits that read back to the same double.
void appendShortest(std::string& text, double value);

}  // namespace koppla::program::detail
