#include "koppla/results/detail/hdf5_pending.hpp"

#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/core/file.hpp"

namespace koppla::results::detail {

namespace {

constexpr std::string_view kPendingTitle{"koppla rows 1\n\0\0", 16};

/// Takes a file apart; nothing is ever read beyond its end.
class PendingParser {
 public:
  explicit PendingParser(std::string_view content) : left_(content) {}

  std::string_view bytes(std::uint64_t count) {
    if (count > left_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view result = left_.substr(0, count);
    left_.remove_prefix(count);
    return result;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (const std::string_view text = bytes(sizeof(value)); !failed_) std::memcpy(&value, text.data(), sizeof(value));
    return value;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view left_;
  bool failed_ = false;
};

}  // namespace

PendingFile::PendingFile(const char* path, std::uint64_t first, std::uint64_t rows, std::uint64_t parts) noexcept
    : descriptor_(::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) return;
  core::writeAll(descriptor_, kPendingTitle);
  for (const std::uint64_t value : {first, rows, parts}) number(value);
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  number(static_cast<std::uint64_t>(checksum_.value()));
  ::close(descriptor_);
}

void PendingFile::add(std::span<const std::byte> part) noexcept {
  if (descriptor_ < 0) return;
  checksum_.add(part);
  number(part.size());
  core::writeAll(descriptor_, {reinterpret_cast<const char*>(part.data()), part.size()});
}

void PendingFile::number(std::uint64_t value) noexcept {
  core::writeAll(descriptor_, {reinterpret_cast<const char*>(&value), sizeof(value)});
}

std::optional<PendingRows> readPending(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  std::string content;
  try {
    content = core::readWhole(file);
  } catch (const std::exception&) {  // its run has just written these rows to where they belong
    return std::nullopt;
  }
  PendingParser parser(content);
  if (parser.bytes(kPendingTitle.size()) != kPendingTitle) return std::nullopt;
  PendingRows rows;
  rows.first = parser.number();
  rows.rows = parser.number();
  Hdf5Checksum checksum;
  for (std::uint64_t left = parser.number(); left > 0 && !parser.failed(); --left) {
    const std::string_view part = parser.bytes(parser.number());
    checksum.add(std::as_bytes(std::span(part)));
    rows.parts.emplace_back(part);
  }
  const std::uint64_t expected = parser.number();
  if (parser.failed() || expected != static_cast<std::uint64_t>(checksum.value())) return std::nullopt;
  return rows;
}

}  // namespace koppla::results::detail
