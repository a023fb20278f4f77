#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi {
class Fmu;
}

namespace koppla::project {

/// The FMUs of a project, opened but not instantiated. Each file is opened once, however many subsystems come from it.
class ProjectFmus {
 public:
  /// Files that are missing, damaged or without a binary for this machine become mistakes at the places that name them.
  ProjectFmus(const Project& project, core::Log& log, Findings& findings);

  /// By member; null where the FMU could not be opened.
  [[nodiscard]] std::vector<const subsystem::Description*> descriptions() const;
  [[nodiscard]] std::unique_ptr<subsystem::Subsystem> instantiate(std::size_t member, const SubsystemEntry& entry,
                                                                  core::Log& log) const;

 private:
  using Key = std::pair<std::filesystem::path, bool>;  ///< file and strictness

  std::map<Key, std::shared_ptr<fmi::Fmu>> opened_;
  std::vector<std::shared_ptr<fmi::Fmu>> byMember_;
};

}  // namespace koppla::project
