#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/project/parts.hpp"
#include "koppla/project/resolver.hpp"

namespace koppla::project {

/// From the subsystems of a project to the members of a coupled system: every group becomes one member, in the place of
/// its host.
class Assembly {
 public:
  /// Both outlive it.
  Assembly(Parts& parts, const Resolution& resolution);

  /// The project with the members' entries only, in their order.
  [[nodiscard]] Project project() const;
  /// The member of the system that a subsystem of the project is or has become part of; none for a law in a group.
  [[nodiscard]] std::optional<coupling::MemberIndex> find(std::size_t subsystem) const;
  /// Once for each. Without a subsystem where mistakes are in the way.
  coupling::Member take(coupling::MemberIndex member, core::Log& log, Findings& findings);
  /// Those between members.
  [[nodiscard]] std::vector<coupling::Connection> connections(const coupling::System& system) const;
  [[nodiscard]] std::vector<coupling::MemberIndex> order() const;

 private:
  [[nodiscard]] const Group* groupOf(std::size_t subsystem) const;
  [[nodiscard]] std::unique_ptr<subsystem::Subsystem> unwrapped(std::unique_ptr<subsystem::Subsystem> member,
                                                                std::size_t subsystem) const;
  [[nodiscard]] coupling::Endpoint endpoint(const coupling::Endpoint& end, const coupling::System& system) const;

  Parts& parts_;
  const Resolution& resolution_;
  std::vector<std::size_t> kept_;                    ///< subsystem of the project, by member
  std::vector<std::vector<std::string>> portNames_;  ///< by subsystem, of those in groups
};

}  // namespace koppla::project
