#include <fmt/format.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"

namespace koppla::cli {

ExitCode newCommand(const NewOptions& options) {
  const std::filesystem::file_status status = std::filesystem::status(options.output);
  const bool toStandardOutput = core::isOpenAs(options.output, STDOUT_FILENO);
  const bool wouldBeLost =
      !toStandardOutput && (std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status));
  if (wouldBeLost && !options.overwrite)
    throw core::InputError(fmt::format("{} exists already.", options.output.string()),
                           "Choose another name with -o, or replace it with --overwrite.");
  const InterruptGuard guard;
  core::Log log;
  showWarnings(log);
  const std::filesystem::path folder = std::filesystem::absolute(options.output).parent_path();
  core::writeWhole(options.output, project::propose(options.fmus, folder, log));
  if (toStandardOutput) return ExitCode::ok;
  print(fmt::format("written: {}\nnext: look through it, then 'koppla run {}'\n", options.output.string(),
                    options.output.string()));
  return ExitCode::ok;
}

}  // namespace koppla::cli
