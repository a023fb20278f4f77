#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

namespace koppla::core {

/// Tells apart what differs by chance; no protection against intent. Files that were written before hold such numbers:
/// what is added, in which order, and what comes of it stay as they are.
class Hash {
 public:
  /// The step has an inverse, so no change of one word is ever lost.
  Hash& add(std::uint64_t word) {
    value_ = std::rotl((value_ ^ word) * 0x9E3779B97F4A7C15U, 29);
    return *this;
  }
  Hash& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  Hash& add(std::span<const double> numbers) {
    for (const double number : numbers) add(number);
    return *this;
  }
  /// 8 bytes at a time; the rest with its length, so that "ab", "c" is not "a", "bc".
  Hash& add(std::string_view text) {
    while (text.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof(word));
      add(word);
      text.remove_prefix(sizeof(word));
    }
    std::uint64_t rest = text.size();
    for (const char character : text) rest = (rest << 8U) | static_cast<unsigned char>(character);
    return add(rest);
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

/// Of the content of a file; 0 where it cannot be read.
std::uint64_t checksum(const std::filesystem::path& file);

}  // namespace koppla::core
