#include "koppla/mapping/detail/simplex_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "meshes.hpp"
#include "support/extremes.hpp"

namespace koppla::mapping::simplex_tree_test {
namespace {

using detail::SimplexTree;

detail::Closest closestOn(const Simplex& simplex, const std::vector<Position>& positions, const Position& point) {
  std::vector<Position> corners;
  for (std::size_t i = 0; i < simplex.count; ++i) corners.push_back(positions[simplex.corners[i]]);
  return detail::closestPoint(corners, point);
}

/// Small simplices of all kinds anywhere in a box.
Points scattered(std::size_t count, const Position& origin, const Position& sides, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Points points;
  for (std::size_t n = 0; n < count; ++n) {
    Simplex simplex{{}, static_cast<std::uint32_t>(2 + n % 3)};
    Position centre{};
    for (std::size_t axis = 0; axis < 3; ++axis) centre[axis] = origin[axis] + sides[axis] * unit(random);
    for (std::uint32_t i = 0; i < simplex.count; ++i) {
      simplex.corners[i] = static_cast<std::uint32_t>(points.size());
      Position corner = centre;
      for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] += 0.3 * (unit(random) - 0.5);
      points.positions.push_back(corner);
    }
    points.simplices.push_back(simplex);
  }
  return points;
}

TEST(SimplexTree, FindsWhatASearchOverAllSimplicesFinds) {
  unsigned seed = 0;
  for (const std::size_t count : {1U, 4U, 5U, 9U, 200U})
    for (const Position& origin : {Position{3.0, 4.0, 5.0}, Position{-8.0, -9.0, -7.0}, Position{-1.0, -1.0, -1.0}})
      for (const Position& sides : {Position{2.0, 1.0, 1.0}, Position{1.0, 2.0, 1.0}, Position{1.0, 1.0, 2.0}}) {
        const Points mesh = scattered(count, origin, sides, ++seed);
        const SimplexTree tree(mesh.positions, mesh.simplices);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> around(-0.5, 1.5);
        for (int round = 0; round < 20; ++round) {
          Position point{};
          for (std::size_t axis = 0; axis < 3; ++axis) point[axis] = origin[axis] + sides[axis] * around(random);
          koppla::test::Smallest smallest;
          for (const Simplex& simplex : mesh.simplices)
            smallest.see(closestOn(simplex, mesh.positions, point).squaredDistance);
          const SimplexTree::Found found = tree.nearest(point);
          ASSERT_NE(found.simplex, nullptr);
          EXPECT_NEAR(found.place.squaredDistance, smallest, 1e-13) << count;
          EXPECT_EQ(closestOn(*found.simplex, mesh.positions, point).squaredDistance, found.place.squaredDistance);
        }
      }
}

/// Between two plates of many triangles the plate that was given first is the nearest, and of its triangles at a common
/// corner the first, wherever the tree has divided them.
TEST(SimplexTree, OfSeveralAtTheSameDistanceFindsTheFirst) {
  for (const double lower : {0.0, 2.0}) {
    Points plates;
    for (const double height : {lower, 2.0 - lower})
      for (std::uint32_t k = 0; k < 8; ++k) {
        const auto first = static_cast<std::uint32_t>(plates.size());
        for (const Position& corner :
             {Position{0.0, height, 0.0}, Position{1.0, height, k / 8.0}, Position{1.0, height, (k + 1) / 8.0}})
          plates.positions.push_back(corner);
        plates.simplices.push_back({{first, first + 1, first + 2}, 3});
      }
    const SimplexTree tree(plates.positions, plates.simplices);
    EXPECT_EQ(tree.nearest({0.0, 1.0, 0.0}).index, 0U);
    EXPECT_EQ(tree.nearest({-1.0, 1.0, -1.0}).index, 0U);
    EXPECT_EQ(tree.nearest({1.0, 1.0, 0.5}).index, 3U) << "a corner of the fourth and the fifth";
    EXPECT_EQ(tree.nearest({1.0, 1.0, 0.5}).simplex->corners[0], 9U);
  }
}

/// All 2.4e9 pairs would take minutes. The order in which simplices come is no help to those who expect it.
TEST(SimplexTree, LooksAtFewOfManySimplices) {
  Points mesh = test::gridMesh(2, 200, 0.3);  // 80000 triangles
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::ranges::shuffle(mesh.simplices, std::mt19937(1));
    const SimplexTree tree(mesh.positions, mesh.simplices);
    for (const Position& place : test::randomCloud(2, 30000, 1).positions)
      ASSERT_LT(tree.nearest(place).place.squaredDistance, 1e-28);
  }
}

/// A line of 1e5 segments along each axis, far beside the origin: who looked at another axis would meet 1e10 of them.
TEST(SimplexTree, LooksAtFewOfManySegmentsOfALine) {
  constexpr std::uint32_t kSegments = 100000;
  constexpr Position kBeside{1e6, 1e6, 1e6};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<Position> positions(kSegments + 1, kBeside);
    for (std::uint32_t i = 0; i <= kSegments; ++i) positions[i][axis] = i;
    std::vector<Simplex> segments;
    for (std::uint32_t i = 0; i < kSegments; ++i) segments.push_back({{i, i + 1}, 2});
    std::mt19937 random(1);
    std::ranges::shuffle(segments, random);
    const SimplexTree tree(positions, segments);
    std::uniform_int_distribution<std::uint32_t> which(0, kSegments - 1);
    for (std::uint32_t n = 0; n < kSegments; ++n) {
      const std::uint32_t segment = which(random);
      Position place = kBeside;
      place[axis] = segment + 0.25;
      const SimplexTree::Found found = tree.nearest(place);
      ASSERT_EQ(found.simplex->corners[0], segment);
      ASSERT_EQ(found.place.squaredDistance, 0.0);
    }
  }
}

}  // namespace
}  // namespace koppla::mapping::simplex_tree_test
