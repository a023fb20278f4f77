#include <numeric>

#include "koppla/mapping/detail/point_tree.hpp"
#include "koppla/mapping/detail/spatial_order.hpp"
#include "koppla/mapping/detail/ties.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping {

namespace {

std::pair<SparseRows, Quality> tieToNearest(const Points& receivers, const Points& givers) {
  detail::PointTree tree(givers.positions);
  detail::Reach reach(givers.positions, tree);
  std::pair<SparseRows, Quality> result;
  auto& [rows, quality] = result;
  rows.columns.resize(receivers.size());
  rows.weights.assign(receivers.size(), 1.0);
  for (const std::uint32_t i : detail::spatialOrder(receivers.positions)) {
    const auto found = tree.nearest(receivers.positions[i]);
    rows.columns[i] = found.index;
    if (found.squaredDistance > 0.0) detail::note(quality, i, std::sqrt(found.squaredDistance), reach.of(found.index));
  }
  rows.starts.resize(receivers.size() + 1);
  std::iota(rows.starts.begin(), rows.starts.end(), std::size_t{0});
  return result;
}

}  // namespace

Mapping nearest(const Points& source, const Points& target, Form form) {
  return detail::mapped(source, target, form, tieToNearest);
}

}  // namespace koppla::mapping
