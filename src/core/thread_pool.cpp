#include "koppla/core/thread_pool.hpp"

#include "koppla/core/signal_stack.hpp"

namespace koppla::core {

ThreadPool::ThreadPool(std::size_t threads) {
  for (std::size_t index = 1; index < threads; ++index) workers_.emplace_back([this, index] { serve(index); });
}

ThreadPool::~ThreadPool() {
  ended_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  busy_.store(static_cast<std::uint32_t>(workers_.size()));
  round_.fetch_add(1);
  round_.notify_all();
  work(0);
  for (std::uint32_t left = busy_.load(); left != 0; left = busy_.load()) busy_.wait(left);
}

void ThreadPool::serve(std::size_t index) {
  const SignalStack stack;
  std::uint32_t seen = 0;
  while (true) {
    round_.wait(seen);
    ++seen;  // run() waits for everybody, so no round is ever missed
    if (ended_.load()) return;
    (*work_)(index);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

}  // namespace koppla::core
