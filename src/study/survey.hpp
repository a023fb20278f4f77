#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/project/reader.hpp"

namespace koppla::study {

/// A project as all combinations of its varied settings share it.
struct CommonProject {
  const std::filesystem::path& file;
  const std::string& text;
  const std::vector<project::Override>& set;
};

/// The project with further settings.
project::Reading readingOf(const CommonProject& common, std::span<const project::Override> settings);

/// Every mistake once, however many combinations have it; of warnings those that all have, because an option that is
/// idle with one algorithm may be there for another.
class Survey {
 public:
  void add(const project::Reading& reading);
  /// Throws core::InputError with all mistakes; warnings go to the log.
  void conclude(core::Log& log) const;

 private:
  std::size_t readings_ = 0;
  std::map<std::string, std::size_t> mistakes_;
  std::vector<core::Problem> problems_;
  std::map<std::string, std::size_t> warnings_;
};

}  // namespace koppla::study
