#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "koppla/mapping/points.hpp"

namespace koppla::mapping::detail {

double squaredDistance(const Position& a, const Position& b);

/// Finds points by place. The positions outlive the tree and do not change.
class PointTree {
 public:
  struct Neighbour {
    std::uint32_t index = 0;
    double squaredDistance = 0.0;
  };

  explicit PointTree(std::span<const Position> positions);
  ~PointTree();
  PointTree(const PointTree&) = delete;
  PointTree& operator=(const PointTree&) = delete;

  /// There is at least one point.
  [[nodiscard]] Neighbour nearest(const Position& place) const;
  /// The nearest `count` points (or all), the nearest first; valid until the next call.
  std::span<const Neighbour> nearest(const Position& place, std::size_t count);
  /// All points nearer than the radius, in no order; valid until the next call.
  std::span<const Neighbour> within(const Position& place, double radius);

 private:
  struct Cloud;
  struct Index;

  std::unique_ptr<Index> index_;
  std::size_t size_;
  std::vector<std::uint32_t> indices_;
  std::vector<double> distances_;
  std::vector<std::pair<std::uint32_t, double>> found_;
  std::vector<Neighbour> neighbours_;
};

/// How far from a point others still belong to its cloud, looked up only where it is asked for.
class Reach {
 public:
  Reach(std::span<const Position> positions, PointTree& tree);

  /// Twice the distance to the seventh neighbour (the last one where there are fewer, 0 for a single point): in clouds
  /// without order, places in gaps between points are that far from the nearest one.
  double of(std::uint32_t point);

 private:
  std::span<const Position> positions_;
  PointTree& tree_;
  std::vector<double> known_;  ///< negative where it is not known
};

}  // namespace koppla::mapping::detail
