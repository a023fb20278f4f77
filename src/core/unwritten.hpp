#pragma once

#include <atomic>
#include <cstddef>

#include <sys/types.h>

#include "koppla/core/file_identity.hpp"
#include "koppla/core/process_mark.hpp"

namespace koppla::core {

/// The end of a file that lies in memory still, known to writeUnwritten() as long as it lives. Whoever fills it keeps
/// this order, so that it is right at any moment: bytes before `used` is raised; `used` to 0 before anything else
/// changes.
struct Unwritten {
  Unwritten();
  ~Unwritten();
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;

  int descriptor = -1;
  FileIdentity identity;
  ProcessMark process;
  std::atomic<const char*> bytes = nullptr;
  std::atomic<std::size_t> used = 0;  ///< bytes that are complete
  std::atomic<off_t> place = 0;       ///< of the first of them in the file
};

/// Writes all that lies in memory to its place, once more where that was under way; for a process that dies. May be
/// called from a signal handler and in any thread.
void writeUnwritten() noexcept;

}  // namespace koppla::core
