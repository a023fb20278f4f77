#pragma once

#include <string>

#include "koppla/mechanics/multibody.hpp"
#include "koppla/project/composition.hpp"
#include "koppla/project/condition.hpp"
#include "koppla/project/findings.hpp"

namespace koppla::project {

/// One end of a condition between bodies: a marker of a multibody model, which is not integrated yet.
struct BodyEnd {
  std::string subsystem;
  const mechanics::MarkerSettings* marker;
  mechanics::Rotation rotation;
  mechanics::Multibody* system;

  [[nodiscard]] std::string name() const { return subsystem + "." + marker->name; }
};

/// Gives both bodies their shares in the joint, rigid or flexible, and connects them with each other or with a member
/// that compares them.
void composeBodies(const ConditionEntry& condition, const BodyEnd& first, const BodyEnd& second, Composition& result,
                   Findings& findings);

}  // namespace koppla::project
