#include "koppla/core/fork_mark.hpp"

#include <sys/mman.h>

namespace koppla::core {

constinit ForkMark::Page ForkMark::page_{};

namespace {

[[maybe_unused]] const bool kBegun = (ForkMark::set(), true);

}  // namespace

void ForkMark::set() noexcept {
  // Only a process that has just begun has to, and it has one thread.
  if (page_.whole.load(std::memory_order_relaxed) == 0) page_.numbers = kTestNumbers;
  page_.whole.store(1, std::memory_order_relaxed);
  // Also a page that the kernel does not take stays as it is: then nobody is found to be a child.
  ::madvise(&page_, sizeof page_, MADV_WIPEONFORK);
}

}  // namespace koppla::core
