#pragma once

#include <cstddef>

#include "koppla/mapping/operator.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping {

/// What the mapping keeps. Consistent is for values (displacements, temperatures, pressures): each target value is a
/// mean of source values with weights that sum to 1. Conservative is for amounts (forces, heat flows): each source
/// amount is divided among targets with weights that sum to 1, so that totals stay. It is the transpose of the
/// consistent mapping the other way, and does the same work: forces and displacements mapped by such a pair.
enum class Form { consistent, conservative };

/// How well two meshes fit. *Receivers* are the points that look for their counterpart: the targets of a consistent
/// mapping, the sources of a conservative one.
struct Quality {
  double largestDistance = 0.0;  ///< from a receiver to what it is tied to: a point, or the nearest place of a simplex
  std::size_t farthest = 0;      ///< index of that receiver
  std::size_t outside = 0;       ///< receivers that are farther away than the other mesh's spacing there allows
  std::size_t unused = 0;        ///< points of the other mesh that no receiver is tied to
  /// Radial basis: receivers between layers of the other mesh that take the values of one of them, and the first of
  /// these.
  std::size_t between = 0;
  std::size_t firstBetween = 0;
};

struct Mapping {
  Operator map;  ///< rows: targets, columns: sources
  Quality quality;
};

/// Each receiver is tied to the nearest point. Outside: farther away than twice the distance from that point to its
/// seventh neighbour.
Mapping nearest(const Points& source, const Points& target, Form form);

/// Each receiver is tied to the corners of the nearest simplex with the barycentric coordinates of its nearest place
/// there. Clouds without simplices are accepted where only one coordinate varies: neighbours along it are joined.
/// Outside: farther away than a tenth of the longest edge of that simplex. The mesh that the receivers are tied to
/// needs simplices: the source if consistent, the target if conservative.
Mapping linear(const Points& source, const Points& target, Form form);

enum class Basis {
  wendland,  ///< (1 - r)^4 (4 r + 1), r = distance / support
  gaussian   ///< exp(-ln(1e9) r^2): 1e-9 at the support
};

/// Few points in space are at times spread so unevenly that they are taken for a surface; linear fields are then not
/// exact. From this number on that was not seen in 600 random clouds.
constexpr std::size_t kLeastPatchPoints = 24;
constexpr std::size_t kMostPatchPoints = 1000;

struct RadialBasisSettings {
  Basis basis = Basis::wendland;
  std::size_t patchPoints = 30;  ///< points in a patch (all of them where there are fewer)
  int degree = 2;                ///< of the polynomial in each patch: 1 or 2; lower where a patch does not determine it
  double support = 3.0;          ///< of the basis, in radii of the patch; at least 1 (wendland), 0.5 (gaussian)
};

/// Each receiver is tied to the points of all patches that it lies in. Outside: farther from the nearest point than
/// twice the distance from there to its seventh neighbour; such a receiver takes the value of the place at that
/// distance on the way to it.
Mapping radialBasis(const Points& source, const Points& target, Form form, const RadialBasisSettings& settings = {});

}  // namespace koppla::mapping
