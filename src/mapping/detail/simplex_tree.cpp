#include "koppla/mapping/detail/simplex_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace koppla::mapping::detail {

namespace {

constexpr std::size_t kLeaf = 4;

/// Widens a box until it holds another.
void extend(Position& low, Position& high, const Position& otherLow, const Position& otherHigh) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = std::min(low[axis], otherLow[axis]);
    high[axis] = std::max(high[axis], otherHigh[axis]);
  }
}

}  // namespace

SimplexTree::SimplexTree(std::span<const Position> positions, std::vector<Simplex> simplices)
    : positions_(positions), simplices_(std::move(simplices)), nodes_(1) {
  std::vector<Centre> order = centres();
  divide(0, order, 0);
  std::vector<Simplex> sorted;
  sorted.reserve(simplices_.size());
  for (const Centre& centre : order) {
    sorted.push_back(simplices_[centre.simplex]);
    given_.push_back(centre.simplex);
  }
  simplices_ = std::move(sorted);
  fitBoxes();
}

SimplexTree::Box SimplexTree::boxOf(std::span<const Simplex> simplices) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Box box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const Simplex& simplex : simplices)
    for (std::size_t i = 0; i < simplex.count; ++i)
      extend(box.low, box.high, positions_[simplex.corners[i]], positions_[simplex.corners[i]]);
  return box;
}

std::vector<SimplexTree::Centre> SimplexTree::centres() const {
  std::vector<Centre> result;
  result.reserve(simplices_.size());
  for (const Simplex& simplex : simplices_) {
    Centre centre{{}, static_cast<std::uint32_t>(result.size())};
    for (std::size_t i = 0; i < simplex.count; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        centre.position[axis] += positions_[simplex.corners[i]][axis] / simplex.count;
    result.push_back(centre);
  }
  return result;
}

void SimplexTree::divide(std::uint32_t node, std::span<Centre> mine, std::uint32_t first) {
  if (mine.size() <= kLeaf) {
    nodes_[node] = {{}, first, static_cast<std::uint32_t>(mine.size())};
    return;
  }
  Box box{mine.front().position, mine.front().position};
  for (const Centre& centre : mine) extend(box.low, box.high, centre.position, centre.position);
  std::size_t axis = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (box.high[i] - box.low[i] > box.high[axis] - box.low[axis]) axis = i;
  const std::size_t half = mine.size() / 2;
  std::ranges::nth_element(mine, mine.begin() + static_cast<std::ptrdiff_t>(half), {},
                           [&](const Centre& centre) { return centre.position[axis]; });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node] = {{}, children, 0};
  divide(children, mine.first(half), first);
  divide(children + 1, mine.subspan(half), first + static_cast<std::uint32_t>(half));
}

/// From the leaves up: children stand behind their parents.
void SimplexTree::fitBoxes() {
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    if (node.count > 0) {
      node.box = boxOf(std::span(simplices_).subspan(node.first, node.count));
      continue;
    }
    node.box = nodes_[node.first].box;
    const Box& other = nodes_[node.first + 1].box;
    extend(node.box.low, node.box.high, other.low, other.high);
  }
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
  for (std::uint32_t at = leaf.first; at < leaf.first + leaf.count; ++at) {
    const Simplex& simplex = simplices_[at];
    const bool first = best.simplex == nullptr;
    if (!first && squaredDistanceTo(boxOf({&simplex, 1}), point) > best.place.squaredDistance) continue;
    std::array<Position, 4> corners{};
    for (std::size_t i = 0; i < simplex.count; ++i) corners[i] = positions_[simplex.corners[i]];
    const Closest place = closestPoint(std::span(corners).first(simplex.count), point);
    if (first || std::pair(place.squaredDistance, given_[at]) < std::pair(best.place.squaredDistance, best.index))
      best = {&simplex, given_[at], place};
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
    if (best.simplex == nullptr || distance <= best.place.squaredDistance) search(child, point, best);
}

SimplexTree::Found SimplexTree::nearest(const Position& point) const {
  Found best;
  search(0, point, best);
  return best;
}

}  // namespace koppla::mapping::detail
