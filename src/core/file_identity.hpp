#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/stat.h>
#include <sys/types.h>

namespace koppla::core {

/// Which file a descriptor was opened for. Foreign code may close descriptors that are not its own, and the next file
/// that is opened gets their numbers.
class FileIdentity {
 public:
  /// Of nothing.
  FileIdentity() = default;
  explicit FileIdentity(int descriptor) {
    if (descriptor < 0) return;  // nothing was opened, and the system's reason is still to be read
    const auto status = statusOf(descriptor);
    if (!status) return;
    device_ = status->st_dev;
    inode_ = status->st_ino;
  }

  /// May be called in a signal handler.
  [[nodiscard]] bool isOf(int descriptor) const noexcept {
    const auto status = statusOf(descriptor);
    return status && is(*status);
  }
  /// Whether the file is the one with this name; with `bytes`, also whether it is so long, where it is a regular one.
  [[nodiscard]] bool isOf(const std::filesystem::path& file, std::optional<std::uint64_t> bytes = {}) const noexcept {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 && is(status) &&
           (!bytes || !S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) == *bytes);
  }
  /// Whether the file itself has this name, and not only one that a link of this name leads to.
  [[nodiscard]] bool isAt(const std::filesystem::path& name) const noexcept {
    struct stat status {};
    return ::lstat(name.c_str(), &status) == 0 && is(status);
  }

 private:
  static std::optional<struct stat> statusOf(int descriptor) noexcept {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return std::nullopt;
    return status;
  }
  [[nodiscard]] bool is(const struct stat& status) const noexcept {
    return status.st_dev == device_ && status.st_ino == inode_;
  }

  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace koppla::core
