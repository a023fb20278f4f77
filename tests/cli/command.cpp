#include "command.hpp"

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace koppla::test {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongest(60);
constexpr std::chrono::milliseconds kLook(2);

/// This process's environment with other values of some variables.
std::vector<std::string> environmentWith(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

int exitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open(int descriptor, const fs::path& file, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, file.c_str(), flags, 0600);
  }
  void close(int descriptor) { posix_spawn_file_actions_addclose(&actions_, descriptor); }
  void changeFolder(const fs::path& folder) { posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Process::Process(pid_t id, fs::path out, fs::path err) : id_(id), out_(std::move(out)), err_(std::move(err)) {}

Process::~Process() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void Process::send(int signal) const {
  ::kill(id_, signal);
}

void Process::limitFiles(std::size_t bytes) const {
  const rlimit limit{bytes, bytes};
  if (::prlimit(id_, RLIMIT_FSIZE, &limit, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "prlimit");
}

Result Process::wait() {
  const int exitCode = waitForExitCode();
  return {exitCode, core::readWhole(out_), core::readWhole(err_)};
}

int Process::waitForExitCode() {
  int status = 0;
  const auto deadline = Clock::now() + kLongest;
  while (::waitpid(id_, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) ::kill(id_, SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
  id_ = -1;
  return exitCodeOf(status);
}

Workspace::Workspace() {
  fs::create_directory(path());
  fs::create_directory(place_.path() / "temporary");
  fs::create_directory_symlink(KOPPLA_FMU_DIR, path("fmus"));
}

void Workspace::write(const std::string& name, std::string_view content) const {
  fs::create_directories(path(name).parent_path());
  core::writeWhole(path(name), content);
}

std::string Workspace::read(const std::string& name) const {
  return core::readWhole(path(name));
}

std::vector<std::string> Workspace::rows(const std::string& name) const {
  const std::string text = read(name);
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

Result Workspace::run(const std::vector<std::string>& arguments, const std::string& label) const {
  return start(arguments, label).wait();
}

Process Workspace::start(const std::vector<std::string>& arguments, const std::string& label) const {
  const fs::path out = place_.path() / (label + ".out");
  const fs::path err = place_.path() / (label + ".err");
  FileActions actions;
  actions.changeFolder(path());
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
  actions.open(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
  return {spawn(arguments, actions), out, err};
}

Result Workspace::runInto(const fs::path& out, const std::vector<std::string>& arguments) const {
  const fs::path err = place_.path() / "into.err";
  FileActions actions;
  actions.changeFolder(path());
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, out, O_WRONLY);
  actions.open(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
  const int exitCode = Process(spawn(arguments, actions), out, err).waitForExitCode();
  return {exitCode, {}, core::readWhole(err)};
}

int Workspace::runWithoutStreams(const std::vector<std::string>& arguments) const {
  FileActions actions;
  actions.changeFolder(path());
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) actions.close(stream);
  return Process(spawn(arguments, actions), "/dev/null", "/dev/null").waitForExitCode();
}

pid_t Workspace::spawn(const std::vector<std::string>& arguments, const FileActions& actions) const {
  std::vector<std::string> words{KOPPLA_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environmentWith(variables_);
  // A script that runs tests in the background has them ignore Ctrl-C, and what they start would as well.
  posix_spawnattr_t attributes{};
  sigset_t all{};
  sigfillset(&all);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t id = 0;
  const int error = ::posix_spawn(&id, KOPPLA_COMMAND, actions.get(), &attributes, pointers(words).data(),
                                  pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), KOPPLA_COMMAND);
  return id;
}

Workspace::Snapshot Workspace::snapshot() const {
  Snapshot result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path())) {
    const std::string name = fs::relative(entry.path(), path()).string();
    if (entry.is_symlink())
      result[name] = fs::read_symlink(entry.path()).string();
    else if (entry.is_directory())
      result[name + "/"] = {};
    else
      result[name] = core::readWhole(entry.path());
  }
  return result;
}

std::vector<std::string> Workspace::leftovers() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(place_.path() / "temporary"))
    if (std::string name = entry.path().filename().string(); !name.starts_with("tsan."))
      names.push_back(std::move(name));
  return names;
}

std::string project(std::string_view more) {
  return "format = 1\n[simulation]\nend = 1.0\nstep = 0.1\n" + subsystem("a", "Gain") + std::string(more);
}

std::string subsystem(const std::string& name, const std::string& fmu, const std::string& parameters) {
  const std::string file = fmu.find('.') == std::string::npos ? "fmus/" + fmu + ".fmu" : fmu;
  return "[[subsystems]]\nname = \"" + name + "\"\nfmu = \"" + file + "\"\n" +
         (parameters.empty() ? "" : "parameters = { " + parameters + " }\n");
}

std::string connection(const std::string& from, const std::string& to) {
  return "[[connections]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n";
}

std::string math003(std::string_view more) {
  return "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n" + subsystem("part1", "Math003Part1") +
         subsystem("part2", "Math003Part2") + subsystem("part3", "Math003Part3") + connection("part1.x1", "part2.x1") +
         connection("part1.x2", "part2.x2") + connection("part2.x3", "part3.x3") + connection("part3.x4", "part2.x4") +
         std::string(more);
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + kLongest;
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace koppla::test
