#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/core/printable.hpp"

#include "arguments.hpp"
#include "console.hpp"

namespace {

/// A stream that was closed by the caller (`>&-`) would be given to the first file that is opened, and messages would
/// be written into results.
void openClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
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
  openClosedStreams();
  // A reader that has seen enough and a file that may not grow are failed writes, not reasons to die with folders left.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
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
  } catch (const std::filesystem::filesystem_error& error) {
    tell(std::string(error.what()) + ". Check that the path is right and that you may use it.");
    code = ExitCode::badInput;
  } catch (const std::exception& error) {
    tell(std::string("This is a bug in Koppla: ") + error.what());
    std::cerr << "Please report it with the project file and run.log.\n";
  }
  return static_cast<int>(code);
}
