#include "koppla/mapping/detail/closest_point.hpp"

#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"

#include "support/extremes.hpp"

namespace koppla::mapping::closest_point_test {
namespace {

using Corners = std::vector<Position>;

Eigen::Vector3d vector(const Position& position) {
  return {position[0], position[1], position[2]};
}

/// The nearest place of a simplex is the foot of the perpendicular to one of its faces (all of it, a corner and what is
/// between), the nearest foot of those that lie in their face.
double distanceTo(const Corners& corners, const Position& point) {
  koppla::test::Smallest smallest;
  for (unsigned face = 1; face < 1U << corners.size(); ++face) {
    Corners chosen;
    for (std::size_t i = 0; i < corners.size(); ++i)
      if (face >> i & 1U) chosen.push_back(corners[i]);
    const auto edges = static_cast<Eigen::Index>(chosen.size()) - 1;
    Eigen::MatrixXd E(3, edges);
    for (Eigen::Index i = 0; i < edges; ++i)
      E.col(i) = vector(chosen[static_cast<std::size_t>(i) + 1]) - vector(chosen[0]);
    const Eigen::Vector3d beside = vector(point) - vector(chosen[0]);
    if (edges == 0) {
      smallest.see(beside.norm());
      continue;
    }
    const Eigen::MatrixXd normal = E.transpose() * E;
    if (core::detail::symmetricEigenvalues(normal).prod() < 1e-12) continue;  // smaller faces make up such a one
    const Eigen::VectorXd right = E.transpose() * beside;
    const Eigen::VectorXd weights = core::detail::solve(normal, right);
    if (weights.minCoeff() < 0.0 || weights.sum() > 1.0) continue;
    smallest.see((beside - E * weights).norm());
  }
  return smallest;
}

void expectNearest(const Corners& corners, const Position& point) {
  const detail::Closest found = detail::closestPoint(corners, point);
  double sum = 0.0;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GE(found.weights[i], 0.0);
    if (i >= corners.size()) {
      EXPECT_EQ(found.weights[i], 0.0);
      continue;
    }
    sum += found.weights[i];
    place += found.weights[i] * vector(corners[i]);
  }
  const double expected = distanceTo(corners, point);
  EXPECT_NEAR(sum, 1.0, 1e-13);
  EXPECT_NEAR((place - vector(point)).norm(), expected, 1e-12);
  EXPECT_NEAR(found.squaredDistance, expected * expected, 1e-12);
}

class Dice {
 public:
  Position anywhere() { return {real_(random_), real_(random_) + 3.0, real_(random_) - 5.0}; }
  Position onGrid() {
    return {0.5 * integer_(random_) + 1.0, 0.5 * integer_(random_) - 2.0, 0.5 * integer_(random_) + 3.0};
  }

 private:
  std::mt19937 random_{1};
  std::uniform_real_distribution<double> real_{-1.0, 1.0};
  std::uniform_int_distribution<int> integer_{-1, 1};
};

TEST(ClosestPoint, IsTheFootOfThePerpendicularToTheNearestFace) {
  Dice dice;
  for (std::size_t count = 1; count <= 4; ++count)
    for (int round = 0; round < 200; ++round) {
      Corners corners(count);
      for (Position& corner : corners) corner = dice.anywhere();
      expectNearest(corners, dice.anywhere());
    }
}

/// On a coarse grid corners coincide and lie in line, and points lie on edges and corners.
TEST(ClosestPoint, TakesFlatSimplicesAndPointsOnTheirFaces) {
  Dice dice;
  for (std::size_t count = 1; count <= 4; ++count)
    for (int round = 0; round < 400; ++round) {
      Corners corners(count);
      for (Position& corner : corners) corner = dice.onGrid();
      expectNearest(corners, dice.onGrid());
    }
}

TEST(ClosestPoint, InsideATetrahedronTheDistanceIsZeroWithoutRounding) {
  Dice dice;
  for (int round = 0; round < 100; ++round) {
    Corners corners(4);
    Position inside{};
    for (Position& corner : corners) {
      corner = dice.anywhere();
      for (std::size_t axis = 0; axis < 3; ++axis) inside[axis] += 0.25 * corner[axis];
    }
    EXPECT_EQ(detail::closestPoint(corners, inside).squaredDistance, 0.0);
  }
}

TEST(ClosestPoint, ACornerHasItsOwnWeightAlone) {
  const Corners corners{{1.0, 2.0, 3.0}, {2.0, 2.0, 3.0}, {1.0, 4.0, 3.0}, {1.0, 2.0, 4.0}};
  for (std::size_t count = 1; count <= 4; ++count)
    for (std::size_t corner = 0; corner < count; ++corner) {
      const detail::Closest found = detail::closestPoint(std::span(corners).first(count), corners[corner]);
      EXPECT_EQ(found.squaredDistance, 0.0);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.weights[i], i == corner ? 1.0 : 0.0);
    }
}

}  // namespace
}  // namespace koppla::mapping::closest_point_test
