#pragma once

#include "koppla/core/log.hpp"

#include "commands.hpp"
#include "project_copy.hpp"
#include "run_folder.hpp"

namespace koppla::cli {

struct Manner {
  bool quiet = false;
  bool json = false;
};

/// Runs a project in its folder, from the beginning or where an earlier run has stopped.
ExitCode conduct(const ProjectCopy& copy, project::Project plan, RunFolder& folder, Existing existing,
                 const Manner& manner, core::Log& log);

}  // namespace koppla::cli
