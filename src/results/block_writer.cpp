#include "koppla/results/block_writer.hpp"

#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/results/detail/turn.hpp"
#include "koppla/results/detail/write_failure.hpp"

namespace koppla::results {

using detail::Turn;

namespace {

/// In place of the system's reason: the descriptor is somebody else's.
constexpr int kForeign = -1;

}  // namespace

BlockWriter::BlockWriter(std::filesystem::path file)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      identity_(descriptor_),
      buffer_(kBlock) {
  if (descriptor_ < 0) detail::failToOpen(file_, errno);
}

BlockWriter::~BlockWriter() {
  if (descriptor_ >= 0 && isOwn()) ::close(descriptor_);
}

void BlockWriter::makeRoom(std::size_t bytes) {
  drain();
  if (buffer_.size() >= bytes) return;
  const Turn turn(busy_, Turn::kAsLongAsItTakes);
  buffer_.resize(bytes);
}

bool BlockWriter::isOwn() const noexcept {
  return process_.isPresent() && identity_.isOf(descriptor_);
}

int BlockWriter::handOver() noexcept {
  if (!isOwn()) return kForeign;
  const std::size_t finished = finished_.load(std::memory_order_acquire);
  while (taken_ < finished) {
    const ssize_t size = ::write(descriptor_, buffer_.data() + taken_, finished - taken_);
    if (size < 0 && errno != EINTR) return errno;
    if (size < 0) continue;
    taken_ += static_cast<std::size_t>(size);
    total_ += static_cast<std::uint64_t>(size);
  }
  return 0;
}

void BlockWriter::fail(int error) const {
  if (error == kForeign) detail::failAsForeign(file_);
  detail::failToWrite(file_, error);
}

void BlockWriter::drain() {
  process_.endIfForked();
  const auto begin = std::chrono::steady_clock::now();
  int error = 0;
  {
    const Turn turn(busy_, Turn::kAsLongAsItTakes);
    error = handOver();
    if (error == 0) {
      taken_ = 0;
      finished_.store(0, std::memory_order_relaxed);
    }
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (error != 0) fail(error);
}

void BlockWriter::close() {
  drain();
  const Turn turn(busy_, Turn::kAsLongAsItTakes);
  if (!isOwn() || !identity_.isOf(file_, total_)) fail(kForeign);
  // Some file systems report a full disk or an exceeded quota only here.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) detail::failToWrite(file_, errno);
}

void BlockWriter::rescue() noexcept {
  const int before = errno;  // a signal may come between a call and the look at its error
  if (const Turn turn(busy_, Turn::kSecond); turn.owned() && descriptor_ >= 0) handOver();
  errno = before;
}

}  // namespace koppla::results
