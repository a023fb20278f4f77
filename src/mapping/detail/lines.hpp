#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::mapping::detail {

/// A text line by line, whichever line ends it has, and mistakes in it.
class Lines {
 public:
  /// The file's name is for messages.
  Lines(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// Goes to the next line; false at the end of the text.
  bool next();
  /// The present line, without blanks at both sides.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }

  [[nodiscard]] core::InputError mistake(std::string message, std::string remedy) const {
    return mistakeAt(number_, std::move(message), std::move(remedy));
  }
  [[nodiscard]] core::InputError mistakeAt(std::size_t line, std::string message, std::string remedy) const;

 private:
  std::string_view rest_;
  std::string file_;
  std::string_view line_;
  std::size_t number_ = 0;
};

std::string_view trimmed(std::string_view text);
std::string upperCase(std::string_view text);

/// What stands between delimiters, trimmed. A delimiter at the end begins no field.
std::vector<std::string_view> fields(std::string_view line, char delimiter);
/// What stands between blanks.
std::vector<std::string_view> words(std::string_view line);

/// A piece of foreign text for a message: in quotes, cut where it is long.
std::string inQuotes(std::string_view text);

std::optional<std::int64_t> integer(std::string_view field);
/// A finite number; Fortran's exponent letter D is accepted.
std::optional<double> real(std::string_view field);

/// The same, or the mistake: `what` names the value in the message.
std::int64_t requireInteger(std::string_view field, std::string_view what, const Lines& lines);
double requireReal(std::string_view field, std::string_view what, const Lines& lines);

}  // namespace koppla::mapping::detail
