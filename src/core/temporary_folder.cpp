// A temporary folder is named koppla-<purpose>-<process>-<its start>-XXXXXX and locked by its maker (flock). It is
// abandoned when nobody holds the lock and the process of its name does not run. The lock alone would do, also between
// containers that share the place but not the numbers of processes; but foreign code in this process may close files
// that are not its own.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/file_identity.hpp"

namespace koppla::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "koppla-";

/// When a process began, in ticks since the machine did (proc(5)); empty if there is no such process, or none can be
/// seen.
std::string startOf(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::ostringstream read;
  read << file.rdbuf();  // an iterator would throw where the process ends between opening and reading
  const std::string content = read.str();
  // The name of the program stands in parentheses and may hold anything; the start is the 20th field after it.
  std::istringstream fields(content.substr(std::min(content.rfind(')'), content.size())));
  std::string field;
  for (int i = 0; i <= 20; ++i) fields >> field;
  return fields ? field : std::string();
}

bool isNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

struct Maker {
  std::string process;
  std::string start;
};

/// Who made a folder, by its name; nothing if it is none of ours.
std::optional<Maker> makerOf(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::array<std::string, 3> last;  // random letters, start, process
  for (std::string& part : last) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string_view::npos) return std::nullopt;
    part = name.substr(dash + 1);
    name = name.substr(0, dash);
  }
  if (last[0].size() != 6 || !isNumber(last[1]) || !isNumber(last[2])) return std::nullopt;
  return Maker{std::move(last[2]), std::move(last[1])};
}

/// A folder of this user, opened and locked; or not.
class Lock {
 public:
  explicit Lock(const fs::path& folder)
      : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0)
      lost_ = errno == ENOENT;
    else if (::fstat(file_, &status) != 0 || status.st_uid != ::geteuid())
      return;
    else if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
      lost_ = errno == EWOULDBLOCK;
    else if (FileIdentity(file_).isAt(folder))
      held_ = true;
    else
      lost_ = true;
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  [[nodiscard]] bool held() const { return held_; }
  /// Somebody else has locked or removed it.
  [[nodiscard]] bool lost() const { return lost_; }
  /// From now on it is the caller's to close.
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
  bool held_ = false;
  bool lost_ = false;
};

/// The name with six letters at its end replaced.
std::string make(std::string name) {
  if (::mkdtemp(name.data()) != nullptr) return name;
  failAtFile(fs::path(name).parent_path().string(), "can hold no temporary folder", errno,
             "Set TMPDIR to a folder that you may write to.", "Set TMPDIR to a folder with room.");
}

/// What the environment says about temporary files; a variable that is empty says nothing.
fs::path namedPlace() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {  // as std::filesystem::temp_directory_path()
    const char* const given = std::getenv(variable);                   // NOLINT(concurrency-mt-unsafe): nobody sets it
    if (given != nullptr && *given != '\0') return given;
  }
  return "/tmp";
}

/// Where temporary files go. Throws std::filesystem::filesystem_error with that place, which the library's own lacks.
fs::path placeOfTemporaryFiles() {
  fs::path place = namedPlace();
  std::error_code error;
  if (fs::is_directory(place, error)) return place;
  if (!error) error = std::make_error_code(std::errc::not_a_directory);
  throw fs::filesystem_error("the folder for temporary files", place, error);
}

}  // namespace

void removeAbandonedFolders(const fs::path& place) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    const std::optional<Maker> maker = makerOf(it->path().filename().string());
    if (maker && startOf(maker->process) != maker->start) abandoned.push_back(it->path());
  }
  for (const fs::path& folder : abandoned) {
    const Lock lock(folder);  // until it is gone, so that no second process begins to remove it
    std::error_code ignored;
    if (lock.held()) fs::remove_all(folder, ignored);
  }
}

TemporaryFolder::TemporaryFolder(std::string_view purpose) {
  const fs::path place = placeOfTemporaryFiles();
  [[maybe_unused]] static const bool tidied = (removeAbandonedFolders(place), true);
  const std::string process = std::to_string(::getpid());
  const std::string start = startOf("self");
  const std::string name =
      std::string(kPrefix).append(purpose).append("-").append(process).append("-").append(start.empty() ? "0" : start);
  while (path_.empty()) {
    const fs::path made = make((place / (name + "-XXXXXX")).string());
    Lock lock(made);
    // A process that sees other numbers may have taken it for abandoned before it was locked.
    if (lock.lost()) continue;
    path_ = made;
    if (lock.held()) lock_ = lock.release();  // else the file system has no locks
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  const bool locked = FileIdentity(lock_).isAt(path_);  // foreign code may have closed it and opened another
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (locked) ::close(lock_);
}

}  // namespace koppla::core
