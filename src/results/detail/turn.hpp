#pragma once

#include <atomic>
#include <ctime>

namespace koppla::results::detail {

/// A lock that a signal handler may try, where no mutex may be used.
class Turn {
 public:
  /// A write may wait for a slow disk or for who reads a pipe; who waits for it waits here as well.
  static constexpr unsigned kAsLongAsItTakes = ~0U;
  static constexpr unsigned kSecond = 1000;

  /// Waits, for so many milliseconds at most.
  Turn(std::atomic<bool>& busy, unsigned patience) noexcept : busy_(busy) {
    constexpr timespec kMillisecond{0, 1'000'000};
    while (busy_.exchange(true, std::memory_order_acquire)) {
      if (patience-- == 0) return;
      ::nanosleep(&kMillisecond, nullptr);
    }
    owned_ = true;
  }
  ~Turn() {
    if (owned_) busy_.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool owned() const { return owned_; }

 private:
  std::atomic<bool>& busy_;
  bool owned_ = false;
};

}  // namespace koppla::results::detail
