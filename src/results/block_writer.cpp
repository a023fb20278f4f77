#include "koppla/results/block_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/results/detail/write_failure.hpp"

namespace koppla::results {

BlockWriter::BlockWriter(std::filesystem::path file) : file_(std::move(file)), buffer_(kBlock) {
  end_.descriptor = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (end_.descriptor < 0) detail::failToWrite(file_, errno);
  end_.identity = core::FileIdentity(end_.descriptor);
  end_.bytes = buffer_.data();
}

BlockWriter::~BlockWriter() {
  if (end_.descriptor >= 0 && end_.identity.isOf(end_.descriptor)) ::close(end_.descriptor);
}

void BlockWriter::makeRoom(std::size_t bytes) {
  drain();
  if (buffer_.size() >= bytes) return;
  buffer_.resize(bytes);
  end_.bytes = buffer_.data();
}

void BlockWriter::requireOwnFile() const {
  end_.process.endIfForked();
  if (!end_.identity.isOf(end_.descriptor)) detail::failAsForeign(file_);
}

/// So many bytes of the buffer have reached the file; what is left of it moves to its beginning.
void BlockWriter::written(std::size_t count) {
  const std::size_t left = used() - count;
  end_.used = 0;
  std::copy_n(buffer_.data() + count, left, buffer_.data());
  end_.place += static_cast<off_t>(count);
  end_.used = left;
}

void BlockWriter::drain() {
  if (used() == 0) return;
  requireOwnFile();
  std::size_t done = 0;
  while (done < used()) {
    // At its place, whatever else has moved the descriptor.
    const ssize_t taken =
        ::pwrite(end_.descriptor, buffer_.data() + done, used() - done, end_.place.load() + static_cast<off_t>(done));
    if (taken >= 0) {
      done += static_cast<std::size_t>(taken);
    } else if (errno != EINTR) {
      const int error = errno;
      written(done);
      detail::failToWrite(file_, error);
    }
  }
  written(done);
}

void BlockWriter::close() {
  drain();
  requireOwnFile();
  if (!end_.identity.isOf(file_, static_cast<std::uint64_t>(end_.place.load()))) detail::failAsForeign(file_);
  // Some file systems report a full disk or an exceeded quota only here.
  if (::close(std::exchange(end_.descriptor, -1)) != 0 && errno != EINTR) detail::failToWrite(file_, errno);
}

}  // namespace koppla::results
