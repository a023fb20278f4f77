#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "koppla/program/settings.hpp"

namespace koppla::program::detail {

/// Tells apart what differs by chance; no protection against intent.
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    value_ = std::rotl((value_ ^ word) * 0x9E3779B97F4A7C15U, 29);
    return *this;
  }
  Hash& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  Hash& add(std::span<const double> numbers) {
    for (const double number : numbers) add(number);
    return *this;
  }
  Hash& add(std::string_view text) {
    for (const char character : text) add(static_cast<std::uint64_t>(character));
    return add(text.size());
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

/// Of all that the answers of a program depend on beside its inputs, as far as we see it: commands, templates, files
/// that come along (large ones by size and time).
std::string fingerprint(const ProgramSettings& settings);

}  // namespace koppla::program::detail
