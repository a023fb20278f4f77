#include "koppla/project/ingredients.hpp"

#include <limits>

#include "koppla/core/file.hpp"
#include "koppla/program/fingerprint.hpp"

namespace koppla::project {

void Ingredients::tellFile(const std::filesystem::path& file) {
  constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();
  if (!file.empty() && told_.insert(file).second) tell_(core::readWhole(file, kAnySize));
}

void Ingredients::tellThoseOf(const Project& project) {
  for (const SubsystemEntry& entry : project.subsystems) {
    tellFile(entry.fmu.value);
    if (entry.program) tell_(program::fingerprint(entry.program->settings));
    if (entry.model) tellFile(entry.model->file);
  }
}

}  // namespace koppla::project
