#include <cmath>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Numbers = std::vector<double>;

TEST(Nearest, TakesTheValueOfTheNearestPoint) {
  const Points source = cloud({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}});
  const Points target = cloud({{0.9, 0.1, 0.2}, {-5, 0, 0}, {0.1, 1.1, 0}, {0, 0, 0}});
  EXPECT_EQ(applied(nearest(source, target, Form::consistent), {10, 20, 30}), (Numbers{20, 10, 30, 10}));
}

TEST(Nearest, GivesForcesToTheNearestPoint) {
  const Points source = cloud({{0.9, 0, 0}, {1.2, 0, 0}, {0.1, 0, 0}});
  const Points target = cloud({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  const Numbers forces{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(applied(nearest(source, target, Form::conservative), forces, 3), (Numbers{7, 8, 9, 5, 7, 9, 0, 0, 0}));
}

TEST(Nearest, KeepsConstantsExactly) {
  const Points source = randomCloud(3, 200, 1);
  const Points target = randomCloud(3, 300, 2);
  EXPECT_EQ(errorOf(nearest(source, target, Form::consistent), constantField, source, target), 0.0);
}

TEST(Nearest, IsOfFirstOrder) {
  const Points target = randomCloud(2, 2000, 3);
  const auto error = [&](std::size_t n) {
    const Points source = gridMesh(2, n);
    return rootMeanSquareOf(nearest(source, target, Form::consistent), smoothField, source, target);
  };
  EXPECT_NEAR(std::log2(error(32) / error(64)), 1.0, 0.1);
}

TEST(Nearest, TellsHowFarMeshesAreApart) {
  const Points source = gridMesh(2, 10);
  Points target = gridMesh(2, 7);
  const Quality fitting = nearest(source, target, Form::consistent).quality;
  EXPECT_EQ(fitting.outside, 0U);
  EXPECT_LE(fitting.largestDistance, 0.1 / std::sqrt(2.0));
  EXPECT_GT(fitting.unused, 0U);
  target.positions[5] = {0.5, 0.5, 3.0};
  const Quality apart = nearest(source, target, Form::consistent).quality;
  EXPECT_EQ(apart.outside, 1U);
  EXPECT_EQ(apart.farthest, 5U);
  EXPECT_NEAR(apart.largestDistance, 3.0, 1e-12);
  EXPECT_EQ(nearest(target, source, Form::conservative).quality.farthest, 5U);
}

}  // namespace
}  // namespace koppla::mapping::test
