#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace koppla::study {

/// What came of a piece of work in a child process.
struct ChildResult {
  std::string payload;  ///< what the work returned
  std::string failure;  ///< why there is none: "was killed by signal 11 (Segmentation fault)"; empty if all is well
  /// The system failed with a file, as on a full disk; then `failure` is what core::FileError says, in whole sentences.
  bool atFile = false;
};

struct Children {
  unsigned atOnce = 1;
  std::function<std::string(std::size_t)> work;                   ///< in the child
  std::function<void(std::size_t, const ChildResult&)> finished;  ///< in the parent, in the order of finishing
  std::function<bool()> interrupted = [] { return false; };       ///< looked at several times a second
};

/// Does pieces of work, 0 to count - 1, each in a child process of its own: an FMU that crashes takes one piece with
/// it, and FMUs that tolerate no second instance or no threads can run side by side. A child has a folder of its own
/// for temporary files, which is removed with all it left there, and its standard output goes to standard error.
/// Where the system refuses further processes there are fewer at once; core::FileError where it refuses the only one.
/// False if it was interrupted: then what ran has been killed. The calling process must have no other threads.
bool workInChildren(std::size_t count, const Children& children);

}  // namespace koppla::study
