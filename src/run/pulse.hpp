#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace koppla::run {

/// Says when to look up from work that comes in small steps: after 1, 2, 4, ... of them, then about 20 times a second,
/// read off the clock so seldom that it costs nothing.
class Pulse {
 public:
  explicit Pulse(std::uint64_t done) : done_(done), due_(done + 1) {}

  /// Steps to take before the next look.
  [[nodiscard]] std::uint64_t steps() const { return due_ - done_; }

  /// To be called with the steps done so far; true where it is time to look up.
  bool due(std::uint64_t done) {
    constexpr double kBetween = 0.05;  // s
    done_ = done;
    if (done_ < due_) return false;
    const auto now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - last_).count();
    if (elapsed < kBetween)
      every_ = std::min(every_ * 2, kMostSteps);
    else if (elapsed > 2.0 * kBetween)
      every_ = std::max<std::uint64_t>(1, every_ / 2);
    due_ = done_ + every_;
    last_ = now;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMostSteps = 4096;  // steps may become slow at any time
  std::uint64_t every_ = 1;
  std::uint64_t done_;
  std::uint64_t due_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace koppla::run
