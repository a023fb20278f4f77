#pragma once

#include "conduct.hpp"

namespace koppla::cli {

/// Runs a project, and then twice more with shorter steps, to tell how far its results are off. What the first run
/// writes is complete before, whatever becomes of the others.
ExitCode conductCertified(const ProjectCopy& copy, const project::Project& plan, RunFolder& folder, Existing existing,
                          const Manner& manner, core::Log& log);

}  // namespace koppla::cli
