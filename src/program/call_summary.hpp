#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace koppla::program {

/// What is known of the calls of one program from its folder, while a run goes on or afterwards.
struct CallSummary {
  struct UnderWay {
    std::uint64_t step;
    std::uint64_t iteration;
    std::string began;  ///< "2026-01-31T12:00:00Z"
  };

  std::string program;
  std::uint64_t calls = 0;  ///< that have ended
  std::uint64_t failed = 0;
  double seconds = 0.0;           ///< in all
  double longest = 0.0;           ///< s
  double processorSeconds = 0.0;  ///< of its processes, in all
  std::optional<UnderWay> underWay{};
};

/// Of all programs below the folder, in the order of their names; empty where there is none.
std::vector<CallSummary> summariseCalls(const std::filesystem::path& programsFolder);

}  // namespace koppla::program
