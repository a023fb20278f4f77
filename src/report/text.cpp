#include "koppla/report/text.hpp"

#include <algorithm>

namespace koppla::report {

namespace {

bool startsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t cells(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string clipped(std::string_view text, std::size_t most) {
  if (cells(text) <= most) return std::string(text);
  if (most == 0) return {};
  std::size_t kept = 0;
  std::size_t bytes = 0;
  // There are more characters than that, so one of them ends it.
  while (!(startsCharacter(text[bytes]) && kept + 1 == most)) {
    if (startsCharacter(text[bytes])) ++kept;
    ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace koppla::report
