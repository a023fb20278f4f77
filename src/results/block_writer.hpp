#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace koppla::results {

/// Writes a file in large blocks from one buffer that the caller formats into:
///
///     char* at = writer.reserve(bytes);  // room for at least that many
///     writer.advance(format(at));        // the end of what was put there
///
/// Only what lies between two reserve() calls can be torn apart by a crash of the system; a process that is killed
/// leaves whole pieces. Bytes that could not be written stay in the buffer and are tried again.
class BlockWriter {
 public:
  static constexpr std::size_t kBlock = std::size_t{256} * 1024;

  /// Creates the file or empties it. Throws core::InputError when that cannot be done.
  explicit BlockWriter(std::filesystem::path file);
  /// Closes; what is still in the buffer is lost without close() or drain().
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// Allocates only when more bytes are asked for at once than ever before.
  char* reserve(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) makeRoom(bytes);
    return buffer_.data() + used_;
  }
  void advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }

  /// Hands the buffer to the system. Throws core::InputError when the system takes less, such as on a full disk.
  void drain();
  void close();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  void makeRoom(std::size_t bytes);

  std::filesystem::path file_;
  int descriptor_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace koppla::results
