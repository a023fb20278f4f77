// What it costs to start the command: `koppla version` beyond an empty C++ program, and a run of one trivial FMU, ten
// steps of a gain.
//
// Programs run in turns; reported are medians in milliseconds: `startup.empty` and `startup.version`, from start to
// end, `startup.version.extra` their difference (goal: 2), and `startup.run.cpu`, processor time of the run (goal: 8).

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/file.hpp"

namespace {

using namespace koppla;

double milliseconds(const timeval& time) {
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
}

/// Milliseconds of each run of a program.
struct Times {
  std::vector<double> wall{};
  std::vector<double> processor{};

  void run(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const auto begin = std::chrono::steady_clock::now();
    pid_t id = 0;
    const int failed = ::posix_spawn(&id, pointers.front(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage usage{};
    if (failed != 0 || ::wait4(id, &status, 0, &usage) != id || status != 0) {
      std::fprintf(stderr, "%s failed.\n", pointers.front());
      std::exit(EXIT_FAILURE);
    }
    wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    processor.push_back(milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
  }
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

int main() {
  const core::TemporaryFolder folder("startup-benchmark");
  const std::string project = (folder.path() / "gain.toml").string();
  core::writeWhole(project,
                   "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"gain\"\nfmu = \"" +
                       std::string(KOPPLA_FMU_DIR) + "/Gain.fmu\"\n");
  Times empty;
  Times version;
  Times run;
  constexpr int kRounds = 101;
  for (int round = 0; round < kRounds; ++round) {
    empty.run({KOPPLA_EMPTY_PROGRAM});
    version.run({KOPPLA_COMMAND, "version"});
    run.run({KOPPLA_COMMAND, "run", project, "--overwrite"});
  }
  std::printf("startup.empty %.3g ms\n", median(empty.wall));
  std::printf("startup.version %.3g ms\n", median(version.wall));
  std::printf("startup.version.extra %.3g ms\n", median(version.wall) - median(empty.wall));
  std::printf("startup.run.cpu %.3g ms\n", median(run.processor));
}
