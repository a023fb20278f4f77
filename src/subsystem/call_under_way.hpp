#pragma once

#include <atomic>
#include <string>

namespace koppla::subsystem {

/// A pointer that one thread writes in its hot path and others may read, a moment later: a plain store.
template <class T>
class NotedPointer {
 public:
  NotedPointer& operator=(const T* pointer) noexcept {
    pointer_.store(pointer, std::memory_order_relaxed);
    return *this;
  }
  operator const T*() const noexcept { return pointer_.load(std::memory_order_relaxed); }  // NOLINT: as a pointer

 private:
  std::atomic<const T*> pointer_ = nullptr;
};

/// The call into foreign code that a thread is in, for whoever must say who was at work when the process came to harm
/// (a signal, a call of exit()), or where it is that a step takes so long. So cheap that every call of every step is
/// noted: who calls writes the two pointers, and a null when the call is over.
struct CallUnderWay {
  NotedPointer<std::string> instance;  ///< name of the subsystem, which owns it; null: not known
  NotedPointer<char> function;         ///< null: no call is under way
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local CallUnderWay callUnderWay;

}  // namespace koppla::subsystem
