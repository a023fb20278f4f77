#include "koppla/mapping/detail/lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace koppla::mapping::detail {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kLongestQuote = 40;

std::string_view withoutPlus(std::string_view field) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  return field;
}

template <class Number>
std::optional<Number> wholeNumber(std::string_view field) {
  Number value{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return value;
}

std::optional<double> realWithLetterD(std::string_view field) {
  std::array<char, 64> copy{};
  if (field.size() > copy.size()) return std::nullopt;
  std::ranges::transform(field, copy.begin(), [](char c) { return c == 'd' || c == 'D' ? 'e' : c; });
  return wholeNumber<double>({copy.data(), field.size()});
}

}  // namespace

bool Lines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return true;
}

core::InputError Lines::mistakeAt(std::size_t line, std::string message, std::string remedy) const {
  return core::InputError({core::Problem{{file_, line, 1}, std::move(message), std::move(remedy)}});
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string upperCase(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::vector<std::string_view> fields(std::string_view line, char delimiter) {
  std::vector<std::string_view> result;
  while (!line.empty()) {
    const std::size_t end = line.find(delimiter);
    result.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return result;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  for (std::size_t first = line.find_first_not_of(kBlanks); first != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, first), line.size());
    result.push_back(line.substr(first, end - first));
    first = line.find_first_not_of(kBlanks, end);
  }
  return result;
}

std::string inQuotes(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  std::string result(text.substr(0, kLongestQuote));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20U || static_cast<unsigned char>(c) > 0x7eU) c = '?';
  return "'" + result + (cut ? "...'" : "'");
}

std::optional<std::int64_t> integer(std::string_view field) {
  return wholeNumber<std::int64_t>(withoutPlus(field));
}

std::optional<double> real(std::string_view field) {
  field = withoutPlus(field);
  std::optional<double> value = wholeNumber<double>(field);
  if (!value) value = realWithLetterD(field);
  if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::int64_t requireInteger(std::string_view field, std::string_view what, const Lines& lines) {
  if (const auto value = integer(field)) return *value;
  throw lines.mistake(std::string(what) + " is " + inQuotes(field) + ".", "It must be an integer.");
}

double requireReal(std::string_view field, std::string_view what, const Lines& lines) {
  if (const auto value = real(field)) return *value;
  throw lines.mistake(std::string(what) + " is " + inQuotes(field) + ".", "It must be a finite number.");
}

}  // namespace koppla::mapping::detail
