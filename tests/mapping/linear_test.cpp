#include <cmath>

#include <gtest/gtest.h>

#include "meshes.hpp"
#include "support/extremes.hpp"

namespace koppla::mapping::test {
namespace {

using Numbers = std::vector<double>;

TEST(Linear, IsExactForLinearFieldsInAnyDimension) {
  for (const int dimension : {1, 2, 3}) {
    const Points source = gridMesh(dimension, 6, 0.4);
    const Points target = randomCloud(dimension, 500, 1);
    const Mapping mapping = linear(source, target, Form::consistent);
    EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-12) << dimension;
    EXPECT_LT(mapping.quality.largestDistance, 1e-12);
    EXPECT_EQ(mapping.quality.outside, 0U);
  }
}

TEST(Linear, IsOfSecondOrder) {
  for (const int dimension : {1, 2, 3}) {
    const Points target = randomCloud(dimension, 2000, 2);
    const auto error = [&](std::size_t n) {
      const Points source = gridMesh(dimension, n, 0.3);
      return rootMeanSquareOf(linear(source, target, Form::consistent), smoothField, source, target);
    };
    EXPECT_NEAR(std::log2(error(8) / error(16)), 2.0, 0.2) << dimension;
  }
}

TEST(Linear, ProjectsPointsOutsideToTheNearestPlace) {
  Points source = cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  source.simplices = {{{0, 1, 2, 0}, 3}};
  // Above the inside, beside an edge, beyond a corner, beside the slanted edge.
  const Points target = cloud({{0.25, 0.25, 2}, {0.5, -1, 0}, {3, -1, 1}, {1, 1, 0}});
  const Mapping mapping = linear(source, target, Form::consistent);
  const Numbers result = applied(mapping, {1, 2, 4});
  const Numbers expected{0.5 + 0.5 + 1.0, 1.5, 2.0, 3.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-14) << i;
  EXPECT_EQ(mapping.quality.outside, 4U);
  EXPECT_EQ(mapping.quality.farthest, 2U);
  EXPECT_NEAR(mapping.quality.largestDistance, std::sqrt(6.0), 1e-14);
}

TEST(Linear, ProjectsToFacesOfTetrahedra) {
  Points source = cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  source.simplices = {{{0, 1, 2, 3}, 4}};
  const Points target = cloud({{0.2, 0.3, -1}, {1, 1, 1}, {0.1, 0.2, 0.3}, {-1, -1, 0.5}});
  const Numbers result = applied(linear(source, target, Form::consistent), {0, 1, 2, 4});
  const Numbers expected{0.2 + 0.6, 7.0 / 3.0, 0.1 + 0.4 + 1.2, 2.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-14) << i;
}

/// The nearest of all simplices, tried one by one with a dense search over their barycentric coordinates.
TEST(Linear, FindsTheNearestOfManyTriangles) {
  const Points cells = gridMesh(2, 5, 0.5);
  Points source = cells;
  for (Position& position : source.positions) position[2] = std::sin(5.0 * position[0]) * position[1];
  const Points target = randomCloud(3, 40, 5);
  const Mapping mapping = linear(source, target, Form::consistent);
  const Numbers x = applied(mapping, valuesOf([](const Position& at) { return at[0]; }, source));
  const Numbers y = applied(mapping, valuesOf([](const Position& at) { return at[1]; }, source));
  const Numbers z = applied(mapping, valuesOf([](const Position& at) { return at[2]; }, source));
  constexpr int kSteps = 40;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const Position& at = target.positions[i];
    const double found = std::hypot(x[i] - at[0], y[i] - at[1], z[i] - at[2]);
    koppla::test::Smallest sampled;
    for (const Simplex& simplex : source.simplices)
      for (int a = 0; a <= kSteps; ++a)
        for (int b = 0; a + b <= kSteps; ++b) {
          Position place{};
          for (std::size_t k = 0; k < 3; ++k)
            place[k] = (a * source.positions[simplex.corners[0]][k] + b * source.positions[simplex.corners[1]][k] +
                        (kSteps - a - b) * source.positions[simplex.corners[2]][k]) /
                       kSteps;
          sampled.see(std::hypot(place[0] - at[0], place[1] - at[1], place[2] - at[2]));
        }
    EXPECT_LE(found, sampled + 1e-12);
    EXPECT_GE(found, sampled - 0.02);  // between samples lie at most 1/40 of the longest edge
  }
}

TEST(Linear, JoinsNeighboursOfACloudOnALine) {
  const Points source = cloud({{2, 0, 0}, {0, 0, 0}, {1, 0, 0}}, 1);
  const Points target = cloud({{0.25, 0, 0}, {1.5, 0, 0}, {5, 0, 0}, {-1, 0, 0}, {2.05, 0, 0}}, 1);
  const Mapping mapping = linear(source, target, Form::consistent);
  const Numbers result = applied(mapping, {30, 10, 14});
  const Numbers expected{11, 22, 30, 10, 30};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-13) << i;
  EXPECT_EQ(mapping.quality.outside, 2U);
}

TEST(Linear, TakesALineAlongAnyCoordinateAndDuplicates) {
  const Points source = cloud({{7, 1, 0}, {7, 1, 0}, {7, 1, 1}, {7, 1, 3}});
  const Points target = cloud({{7, 1, 0.5}, {7, 1, 2}});
  const Numbers result = applied(linear(source, target, Form::consistent), {4, 4, 6, 10});
  EXPECT_NEAR(result[0], 5.0, 1e-14);
  EXPECT_NEAR(result[1], 8.0, 1e-14);
}

/// Whichever coordinate it is, whichever point is first, wherever the line lies.
TEST(Linear, JoinsNeighboursAlongEachCoordinate) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Points source = cloud(std::vector<Position>(5, Position{4.0, -2.0, 3.0}));
    Points target = cloud(std::vector<Position>(3, Position{4.0, -2.0, 3.0}));
    const Numbers along{5.0, 1.0, 9.0, 2.0, 6.0};
    for (std::size_t i = 0; i < 5; ++i) source.positions[i][axis] = along[i];
    for (std::size_t i = 0; i < 3; ++i) target.positions[i][axis] = Numbers{1.5, 5.5, 7.0}[i];
    const Numbers result = applied(linear(source, target, Form::consistent), {50, 10, 80, 30, 20});
    EXPECT_NEAR(result[0], 20.0, 1e-13);
    EXPECT_NEAR(result[1], 35.0, 1e-13);
    EXPECT_NEAR(result[2], 40.0, 1e-13);
  }
}

TEST(Linear, RefusesCloudsInThePlaneWithoutElements) {
  for (const auto& positions :
       {std::vector<Position>{{0, 0, 0}, {1, 1, 0}}, std::vector<Position>{{0, 0, 0}, {1, 0, 1}},
        std::vector<Position>{{0, 0, 0}, {0, 1, 1}}, std::vector<Position>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}})
    mistakeOf([&] { linear(cloud(positions), cloud(positions), Form::consistent); });

  const Points source = randomCloud(2, 10, 1);
  const core::Problem problem = mistakeOf([&] { linear(source, source, Form::consistent); });
  EXPECT_NE(problem.message.find("needs a mesh"), std::string::npos) << problem.message;
}

TEST(Linear, SurvivesFlatElements) {
  Points source = cloud({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}});
  source.simplices = {{{0, 1, 2, 0}, 3}, {{0, 2, 3, 1}, 4}, {{2, 3, 0, 0}, 2}};
  const Points target = cloud({{0.5, 1, 0}, {3, 0, 0}, {1.75, 0, 0}});
  EXPECT_LT(std::abs(applied(linear(source, target, Form::consistent), {0, 1, 2, 2})[2] - 1.75), 1e-14);
}

}  // namespace
}  // namespace koppla::mapping::test
