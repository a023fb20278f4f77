#include "koppla/program/call_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/hash.hpp"
#include "koppla/program/detail/child.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

/// Folders that instances of this process work in.
struct Claims {
  std::mutex mutex;
  std::set<fs::path> folders;
};

Claims& claims() {
  static Claims all;
  return all;
}

/// One folder below the parent, whatever characters the name has.
std::string folderName(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

fs::path claim(const fs::path& parent, const std::string& program) {
  const std::string name = folderName(program);
  Claims& all = claims();
  const std::scoped_lock lock(all.mutex);
  for (unsigned number = 1;; ++number) {
    fs::path folder = fs::absolute(parent) / (number == 1 ? name : fmt::format("{}-{}", name, number));
    if (all.folders.insert(folder).second) return folder;
  }
}

constexpr std::string_view kOtherResults = "Choose a results folder that you may write to.";

[[noreturn]] void failToMake(const fs::path& folder, const std::error_code& error) {
  core::failAtFile(fmt::format("The folder {} of a program", folder.string()), "cannot be made", error.value(),
                   kOtherResults);
}

/// A file to copy from. Throws core::InputError or core::FileError where it cannot be read.
class Source {
 public:
  explicit Source(const fs::path& file)
      : file_(file), open_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a FIFO would wait for a writer
    if (open_.get() < 0 || ::fstat(open_.get(), &status_) != 0) fail();
    if (!S_ISREG(status_.st_mode))
      throw core::InputError(file.string() + " cannot be copied: it is no file.", "Name a file.");
  }

  [[nodiscard]] mode_t mode() const { return status_.st_mode; }
  /// The next part of the content; empty at its end.
  std::string_view next() {
    while (true) {
      const ssize_t size = ::read(open_.get(), block_.data(), block_.size());
      if (size >= 0) return {block_.data(), static_cast<std::size_t>(size)};
      if (errno != EINTR) fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    core::failAtFile(file_.string(), "cannot be read", errno, "Check the path and its permissions.", "Check the disk.");
  }

  const fs::path& file_;
  detail::Descriptor open_;
  struct stat status_ {};
  std::vector<char> block_ = std::vector<char>(std::size_t{1} << 20U);
};

/// 0, or the system's reason why the target cannot be written, which fs::copy_file does not tell of a full disk.
int copyContent(Source& source, const fs::path& to) {
  detail::Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (target.get() < 0 || ::fchmod(target.get(), source.mode()) != 0) return errno;
  for (std::string_view part = source.next(); !part.empty(); part = source.next())
    if (const int error = core::writeAll(target.get(), part); error != 0) return error;
  return target.close();
}

/// A time that no program gives to what it writes, so that we see what it has left as it was.
constexpr timespec kUntouched{1, 0};

void give(const fs::path& from, const fs::path& to) {
  copyInto(from, to);
  const timespec times[2] = {kUntouched, kUntouched};  // NOLINT(modernize-avoid-c-arrays): the system's own form
  ::utimensat(AT_FDCWD, to.c_str(), times, 0);
}

bool isWritten(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && status.st_mtim.tv_sec != kUntouched.tv_sec;
}

const fs::path& readName(const RestartFile& file) {
  return file.read.empty() ? file.write : file.read;
}

}  // namespace

void copyInto(const fs::path& from, const fs::path& to) {
  Source source(from);
  std::error_code error;
  if (to.has_parent_path()) fs::create_directories(to.parent_path(), error);
  if (!error) fs::remove(to, error);  // a link would lead to the user's own file
  if (!error) error.assign(copyContent(source, to), std::generic_category());
  if (error) core::failAtFile(to.string(), "cannot become a copy of " + from.string(), error.value(), kOtherResults);
}

void copyFolderInto(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directory(to, from, error);
  if (error) failToMake(to, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path place = to / entry.path().filename();
    if (entry.is_directory())
      copyFolderInto(entry.path(), place);
    else
      copyInto(entry.path(), place);
  }
}

CallFolders::CallFolders(const fs::path& parent, const std::string& name, Keep keep, bool resume) : keep_(keep) {
  if (parent.empty()) {
    root_ = temporary_.emplace("program").path();
    return;
  }
  root_ = claim(parent, name);
  std::error_code error;
  if (!resume) fs::remove_all(root_, error);
  if (!error) fs::create_directories(root_, error);
  if (error) failToMake(root_, error);
}

CallFolders::~CallFolders() {
  Claims& all = claims();
  const std::scoped_lock lock(all.mutex);
  all.folders.erase(root_);
}

CallFolders::Call CallFolders::begin(std::uint64_t step) {
  iteration_ = step == step_ ? iteration_ + 1 : 1;
  step_ = step;
  std::error_code error;
  fs::create_directories(folderOf(step, iteration_).parent_path(), error);
  for (;; ++iteration_) {
    fs::path folder = folderOf(step, iteration_);
    if (!error && fs::create_directory(folder, error)) return {std::move(folder), step, iteration_};
    if (error) failToMake(folder, error);
  }
}

fs::path CallFolders::folderOf(std::uint64_t step, std::uint64_t iteration) const {
  return root_ / fmt::format("s{:06}", step) / fmt::format("i{:03}", iteration);
}

void CallFolders::recall(std::uint64_t step, std::uint64_t iteration) {
  step_ = step;
  iteration_ = iteration;
  last_ = folderOf(step, iteration);
}

void CallFolders::end(const Call& call, bool well) {
  if (!well || keep_ == Keep::all) return;
  if (keep_ == Keep::failed) return remove(call.folder);
  if (!last_.empty()) remove(last_);
  last_ = call.folder;
}

void CallFolders::remove(const fs::path& folder) const {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(folder.parent_path(), ignored);  // the step's, when it is empty
}

RestartFiles::RestartFiles(const std::vector<RestartFile>& files, const fs::path& parent, std::uint64_t number,
                           std::uint64_t checksum)
    : files_(files),
      number_(number),
      folder_(parent / std::to_string(number)),
      checksum_(checksum),
      sound_(checksum == 0) {}

RestartFiles::RestartFiles(const std::vector<RestartFile>& files, const fs::path& parent, std::uint64_t number,
                           const fs::path& callFolder)
    : RestartFiles(files, parent, number, 0) {
  for (const RestartFile& file : files_)
    if (!isWritten(callFolder / file.write))
      throw core::InputError({{{(callFolder / file.write).string()},
                               "The program has not written this restart file.",
                               "It must write it in every step; check its name."}});
  for (std::size_t i = 0; i < files_.size(); ++i) copyInto(callFolder / files_[i].write, folder_ / std::to_string(i));
  checksum_ = checksumNow();
}

RestartFiles::~RestartFiles() {
  if (kept_) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::uint64_t RestartFiles::checksumNow() const {
  core::Hash hash;
  for (std::size_t i = 0; i < files_.size(); ++i) hash.add(core::checksum(folder_ / std::to_string(i)));
  return hash.value();
}

void RestartFiles::provide(const fs::path& callFolder) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const fs::path kept = folder_ / std::to_string(i);
    if (!fs::exists(kept))
      throw core::InputError(
          "The restart file " + files_[i].write.string() + " of an earlier step is gone: " + kept.string() + ".",
          "A run can be resumed only where it stopped; start anew with `koppla run --overwrite`.");
    give(kept, callFolder / readName(files_[i]));
  }
  if (!sound_ && checksumNow() != checksum_)
    throw core::InputError("The restart files in " + folder_.string() + " are not what the program has left there.",
                           "They are damaged or changed; start anew with `koppla run --overwrite`.");
  sound_ = true;
}

void provideStart(const std::vector<RestartFile>& files, const fs::path& callFolder) {
  for (const RestartFile& file : files)
    if (!file.start.empty()) give(file.start, callFolder / readName(file));
}

}  // namespace koppla::program
