#include "koppla/program/detail/unit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace koppla::program::detail {

namespace {

constexpr std::array<std::string_view, 26> kWithPrefixes{"m",  "g",  "s",  "A", "K", "mol", "cd", "rad", "sr",
                                                         "Hz", "N",  "Pa", "J", "W", "V",   "S",  "Wb",  "T",
                                                         "H",  "lm", "lx", "l", "L", "bar", "eV", "Ohm"};
constexpr std::array<std::string_view, 2> kOnlyWithPrefixes{"F", "C"};  // alone they may be degrees
constexpr std::array<std::string_view, 13> kWithoutPrefixes{"min", "h",   "d",  "t",  "deg", "degC", "degF",
                                                            "%",   "rpm", "in", "ft", "lb",  "psi"};
constexpr std::string_view kPrefixes = "pnumcdhkMGT";

template <std::size_t size>
bool isAmong(const std::array<std::string_view, size>& symbols, std::string_view symbol) {
  return std::ranges::find(symbols, symbol) != symbols.end();
}

bool isSymbol(std::string_view word) {
  if (isAmong(kWithPrefixes, word) || isAmong(kWithoutPrefixes, word)) return true;
  if (word.size() < 2 || kPrefixes.find(word.front()) == kPrefixes.npos) return false;
  return isAmong(kWithPrefixes, word.substr(1)) || isAmong(kOnlyWithPrefixes, word.substr(1));
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

/// The same in ASCII and with one spelling for each symbol.
std::string inAscii(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kSpellings{{{"°", "deg"},
                                                                                      {"\u03A9", "Ohm"},
                                                                                      {"\u2126", "Ohm"},
                                                                                      {"ohm", "Ohm"},
                                                                                      {"\u00B5", "u"},
                                                                                      {"\u03BC", "u"},
                                                                                      {"⁻", "-"},
                                                                                      {"¹", "1"},
                                                                                      {"²", "2"},
                                                                                      {"³", "3"},
                                                                                      {"⁴", "4"},
                                                                                      {"·", "."},
                                                                                      {"**", "^"},
                                                                                      {"*", "."}}};
  for (const auto& [spelling, ours] : kSpellings)
    for (std::size_t at = text.find(spelling); at != text.npos; at = text.find(spelling, at + ours.size()))
      text.replace(at, spelling.size(), ours);
  return text;
}

/// unit = factor { ("." | "/") factor }, factor = "(" unit ")" | "1" | symbol [["^"] exponent]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text) {}

  std::optional<Unit> parse() && {
    if (!product(1) || !rest_.empty()) return std::nullopt;
    std::erase_if(unit_, [](const auto& factor) { return factor.second == 0; });
    return std::move(unit_);
  }

 private:
  bool product(int sign) {
    if (!factor(sign)) return false;
    while (rest_.starts_with('.') || rest_.starts_with('/')) {
      const bool divided = rest_.front() == '/';
      rest_.remove_prefix(1);
      if (!factor(divided ? -sign : sign)) return false;
    }
    return true;
  }

  bool factor(int sign) {
    if (took('(')) return product(sign) && took(')');
    if (took('1')) return true;
    const auto end = std::ranges::find_if_not(rest_, isLetter);
    const std::string_view symbol = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(symbol.size());
    if (!isSymbol(symbol)) return false;
    const std::optional<int> power = exponent();
    if (!power) return false;
    unit_[symbol == "L" ? "l" : std::string(symbol)] += sign * *power;
    return true;
  }

  /// 1 where there is none.
  std::optional<int> exponent() {
    const bool announced = took('^');
    const std::size_t digits = rest_.starts_with('-') ? 1U : 0U;
    const bool given = rest_.size() > digits && rest_[digits] >= '0' && rest_[digits] <= '9';
    if (!given) return announced ? std::nullopt : std::optional<int>(1);
    int power = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
    if (error != std::errc{} || power < -9 || power > 9) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return power;
  }

  bool took(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  Unit unit_;
};

}  // namespace

std::optional<Unit> unitIn(std::string_view text) {
  constexpr std::size_t kLongest = 40;  // so that nobody's brackets fill the stack
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  if (text == "-") return Unit{};
  const std::string ascii = inAscii(std::string(text));
  return UnitParser(ascii).parse();
}

}  // namespace koppla::program::detail
