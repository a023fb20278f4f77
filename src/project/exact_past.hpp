#pragma once

#include <memory>

#include "koppla/coupling/system.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/subsystem/overshoot.hpp"

namespace koppla::project {

/// The values of connected outputs before the start, by the project's exact solution.
class ExactPast {
 public:
  /// For a system whose members and connections are complete. An output that has no exact value becomes a mistake.
  ExactPast(const Project& project, const coupling::System& system, Findings& findings);
  ~ExactPast();

  [[nodiscard]] coupling::Past ofSystem() const;
  /// Of the connected outputs of one member.
  [[nodiscard]] subsystem::Past ofMember(coupling::MemberIndex member) const;

 private:
  struct Lookup;
  std::shared_ptr<const Lookup> lookup_;
};

}  // namespace koppla::project
