#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::results {

/// One cell of a CSV text.
struct Field {
  std::string_view raw;  ///< without the enclosing quotes; quotes inside are still doubled
  bool quoted = false;
  bool lastOfRow = false;
  bool closed = true;      ///< false where the text ends inside quotes
  bool complete = true;    ///< false where the text ends without a line feed after the row
  std::size_t offset = 0;  ///< where the field begins

  [[nodiscard]] std::string text() const;
};

/// Cuts a CSV text into fields; knows quotes (also around line breaks) and both kinds of line ends, but not what the
/// fields mean. Blank lines are skipped.
class CsvScanner {
 public:
  /// The file's name is for messages.
  CsvScanner(std::string_view text, char delimiter, std::string file)
      : text_(text), delimiter_(delimiter), file_(std::move(file)) {}

  /// The fields of the next row, in a vector that is reused; false at the end of the text.
  /// Throws core::InputError where something follows a closing quote.
  bool nextRow(std::vector<Field>& fields);

  /// A mistake at that offset; the line is counted only now.
  [[nodiscard]] core::InputError mistake(std::size_t offset, std::string message, std::string remedy) const;

 private:
  void scan(Field& field);
  void scanQuoted(Field& field);
  void scanBare(Field& field);
  void finish(Field& field);

  std::string_view text_;
  char delimiter_;
  std::string file_;
  std::size_t at_ = 0;
};

/// The delimiter of a table: the first of comma, semicolon and tab outside quotes. The first name of a table is that of
/// the time and holds none of them. A comma if there is none.
char delimiterOf(std::string_view text);

}  // namespace koppla::results
