#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace koppla::core {

/// Threads that wait for work of the fork-join kind. One caller at a time.
class ThreadPool {
 public:
  /// `threads` of them take part, the caller included; at least 1.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t size() const { return workers_.size() + 1; }
  /// Calls work(0), ..., work(size() - 1), each on its own thread, and returns when all are done. `work` does not
  /// throw.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t index);

  std::vector<std::thread> workers_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  ///< raised for every run(), and once more to end
  std::atomic<std::uint32_t> busy_ = 0;
  std::atomic<bool> ended_ = false;
};

}  // namespace koppla::core
