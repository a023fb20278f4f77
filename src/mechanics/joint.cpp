#include "koppla/mechanics/joint.hpp"

#include <algorithm>

#include "koppla/mechanics/detail/joint_equations.hpp"

namespace koppla::mechanics {

std::string_view word(JointKind kind) {
  switch (kind) {
    case JointKind::atpoint:
      return "atpoint";
    case JointKind::inplane:
      return "inplane";
    case JointKind::perpendicular:
      return "perpendicular";
    case JointKind::universal:
      return "universal";
    case JointKind::revolute:
      return "revolute";
    case JointKind::translational:
      return "translational";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::planar:
      return "planar";
    case JointKind::inlinePoint:
      return "inline";
    case JointKind::orientation:
      return "orientation";
    case JointKind::fixed:
      return "fixed";
  }
  return {};
}

std::optional<JointKind> jointKindNamed(std::string_view name) {
  const auto* const found = std::ranges::find_if(kJointKinds, [name](JointKind kind) { return word(kind) == name; });
  if (found == kJointKinds.end()) return std::nullopt;
  return *found;
}

std::string_view word(Alignment alignment) {
  return alignment == Alignment::perpendicular ? "perpendicular" : "parameters";
}

std::optional<Alignment> alignmentNamed(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kAlignments, [name](Alignment alignment) { return word(alignment) == name; });
  if (found == kAlignments.end()) return std::nullopt;
  return *found;
}

std::size_t rows(const Joint& joint) {
  return detail::JointEquations(joint).rows();
}

}  // namespace koppla::mechanics
