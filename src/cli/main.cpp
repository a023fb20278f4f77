#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/core/printable.hpp"

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

/// Further lines of a foreign message are indented, lest they look like errors of their own.
void tell(std::string_view message) {
  std::cerr << "error: " << koppla::core::printable(message, koppla::core::LineEnds::indented) << "\n";
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
    for (const auto& problem : error.problems()) tell(koppla::core::text(problem));
    code = ExitCode::badInput;
  } catch (const koppla::core::Interrupted& interrupted) {
    koppla::cli::complain(std::string(interrupted.what()) + "\n");
    code = ExitCode::interrupted;
  } catch (const koppla::core::SubsystemError& error) {
    tell(error.what());
    code = ExitCode::subsystemFailed;
  } catch (const koppla::core::FileError& error) {
    tell(error.what());
    code = ExitCode::outputFailed;
  } catch (const std::filesystem::filesystem_error& error) {
    const bool place = koppla::core::placeIsAtFault(error.code().value());
    tell(std::string(error.what()) +
         (place ? ". Check that the path is right and that you may use it." : ". Check the disk."));
    code = place ? ExitCode::badInput : ExitCode::outputFailed;
  } catch (const std::bad_alloc&) {
    tell(
        "There is not enough memory. Record or read fewer variables, choose smaller sizes, or raise the limit of the "
        "process (`ulimit -v`).");
    code = ExitCode::badInput;
  } catch (const std::exception& error) {
    tell(std::string("This is a bug in Koppla: ") + error.what());
    std::cerr << "Please report it with the project file and run.log.\n";
  }
  if (!isPrinted() && code == ExitCode::ok) code = ExitCode::outputFailed;
  ProcessGuard::decide(code);
  return static_cast<int>(code);
}
