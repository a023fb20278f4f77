// How well meshes fit, and which points are tied, against a search over all of them.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::quality_test {
namespace {

using test::cloud;
using Numbers = std::vector<double>;

double distance(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// To the nearest giver, and to each giver's seventh neighbour.
struct Search {
  std::vector<std::size_t> nearest;
  Numbers distances, seventh;

  Search(const Points& receivers, const Points& givers) {
    for (const Position& receiver : receivers.positions) {
      std::size_t best = 0;
      for (std::size_t j = 1; j < givers.size(); ++j)
        if (distance(receiver, givers.positions[j]) < distance(receiver, givers.positions[best])) best = j;
      nearest.push_back(best);
      distances.push_back(distance(receiver, givers.positions[best]));
    }
    for (const Position& giver : givers.positions) {
      Numbers all;
      for (const Position& other : givers.positions) all.push_back(distance(giver, other));
      std::ranges::sort(all);
      seventh.push_back(all[std::min<std::size_t>(7, all.size() - 1)]);
    }
  }
};

/// `allowed` in distances to the seventh neighbour.
void expectQuality(const Quality& quality, const Points& receivers, const Points& givers, double allowed) {
  const Search search(receivers, givers);
  const auto largest = std::ranges::max_element(search.distances);
  EXPECT_NEAR(quality.largestDistance, *largest, 1e-14);
  EXPECT_EQ(quality.farthest, static_cast<std::size_t>(largest - search.distances.begin()));
  std::size_t outside = 0;
  for (std::size_t i = 0; i < receivers.size(); ++i)
    if (search.distances[i] > allowed * search.seventh[search.nearest[i]]) ++outside;
  EXPECT_EQ(quality.outside, outside);
  EXPECT_GT(outside, 0U);
}

TEST(Quality, OfNearestAndRadialBasisIsThatOfTheNearestPoints) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Points givers = test::randomCloud(3, 80, seed);
    const Points receivers = test::randomCloud(3, 120, seed + 10, -0.8);
    for (const bool consistent : {true, false}) {
      const Points& source = consistent ? givers : receivers;
      const Points& target = consistent ? receivers : givers;
      const Form form = consistent ? Form::consistent : Form::conservative;
      const Mapping byNearest = nearest(source, target, form);
      expectQuality(byNearest.quality, receivers, givers, 2.0);
      expectQuality(radialBasis(source, target, form).quality, receivers, givers, 2.0);
      const Search search(receivers, givers);
      std::vector<std::size_t> tied = search.nearest;
      std::ranges::sort(tied);
      tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
      EXPECT_EQ(byNearest.quality.unused, givers.size() - tied.size());
      const SparseRows rows = (consistent ? byNearest.map : byNearest.map.transposed()).entries();
      for (std::size_t i = 0; i < receivers.size(); ++i) EXPECT_EQ(rows.columns[i], search.nearest[i]);
    }
  }
}

/// A tenth of the longest edge, whichever corners it joins.
TEST(Quality, OfLinearMappingAllowsATenthOfTheLongestEdge) {
  const std::vector<Position> corners{{0.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}};
  const double longest = std::sqrt(10.0);  // from the second to the third, or the fourth
  for (const std::uint32_t count : {3U, 4U}) {
    std::array<std::uint32_t, 4> order{0, 1, 2, 3};
    do {
      if (count == 3 && order[3] != 3) continue;
      Points mesh = cloud(corners);
      mesh.simplices = {{order, count}};
      const auto outside = [&](double height) {
        return linear(mesh, cloud({{0.5, 0.25, height}}), Form::consistent).quality.outside;
      };
      EXPECT_EQ(outside(0.1 * longest * 0.999), 0U);
      EXPECT_EQ(outside(0.1 * longest * 1.001), 1U);
    } while (std::ranges::next_permutation(order).found);
  }
}

/// Some edge of a tetrahedron is the longest one.
TEST(Quality, OfLinearMappingLooksAtEveryEdge) {
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < a; ++b) {
      std::vector<Position> corners(4);
      const double s = 1.0 / std::numbers::sqrt2;
      std::array<Position, 4> regular{{{1, 0, -s}, {-1, 0, -s}, {0, 1, s}, {0, -1, s}}};  // edges of 2
      std::size_t next = 2;
      for (std::uint32_t i = 0; i < 4; ++i)
        corners[i] = i == a ? Position{2, 0, -s} : i == b ? Position{-2, 0, -s} : regular[next++];  // an edge of 4
      Points mesh = cloud(corners);
      mesh.simplices = {{{0, 1, 2, 3}, 4}};
      const auto outside = [&](double below) {
        return linear(mesh, cloud({{0.0, 0.0, -s - below}}), Form::consistent).quality.outside;
      };
      EXPECT_EQ(outside(0.399), 0U);
      EXPECT_EQ(outside(0.401), 1U);
    }
}

/// A receiver on a corner or an edge is tied to no other corner.
TEST(Quality, OfLinearMappingKeepsNoWeightsThatAreZero) {
  Points mesh = cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
  mesh.simplices = {{{0, 1, 2, 0}, 3}, {{1, 3, 2, 0}, 3}};
  const Mapping mapping = linear(mesh, cloud({{0, 0, 0}, {0.25, 0, 0}, {0, 1, 0}}), Form::consistent);
  EXPECT_EQ(mapping.quality.unused, 1U);
  EXPECT_EQ(mapping.map.entries().starts, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(mapping.quality.largestDistance, 0.0);
}

TEST(Quality, OfLinearMappingTellsTheFarthestReceiver) {
  const Points mesh = test::gridMesh(1, 4);
  const Points receivers = cloud({{0.5, 0.01, 0}, {1.5, 0, 0}, {0.25, 0.2, 0}, {-0.7, 0, 0}});
  const Quality quality = linear(mesh, receivers, Form::consistent).quality;
  EXPECT_EQ(quality.farthest, 3U);
  EXPECT_EQ(quality.outside, 3U);
  EXPECT_NEAR(quality.largestDistance, 0.7, 1e-15);
  EXPECT_EQ(quality.unused, 1U);  // that at 0.75
}

/// Farther than the neighbours of a point reach, a receiver takes what a place on the way there has.
TEST(RadialBasisOutside, TakesTheValueOfThePlaceAtTheReach) {
  const Points givers = test::randomCloud(3, 100, 4);
  const Search search(givers, givers);
  Points receivers = cloud({{3.0, 0.4, 0.6}, {-2.0, -1.0, 0.3}, {0.5, 4.0, 0.5}, {0.5, 0.5, -6.0}, {-9.0, 8.0, 7.0}});
  Points pulled = receivers;
  const Search toReceivers(receivers, givers);
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const Position& giver = givers.positions[toReceivers.nearest[i]];
    const double part = 2.0 * search.seventh[toReceivers.nearest[i]] / toReceivers.distances[i];
    ASSERT_LT(part, 1.0);
    for (std::size_t k = 0; k < 3; ++k)
      pulled.positions[i][k] = giver[k] + part * (receivers.positions[i][k] - giver[k]);
  }
  const Points inside = test::randomCloud(3, 20, 5);
  receivers.positions.insert(receivers.positions.end(), inside.positions.begin(), inside.positions.end());
  pulled.positions.insert(pulled.positions.end(), inside.positions.begin(), inside.positions.end());
  const Numbers field = test::valuesOf(test::smoothField, givers);
  const Mapping far = radialBasis(givers, cloud(receivers.positions), Form::consistent);
  const Mapping near = radialBasis(givers, cloud(pulled.positions), Form::consistent);
  EXPECT_EQ(far.quality.outside, 5U);
  const Numbers a = test::applied(far, field), b = test::applied(near, field);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

/// A layer of points 0.1 apart at that height, which reach 0.28 far.
std::vector<Position> layer(double height) {
  std::vector<Position> positions;
  for (int i = 0; i <= 20; ++i)
    for (int j = 0; j <= 20; ++j) positions.push_back({0.1 * i, 0.1 * j, height});
  return positions;
}

std::vector<Position> above(double height) {
  return {{0.93, 1.02, height}, {1.12, 0.87, height}, {0.55, 1.31, height}};
}

/// Patches of 30 points are 0.31 wide. Between layers 0.4 apart a linear field is off by all that it changes on the
/// way.
TEST(RadialBasisLayers, ThatPatchesDoNotSeeTogetherAreTold) {
  std::vector<Position> both = layer(0.0);
  for (const Position& position : layer(0.4)) both.push_back(position);
  const Points givers = cloud(both);
  const Points receivers = cloud(above(0.2));
  const auto height = [](const Position& at) { return at[2]; };
  const Mapping apart = radialBasis(givers, receivers, Form::consistent);
  EXPECT_NEAR(test::errorOf(apart, height, givers, receivers), 0.2, 1e-6);
  EXPECT_EQ(apart.quality.outside, 0U);
  EXPECT_EQ(apart.quality.between, 3U);
  EXPECT_EQ(radialBasis(receivers, givers, Form::conservative).quality.between, 3U);
  const Mapping together = radialBasis(givers, receivers, Form::consistent, {.patchPoints = 200});
  EXPECT_LT(test::errorOf(together, height, givers, receivers), 1e-9);
  EXPECT_EQ(together.quality.between, 0U);
  std::vector<Position> mixed = above(0.01);
  mixed.push_back({1.0, 1.03, 0.15});
  const Quality one = radialBasis(givers, cloud(mixed), Form::consistent).quality;
  EXPECT_EQ(one.between, 1U);
  EXPECT_EQ(one.firstBetween, 3U);
}

/// Across a gap between two meshes of one surface values are the same, and a wall on the other side is far.
TEST(RadialBasisLayers, AreNotSeenInOneSurface) {
  EXPECT_EQ(radialBasis(cloud(layer(0.0)), cloud(above(0.2)), Form::consistent).quality.between, 0U);
  std::vector<Position> tube;
  for (int i = 0; i < 63; ++i)
    for (int j = 0; j < 30; ++j) tube.push_back({std::cos(0.1 * i), std::sin(0.1 * i), 0.1 * j});
  const Points inside = cloud({{0.9, 0.0, 1.52}, {0.0, -0.9, 1.21}, {0.66, 0.66, 0.97}});
  EXPECT_EQ(radialBasis(cloud(tube), inside, Form::consistent).quality.between, 0U);
}

/// Points of one place share its weight equally, however many they are, and wherever they stand in the list.
TEST(RadialBasisDuplicates, ShareTheWeightOfTheirPlace) {
  const Points once = test::randomCloud(2, 60, 6);
  std::vector<Position> positions;
  std::vector<std::size_t> placeOf;
  for (std::size_t copy = 0; copy < 3; ++copy)
    for (std::size_t i = 0; i < once.size(); ++i)
      if (i % 4 >= copy) {  // one to three times
        positions.push_back(once.positions[i]);
        placeOf.push_back(i);
      }
  const Points many = cloud(positions, 2);
  Points receivers = test::randomCloud(2, 40, 7, -0.3);
  receivers.positions[3] = once.positions[5];  // this one takes the value there as it is
  receivers.positions[9] = once.positions[7];
  const Operator expected = radialBasis(once, receivers, Form::consistent).map;
  const Operator found = radialBasis(many, receivers, Form::consistent).map;
  ASSERT_EQ(found.rows(), receivers.size());
  for (std::size_t row = 0; row < receivers.size(); ++row) {
    Numbers wanted(once.size(), 0.0), sums(once.size(), 0.0);
    for (std::size_t k = expected.entries().starts[row]; k < expected.entries().starts[row + 1]; ++k)
      wanted[expected.entries().columns[k]] += expected.entries().weights[k];
    for (std::size_t k = found.entries().starts[row]; k < found.entries().starts[row + 1]; ++k) {
      const std::size_t place = placeOf[found.entries().columns[k]];
      const auto copies = static_cast<double>(std::ranges::count(placeOf, place));
      EXPECT_NEAR(found.entries().weights[k], wanted[place] / copies, 1e-8);
      sums[place] += found.entries().weights[k];
    }
    for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(sums[i], wanted[i], 1e-8) << row;
  }
  EXPECT_EQ(found.entries().starts[4] - found.entries().starts[3], 1U + std::min<std::size_t>(2, 5 % 4));
}

/// A single entry where the receiver is a source point, even if all others are interpolated.
TEST(RadialBasisDuplicates, AReceiverInThePlaceOfAPointTakesItsValue) {
  const Points givers = test::randomCloud(2, 60, 6);
  for (const std::size_t which : {0U, 7U, 19U}) {
    Points receivers = test::randomCloud(2, 20, 8, 0.1);
    receivers.positions[which] = givers.positions[33];
    const Mapping mapping = radialBasis(givers, receivers, Form::consistent);
    const SparseRows& rows = mapping.map.entries();
    ASSERT_EQ(rows.starts[which + 1] - rows.starts[which], 1U);
    EXPECT_EQ(rows.columns[rows.starts[which]], 33U);
    EXPECT_EQ(rows.weights[rows.starts[which]], 1.0);
    EXPECT_LT(test::errorOf(mapping, test::linearField, givers, receivers), 1e-11);
  }
}

TEST(RadialBasisSettings, MayBeAsLargeAndSmallAsTheySay) {
  const Points points = test::randomCloud(2, 40, 1);
  const auto allowed = [&](const RadialBasisSettings& settings) {
    try {
      radialBasis(points, points, Form::consistent, settings);
    } catch (const core::InputError&) {
      return false;
    }
    return true;
  };
  for (const std::size_t count : {24U, 1000U}) EXPECT_TRUE(allowed({.patchPoints = count})) << count;
  for (const std::size_t count : {0U, 23U, 1001U}) EXPECT_FALSE(allowed({.patchPoints = count})) << count;
  for (const int degree : {1, 2}) EXPECT_TRUE(allowed({.degree = degree})) << degree;
  for (const int degree : {-1, 0, 3}) EXPECT_FALSE(allowed({.degree = degree})) << degree;
  for (const Basis basis : {Basis::wendland, Basis::gaussian}) {
    const double least = basis == Basis::wendland ? 1.0 : 0.5;
    for (const double support : {least, 1000.0}) EXPECT_TRUE(allowed({.basis = basis, .support = support})) << support;
    for (const double support : {0.999 * least, 1000.1, 0.0, -3.0, std::nan("")})
      EXPECT_FALSE(allowed({.basis = basis, .support = support})) << support;
  }
}

}  // namespace
}  // namespace koppla::mapping::quality_test
