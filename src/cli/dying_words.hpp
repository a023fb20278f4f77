#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace koppla::cli {

/// A short text that is made without allocation, for signal handlers; what does not fit is cut off.
class DyingWords {
 public:
  DyingWords& operator<<(std::string_view text);
  DyingWords& operator<<(int number);

  /// To a descriptor, as a line.
  void writeTo(int descriptor) const noexcept;
  [[nodiscard]] std::string_view text() const { return {buffer_.data(), length_}; }

 private:
  std::array<char, 2048> buffer_{};
  std::size_t length_ = 0;
};

}  // namespace koppla::cli
