#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace koppla::results::detail {

/// Tells whether the values of a dataset are those that were written: the library protects its tables, not the values.
/// A number counts as the bits of its double, a text as its bytes with all that fills them up, 8 at a time.
class Hdf5Checksum {
 public:
  void add(double number) { addWord(std::bit_cast<std::uint64_t>(number)); }
  void add(std::span<const std::byte> text) {
    for (; text.size() >= sizeof(std::uint64_t); text = text.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof(word));
      addWord(word);
    }
    for (const std::byte byte : text) addWord(std::to_integer<std::uint64_t>(byte));
  }

  /// Never 0, which stands for a checksum that is not known.
  [[nodiscard]] std::int64_t value() const { return std::bit_cast<std::int64_t>(value_ != 0 ? value_ : 1); }

 private:
  // Each step has an inverse, so no change of one word is ever lost.
  void addWord(std::uint64_t word) { value_ = std::rotl((value_ ^ word) * 0x9E3779B97F4A7C15U, 29); }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace koppla::results::detail
