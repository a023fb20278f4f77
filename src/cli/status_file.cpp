#include "status_file.hpp"

#include <exception>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/core/moment.hpp"

namespace koppla::cli {

namespace {

constexpr std::chrono::milliseconds kBetween(500);

}  // namespace

StatusFile::StatusFile(std::filesystem::path file, double start, double end)
    : file_(std::move(file)),
      start_(start),
      end_(end),
      started_(core::moment(std::chrono::system_clock::now())),
      call_(subsystem::callUnderWay),
      progress_{start, 0.0, 0, 0, 0.0, 0, 0.0} {
  write();
  renewing_.emplace([this] { renew(); });
}

StatusFile::~StatusFile() {
  renewing_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void StatusFile::show(const run::Progress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
  progressed_ = std::chrono::system_clock::now();
  if (std::chrono::steady_clock::now() - written_ >= kBetween) write();
}

void StatusFile::renew() {
  const std::lock_guard lock(mutex_);
  if (std::chrono::steady_clock::now() - written_ < kBetween) return;
  write();
}

std::optional<StatusFile::LongCall> StatusFile::longCall() const {
  constexpr std::chrono::seconds kLong(1);
  if (std::chrono::system_clock::now() - progressed_ < kLong) return std::nullopt;
  const char* const function = call_.function;
  const std::string* const subsystem = call_.instance;
  // The other thread may be between two calls.
  if (function == nullptr || subsystem == nullptr || call_.function != function) return std::nullopt;
  return LongCall{subsystem, function, progressed_};
}

void StatusFile::write() {
  written_ = std::chrono::steady_clock::now();
  try {
    nlohmann::ordered_json document{{"format", 1},
                                    {"process", ::getpid()},
                                    {"started", started_},
                                    {"updated", core::moment(std::chrono::system_clock::now())},
                                    {"start", start_},
                                    {"end", end_},
                                    {"time", progress_.time},
                                    {"step", progress_.step},
                                    {"accepted_steps", progress_.steps},
                                    {"iteration", progress_.iteration},
                                    {"residual", progress_.residual}};
    if (const auto call = longCall())
      document["call"] = {
          {"subsystem", *call->subsystem}, {"function", call->function}, {"since", core::moment(call->since)}};
    core::writeWhole(file_, document.dump(2) + "\n");
  } catch (const std::exception&) {  // A full disk is told by those whose files matter.
  }
}

}  // namespace koppla::cli
