#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/program/detail/child.hpp"

namespace koppla::program::detail {

/// What a program was asked; the same question has the same answer.
struct Question {
  std::uint64_t step;
  std::uint64_t restart;  ///< number of the restart files that the call began with; 0: none
  double t0, t1;          ///< s
  std::vector<std::span<const double>> values;
};

struct RecordedAnswer {
  std::uint64_t iteration;  ///< of the call that gave it
  std::uint64_t restart;    ///< number of the restart files that the call left; 0: none
  std::vector<double> outputs;
  std::uint64_t restartChecksum = 0;
};

/// The answers of one instance of a program, kept in a file as they come. A run that is resumed asks the same questions
/// again and gets the answers from here, so that only those calls run that nobody has answered yet
/// (docs/decisions/0017). An entry that was cut off when the process died, or is damaged, does not count: its call is
/// made again. It cannot be where whole entries behind a damaged one tell of restart files, since these have replaced
/// those that it needs: such a record is refused.
class AnswerRecord {
 public:
  /// Begins a file, or goes on with that of the run before. Throws core::InputError where it cannot be used, or where
  /// the program is not the one that gave its answers, core::FileError where the system fails, as on a full disk.
  AnswerRecord(std::filesystem::path file, const std::string& fingerprint, bool resume);

  /// Each entry answers once, in the order in which they were added.
  std::optional<RecordedAnswer> find(const Question& question);
  /// Throws core::FileError where it cannot be written, as on a full disk.
  void add(const Question& question, const RecordedAnswer& answer);

 private:
  void begin(const std::string& fingerprint);
  void readIndex(const std::string& fingerprint);
  void readEntries(std::uint64_t size);
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::uint64_t end_ = 0;                                 ///< of the last whole entry
  std::multimap<std::uint64_t, std::uint64_t> unused_{};  ///< places of entries, by the step of their question
};

}  // namespace koppla::program::detail
