#include "run_folder.hpp"

#include <array>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kFiles{"results.csv",
                            "results.partial.csv",
                            "results.units.csv",
                            "results.h5",
                            "results.partial.h5",
                            "results.partial.rows",
                            "iterations.csv",
                            "iterations.partial.csv",
                            "iterations.units.csv",
                            "iterations.h5",
                            "iterations.partial.h5",
                            "iterations.partial.rows",
                            "statistics.json",
                            "certificate.json",
                            "run.log",
                            "project.toml",
                            "status.json",
                            "ingredients.txt",
                            "results.before.csv",
                            "results.before.partial.csv",
                            "results.before.units.csv",
                            "results.before.h5",
                            "results.before.partial.h5",
                            "results.before.partial.rows",
                            "results.before.project.toml",
                            "iterations.before.csv",
                            "iterations.before.partial.csv",
                            "iterations.before.units.csv",
                            "iterations.before.h5",
                            "iterations.before.partial.h5",
                            "iterations.before.partial.rows",
                            "iterations.before.project.toml"};

}  // namespace

RunFolder::RunFolder(fs::path folder, const fs::path& project, Existing existing)
    : given_(std::move(folder)), folder_(fs::absolute(given_)), existing_(existing) {
  std::error_code error;
  const fs::file_status status = fs::status(folder_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw core::InputError(fmt::format("The run folder {} is a file.", given_.string()),
                           "Choose another with --folder.");
  refuseIfFilled();
  for (const char* name : kFiles) {
    const fs::path file = folder_ / name;
    if (fs::equivalent(file, project, error))
      throw core::InputError(fmt::format("The run folder {} holds the project itself: {} would be overwritten.",
                                         given_.string(), file.string()),
                             "Choose another with --folder or results.folder.");
    if (fs::is_directory(file, error))
      throw core::InputError(fmt::format("{} is a folder; a file of the run would take its place.", file.string()),
                             "Remove it, or choose another run folder with --folder.");
  }
}

void RunFolder::refuseIfFilled() const {
  std::error_code error;
  if (existing_ != Existing::refused || fs::is_empty(folder_, error)) return;
  throw core::InputError(fmt::format("The run folder {} exists already.", given_.string()),
                         "Keep it and choose another with --folder, or replace its results with --overwrite; `koppla "
                         "status` tells what became of that run, `koppla resume` goes on with it.");
}

void RunFolder::prepare() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    core::failAtFile("The run folder " + given_.string(), "cannot be made", error.value(),
                     "Choose another with --folder.");
  lock_ = core::Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.get() >= 0 && ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw core::InputError(fmt::format("Another run is writing to the run folder {}.", given_.string()),
                           "Wait for it, or choose another with --folder.");
  refuseIfFilled();
  if (existing_ == Existing::resumed) return;
  for (const char* name : kFiles)
    if (!fs::remove(folder_ / name, error) && error)
      core::failAtFile((folder_ / name).string(), "cannot be removed", error.value(),
                       "Choose another run folder with --folder.");
  fs::remove_all(repetitions(), error);
}

void RunFolder::forgetEnd() const {
  std::error_code ignored;
  fs::remove(statistics(), ignored);
  fs::remove(certificate(), ignored);
  fs::remove_all(repetitions(), ignored);
}

}  // namespace koppla::cli
