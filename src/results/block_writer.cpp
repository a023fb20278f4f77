#include "koppla/results/block_writer.hpp"

#include <cerrno>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/results/detail/write_failure.hpp"

namespace koppla::results {

/// A lock that a signal handler may try: no mutex of the library may be used there.
class BlockWriter::Turn {
 public:
  /// Waits, for so many milliseconds at most.
  Turn(BlockWriter& writer, unsigned patience) noexcept : writer_(writer) {
    constexpr timespec kMillisecond{0, 1'000'000};
    while (writer_.busy_.exchange(true, std::memory_order_acquire)) {
      if (patience-- == 0) return;
      ::nanosleep(&kMillisecond, nullptr);
    }
    owned_ = true;
  }
  ~Turn() {
    if (owned_) writer_.busy_.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool owned() const { return owned_; }

 private:
  BlockWriter& writer_;
  bool owned_ = false;
};

namespace {

// A write may wait for a slow disk or for who reads a pipe; who waits for it there waits here as well.
constexpr unsigned kAsLongAsItTakes = ~0U;
constexpr unsigned kSecond = 1000;

}  // namespace

BlockWriter::BlockWriter(std::filesystem::path file)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      buffer_(kBlock) {
  if (descriptor_ < 0) detail::failToOpen(file_, errno);
}

BlockWriter::~BlockWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void BlockWriter::makeRoom(std::size_t bytes) {
  drain();
  if (buffer_.size() >= bytes) return;
  const Turn turn(*this, kAsLongAsItTakes);
  buffer_.resize(bytes);
}

int BlockWriter::handOver() noexcept {
  const std::size_t finished = finished_.load(std::memory_order_acquire);
  while (taken_ < finished) {
    const ssize_t size = ::write(descriptor_, buffer_.data() + taken_, finished - taken_);
    if (size >= 0)
      taken_ += static_cast<std::size_t>(size);
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

void BlockWriter::drain() {
  int error = 0;
  {
    const Turn turn(*this, kAsLongAsItTakes);
    error = handOver();
    if (error == 0) {
      taken_ = 0;
      finished_.store(0, std::memory_order_relaxed);
    }
  }
  if (error != 0) detail::failToWrite(file_, error);
}

void BlockWriter::close() {
  drain();
  const Turn turn(*this, kAsLongAsItTakes);
  // Some file systems report a full disk or an exceeded quota only here.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) detail::failToWrite(file_, errno);
}

void BlockWriter::rescue() noexcept {
  const int before = errno;  // a signal may come between a call and the look at its error
  if (const Turn turn(*this, kSecond); turn.owned() && descriptor_ >= 0) handOver();
  errno = before;
}

}  // namespace koppla::results
