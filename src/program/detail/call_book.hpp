#pragma once

#include <chrono>
#include <optional>

#include "koppla/program/call_folder.hpp"
#include "koppla/program/detail/answer_record.hpp"

namespace koppla::program::detail {

inline constexpr const char* kCallsFile = "calls.csv";
inline constexpr const char* kUnderWayFile = "under-way";

/// How a call went.
struct CallEnd {
  double t0;                ///< s
  double t1;                ///< s
  double processorSeconds;  ///< of its processes
  bool well;
};

/// What is written down of the calls of one program, in its folder: their answers (`answers.bin`), a line for each
/// (`calls.csv`), and which one is under way (`under-way`).
class CallBook {
 public:
  CallBook(const std::filesystem::path& root, const std::string& fingerprint, bool resume);

  AnswerRecord& answers() { return answers_; }
  void begin(const CallFolders::Call& call);
  void end(const CallFolders::Call& call, const CallEnd& how);

 private:
  std::filesystem::path underWay_;
  AnswerRecord answers_;
  Descriptor calls_;
  std::chrono::system_clock::time_point began_{};
  Clock::time_point start_{};
};

}  // namespace koppla::program::detail
