#include <numeric>

#include "koppla/core/error.hpp"
#include "koppla/mapping/detail/layers.hpp"
#include "koppla/mapping/detail/patch_assembly.hpp"
#include "koppla/mapping/detail/point_tree.hpp"
#include "koppla/mapping/detail/spatial_order.hpp"
#include "koppla/mapping/detail/ties.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping {

namespace {

using detail::PointTree;

void checkSettings(const RadialBasisSettings& settings) {
  const double least = settings.basis == Basis::wendland ? 1.0 : 0.5;
  if (settings.patchPoints < kLeastPatchPoints || settings.patchPoints > kMostPatchPoints)
    throw core::InputError(
        "A patch is to have " + std::to_string(settings.patchPoints) + " points.",
        "Choose from " + std::to_string(kLeastPatchPoints) + " to " + std::to_string(kMostPatchPoints) + ".");
  if (settings.degree != 1 && settings.degree != 2)
    throw core::InputError("The polynomial is to have the degree " + std::to_string(settings.degree) + ".",
                           "Choose 1 or 2.");
  if (!(settings.support >= least && settings.support <= 1e3))
    throw core::InputError("The support of the basis is to be " + std::to_string(settings.support) + " radii.",
                           "Choose at least 1 (wendland) or 0.5 (gaussian), and at most 1000.");
}

/// Points in the same place cannot be told apart by a basis; they stand for one, and share its weight.
struct Places {
  std::vector<Position> positions;                   ///< all different
  std::vector<std::vector<std::uint32_t>> pointsAt;  ///< empty where each place has one point, in their order
};

Places placesOf(const Points& points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return points.positions[i]; });
  std::vector<std::vector<std::uint32_t>> groups;
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return points.positions[a] == points.positions[b]; };
  if (std::ranges::adjacent_find(order, same) == order.end()) return {points.positions, {}};
  for (const std::uint32_t point : order) {
    if (groups.empty() || !same(groups.back().front(), point)) groups.emplace_back();
    groups.back().push_back(point);
  }
  Places result{{}, std::move(groups)};
  for (const auto& group : result.pointsAt) result.positions.push_back(points.positions[group.front()]);
  return result;
}

/// The receivers that interpolation is needed for, and where.
struct Wanted {
  std::vector<std::uint32_t> placeOf;  ///< of each receiver: the nearest giver
  std::vector<bool> interpolated;      ///< for each receiver: false where it takes that giver's value as it is
  std::vector<Position> positions;     ///< of those that are interpolated
};

/// On the way from a giver, no farther than `reach`: beside the givers a polynomial leads astray.
Position pulled(const Position& place, const Position& giver, double distance, double reach) {
  if (distance <= reach) return place;
  Position result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = giver[i] + (place[i] - giver[i]) * (reach / distance);
  return result;
}

std::pair<Wanted, Quality> wantedOf(const Points& receivers, std::span<const Position> givers, PointTree& tree) {
  detail::Reach reaches(givers, tree);
  const std::size_t count = receivers.size();
  std::pair<Wanted, Quality> result{{std::vector<std::uint32_t>(count), std::vector<bool>(count, false), {}}, {}};
  auto& [wanted, quality] = result;
  std::vector<Position> places(count);
  for (const std::uint32_t i : detail::spatialOrder(receivers.positions)) {
    const auto found = tree.nearest(receivers.positions[i]);
    wanted.placeOf[i] = found.index;
    if (!(found.squaredDistance > 0.0)) continue;
    const double distance = std::sqrt(found.squaredDistance);
    const double reach = reaches.of(found.index);
    detail::note(quality, i, distance, reach);
    places[i] = pulled(receivers.positions[i], givers[found.index], distance, reach);
    wanted.interpolated[i] = detail::squaredDistance(places[i], givers[found.index]) > 0.0;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (wanted.interpolated[i]) wanted.positions.push_back(places[i]);
  return result;
}

/// Linear fields, so the coordinates themselves, are met where patches see all that is around; where they are not, the
/// row tells the place whose values are taken.
void noteLayers(Quality& quality, const SparseRows& rows, const Points& receivers, const Wanted& wanted,
                std::span<const Position> givers, PointTree& tree) {
  detail::Reach reaches(givers, tree);
  detail::Layers layers(givers, tree, reaches);
  std::size_t row = 0;
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    if (!wanted.interpolated[i]) continue;
    Position taken{};
    for (std::size_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) taken[axis] += rows.weights[k] * givers[rows.columns[k]][axis];
    const bool isOutside = wanted.positions[row++] != receivers.positions[i];
    if (isOutside || !layers.hold(receivers.positions[i], taken, wanted.placeOf[i])) continue;
    if (quality.between++ == 0) quality.firstBetween = i;
  }
}

/// One row for each receiver, over points instead of places.
SparseRows completed(const SparseRows& interpolated, const Wanted& wanted, const Places& places) {
  SparseRows rows;
  const auto append = [&](std::uint32_t place, double weight) {
    if (places.pointsAt.empty()) return rows.append(place, weight);
    const auto& points = places.pointsAt[place];
    for (const std::uint32_t point : points) rows.append(point, weight / static_cast<double>(points.size()));
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < wanted.placeOf.size(); ++i) {
    if (!wanted.interpolated[i]) {
      append(wanted.placeOf[i], 1.0);
    } else {
      for (std::size_t k = interpolated.starts[next]; k < interpolated.starts[next + 1]; ++k)
        append(interpolated.columns[k], interpolated.weights[k]);
      ++next;
    }
    rows.endRow();
  }
  return rows;
}

std::pair<SparseRows, Quality> tieToPatches(const Points& receivers, const Points& givers,
                                            const RadialBasisSettings& settings) {
  const Places places = placesOf(givers);
  PointTree tree(places.positions);
  auto [wanted, quality] = wantedOf(receivers, places.positions, tree);
  const detail::Cover cover = detail::cover(places.positions, tree, wanted.positions, settings.patchPoints);
  SparseRows rows = detail::assemble(cover, places.positions, wanted.positions, settings);
  detail::normaliseRows(rows);
  noteLayers(quality, rows, receivers, wanted, places.positions, tree);
  const bool complete = places.pointsAt.empty() && wanted.positions.size() == receivers.size();
  if (!complete) rows = completed(rows, wanted, places);
  return {std::move(rows), quality};
}

}  // namespace

Mapping radialBasis(const Points& source, const Points& target, Form form, const RadialBasisSettings& settings) {
  checkSettings(settings);
  return detail::mapped(source, target, form, [&](const Points& receivers, const Points& givers) {
    return tieToPatches(receivers, givers, settings);
  });
}

}  // namespace koppla::mapping
