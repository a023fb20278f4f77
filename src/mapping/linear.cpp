#include <numeric>
#include <optional>

#include "koppla/core/error.hpp"
#include "koppla/mapping/detail/point_tree.hpp"
#include "koppla/mapping/detail/simplex_tree.hpp"
#include "koppla/mapping/detail/spatial_order.hpp"
#include "koppla/mapping/detail/ties.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping {

namespace {

constexpr double kAllowedDistance = 0.1;  // of the longest edge

/// The one coordinate in which the points differ; empty where several do.
std::optional<std::size_t> onlyAxis(const Points& points) {
  std::array<bool, 3> varies{};
  for (const Position& position : points.positions)
    for (std::size_t i = 0; i < 3; ++i) varies[i] = varies[i] || position[i] != points.positions[0][i];
  if (std::ranges::count(varies, true) > 1) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(varies, true) - varies.begin()) % 3;
}

/// Segments from each point to the next along the axis; a single point is joined to itself.
std::vector<Simplex> joined(const Points& points, std::size_t axis) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return points.positions[i][axis]; });
  std::vector<Simplex> segments;
  for (std::size_t i = 1; i < order.size(); ++i) segments.push_back({{order[i - 1], order[i], 0, 0}, 2});
  if (segments.empty()) segments.push_back({{0, 0, 0, 0}, 2});
  return segments;
}

std::vector<Simplex> simplicesOf(const Points& points) {
  if (!points.simplices.empty()) return points.simplices;
  if (const auto axis = onlyAxis(points)) return joined(points, *axis);
  throw core::InputError(
      "Linear mapping needs a mesh of segments, triangles or tetrahedra where points are not on one coordinate axis.",
      "Give the mesh with its elements, or use radial basis or nearest mapping.");
}

double longestEdge(const Points& points, const Simplex& simplex) {
  double longest = 0.0;
  for (std::size_t i = 1; i < simplex.count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      longest = std::max(
          longest, detail::squaredDistance(points.positions[simplex.corners[i]], points.positions[simplex.corners[j]]));
  return std::sqrt(longest);
}

std::pair<SparseRows, Quality> tieToSimplices(const Points& receivers, const Points& givers) {
  const detail::SimplexTree tree(givers.positions, simplicesOf(givers));
  std::pair<SparseRows, Quality> result;
  auto& [rows, quality] = result;
  std::vector<detail::SimplexTree::Found> ties(receivers.size());
  for (const std::uint32_t i : detail::spatialOrder(receivers.positions)) {
    ties[i] = tree.nearest(receivers.positions[i]);
    detail::note(quality, i, std::sqrt(ties[i].place.squaredDistance),
                 kAllowedDistance * longestEdge(givers, *ties[i].simplex));
  }
  for (const detail::SimplexTree::Found& tie : ties) {
    for (std::size_t corner = 0; corner < tie.simplex->count; ++corner)
      if (tie.place.weights[corner] > 0.0) rows.append(tie.simplex->corners[corner], tie.place.weights[corner]);
    rows.endRow();
  }
  return result;
}

}  // namespace

Mapping linear(const Points& source, const Points& target, Form form) {
  return detail::mapped(source, target, form, tieToSimplices);
}

}  // namespace koppla::mapping
