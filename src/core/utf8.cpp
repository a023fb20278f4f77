#include "koppla/core/utf8.hpp"

#include <array>

namespace koppla::core {

namespace {

bool isSurrogate(char32_t code) {
  return code >= 0xD800U && code <= 0xDFFFU;
}

}  // namespace

Character firstCharacter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t first = byte(0);
  if (first < 0x80U) return {first, 1};
  const std::size_t bytes = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < bytes) return {};
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};  // smaller ones are written shorter
  if (code < kLeast.at(bytes) || code > 0x10FFFFU || isSurrogate(code)) return {};
  return {code, bytes};
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = firstCharacter(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string_view fitting(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  constexpr std::size_t kMostFollowing = 3;
  std::size_t end = bytes;
  while (end > 0 && bytes - end < kMostFollowing && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

void appendUtf8(std::string& text, char32_t code) {
  if (code > 0x10FFFFU || isSurrogate(code)) code = 0xFFFDU;
  const auto add = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto follow = [&](unsigned shift) { add(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80U) return add(code);
  if (code < 0x800U) {
    add(0xC0U | (code >> 6U));
  } else if (code < 0x10000U) {
    add(0xE0U | (code >> 12U));
    follow(6);
  } else {
    add(0xF0U | (code >> 18U));
    follow(12);
    follow(6);
  }
  follow(0);
}

}  // namespace koppla::core
