// Finds libkoppla.so by the place of this program and hands the command line to it. Opened for itself (RTLD_LOCAL), it
// and the libraries it needs offer no names to FMUs. Only the C library may be used here: whatever else this program
// needed would be bound by every FMU.

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include "koppla/version.hpp"

namespace {

// Exit codes of the command
constexpr int kOutputFailed = 6;
constexpr int kBroken = 70;  // no fault of the user

/// The path of a file given by its place relative to this program's folder, into an empty one; false if that is not
/// known or too long.
bool besideProgram(const char* relative, char (&path)[PATH_MAX]) {
  if (::readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0) return false;
  char* const name = std::strrchr(path, '/');
  if (name == nullptr) return false;
  const std::size_t room = sizeof(path) - static_cast<std::size_t>(name + 1 - path);
  const std::size_t bytes = std::strlen(relative) + 1;
  if (bytes > room) return false;
  std::memcpy(name + 1, relative, bytes);
  return true;
}

/// Answered here, since scripts ask it often: nothing else need be loaded.
int tellVersion() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is a failed write
  if (std::printf("koppla %s\n", koppla::kVersion) > 0 && std::fflush(stdout) == 0) return 0;
  if (errno == EBADF) return 0;  // closed by the caller, who does not want to hear it
  std::fprintf(stderr, "error: Standard output cannot be written: %s. Send it to a place with room.\n",
               std::strerror(errno));
  return kOutputFailed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (std::strcmp(argv[1], "version") == 0 || std::strcmp(argv[1], "--version") == 0))
    return tellVersion();

  // In the build folder it lies beside the program.
  char built[PATH_MAX]{};
  char installed[PATH_MAX]{};
  if (!besideProgram("libkoppla.so", built) || !besideProgram(KOPPLA_LIBRARY_FOLDER "/libkoppla.so", installed)) {
    std::fputs(
        "error: koppla cannot find its own place: /proc/self/exe tells none, or one that is too long. Mount /proc, or "
        "install Koppla in a folder with a shorter path.\n",
        stderr);
    return kBroken;
  }
  const char* const library = ::access(built, F_OK) == 0 ? built : installed;
  if (::access(library, F_OK) != 0) {
    std::fprintf(
        stderr,
        "error: koppla's library is missing: there is neither %s nor %s. Install Koppla again; move the folders of "
        "an installation together.\n",
        built, installed);
    return kBroken;
  }
  // Lazy for the libraries it needs; it asks itself to be bound at once.
  void* const handle = ::dlopen(library, RTLD_LOCAL | RTLD_LAZY);
  if (handle == nullptr) {
    std::fprintf(stderr, "error: koppla's library cannot be loaded: %s. Install the packages that Koppla needs.\n",
                 ::dlerror());
    return kBroken;
  }
  using Command = int(int, char**);
  // POSIX gives functions as void*; this is how it wants them back.
  auto* const command = reinterpret_cast<Command*>(::dlsym(handle, "koppla_main"));
  if (command == nullptr) {
    std::fprintf(stderr, "error: %s is not koppla's library: it lacks koppla_main. Install Koppla again.\n", library);
    return kBroken;
  }
  return command(argc, argv);
}
