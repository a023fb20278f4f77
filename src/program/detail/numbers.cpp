#include "koppla/program/detail/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace koppla::program::detail {

namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::string_view kSeparators = " \t\r\f\v,;";
constexpr std::string_view kButCommas = " \t\r\f\v;";  ///< separators

/// Of a number that no double holds: whether it is too small, and not too large.
bool isTooSmall(std::string_view word) {
  const std::size_t end = std::min(word.find_first_of("eE"), word.size());
  const auto first = static_cast<std::int64_t>(word.find_first_of("123456789"));
  const auto point = static_cast<std::int64_t>(std::min(word.find('.'), end));
  std::int64_t exponent = 0;
  if (end < word.size()) {
    std::string_view digits = word.substr(end + 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return digits.front() == '-';
  }
  return exponent < first - point;  // 1 stands in front of the point, 0.1 behind it
}

std::optional<double> plainNumber(std::string_view word) {
  double value = 0.0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc{}) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // Too small for a double is zero; too large is said to be infinite, which nobody takes for a value.
  return isTooSmall(word) ? 0.0 : std::numeric_limits<double>::infinity();
}

/// Fortran leaves the letter out where the exponent has three digits: 2.157476-110.
std::optional<double> withoutLetter(std::string_view word) {
  constexpr std::size_t kExponent = 4;
  if (word.size() < kExponent || word.find('.') == word.npos) return std::nullopt;
  std::string inC(word);
  const std::size_t sign = inC.size() - kExponent;
  if (inC[sign] != '-' && inC[sign] != '+') return std::nullopt;
  inC.insert(sign, 1, 'e');
  return plainNumber(inC);
}

}  // namespace

std::optional<double> number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  if (const std::optional<double> value = plainNumber(word)) return value;
  const std::size_t exponent = word.find_first_of("dD");
  if (exponent == word.npos) return withoutLetter(word);
  std::string inC(word);
  inC[exponent] = 'e';
  return plainNumber(inC);
}

std::optional<std::int64_t> integer(std::string_view word) {
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words(std::string_view line, char separator) {
  std::vector<std::string_view> result;
  if (separator != '\0') {
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      result.push_back(trimmed(line.substr(at, end - at)));
      at = end + 1;
    }
    return result;
  }
  for (std::size_t at = line.find_first_not_of(kSeparators); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, at), line.size());
    result.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSeparators, end);
  }
  return result;
}

bool hasDecimalComma(std::string_view word) {
  const auto isDigit = [&](std::size_t at) { return at < word.size() && word[at] >= '0' && word[at] <= '9'; };
  const std::size_t comma = word.find(',');
  if (comma == word.npos || comma == 0 || !isDigit(comma - 1) || !isDigit(comma + 1)) return false;
  std::string withPoint(word);
  withPoint[comma] = '.';
  return number(withPoint).has_value();
}

std::optional<std::string_view> decimalCommaIn(std::string_view line) {
  if (line.find(',') == line.npos) return std::nullopt;
  std::optional<std::string_view> found;
  bool apart = false;
  for (std::size_t at = line.find_first_not_of(kButCommas); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kButCommas, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (!found && hasDecimalComma(word)) found = word;
    at = line.find_first_not_of(kButCommas, end);
    if (at != line.npos && line[at] != ',' && !word.ends_with(',')) apart = true;
  }
  return apart ? found : std::nullopt;
}

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void appendShortest(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

}  // namespace koppla::program::detail
