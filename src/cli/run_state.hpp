#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "koppla/program/call_summary.hpp"

namespace koppla::cli {

/// What a run folder tells of its run.
struct RunState {
  bool isRunning = false;                      ///< a process is at it now
  std::optional<nlohmann::json> progress{};    ///< status.json; stays behind where the run was killed
  std::optional<nlohmann::json> statistics{};  ///< of a run that has ended by itself
  std::vector<program::CallSummary> programs{};

  [[nodiscard]] bool isCompleted() const;
};

/// An entry of such a file; empty or 0 where it is missing or of another kind.
std::string textOf(const nlohmann::json& document, const char* key);
double numberOf(const nlohmann::json& document, const char* key);

/// Throws core::InputError for what is no run folder.
RunState readRunState(const std::filesystem::path& folder);

}  // namespace koppla::cli
