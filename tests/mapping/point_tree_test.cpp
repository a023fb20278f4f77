#include "koppla/mapping/detail/point_tree.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::point_tree_test {
namespace {

using detail::PointTree;

/// Squares of the distances of all points, by index.
std::vector<double> squaresFrom(const Position& place, const std::vector<Position>& positions) {
  std::vector<double> squares;
  for (const Position& position : positions)
    squares.push_back(std::pow(position[0] - place[0], 2) + std::pow(position[1] - place[1], 2) +
                      std::pow(position[2] - place[2], 2));
  return squares;
}

std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}

TEST(PointTree, DistancesAreThoseOfPythagoras) {
  EXPECT_EQ(detail::squaredDistance({1.0, 2.0, 3.0}, {4.0, -2.0, 15.0}), 9.0 + 16.0 + 144.0);
  EXPECT_EQ(detail::squaredDistance({1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}), 0.0);
}

TEST(PointTree, FindsWhatASearchOverAllPointsFinds) {
  const std::vector<Position> positions = test::randomCloud(3, 300, 1).positions;
  PointTree tree(positions);
  for (const Position& place : test::randomCloud(3, 40, 2, -0.3).positions) {
    const std::vector<double> squares = squaresFrom(place, positions);
    const std::vector<double> ranked = sorted(squares);
    const PointTree::Neighbour one = tree.nearest(place);
    EXPECT_NEAR(one.squaredDistance, ranked[0], 1e-15);
    EXPECT_NEAR(squares[one.index], ranked[0], 1e-15);
    for (const std::size_t count : {30U, 5U, 300U, 400U, 1U}) {
      const auto found = tree.nearest(place, count);
      ASSERT_EQ(found.size(), std::min<std::size_t>(count, 300));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i].squaredDistance, ranked[i], 1e-15);
        EXPECT_NEAR(squares[found[i].index], ranked[i], 1e-15);
      }
    }
    for (const double radius : {0.5, 0.05, 0.2, 2.0}) {
      std::vector<std::uint32_t> found, expected;
      for (const auto& [index, square] : tree.within(place, radius)) {
        found.push_back(index);
        EXPECT_NEAR(square, squares[index], 1e-15);
      }
      std::ranges::sort(found);
      for (std::uint32_t i = 0; i < squares.size(); ++i)
        if (squares[i] < radius * radius) expected.push_back(i);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(PointTree, AtAPointTheRadiusMayBeZero) {
  const std::vector<Position> positions{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  PointTree tree(positions);
  ASSERT_EQ(tree.within(positions[1], 0.0).size(), 1U);
  EXPECT_EQ(tree.within(positions[1], 0.0)[0].index, 1U);
}

/// Twice the distance to the seventh neighbour, or the last one.
TEST(PointTree, ReachesAreTwiceTheDistanceToTheSeventhNeighbour) {
  for (const std::size_t count : {50U, 8U, 7U, 3U, 2U, 1U}) {
    const std::vector<Position> positions = test::randomCloud(3, count, 3).positions;
    PointTree tree(positions);
    detail::Reach reach(positions, tree);
    for (int again = 0; again < 2; ++again)
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::vector<double> ranked = sorted(squaresFrom(positions[i], positions));
        EXPECT_NEAR(reach.of(i), 2.0 * std::sqrt(ranked[std::min<std::size_t>(7, count - 1)]), 1e-14) << count;
      }
  }
}

}  // namespace
}  // namespace koppla::mapping::point_tree_test
