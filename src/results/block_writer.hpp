#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "koppla/core/file_identity.hpp"
#include "koppla/core/process_mark.hpp"

namespace koppla::results {

/// Writes a file in large blocks from one buffer that the caller formats into:
///
///     char* at = writer.reserve(bytes);  // room for at least that many
///     writer.advance(format(at));        // the end of what was put there
///
/// Only what lies between two reserve() calls can be torn apart by a crash of the system; a process that is killed
/// leaves whole pieces. Bytes that could not be written stay in the buffer and are tried again.
///
/// One thread, the owner, formats. Pieces that it has finished can be handed to the system from elsewhere meanwhile,
/// with rescue(): the owner publishes them by an atomic count, so that this costs it nothing.
class BlockWriter {
 public:
  static constexpr std::size_t kBlock = std::size_t{256} * 1024;

  /// Creates the file or empties it. Throws core::InputError or core::FileError when that cannot be done.
  explicit BlockWriter(std::filesystem::path file);
  /// Closes; what is still in the buffer is lost without close() or drain().
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// Allocates only when more bytes are asked for at once than ever before.
  char* reserve(std::size_t bytes) {
    const std::size_t used = finished_.load(std::memory_order_relaxed);
    if (buffer_.size() - used >= bytes) return buffer_.data() + used;
    makeRoom(bytes);
    return buffer_.data();
  }
  void advance(const char* end) {
    finished_.store(static_cast<std::size_t>(end - buffer_.data()), std::memory_order_release);
  }

  /// Hands the buffer to the system. Throws core::FileError when the system takes less, such as on a full disk.
  void drain();
  /// Drains, and makes sure that the file under its name is the one that was written, with nothing else in it.
  void close();

  /// Hands finished pieces to the system from another thread, or from a signal handler on any thread: nothing but
  /// write(2) and nanosleep(2) is called, nothing allocated. What the system refuses stays for drain(), which tells.
  void rescue() noexcept;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] double seconds() const { return seconds_; }  ///< in drain()

 private:
  void makeRoom(std::size_t bytes);
  /// 0, the system's reason, or kForeign. In one's turn only.
  int handOver() noexcept;
  /// Whether the descriptor is still that of the file, and this the process that opened it.
  [[nodiscard]] bool isOwn() const noexcept;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;
  int descriptor_;
  core::FileIdentity identity_;
  core::ProcessMark process_;
  std::vector<char> buffer_;
  std::atomic<std::size_t> finished_ = 0;  ///< bytes of whole pieces
  std::size_t taken_ = 0;                  ///< bytes of these that the system has; in one's turn only
  std::uint64_t total_ = 0;                ///< bytes in the file; in one's turn only
  double seconds_ = 0.0;
  std::atomic<bool> busy_ = false;  ///< somebody has the turn to write
};

}  // namespace koppla::results
