#include "koppla/program/deck.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/program/detail/numbers.hpp"
#include "koppla/program/detail/plain_locale.hpp"

namespace koppla::program {

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::optional<std::size_t> count(std::string_view digits) {
  std::size_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// "15.8e" or "%-15.8e" without its '%': flags, width, precision and one letter of a number.
struct PrintfParts {
  std::string_view flags;
  std::size_t width = 0;
};

std::optional<PrintfParts> printfParts(std::string_view format) {
  constexpr std::size_t kMostDigits = 100;
  PrintfParts parts;
  parts.flags = format.substr(0, std::min(format.find_first_not_of("+- 0#"), format.size()));
  format.remove_prefix(parts.flags.size());
  if (format.empty() || std::string_view("eEfFgGaA").find(format.back()) == format.npos) return std::nullopt;
  format.remove_suffix(1);
  const std::size_t dot = format.find('.');
  const std::string_view width = format.substr(0, dot);
  if (!width.empty()) {
    const std::optional<std::size_t> given = count(width);
    if (!given || *given > kMostDigits) return std::nullopt;
    parts.width = *given;
  }
  if (dot == format.npos) return parts;
  const std::optional<std::size_t> precision = count(format.substr(dot + 1));
  if (!precision || *precision > kMostDigits) return std::nullopt;
  return parts;
}

}  // namespace

/// Takes a template apart.
class DeckCompiler {
 public:
  DeckCompiler(Deck& deck, std::string_view text) : deck_(deck), rest_(text) {}

  void compile() {
    deck_.blocks_.push_back({});
    while (!rest_.empty()) {
      const std::size_t open = rest_.find(kOpen);
      if (open == rest_.npos) break;
      literal(rest_.substr(0, open));
      rest_.remove_prefix(open);
      mark();
    }
    literal(rest_);
    if (deck_.blocks_.back().each)
      mistake(eachLine_, "The block {{#each ...}} has no end.", "Write {{/each}} behind it.");
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
  }

 private:
  using Piece = Deck::Piece;

  void mistake(std::size_t line, std::string message, std::string remedy) {
    problems_.push_back({{deck_.file_, line}, std::move(message), std::move(remedy)});
  }
  void mistake(std::string message, std::string remedy) { mistake(line_, std::move(message), std::move(remedy)); }

  void literal(std::string_view text) {
    if (text.empty()) return;
    deck_.blocks_.back().pieces.push_back({Piece::Kind::literal, std::string(text)});
    line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  void mark() {
    const std::size_t close = rest_.find(kClose);
    if (close == rest_.npos || rest_.substr(0, close).find('\n') != rest_.npos) {
      mistake("The mark {{ has no }} on its line.", "Write {{port}}.");
      rest_.remove_prefix(kOpen.size());
      return;
    }
    written_ = rest_.substr(0, close + kClose.size());
    const std::string_view content = detail::trimmed(rest_.substr(kOpen.size(), close - kOpen.size()));
    rest_.remove_prefix(written_.size());
    if (content.starts_with("#each "))
      begin(detail::trimmed(content.substr(6)));
    else if (content == "/each")
      end();
    else
      value(content);
  }

  void begin(std::string_view name) {
    if (deck_.blocks_.back().each)
      return mistake("A block {{#each ...}} begins inside another one.", "Write {{/each}} before it.");
    eachLine_ = line_;
    closeLine();
    const std::optional<std::size_t> field = find(name);
    deck_.blocks_.push_back({field.value_or(deck_.fields_.size()), {}});
  }

  void end() {
    if (!deck_.blocks_.back().each) return mistake("{{/each}} ends no block.", "Write {{#each port}} before it.");
    closeLine();
    deck_.blocks_.push_back({});
  }

  /// A mark that is alone on its line takes the line with it.
  void closeLine() {
    const std::string_view before(begin_, static_cast<std::size_t>(written_.data() - begin_));
    const std::size_t indent = before.size() - (before.find_last_not_of(" \t") + 1);
    if (indent < before.size() && before[before.size() - indent - 1] != '\n') return;
    const std::size_t next = rest_.find_first_not_of(" \t\r");
    if (next != rest_.npos && rest_[next] != '\n') return;
    std::vector<Piece>& pieces = deck_.blocks_.back().pieces;
    if (indent > 0) pieces.back().literal.resize(pieces.back().literal.size() - indent);
    rest_.remove_prefix(next == rest_.npos ? rest_.size() : next + 1);
    ++line_;
  }

  void value(std::string_view content) {
    const std::size_t colon = content.find(':');
    const std::string_view name = detail::trimmed(content.substr(0, colon));
    Piece piece{Piece::Kind::element, std::string(written_), 0, 0, {}, line_};
    const std::optional<std::size_t> each = deck_.blocks_.back().each;
    const bool isId = each && name == "id";
    if (colon != content.npos) {
      const std::string_view text = detail::trimmed(content.substr(colon + 1));
      piece.format = isId ? widthOfId(text) : format(text);
    }
    if (isId)
      piece.kind = Piece::Kind::id;
    else if (each && name.starts_with("value") && (name == "value" || count(name.substr(5))))
      component(piece, name, *each);
    else if (!element(piece, name))
      return;
    deck_.blocks_.back().pieces.push_back(std::move(piece));
  }

  void component(Piece& piece, std::string_view name, std::size_t each) {
    piece.kind = Piece::Kind::component;
    const std::size_t number = name == "value" ? 1 : *count(name.substr(5));
    if (each >= deck_.fields_.size()) return;  // reported
    const Field& field = deck_.fields_[each];
    if (number < 1 || number > field.components)
      mistake(fmt::format("'{}' has {} values for each id, so there is no {}.", field.name, field.components, name),
              "They are counted from 1; give the port 'components'.");
    else
      piece.number = number - 1;
  }

  bool element(Piece& piece, std::string_view name) {
    std::optional<std::size_t> number;
    if (const std::size_t open = name.find('['); open != name.npos && name.ends_with(']')) {
      number = count(detail::trimmed(name.substr(open + 1, name.size() - open - 2)));
      if (!number) return mistake(fmt::format("'{}' names no element.", name), "Write {{port[3]}}."), false;
      name = detail::trimmed(name.substr(0, open));
    }
    const std::optional<std::size_t> found = find(name);
    if (!found) return false;
    const Field& field = deck_.fields_[*found];
    piece.field = *found;
    if (!number && field.size() > 1) {
      mistake(fmt::format("'{}' has {} values; the mark {} says not which.", name, field.size(), written_),
              fmt::format("Write {{{{{}[1]}}}}, or {{{{#each {}}}}} ... {{{{/each}}}}.", name, name));
      return false;
    }
    if (number && (*number < 1 || *number > field.size())) {
      mistake(fmt::format("'{}' has no element {}.", name, *number),
              fmt::format("It has {}, counted from 1.", field.size()));
      return false;
    }
    piece.number = number.value_or(1) - 1;
    return true;
  }

  Deck::Format format(std::string_view text) {
    const bool plain = text.starts_with('%');
    const std::optional<PrintfParts> parts = printfParts(text.substr(plain ? 1 : 0));
    if (!parts || (!plain && (parts->width == 0 || !parts->flags.empty()))) {
      mistake(fmt::format("'{}' is no format of a number.", text),
              "Write %.12e as for printf, or 15.8e for exactly 15 characters.");
      return {};
    }
    return {(plain ? "" : "%") + std::string(text), plain ? 0 : parts->width};
  }

  Deck::Format widthOfId(std::string_view text) {
    if (text.ends_with('d')) text.remove_suffix(1);
    const std::optional<std::size_t> width = count(text);
    if (!width || *width == 0) mistake(fmt::format("'{}' is no width of an id.", text), "Write {{id:8}}.");
    return {{}, width.value_or(0)};
  }

  std::optional<std::size_t> find(std::string_view name) {
    const auto found = std::ranges::find(deck_.fields_, name, &Field::name);
    if (found != deck_.fields_.end()) return static_cast<std::size_t>(found - deck_.fields_.begin());
    std::vector<std::string> names;
    for (const Field& field : deck_.fields_) names.push_back(field.name);
    mistake(fmt::format("There is no input or parameter '{}' for the mark {}.", name, written_),
            core::suggestion(name, names));
    return std::nullopt;
  }

  Deck& deck_;
  std::string_view rest_;
  const char* begin_ = rest_.data();
  std::string_view written_;  ///< the present mark
  std::size_t line_ = 1;
  std::size_t eachLine_ = 0;
  std::vector<core::Problem> problems_;
};

Deck::Deck(std::string_view text, std::string file, std::span<const Field> fields)
    : file_(std::move(file)), fields_(fields.begin(), fields.end()) {
  DeckCompiler(*this, text).compile();
}

std::string Deck::render(std::span<const std::span<const double>> values) const {
  std::string text;
  for (const Block& block : blocks_) {
    const std::size_t rows = block.each ? fields_[*block.each].ids.size() : 1;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const Piece& piece : block.pieces) {
        switch (piece.kind) {
          case Piece::Kind::literal:
            text += piece.literal;
            break;
          case Piece::Kind::element:
            append(text, piece, values[piece.field][piece.number]);
            break;
          case Piece::Kind::id:
            appendFitting(text, piece, std::to_string(fields_[*block.each].ids[row]));
            break;
          case Piece::Kind::component:
            append(text, piece, values[*block.each][row * fields_[*block.each].components + piece.number]);
            break;
        }
      }
    }
  }
  return text;
}

void Deck::append(std::string& text, const Piece& piece, double value) const {
  if (piece.format.printf.empty()) return detail::appendShortest(text, value);
  std::array<char, 512> digits{};  // 1e308 with 100 decimals fits
  const int length = [&] {
    const detail::PlainLocale plain;
    return std::snprintf(digits.data(), digits.size(), piece.format.printf.c_str(), value);
  }();
  appendFitting(text, piece, {digits.data(), std::min(static_cast<std::size_t>(length), digits.size() - 1)});
}

void Deck::appendFitting(std::string& text, const Piece& piece, std::string_view digits) const {
  const std::size_t width = piece.format.width;
  if (width > 0 && digits.size() > width)
    throw core::InputError(
        {{{file_, piece.line},
          fmt::format("{} needs {} characters; the mark {} has {}.", digits, digits.size(), piece.literal, width),
          "Give it more width or fewer decimals."}});
  text.append(std::max(width, digits.size()) - digits.size(), ' ');
  text += digits;
}

}  // namespace koppla::program
