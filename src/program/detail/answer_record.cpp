#include "koppla/program/detail/answer_record.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/hash.hpp"

namespace koppla::program::detail {

namespace {

constexpr std::string_view kTitle = "koppla answers 1\n";
constexpr std::uint64_t kMark = 0x52455753'4E41504BU;  // where an entry begins

/// An entry: this head, the values of the question, those of the answer.
struct Head {
  std::uint64_t mark = kMark;
  std::uint64_t checksum = 0;  ///< of all that follows
  std::uint64_t step = 0;
  std::uint64_t restart = 0;
  double t0 = 0.0;
  double t1 = 0.0;
  std::uint64_t asked = 0;     ///< values of the question
  std::uint64_t answered = 0;  ///< values of the answer
  std::uint64_t iteration = 0;
  std::uint64_t restartLeft = 0;
  std::uint64_t restartChecksum = 0;
};

std::uint64_t checksumOf(const Head& head, std::span<const double> values) {
  core::Hash hash;
  hash.add(head.step).add(head.restart).add(head.t0).add(head.t1).add(head.asked).add(head.answered);
  hash.add(head.iteration).add(head.restartLeft).add(head.restartChecksum).add(values);
  return hash.value();
}

/// Whether all bytes came. Where a signal came between they did not: what is not there is asked for again.
bool readAt(int descriptor, void* into, std::size_t bytes, std::uint64_t place) {
  return ::pread(descriptor, into, bytes, static_cast<off_t>(place)) == static_cast<ssize_t>(bytes);
}

/// 0, or the system's reason.
int writeAt(int descriptor, const void* from, std::size_t bytes, std::uint64_t place) {
  if (::lseek(descriptor, static_cast<off_t>(place), SEEK_SET) < 0) return errno;
  return core::writeAll(descriptor, {static_cast<const char*>(from), bytes});
}

struct Entry {
  Head head;
  std::vector<double> values;  ///< of question and answer
};

std::vector<double> joined(const std::vector<std::span<const double>>& all) {
  std::vector<double> result;
  for (const std::span<const double> values : all) result.insert(result.end(), values.begin(), values.end());
  return result;
}

/// The entry at a place; none where the file ends before it does or it is damaged.
std::optional<Entry> entryAt(int descriptor, std::uint64_t place, std::uint64_t size) {
  Entry entry;
  if (!readAt(descriptor, &entry.head, sizeof(Head), place)) return std::nullopt;
  const std::uint64_t most = size / sizeof(double);
  if (entry.head.mark != kMark || entry.head.asked > most || entry.head.answered > most - entry.head.asked)
    return std::nullopt;
  entry.values.resize(entry.head.asked + entry.head.answered);
  if (!readAt(descriptor, entry.values.data(), entry.values.size() * sizeof(double), place + sizeof(Head)) ||
      entry.head.checksum != checksumOf(entry.head, entry.values))
    return std::nullopt;
  return entry;
}

bool fits(const Entry& entry, const Question& question, std::span<const double> values) {
  const Head& head = entry.head;
  if (head.restart != question.restart || head.t0 != question.t0 || head.t1 != question.t1) return false;
  const std::span<const double> asked = std::span(entry.values).first(head.asked);
  // By bits: a zero with another sign is another question.
  return std::ranges::equal(values, asked, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

}  // namespace

AnswerRecord::AnswerRecord(std::filesystem::path file, const std::string& fingerprint, bool resume)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : O_TRUNC), 0666)) {
  if (descriptor_.get() < 0) fail("cannot be opened", errno);
  readIndex(fingerprint);
}

void AnswerRecord::fail(std::string_view what, int error) const {
  core::failAtFile("The record of answers " + file_.string(), what, error,
                   "Choose a results folder that you may write to.",
                   "Free some space there, or choose another results folder; `koppla resume` goes on from what was "
                   "answered so far.");
}

void AnswerRecord::begin(const std::string& fingerprint) {
  const std::string text = std::string(kTitle) + fingerprint + "\n";
  if (const int reason = writeAt(descriptor_.get(), text.data(), text.size(), 0); reason != 0)
    fail("cannot be written", reason);
  end_ = text.size();
}

void AnswerRecord::readIndex(const std::string& fingerprint) {
  struct stat status {};
  ::fstat(descriptor_.get(), &status);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::string expected = std::string(kTitle) + fingerprint + "\n";
  std::string found(expected.size(), '\0');
  if (size < expected.size()) return begin(fingerprint);  // new, or killed before it was written
  if (!readAt(descriptor_.get(), found.data(), found.size(), 0) || !found.starts_with(kTitle))
    throw core::InputError("The record of answers " + file_.string() + " is damaged.",
                           "Start anew with `koppla run --overwrite`.");
  if (found != expected)
    throw core::InputError("Command, templates or files of the program have changed since the answers in " +
                               file_.string() + " were recorded.",
                           "Bring them back, or start anew with `koppla run --overwrite`.");
  end_ = expected.size();
  readEntries(size);
}

void AnswerRecord::readEntries(std::uint64_t size) {
  std::optional<std::uint64_t> damage;  // the first
  for (std::uint64_t place = end_; place + sizeof(Head) <= size;) {
    const std::optional<Entry> entry = entryAt(descriptor_.get(), place, size);
    if (!entry) {  // the next one begins whole values further on
      place += sizeof(double);
      continue;
    }
    if (place > end_ && !damage) damage = end_;
    if (damage && (entry->head.restart != 0 || entry->head.restartLeft != 0))
      throw core::InputError("The record of answers " + file_.string() + " is damaged at byte " +
                                 std::to_string(*damage) + ", before others that are whole.",
                             "Start anew with `koppla run --overwrite`.");
    unused_.emplace(entry->head.step, place);
    place += sizeof(Head) + entry->values.size() * sizeof(double);
    end_ = place;
  }
}

std::optional<RecordedAnswer> AnswerRecord::find(const Question& question) {
  const auto [first, last] = unused_.equal_range(question.step);
  if (first == last) return std::nullopt;
  const std::vector<double> values = joined(question.values);
  for (auto candidate = first; candidate != last; ++candidate) {
    const std::optional<Entry> entry = entryAt(descriptor_.get(), candidate->second, end_);
    if (!entry || !fits(*entry, question, values)) continue;
    unused_.erase(candidate);
    return RecordedAnswer{entry->head.iteration,
                          entry->head.restartLeft,
                          {entry->values.begin() + static_cast<std::ptrdiff_t>(entry->head.asked), entry->values.end()},
                          entry->head.restartChecksum};
  }
  return std::nullopt;
}

void AnswerRecord::add(const Question& question, const RecordedAnswer& answer) {
  Head head{.step = question.step,
            .restart = question.restart,
            .t0 = question.t0,
            .t1 = question.t1,
            .answered = answer.outputs.size(),
            .iteration = answer.iteration,
            .restartLeft = answer.restart,
            .restartChecksum = answer.restartChecksum};
  std::vector<double> values = joined(question.values);
  head.asked = values.size();
  values.insert(values.end(), answer.outputs.begin(), answer.outputs.end());
  head.checksum = checksumOf(head, values);
  int reason = writeAt(descriptor_.get(), values.data(), values.size() * sizeof(double), end_ + sizeof(Head));
  // The head last: without it there is no entry.
  if (reason == 0) reason = writeAt(descriptor_.get(), &head, sizeof(Head), end_);
  if (reason != 0) {
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_.get(), static_cast<off_t>(end_));
    fail("cannot be written", reason);
  }
  end_ += sizeof(Head) + values.size() * sizeof(double);
}

}  // namespace koppla::program::detail
