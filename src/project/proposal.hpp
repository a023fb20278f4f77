#pragma once

#include <optional>
#include <span>
#include <string>

#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// A subsystem that is to be part of a new project.
struct Candidate {
  std::string path;  ///< of the FMU, as it is to be written
  const subsystem::Description& description;
  // What the model suggests for a run of its own, s.
  std::optional<double> start;
  std::optional<double> end;
  std::optional<double> step;
};

/// The text of a project file for these subsystems, with all options explained. Ports of equal name, type and size are
/// connected where there is only one way to do it.
std::string proposalFor(std::span<const Candidate> candidates);

}  // namespace koppla::project
