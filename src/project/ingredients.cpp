#include "koppla/project/ingredients.hpp"

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/program/fingerprint.hpp"
#include "koppla/results/load.hpp"

namespace koppla::project {

void Ingredients::tellFile(const std::filesystem::path& file) {
  if (!file.empty() && told_.insert(file).second)
    tell_({std::filesystem::absolute(file).lexically_normal().string(), core::readWhole(file, core::kAnySize)});
}

void Ingredients::tellThoseOf(const Project& project) {
  for (const SubsystemEntry& entry : project.subsystems) {
    tellFile(entry.fmu.value);
    if (entry.program)
      tell_({fmt::format("The program '{}'", entry.name.value), program::fingerprint(entry.program->settings)});
    if (entry.model && !entry.model->file.empty())
      for (const std::filesystem::path& file : results::filesOf(entry.model->file)) tellFile(file);
  }
  for (const ConnectionEntry& connection : project.connections) {
    if (!connection.mapping) continue;
    tellFile(connection.mapping->from.file.value);
    tellFile(connection.mapping->to.file.value);
  }
}

}  // namespace koppla::project
