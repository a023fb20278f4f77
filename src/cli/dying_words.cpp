#include "dying_words.hpp"

#include <algorithm>
#include <charconv>

#include "koppla/core/file.hpp"

namespace koppla::cli {

DyingWords& DyingWords::operator<<(std::string_view text) {
  const std::size_t count = std::min(text.size(), buffer_.size() - 1 - length_);  // 1 for the end of the line
  std::copy_n(text.begin(), count, buffer_.begin() + static_cast<std::ptrdiff_t>(length_));
  length_ += count;
  return *this;
}

DyingWords& DyingWords::operator<<(int number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void DyingWords::writeTo(int descriptor) const noexcept {
  std::array<char, 2048> line = buffer_;
  line[length_] = '\n';
  [[maybe_unused]] const int failure = core::writeAll(descriptor, {line.data(), length_ + 1});
}

}  // namespace koppla::cli
