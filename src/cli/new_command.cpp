#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"

namespace koppla::cli {

ExitCode newCommand(const NewOptions& options) {
  if (std::filesystem::exists(options.output) && !options.overwrite)
    throw core::InputError(fmt::format("{} exists already.", options.output.string()),
                           "Choose another name with -o, or replace it with --overwrite.");
  const InterruptGuard guard;
  core::Log log;
  showWarnings(log);
  const std::filesystem::path folder = std::filesystem::absolute(options.output).parent_path();
  core::writeWhole(options.output, project::propose(options.fmus, folder, log));
  print(fmt::format("written: {}\nnext: look through it, then 'koppla run {}'\n", options.output.string(),
                    options.output.string()));
  return ExitCode::ok;
}

}  // namespace koppla::cli
