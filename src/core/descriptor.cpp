#include "koppla/core/descriptor.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace koppla::core {

Descriptor::Descriptor(int number) : number_(number) {
  if (number_ < 0 || number_ > STDERR_FILENO) return;
  // One of ours was closed. What is written to a standard number would end up in the file, or a child's in its place.
  number_ = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(number);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::close() {
  return number_ >= 0 && ::close(std::exchange(number_, -1)) != 0 && errno != EINTR ? errno : 0;
}

}  // namespace koppla::core
