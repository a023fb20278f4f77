#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "koppla/mechanics/rotation.hpp"
#include "koppla/subsystem/force_law.hpp"

namespace koppla::mechanics {

using Vector = std::array<double, 3>;

/// A place on a body, in its frame: a point, seen from the centre of mass (m), and two directions; the third one is
/// axis x cross. Lengths of the directions do not matter; of `cross` only the part at right angles to `axis` counts.
struct Place {
  Vector at{};
  Vector axis{0.0, 0.0, 1.0};
  Vector cross{1.0, 0.0, 0.0};
};

/// What a joint between two bodies holds (rigid), or holds softly (flexible); Lu, sec. 2.2.2 and 3.2.2. All are put
/// together from the base elements atpoint, inplane and perpendicular; docs/joints.md has the table.
enum class JointKind : std::uint8_t {
  atpoint,        ///< the points coincide (ball joint)
  inplane,        ///< the first point lies in the plane through the second one at right angles to second.axis
  perpendicular,  ///< the two axes are at right angles
  universal,      ///< atpoint and perpendicular
  revolute,       ///< the points coincide, the axes are parallel
  translational,  ///< the first point lies on the second axis, the frames of the places are parallel
  cylindrical,    ///< the first point lies on the second axis, the axes are parallel
  planar,         ///< inplane, the axes are parallel
  inlinePoint,    ///< the first point lies on the second axis; "inline"
  orientation,    ///< the frames of the places are parallel
  fixed,          ///< atpoint and orientation
};

inline constexpr std::array kJointKinds{JointKind::atpoint,     JointKind::inplane,  JointKind::perpendicular,
                                        JointKind::universal,   JointKind::revolute, JointKind::translational,
                                        JointKind::cylindrical, JointKind::planar,   JointKind::inlinePoint,
                                        JointKind::orientation, JointKind::fixed};

/// The word in project files and messages, such as "inline", and back.
std::string_view word(JointKind kind);
std::optional<JointKind> jointKindNamed(std::string_view word);

/// How `fixed` and `orientation` hold orientations equal.
enum class Alignment : std::uint8_t {
  perpendicular,  ///< by three perpendicular elements: the frames of the places are parallel
  /// By equality of the rotation parameters (Lu (189)): the frames of the bodies are parallel, directions of the places
  /// do not matter. Both bodies need the same three angles. Planar bodies are always held by their angles.
  parameters,
};

inline constexpr std::array kAlignments{Alignment::perpendicular, Alignment::parameters};

std::string_view word(Alignment alignment);
std::optional<Alignment> alignmentNamed(std::string_view word);

/// A joint between two bodies, both in space or both in the plane.
struct Joint {
  JointKind kind = JointKind::atpoint;
  Place first{};
  Place second{};
  Rotation firstRotation = Rotation::cardan;
  Rotation secondRotation = Rotation::cardan;
  Alignment alignment = Alignment::perpendicular;
  /// Flexible joints only: moments of perpendicular elements are divided by |e_i x e_j|, so that lambda is their
  /// magnitude. For soft springs, where the axes may come near to each other.
  bool scaled = false;
};

/// Number of equations, which is the number of multipliers. Throws core::InputError for a joint that makes no sense:
/// kinds without a meaning in the plane, directions that are no directions, alignments without three angles.
std::size_t rows(const Joint& joint);

/// Force laws of a flexible joint, one per row: lambda_k = law(-g_k, -g_k'), so that SpringDamper restores.
using Laws = std::vector<std::shared_ptr<const subsystem::ForceLaw>>;

}  // namespace koppla::mechanics
