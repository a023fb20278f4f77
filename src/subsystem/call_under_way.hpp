#pragma once

#include <string>

namespace koppla::subsystem {

/// The call into foreign code that a thread is in, for whoever must say who was at work when the process came to harm
/// (a signal, a call of exit()). So cheap that every call of every step is noted: who calls writes the two pointers,
/// and a null when the call is over.
struct CallUnderWay {
  const std::string* instance = nullptr;  ///< name of the subsystem, which owns it; null: not known
  const char* function = nullptr;         ///< null: no call is under way
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local CallUnderWay callUnderWay;

}  // namespace koppla::subsystem
