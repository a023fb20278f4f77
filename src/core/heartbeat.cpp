#include "koppla/core/heartbeat.hpp"

#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

namespace koppla::core {

Heartbeat::Heartbeat(std::function<void()> work) : work_(std::move(work)) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a new thread has the mask of who makes it
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {  // no more threads: who runs does the work now and then
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Heartbeat::serve() {
  constexpr std::chrono::milliseconds kBetween(500);
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kBetween, [this] { return ended_; })) work_();
}

}  // namespace koppla::core
