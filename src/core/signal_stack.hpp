#pragma once

#include <csignal>
#include <cstddef>
#include <vector>

namespace koppla::core {

/// While it lives, handlers of signals have a stack of their own in this thread, so that they work where the thread's
/// is full.
class SignalStack {
 public:
  SignalStack() : memory_(kBytes) {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    ::sigaltstack(&stack, &before_);
  }
  ~SignalStack() { ::sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  std::vector<std::byte> memory_;
  stack_t before_{};
};

}  // namespace koppla::core
