#include "koppla/mapping/detail/point_tree.hpp"
#include "koppla/mapping/detail/ties.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping {

namespace {

std::pair<SparseRows, Quality> tieToNearest(const Points& receivers, const Points& givers) {
  detail::PointTree tree(givers.positions);
  detail::Spacing spacing(givers.positions, tree);
  std::pair<SparseRows, Quality> result;
  auto& [rows, quality] = result;
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const auto found = tree.nearest(receivers.positions[i]);
    rows.append(found.index, 1.0);
    rows.endRow();
    if (found.squaredDistance > 0.0)
      detail::note(quality, i, std::sqrt(found.squaredDistance), spacing.at(found.index));
  }
  return result;
}

}  // namespace

Mapping nearest(const Points& source, const Points& target, Form form) {
  return detail::mapped(source, target, form, tieToNearest);
}

}  // namespace koppla::mapping
