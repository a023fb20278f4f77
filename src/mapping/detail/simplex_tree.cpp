#include "koppla/mapping/detail/simplex_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace koppla::mapping::detail {

namespace {

constexpr std::uint32_t kLeaf = 4;

}  // namespace

SimplexTree::SimplexTree(std::span<const Position> positions, std::vector<Simplex> simplices)
    : positions_(positions), simplices_(std::move(simplices)), nodes_(1) {
  divide(0, 0, static_cast<std::uint32_t>(simplices_.size()));
}

SimplexTree::Box SimplexTree::boxOf(std::span<const Simplex> simplices) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Box box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const Simplex& simplex : simplices)
    for (std::size_t i = 0; i < simplex.count; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::min(box.low[axis], positions_[simplex.corners[i]][axis]);
        box.high[axis] = std::max(box.high[axis], positions_[simplex.corners[i]][axis]);
      }
  return box;
}

double SimplexTree::centre(const Simplex& simplex, std::size_t axis) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < simplex.count; ++i) sum += positions_[simplex.corners[i]][axis];
  return sum / simplex.count;
}

void SimplexTree::divide(std::uint32_t node, std::uint32_t first, std::uint32_t count) {
  const std::span<Simplex> mine = std::span(simplices_).subspan(first, count);
  const Box box = boxOf(mine);
  if (count <= kLeaf) {
    nodes_[node] = {box, first, count};
    return;
  }
  std::size_t axis = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (box.high[i] - box.low[i] > box.high[axis] - box.low[axis]) axis = i;
  const std::uint32_t half = count / 2;
  std::ranges::nth_element(mine, mine.begin() + half, {},
                           [&](const Simplex& simplex) { return centre(simplex, axis); });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node] = {box, children, 0};
  divide(children, first, half);
  divide(children + 1, first + half, count - half);
}

double SimplexTree::squaredDistanceTo(const Box& box, const Position& point) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double beyond = std::max({box.low[i] - point[i], point[i] - box.high[i], 0.0});
    sum += beyond * beyond;
  }
  return sum;
}

void SimplexTree::searchLeaf(const Node& leaf, const Position& point, Found& best) const {
  for (const Simplex& simplex : std::span(simplices_).subspan(leaf.first, leaf.count)) {
    std::array<Position, 4> corners{};
    for (std::size_t i = 0; i < simplex.count; ++i) corners[i] = positions_[simplex.corners[i]];
    const Closest place = closestPoint(std::span(corners).first(simplex.count), point);
    if (best.simplex == nullptr || place.squaredDistance < best.place.squaredDistance) best = {&simplex, place};
  }
}

void SimplexTree::search(std::uint32_t node, const Position& point, Found& best) const {
  const Node& here = nodes_[node];
  if (here.count > 0) return searchLeaf(here, point, best);
  std::array<std::pair<double, std::uint32_t>, 2> children{
      std::pair{squaredDistanceTo(nodes_[here.first].box, point), here.first},
      std::pair{squaredDistanceTo(nodes_[here.first + 1].box, point), here.first + 1}};
  if (children[1].first < children[0].first) std::swap(children[0], children[1]);
  for (const auto& [distance, child] : children)
    if (best.simplex == nullptr || distance < best.place.squaredDistance) search(child, point, best);
}

SimplexTree::Found SimplexTree::nearest(const Position& point) const {
  Found best;
  search(0, point, best);
  return best;
}

}  // namespace koppla::mapping::detail
