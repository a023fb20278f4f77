#include "koppla/results/block_writer.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/results/detail/write_failure.hpp"

namespace koppla::results {

BlockWriter::BlockWriter(std::filesystem::path file)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      buffer_(kBlock) {
  if (descriptor_ < 0) detail::failToWrite(file_, errno);
}

BlockWriter::~BlockWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void BlockWriter::makeRoom(std::size_t bytes) {
  drain();
  if (buffer_.size() < bytes) buffer_.resize(bytes);
}

void BlockWriter::drain() {
  std::size_t written = 0;
  while (written < used_) {
    const ssize_t taken = ::write(descriptor_, buffer_.data() + written, used_ - written);
    if (taken >= 0) {
      written += static_cast<std::size_t>(taken);
    } else if (errno != EINTR) {
      const int error = errno;
      buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(written));
      buffer_.resize(buffer_.size() + written);
      used_ -= written;
      detail::failToWrite(file_, error);
    }
  }
  used_ = 0;
}

void BlockWriter::close() {
  drain();
  // Some file systems report a full disk or an exceeded quota only here.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) detail::failToWrite(file_, errno);
}

}  // namespace koppla::results
