#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace koppla::core {

/// Writes a whole file: under a hidden name first, then renamed, so that nobody ever sees a part of it.
/// Throws InputError (with the path and the system's reason) when the place cannot be written.
void writeWhole(const std::filesystem::path& file, std::string_view content);

/// The content of a file; throws InputError when it cannot be read or is larger than maxBytes.
std::string readWhole(const std::filesystem::path& file, std::size_t maxBytes = std::size_t{1} << 30U);

/// A folder of its own below the system's place for temporary files; removed with all its content on destruction. The
/// first of a process also removes those that processes left which were killed.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view purpose);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  ///< the folder, opened and locked: tells others that it is in use
};

/// Removes the temporary folders of this user below a place whose makers have ended without doing so.
void removeAbandonedFolders(const std::filesystem::path& place);

}  // namespace koppla::core
