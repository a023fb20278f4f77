#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "koppla/core/unwritten.hpp"

namespace koppla::results {

/// Writes a file in large blocks from one buffer that the caller formats into:
///
///     char* at = writer.reserve(bytes);  // room for at least that many
///     writer.advance(format(at));        // the end of what was put there
///
/// Only what lies between two reserve() calls can be torn apart by a crash of the system; a process that is killed
/// leaves whole pieces; one that dies of a signal can still write the buffer, see core::writeUnwritten(). Bytes that
/// could not be written stay in the buffer and are tried again.
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
    if (buffer_.size() - used() < bytes) makeRoom(bytes);
    return buffer_.data() + used();
  }
  void advance(const char* end) {
    end_.used.store(static_cast<std::size_t>(end - buffer_.data()), std::memory_order_release);
  }

  /// Hands the buffer to the system. Throws core::InputError when the system takes less, such as on a full disk.
  void drain();
  /// Drains, and makes sure that the file under its name is the one that was written, and nothing else is in it.
  void close();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  [[nodiscard]] std::size_t used() const { return end_.used.load(std::memory_order_relaxed); }
  void makeRoom(std::size_t bytes);
  /// Throws unless the descriptor is still that of the file; ends a process that was forked meanwhile.
  void requireOwnFile() const;
  void written(std::size_t count);

  std::filesystem::path file_;
  std::vector<char> buffer_;
  core::Unwritten end_;  ///< with the descriptor; used bytes of the buffer
};

}  // namespace koppla::results
