#pragma once

#include <span>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// A connection that needs a mapping, which resolve() does not make.
struct MappedConnection {
  std::size_t connection;  ///< index in Resolution::connections
  std::size_t entry;       ///< index in Project::connections
};

/// A project whose names have become indices. Complete only if there are no mistakes.
struct Resolution {
  std::vector<std::vector<coupling::StartValue>> startValues;  ///< by member
  std::vector<coupling::Connection> connections;
  std::vector<MappedConnection> mapped;
  std::vector<coupling::MemberIndex> order;
  Findings findings;
};

/// Checks a project against the descriptions of its subsystems: ports, directions, types, sizes, values. A description
/// is null where the subsystem could not be opened; nothing is said about its ports then, nor about subsystems that are
/// unknown, since checkEntries() has named them.
Resolution resolve(const Project& project, std::span<const subsystem::Description* const> descriptions);

}  // namespace koppla::project
