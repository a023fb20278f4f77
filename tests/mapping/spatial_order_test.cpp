#include "koppla/mapping/detail/spatial_order.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::spatial_order_test {
namespace {

using Order = std::vector<std::uint32_t>;

/// Morton's number: the 21 bits of each coordinate in the cube around all points take turns, x in the lowest place.
std::vector<std::uint64_t> mortonNumbers(const std::vector<Position>& positions) {
  Position low = positions[0], high = positions[0];
  for (const Position& position : positions)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], position[axis]);
      high[axis] = std::max(high[axis], position[axis]);
    }
  const double side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  constexpr double kCells = 2097151.0;  // 2^21 - 1
  std::vector<std::uint64_t> numbers;
  for (const Position& position : positions) {
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cell = side > 0.0 ? static_cast<std::uint64_t>((position[axis] - low[axis]) * (kCells / side)) : 0;
      for (unsigned bit = 0; bit < 21; ++bit) number |= (cell >> bit & 1U) << (3 * bit + axis);
    }
    numbers.push_back(number);
  }
  return numbers;
}

Order expectedOrder(const std::vector<Position>& positions) {
  const std::vector<std::uint64_t> numbers = mortonNumbers(positions);
  Order order(positions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return numbers[i]; });
  return order;
}

/// A cloud somewhere in space, longest along one of the axes.
std::vector<Position> placed(unsigned seed, const Position& origin, const Position& sides) {
  std::vector<Position> positions = test::randomCloud(3, 300, seed).positions;
  for (Position& position : positions)
    for (std::size_t axis = 0; axis < 3; ++axis) position[axis] = origin[axis] + sides[axis] * position[axis];
  return positions;
}

TEST(SpatialOrder, FollowsMortonsCurve) {
  for (unsigned seed = 0; seed < 5; ++seed)
    for (const Position& sides : {Position{3.0, 2.0, 1.0}, Position{0.1, 0.7, 0.3}, Position{0.01, 0.02, 0.05}})
      for (const Position& origin : {Position{0.0, 0.0, 0.0}, Position{7.0, -11.0, 5.0}, Position{-4.0, 6.0, -9.0}}) {
        const std::vector<Position> positions = placed(seed, origin, sides);
        EXPECT_EQ(detail::spatialOrder(positions), expectedOrder(positions)) << seed;
      }
}

TEST(SpatialOrder, TellsNeighboursOfTheFinestCellsApart) {
  const double cell = 1.0 / 2097151.0;
  std::vector<Position> positions{{1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}};
  for (int i = 30; i > 0; --i) positions.push_back({1.5 * cell * i, 2.5 * cell * (i % 7), 3.5 * cell * (i % 5)});
  EXPECT_EQ(detail::spatialOrder(positions), expectedOrder(positions));
}

TEST(SpatialOrder, PointsOfOnePlaceKeepTheirOrder) {
  EXPECT_EQ(detail::spatialOrder(std::vector<Position>(4, Position{1.0, 2.0, 3.0})), (Order{0, 1, 2, 3}));
  EXPECT_EQ(detail::spatialOrder(std::vector<Position>{{1.0, 2.0, 3.0}}), Order{0});
  EXPECT_EQ(detail::spatialOrder({}), Order{});
}

}  // namespace
}  // namespace koppla::mapping::spatial_order_test
