#include "status_file.hpp"

#include <exception>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/core/moment.hpp"

namespace koppla::cli {

StatusFile::StatusFile(std::filesystem::path file, double start, double end)
    : file_(std::move(file)), start_(start), end_(end), started_(core::moment(std::chrono::system_clock::now())) {
  write({start, 0.0, 0, 0, 0.0, 0, 0.0});
}

StatusFile::~StatusFile() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void StatusFile::show(const run::Progress& progress) {
  constexpr std::chrono::milliseconds kBetween(500);
  if (std::chrono::steady_clock::now() - last_ >= kBetween) write(progress);
}

void StatusFile::write(const run::Progress& progress) {
  last_ = std::chrono::steady_clock::now();
  const nlohmann::ordered_json document{{"format", 1},
                                        {"process", ::getpid()},
                                        {"started", started_},
                                        {"updated", core::moment(std::chrono::system_clock::now())},
                                        {"start", start_},
                                        {"end", end_},
                                        {"time", progress.time},
                                        {"step", progress.step},
                                        {"accepted_steps", progress.steps},
                                        {"iteration", progress.iteration},
                                        {"residual", progress.residual}};
  try {
    core::writeWhole(file_, document.dump(2) + "\n");
  } catch (const std::exception&) {  // A full disk is told by those whose files matter.
  }
}

}  // namespace koppla::cli
