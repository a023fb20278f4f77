#include "koppla/mapping/detail/point_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nanoflann.hpp>

namespace koppla::mapping::detail {

namespace {

constexpr std::size_t kReachNeighbours = 8;  // the point itself is one of them

}  // namespace

double squaredDistance(const Position& a, const Position& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// What nanoflann asks of a set of points.
struct PointTree::Cloud {
  std::span<const Position> positions;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return positions.size(); }
  [[nodiscard]] double kdtree_get_pt(std::size_t point, std::size_t axis) const { return positions[point][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

struct PointTree::Index {
  using Tree =
      nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3, std::uint32_t>;

  explicit Index(std::span<const Position> positions) : cloud{positions}, tree(3, cloud) {}

  Cloud cloud;
  Tree tree;
};

PointTree::PointTree(std::span<const Position> positions)
    : index_(std::make_unique<Index>(positions)), size_(positions.size()) {}

PointTree::~PointTree() = default;

PointTree::Neighbour PointTree::nearest(const Position& place) const {
  Neighbour result;
  index_->tree.knnSearch(place.data(), 1, &result.index, &result.squaredDistance);
  return result;
}

std::span<const PointTree::Neighbour> PointTree::nearest(const Position& place, std::size_t count) {
  count = std::min(count, size_);
  indices_.resize(count);
  distances_.resize(count);
  neighbours_.resize(count);
  index_->tree.knnSearch(place.data(), count, indices_.data(), distances_.data());
  for (std::size_t i = 0; i < count; ++i) neighbours_[i] = {indices_[i], distances_[i]};
  return neighbours_;
}

std::span<const PointTree::Neighbour> PointTree::within(const Position& place, double radius) {
  const double square = std::max(radius * radius, std::numeric_limits<double>::min());
  nanoflann::SearchParams unsorted;
  unsorted.sorted = false;
  index_->tree.radiusSearch(place.data(), square, found_, unsorted);
  neighbours_.clear();
  for (const auto& [index, distance] : found_) neighbours_.push_back({index, distance});
  return neighbours_;
}

Reach::Reach(std::span<const Position> positions, PointTree& tree)
    : positions_(positions), tree_(tree), known_(positions.size(), -1.0) {}

double Reach::of(std::uint32_t point) {
  if (known_[point] < 0.0)
    known_[point] = 2.0 * std::sqrt(tree_.nearest(positions_[point], kReachNeighbours).back().squaredDistance);
  return known_[point];
}

}  // namespace koppla::mapping::detail
