#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace koppla::results {

/// Calls a function twice a second from a thread of its own, until its end: a step of a subsystem may suddenly take
/// hours, and what was recorded before it must not wait for its end. The thread takes no signals.
class Flusher {
 public:
  /// `flush` does not throw.
  explicit Flusher(std::function<void()> flush);
  /// Waits for a call under way.
  ~Flusher();
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

 private:
  void serve();

  std::function<void()> flush_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace koppla::results
