#include "koppla/program/detail/call_book.hpp"

#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "koppla/core/file.hpp"
#include "koppla/core/moment.hpp"
#include "koppla/core/value.hpp"

namespace koppla::program::detail {

namespace {

/// What cannot be told of a call is no reason to lose it.
void append(const Descriptor& file, const std::string& line) {
  [[maybe_unused]] const int failure = core::writeAll(file.get(), line);
}

}  // namespace

CallBook::CallBook(const std::filesystem::path& root, const std::string& fingerprint, bool resume)
    : underWay_(root / kUnderWayFile),
      answers_(root / "answers.bin", fingerprint, resume),
      calls_(::open((root / kCallsFile).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  std::error_code ignored;
  std::filesystem::remove(underWay_, ignored);
  struct stat status {};
  if (::fstat(calls_.get(), &status) == 0 && status.st_size == 0)
    append(calls_, "step,call,t0,t1,began,seconds,processor_seconds,status\n");
}

void CallBook::begin(const CallFolders::Call& call) {
  began_ = std::chrono::system_clock::now();
  start_ = Clock::now();
  core::writeWhole(underWay_, fmt::format("{},{},{}\n", call.step, call.iteration, core::moment(began_)));
}

void CallBook::end(const CallFolders::Call& call, const CallEnd& how) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  append(calls_, fmt::format("{},{},{},{},{},{:.6f},{:.6f},{}\n", call.step, call.iteration, core::text(how.t0),
                             core::text(how.t1), core::moment(began_), seconds, how.processorSeconds,
                             how.well ? "ok" : "failed"));
  std::error_code ignored;
  std::filesystem::remove(underWay_, ignored);
}

}  // namespace koppla::program::detail
