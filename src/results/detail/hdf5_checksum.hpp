#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "koppla/core/hash.hpp"

namespace koppla::results::detail {

/// Tells whether the values of a dataset are those that were written: the library protects its tables, not the values.
/// A number counts as the bits of its double, a text as its bytes with all that fills them up, 8 at a time.
class Hdf5Checksum {
 public:
  void add(double number) { hash_.add(number); }
  void add(std::span<const std::byte> text) {
    for (; text.size() >= sizeof(std::uint64_t); text = text.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof(word));
      hash_.add(word);
    }
    for (const std::byte byte : text) hash_.add(std::to_integer<std::uint64_t>(byte));
  }

  /// Never 0, which stands for a checksum that is not known.
  [[nodiscard]] std::int64_t value() const {
    return std::bit_cast<std::int64_t>(hash_.value() != 0 ? hash_.value() : 1);
  }

 private:
  core::Hash hash_;
};

}  // namespace koppla::results::detail
