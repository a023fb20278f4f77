// Patches of radial-basis mapping and how their weights are put together, against a search over all points.

#include "koppla/mapping/detail/cover.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "koppla/mapping/detail/local_basis.hpp"
#include "koppla/mapping/detail/patch_assembly.hpp"
#include "koppla/mapping/detail/spatial_order.hpp"

#include "meshes.hpp"

namespace koppla::mapping::cover_test {
namespace {

using detail::Cover;
using Indices = std::vector<std::uint32_t>;
using Positions = std::vector<Position>;

double distance(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Indices of all positions, the nearest first.
Indices ranked(const Positions& positions, const Position& place) {
  Indices order;
  for (std::uint32_t i = 0; i < positions.size(); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return distance(positions[i], place); });
  return order;
}

Indices sorted(std::span<const std::uint32_t> indices) {
  Indices result(indices.begin(), indices.end());
  std::ranges::sort(result);
  return result;
}

Cover coverOf(const Positions& givers, const Positions& receivers, std::size_t perPatch) {
  detail::PointTree tree(givers);
  return detail::cover(givers, tree, receivers, perPatch);
}

/// A patch for each receiver that is not in the inner part of one before it.
void expectCover(const Positions& givers, const Positions& receivers, std::size_t perPatch) {
  const Cover found = coverOf(givers, receivers, perPatch);
  const std::size_t count = std::min(perPatch, givers.size());
  EXPECT_EQ(found.giversPerPatch, count);
  std::vector<bool> covered(receivers.size(), false);
  std::size_t p = 0;
  for (const std::uint32_t reason : detail::spatialOrder(receivers)) {
    if (covered[reason]) continue;
    ASSERT_LT(p, found.patches.size());
    const std::uint32_t giver = ranked(givers, receivers[reason]).front();
    const Position& centre = givers[giver];
    Indices neighbours = ranked(givers, centre);
    neighbours.resize(count);
    const double radius = distance(givers[neighbours.back()], centre);
    // Six tenths of the radius, or as far as its reason; it reaches a fifth farther.
    const double inner = std::max(0.6 * radius, (1.0 + 1e-9) * distance(receivers[reason], centre));
    EXPECT_EQ(found.patches[p].centre, centre);
    EXPECT_NEAR(found.patches[p].radius, radius, 1e-14);
    EXPECT_NEAR(found.patches[p].reach, 1.2 * inner, 1e-14);
    EXPECT_EQ(Indices(found.giversOf(p).begin(), found.giversOf(p).end()), sorted(neighbours));
    Indices reached;
    for (std::uint32_t i = 0; i < receivers.size(); ++i) {
      if (distance(receivers[i], centre) < 1.2 * inner) reached.push_back(i);
      if (distance(receivers[i], centre) <= inner) covered[i] = true;
    }
    EXPECT_EQ(sorted(found.receiversOf(p)), reached);
    EXPECT_TRUE(covered[reason]);
    ++p;
  }
  EXPECT_EQ(found.patches.size(), p);
  EXPECT_EQ(found.starts.size(), p + 1);
  EXPECT_EQ(found.givers.size(), p * count);
  EXPECT_EQ(found.receivers.size(), found.starts.back());
}

TEST(Cover, EveryReceiverLiesWellInsideAPatch) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Positions givers = test::randomCloud(2 + static_cast<int>(seed % 2), 120, seed).positions;
    expectCover(givers, test::randomCloud(3, 150, seed + 50, -0.2).positions, 24 + 3 * seed);
  }
}

TEST(Cover, APatchHasAtMostAllGivers) {
  const Positions givers = test::randomCloud(3, 10, 1).positions;
  expectCover(givers, test::randomCloud(3, 50, 2).positions, 30);
}

/// A receiver far from all givers lies in its own patch, too.
TEST(Cover, ReachesFarReceivers) {
  const Positions givers = test::randomCloud(3, 60, 3).positions;
  expectCover(givers, {{9.0, 0.5, 0.5}, {0.5, 0.5, 0.5}, {9.5, 0.5, 0.5}, {0.5, -7.0, 0.5}}, 24);
}

TEST(Cover, WithoutReceiversThereAreNoPatches) {
  const Cover none = coverOf(test::randomCloud(3, 60, 3).positions, {}, 24);
  EXPECT_TRUE(none.patches.empty());
  EXPECT_EQ(none.starts, std::vector<std::size_t>{0});
}

/// Means of what patches give, by Wendland's function of the distance from the centre relative to the reach.
void expectAssembled(const Positions& givers, const Positions& receivers, const RadialBasisSettings& settings) {
  const Cover cover = coverOf(givers, receivers, settings.patchPoints);
  EXPECT_GT(cover.patches.size(), 3U);
  std::vector<std::vector<double>> dense(receivers.size(), std::vector<double>(givers.size(), 0.0));
  std::vector<std::set<std::uint32_t>> columns(receivers.size());
  detail::LocalBasis basis(settings);
  for (std::size_t p = 0; p < cover.patches.size(); ++p) {
    Positions points, places;
    for (const std::uint32_t giver : cover.giversOf(p)) points.push_back(givers[giver]);
    for (const std::uint32_t receiver : cover.receiversOf(p)) places.push_back(receivers[receiver]);
    const Eigen::MatrixXd weights = basis.weights(points, cover.patches[p].radius, places);
    for (std::size_t j = 0; j < places.size(); ++j) {
      const std::uint32_t receiver = cover.receiversOf(p)[j];
      const double r = std::min(1.0, distance(places[j], cover.patches[p].centre) / cover.patches[p].reach);
      const double share = std::pow(1.0 - r, 4) * (4.0 * r + 1.0);
      for (std::size_t i = 0; i < points.size(); ++i) {
        dense[receiver][cover.giversOf(p)[i]] +=
            share * weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        columns[receiver].insert(cover.giversOf(p)[i]);
      }
    }
  }
  SparseRows rows = detail::assemble(cover, givers, receivers, settings);
  const SparseRows raw = rows;
  detail::normaliseRows(rows);
  ASSERT_EQ(rows.starts.size(), receivers.size() + 1);
  EXPECT_EQ(rows.starts, raw.starts);
  for (std::size_t row = 0; row < receivers.size(); ++row) {
    const Indices found(rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.starts[row]),
                        rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.starts[row + 1]));
    EXPECT_EQ(found, Indices(columns[row].begin(), columns[row].end()));  // each once, rising
    double sum = 0.0;
    for (const double weight : dense[row]) sum += weight;
    for (std::size_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k) {
      EXPECT_NEAR(raw.weights[k], dense[row][rows.columns[k]], 1e-11);
      EXPECT_NEAR(rows.weights[k], dense[row][rows.columns[k]] / sum, 1e-10);
    }
  }
}

TEST(PatchAssembly, RowsAreMeansOfPatches) {
  expectAssembled(test::randomCloud(2, 150, 1).positions, test::randomCloud(2, 80, 2).positions, {.patchPoints = 24});
  expectAssembled(test::randomCloud(3, 150, 3).positions, test::randomCloud(3, 60, 4).positions, {.degree = 1});
}

TEST(PatchAssembly, RowsAreDividedByTheirSums) {
  SparseRows rows;
  for (const double weight : {1.0, 2.0, 5.0}) rows.append(0, weight);
  rows.endRow();
  rows.endRow();
  rows.append(1, -0.5);
  rows.append(2, 1.0);
  rows.endRow();
  detail::normaliseRows(rows);
  EXPECT_EQ(rows.weights, (std::vector<double>{0.125, 0.25, 0.625, -1.0, 2.0}));
}

}  // namespace
}  // namespace koppla::mapping::cover_test
