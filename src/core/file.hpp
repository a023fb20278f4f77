#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace koppla::core {

/// Whether the system's error is about the place that somebody has chosen (no such folder, no permission, a folder in
/// the way) and not about the system itself (no room, a broken pipe, a failing device).
bool placeIsAtFault(int error);

/// What to do next where a file cannot be written.
inline constexpr char kChooseAnotherPlace[] = "Choose a folder that you may write to and a name that no folder has.";
inline constexpr char kMakeRoom[] = "Free space there, or choose another folder.";

/// Throws InputError with the first remedy where the place is at fault, FileError with the second where the system is.
/// The message is "`whom` `what`: reason", as in "a.csv cannot be written: No space left on device."
[[noreturn]] void failAtFile(const std::string& whom, std::string_view what, int error,
                             std::string_view forPlace = kChooseAnotherPlace, std::string_view forSystem = kMakeRoom);

/// Throws FileError once more, with what could not be done for it before the text that it had.
[[noreturn]] void passOnFileError(const std::string& undone, const std::string& text);

/// Hands all bytes to the system; 0, or the system's reason.
int writeAll(int descriptor, std::string_view bytes) noexcept;

/// Whether the path leads to what a descriptor of this process has open, as /dev/stdout does to standard output.
bool isOpenAs(const std::filesystem::path& file, int descriptor);

/// Writes a whole file that the user or a run has named. A regular file is written under a hidden name first, then
/// renamed, so that nobody ever sees a part of it; of a symbolic link that happens to its target, and the link stays.
/// Devices, FIFOs and the standard streams are written to as they are. Throws InputError or FileError.
void writeWhole(const std::filesystem::path& file, std::string_view content);

/// For readWhole() of a file that may be as large as memory is.
inline constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

/// The content of a file; throws InputError when it cannot be read or is larger than maxBytes, FileError when the
/// system fails in the middle of it.
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
