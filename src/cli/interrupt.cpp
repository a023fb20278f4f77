#include "interrupt.hpp"

#include <atomic>

#include "koppla/core/interruption.hpp"

namespace koppla::cli {

namespace {

std::atomic<run::Run*> watched = nullptr;

extern "C" void onSignal(int /*signal*/) {
  core::requestInterruption();
  if (run::Run* run = watched.load()) run->interrupt();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  core::forgetInterruption();
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
  reclaim();
}

void InterruptGuard::reclaim() const {
  if (core::interruptionRequested()) return;  // a second one is to kill
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  // Who starts us with a signal ignored (nohup, a script's background job) means it.
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

InterruptedRun::InterruptedRun(run::Run& run) {
  watched = &run;
  if (core::interruptionRequested()) run.interrupt();
}

InterruptedRun::~InterruptedRun() {
  watched = nullptr;
}

}  // namespace koppla::cli
