#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/mapping/detail/closest_point.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping::detail {

/// Finds the simplex that is nearest to a place: a tree of boxes, each divided at the median of the centres along its
/// longest side of what these fill. There is at least one simplex; the positions outlive the tree. Of several at the
/// same distance it is the one that was given first.
class SimplexTree {
 public:
  SimplexTree(std::span<const Position> positions, std::vector<Simplex> simplices);

  struct Found {
    const Simplex* simplex = nullptr;
    std::uint32_t index = 0;  ///< of the simplex among those given
    Closest place;
  };
  [[nodiscard]] Found nearest(const Position& point) const;

 private:
  struct Box {
    Position low;
    Position high;
  };
  /// Two children follow each other; a leaf has its simplices instead.
  struct Node {
    Box box;
    std::uint32_t first = 0;  ///< child or simplex
    std::uint32_t count = 0;  ///< simplices of a leaf, 0 for a branch
  };

  struct Centre {
    Position position;
    std::uint32_t simplex = 0;
  };

  [[nodiscard]] Box boxOf(std::span<const Simplex> simplices) const;
  [[nodiscard]] std::vector<Centre> centres() const;
  void divide(std::uint32_t node, std::span<Centre> mine, std::uint32_t first);
  void fitBoxes();
  void search(std::uint32_t node, const Position& point, Found& best) const;
  void searchLeaf(const Node& leaf, const Position& point, Found& best) const;
  static double squaredDistanceTo(const Box& box, const Position& point);

  std::span<const Position> positions_;
  std::vector<Simplex> simplices_;
  std::vector<std::uint32_t> given_;  ///< their indices among those given
  std::vector<Node> nodes_;
};

}  // namespace koppla::mapping::detail
