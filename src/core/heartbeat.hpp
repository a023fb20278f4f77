#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace koppla::core {

/// Calls a function twice a second from a thread of its own, until its end: a step of a subsystem may suddenly take
/// hours, and what was recorded before it, or is to be told of it, must not wait for its end. The thread takes no
/// signals.
class Heartbeat {
 public:
  /// `work` does not throw.
  explicit Heartbeat(std::function<void()> work);
  /// Waits for a call under way.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void serve();

  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace koppla::core
