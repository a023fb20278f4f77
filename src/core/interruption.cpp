#include "koppla/core/interruption.hpp"

#include <atomic>

namespace koppla::core {

namespace {

std::atomic<bool> wished = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

}  // namespace

void requestInterruption() noexcept {
  wished = true;
}

void forgetInterruption() noexcept {
  wished = false;
}

bool interruptionRequested() noexcept {
  return wished;
}

}  // namespace koppla::core
