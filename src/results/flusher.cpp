#include "koppla/results/flusher.hpp"

#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

namespace koppla::results {

Flusher::Flusher(std::function<void()> flush) : flush_(std::move(flush)) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a new thread has the mask of who makes it
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {  // no more threads: rows come by flush() alone
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Flusher::~Flusher() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Flusher::serve() {
  constexpr std::chrono::milliseconds kBetween(500);
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kBetween, [this] { return ended_; })) flush_();
}

}  // namespace koppla::results
