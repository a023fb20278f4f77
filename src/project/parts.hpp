#pragma once

#include <memory>
#include <vector>

#include "koppla/project/composition.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/fmu_kind.hpp"
#include "koppla/project/groups.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/resolver.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::project {

/// The subsystems of a project in the making: FMUs are opened but not instantiated, native models and programs are
/// made, since they cost nothing, with the laws of coupling conditions composed into them. Those that one integrator is
/// to solve stay apart until they are joined.
class Parts {
 public:
  /// What cannot be opened or made becomes mistakes at the places that ask for it.
  Parts(const Project& project, core::Log& log, Findings& findings);

  /// The project with its conditions resolved into subsystems and connections. Members are those of this one.
  [[nodiscard]] const Project& project() const { return composition_.project; }
  [[nodiscard]] const std::vector<HeldJoint>& joints() const { return composition_.joints; }
  [[nodiscard]] const std::vector<std::size_t>& laws() const { return composition_.laws; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// By member; null where there is none because of a mistake. Valid until the member is taken.
  [[nodiscard]] std::vector<const subsystem::Description*> descriptions() const;

  /// The member, with micro steps of its own where its entry asks for them. Once for each that is in no group.
  std::unique_ptr<subsystem::Subsystem> take(std::size_t member, core::Log& log);
  /// The members of a group as one subsystem, solved by the host's integrator, with their start values set. Once for
  /// each; null where mistakes are in the way.
  std::unique_ptr<subsystem::Subsystem> takeJoint(const Group& group, const Resolution& resolution, core::Log& log,
                                                  Findings& findings);

 private:
  solver::JoinedPart takePart(std::size_t member, const Resolution& resolution, core::Log& log);
  std::vector<std::unique_ptr<subsystem::Subsystem>> staticInstances(std::size_t member, std::size_t count,
                                                                     core::Log& log);

  ProjectFmus fmus_;
  Composition composition_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<solver::Equations>> equations_;  ///< by member, of those in groups
  std::vector<std::unique_ptr<subsystem::Subsystem>> made_;    ///< by member; null for FMUs and in groups
};

}  // namespace koppla::project
