#include "run_state.hpp"

#include <exception>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "run_folder.hpp"

namespace koppla::cli {

namespace fs = std::filesystem;

namespace {

/// The run holds a lock on its folder.
bool isLocked(const fs::path& folder) {
  const core::Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return descriptor.get() >= 0 && ::flock(descriptor.get(), LOCK_SH | LOCK_NB) != 0;
}

/// None where the file is missing, since a run may end while we look, or damaged, as after a crash of the machine.
std::optional<nlohmann::json> readJson(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(core::readWhole(file), nullptr, false);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (!document.is_object()) return std::nullopt;
  return document;
}

}  // namespace

std::string textOf(const nlohmann::json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

double numberOf(const nlohmann::json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_number() ? found->get<double>() : 0.0;
}

bool RunState::isCompleted() const {
  return !isRunning && statistics && textOf(*statistics, "outcome") == "completed";
}

RunState readRunState(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error) || !fs::is_regular_file(folder / "project.toml", error))
    throw core::InputError(fmt::format("{} is not the folder of a run.", folder.string()),
                           "`koppla run` makes it: PROJECT.run beside the project file, or as --folder says.");
  return {.isRunning = isLocked(folder),
          .progress = readJson(folder / "status.json"),
          .statistics = readJson(RunFolder::statisticsIn(folder)),
          .programs = program::summariseCalls(folder / "programs")};
}

}  // namespace koppla::cli
