#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "arguments.hpp"
#include "console.hpp"
#include "process_guard.hpp"

namespace {

/// A stream that was closed by the caller (`>&-`) would be given to the first file that is opened, and messages would
/// be written into results.
void openClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
}

/// What was printed is in a buffer until now, so this is where a full disk or a broken pipe shows.
bool isPrinted() {
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  // Where it failed some time ago the reason is forgotten: it is asked again.
  if (errno == 0) {
    [[maybe_unused]] const ssize_t again = ::write(STDOUT_FILENO, "\n", 1);
  }
  const int error = errno;
  std::cerr << "error: Standard output cannot be written";
  if (error != 0) std::cerr << ": " << std::generic_category().message(error);
  std::cerr << ". Send it to a place with room.\n";
  return false;
}

}  // namespace

/// What the launcher calls.
extern "C" int koppla_main(int argc, char** argv);

int koppla_main(int argc, char** argv) {
  using koppla::cli::ExitCode;
  using koppla::cli::ProcessGuard;
  openClosedStreams();
  // To the very end of the process: what FMUs have left behind runs after the command.
  static const ProcessGuard guard;
  ExitCode code = ExitCode::internal;
  try {
    code = koppla::cli::dispatch(argc, argv);
  } catch (const koppla::core::InputError& error) {
    for (const auto& problem : error.problems())
      std::cerr << "error: " << koppla::cli::printable(koppla::core::text(problem)) << "\n";
    code = ExitCode::badInput;
  } catch (const koppla::core::SubsystemError& error) {
    std::cerr << "error: " << koppla::cli::printable(error.what()) << "\n";
    code = ExitCode::subsystemFailed;
  } catch (const koppla::core::FileError& error) {
    std::cerr << "error: " << koppla::cli::printable(error.what()) << "\n";
    code = ExitCode::outputFailed;
  } catch (const std::filesystem::filesystem_error& error) {
    const bool place = koppla::core::placeIsAtFault(error.code().value());
    std::cerr << "error: " << koppla::cli::printable(error.what())
              << (place ? ". Check that the path is right and that you may use it.\n" : ". Check the disk.\n");
    code = place ? ExitCode::badInput : ExitCode::outputFailed;
  } catch (const std::exception& error) {
    std::cerr << "error: This is a bug in Koppla: " << error.what()
              << "\nPlease report it with the project file and run.log.\n";
  }
  if (!isPrinted() && code == ExitCode::ok) code = ExitCode::outputFailed;
  ProcessGuard::decide(code);
  return static_cast<int>(code);
}
