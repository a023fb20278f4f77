#include "koppla/fmi/detail/message_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>
#include <optional>
#include <utility>

#include "koppla/core/utf8.hpp"
#include "koppla/fmi/detail/foreign_memory.hpp"

namespace koppla::fmi::detail {

namespace {

constexpr int kWidest = 500;
constexpr int kLargestNumber = 1'000'000;
/// Each takes at most 16 bytes from the stack of the caller, which is larger than so many.
constexpr int kConversions = 64;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether arguments are numbered, as in "%2$s".
bool numbersArguments(std::string_view format) {
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 1)) {
    if (format.substr(at).starts_with("%%")) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < format.size() && isDigit(format[end])) ++end;
    if (end > at + 1 && end < format.size() && format[end] == '$') return true;
  }
  return false;
}

enum class Length : unsigned char { plain, byte, half, longer, longest, size };

struct Conversion {
  std::string flags{};
  int width = 0;
  std::optional<int> precision{};
  Length length = Length::plain;
  char kind = '\0';
  std::string_view source{};  ///< as it stands in the message
};

class Formatter {
 public:
  Formatter(std::va_list arguments, std::size_t most) : most_(most) { va_copy(arguments_, arguments); }
  ~Formatter() { va_end(arguments_); }
  Formatter(const Formatter&) = delete;
  Formatter& operator=(const Formatter&) = delete;

  std::string format(std::string_view rest) {
    for (int count = 0; !rest.empty() && text_.size() <= most_; ++count) {
      const std::size_t percent = count < kConversions ? std::min(rest.find('%'), rest.size()) : rest.size();
      text_ += rest.substr(0, percent);
      rest.remove_prefix(percent);
      if (rest.empty()) break;
      const Conversion conversion = parse(rest);
      rest.remove_prefix(conversion.source.size());
      add(conversion);
    }
    return std::move(text_);
  }

 private:
  /// A number written out or, for '*', an argument.
  int number(std::string_view text, std::size_t& at) {
    if (at < text.size() && text[at] == '*') {
      ++at;
      return std::clamp(take<int>(), -kLargestNumber, kLargestNumber);
    }
    int result = 0;
    for (; at < text.size() && isDigit(text[at]); ++at)
      result = std::min(10 * result + (text[at] - '0'), kLargestNumber);
    return result;
  }

  static Length length(std::string_view text, std::size_t& at) {
    constexpr std::array<std::pair<std::string_view, Length>, 10> kLengths{{{"hh", Length::byte},
                                                                            {"h", Length::half},
                                                                            {"ll", Length::longest},
                                                                            {"l", Length::longer},
                                                                            {"L", Length::longest},
                                                                            {"q", Length::longest},
                                                                            {"j", Length::longest},
                                                                            {"z", Length::size},
                                                                            {"Z", Length::size},
                                                                            {"t", Length::size}}};
    for (const auto& [letters, length] : kLengths)
      if (text.substr(at).starts_with(letters)) {
        at += letters.size();
        return length;
      }
    return Length::plain;
  }

  Conversion parse(std::string_view text) {
    constexpr std::string_view kFlags = "-+ #0'I";
    Conversion result;
    std::size_t at = 1;
    for (; at < text.size() && kFlags.find(text[at]) != std::string_view::npos; ++at)
      if (text[at] != '\'' && text[at] != 'I' && result.flags.find(text[at]) == std::string::npos)
        result.flags += text[at];  // the two others are the locale's taste
    result.width = number(text, at);
    if (result.width < 0) {
      result.width = -result.width;
      result.flags += '-';
    }
    result.width = std::min(result.width, kWidest);
    if (at < text.size() && text[at] == '.') {
      const int precision = number(text, ++at);
      if (precision >= 0) result.precision = precision;
    }
    result.length = length(text, at);
    if (at < text.size()) result.kind = text[at++];
    result.source = text.substr(0, at);
    return result;
  }

  void add(const Conversion& conversion) {
    switch (conversion.kind) {
      case '%':
        text_ += '%';
        break;
      case 'd':
      case 'i':
        print(conversion, "j", 'd', signedArgument(conversion.length));
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        print(conversion, "j", conversion.kind, unsignedArgument(conversion.length));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (conversion.length == Length::longest)
          print(conversion, "L", conversion.kind, take<long double>());
        else
          print(conversion, "", conversion.kind, take<double>());
        break;
      case 'p':
        print(conversion, "", 'p', take<void*>());
        break;
      case 'c':
      case 'C':
        addLetter(conversion);
        break;
      case 's':
      case 'S':
        addText(conversion);
        break;
      case 'n':
        static_cast<void>(take<void*>());
        text_ += conversion.source;
        break;
      default:
        text_ += conversion.source;
    }
  }

  /// A message may name more arguments than the FMU passed; what lies in their place is taken for them. To
  /// AddressSanitizer that is a mistake, so it does not look here.
  template <typename Value>
  [[gnu::no_sanitize_address]] Value take() {
    return va_arg(arguments_, Value);  // NOLINT(clang-analyzer-valist.Uninitialized): it was copied at first
  }

  std::intmax_t signedArgument(Length length) {
    switch (length) {
      case Length::byte:
        return static_cast<signed char>(take<int>());
      case Length::half:
        return static_cast<short>(take<int>());
      case Length::longer:  // NOLINT(bugprone-branch-clone): types that are one and the same on this machine only
        return take<long>();
      case Length::longest:
        return take<std::intmax_t>();
      case Length::size:
        return take<std::ptrdiff_t>();
      case Length::plain:
        break;
    }
    return take<int>();
  }

  std::uintmax_t unsignedArgument(Length length) {
    switch (length) {
      case Length::byte:
        return static_cast<unsigned char>(take<unsigned>());
      case Length::half:
        return static_cast<unsigned short>(take<unsigned>());
      case Length::longer:  // NOLINT(bugprone-branch-clone): as above
        return take<unsigned long>();
      case Length::longest:
        return take<std::uintmax_t>();
      case Length::size:
        return take<std::size_t>();
      case Length::plain:
        break;
    }
    return take<unsigned>();
  }

  template <typename Value>
  void print(const Conversion& conversion, const char* length, char kind, Value value) {
    std::string format = "%" + conversion.flags;
    if (conversion.width > 0) format += std::to_string(conversion.width);
    if (conversion.precision) format += "." + std::to_string(std::min(*conversion.precision, kWidest));
    format.append(length) += kind;
    const int bytes = std::snprintf(nullptr, 0, format.c_str(), value);
    if (bytes <= 0) return;
    const std::size_t before = text_.size();
    text_.resize(before + static_cast<std::size_t>(bytes) + 1);
    std::snprintf(text_.data() + before, static_cast<std::size_t>(bytes) + 1, format.c_str(), value);
    text_.pop_back();
  }

  void addPadded(const Conversion& conversion, std::string_view text) {
    const auto width = static_cast<std::size_t>(conversion.width);
    const std::string padding(width - std::min(text.size(), width), ' ');
    const bool left = conversion.flags.find('-') != std::string::npos;
    if (!left) text_ += padding;
    text_ += text;
    if (left) text_ += padding;
  }

  static bool isWide(const Conversion& conversion) {
    return conversion.kind == 'C' || conversion.kind == 'S' || conversion.length == Length::longer;
  }

  void addLetter(const Conversion& conversion) {
    std::string letter;
    if (isWide(conversion))
      core::appendUtf8(letter, static_cast<char32_t>(take<std::wint_t>()));
    else
      letter += static_cast<char>(take<int>());
    addPadded(conversion, letter);
  }

  void addText(const Conversion& conversion) {
    const void* const address = take<const void*>();
    if (address == nullptr) return addPadded(conversion, "(null)");
    // Without a precision a text ends with its zero; with one it need not have a zero.
    const std::size_t most =
        std::min<std::size_t>(most_ + 1, static_cast<std::size_t>(conversion.precision.value_or(kLargestNumber)));
    const std::optional<std::string> text = isWide(conversion) ? foreignText(static_cast<const wchar_t*>(address), most)
                                                               : foreignText(static_cast<const char*>(address), most);
    if (text)
      addPadded(conversion, *text);
    else
      text_ += conversion.source;
  }

  std::va_list arguments_{};
  std::size_t most_;
  std::string text_;
};

}  // namespace

std::string formattedMessage(std::string_view format, std::va_list arguments, std::size_t most) {
  if (numbersArguments(format)) return std::string(format);
  return Formatter(arguments, most).format(format);
}

}  // namespace koppla::fmi::detail
