#include <cmath>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Numbers = std::vector<double>;

constexpr std::array kBases{Basis::wendland, Basis::gaussian};

TEST(RadialBasis, IsExactForLinearFieldsInAnyDimension) {
  for (const Basis basis : kBases)
    for (const int dimension : {1, 2, 3})
      for (const int degree : {1, 2}) {
        const Points source = randomCloud(dimension, 600, 1);
        const Points target = randomCloud(dimension, 400, 2, 0.05);
        const Mapping mapping = radialBasis(source, target, Form::consistent, {.basis = basis, .degree = degree});
        EXPECT_EQ(mapping.quality.outside, 0U);
        EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-12) << dimension << " " << degree;
      }
}

TEST(RadialBasis, IsExactForQuadraticFields) {
  const auto field = [](const Position& at) { return (at[0] - 2.0 * at[1]) * (1.0 + at[2] + at[1]) + at[2] * at[2]; };
  for (const int dimension : {1, 2, 3}) {
    const Points source = randomCloud(dimension, 600, 1);
    const Points target = randomCloud(dimension, 400, 2, 0.1);
    EXPECT_LT(errorOf(radialBasis(source, target, Form::consistent), field, source, target), 1e-11) << dimension;
  }
}

TEST(RadialBasis, IsOfThirdOrderWithQuadraticPolynomials) {
  for (const Basis basis : kBases)
    for (const int dimension : {2, 3}) {
      const Points target = randomCloud(dimension, 1000, 3);
      const auto error = [&](std::size_t n) {
        const Points source = gridMesh(dimension, n);
        return rootMeanSquareOf(radialBasis(source, target, Form::consistent, {.basis = basis}), smoothField, source,
                                target);
      };
      // Third order is that of the polynomials; two or three halvings still show some scatter around it.
      const double order =
          dimension == 2 ? std::log2(error(16) / error(128)) / 3.0 : std::log2(error(8) / error(32)) / 2.0;
      EXPECT_GT(order, basis == Basis::wendland ? 3.0 : 2.9) << dimension;
    }
}

TEST(RadialBasis, IsOfSecondOrderWithLinearPolynomials) {
  const Points target = randomCloud(2, 1000, 3);
  const auto error = [&](std::size_t n) {
    const Points source = gridMesh(2, n, 0.3);
    return rootMeanSquareOf(radialBasis(source, target, Form::consistent, {.degree = 1}), smoothField, source, target);
  };
  EXPECT_NEAR(std::log2(error(10) / error(40)) / 2.0, 2.0, 0.3);
}

Points cylinder(double radius, std::size_t around, std::size_t along) {
  std::vector<Position> positions;
  for (std::size_t i = 0; i < around; ++i)
    for (std::size_t j = 0; j <= along; ++j) {
      const double angle = 2.0 * M_PI * static_cast<double>(i) / static_cast<double>(around);
      positions.push_back({radius * std::cos(angle), radius * std::sin(angle),
                           2.0 * static_cast<double>(j) / static_cast<double>(along)});
    }
  return cloud(positions);
}

/// Depends on angle and height, not on the radius.
double aroundAndAlong(const Position& at) {
  return std::sin(2.0 * std::atan2(at[1], at[0])) * std::exp(0.5 * at[2]);
}

TEST(RadialBasis, MapsBetweenTwoMeshesOfACylinder) {
  const Points target = cylinder(1.0, 37, 11);
  const auto error = [&](std::size_t around) {
    const Points source = cylinder(1.0, around, around / 3);
    const Mapping mapping = radialBasis(source, target, Form::consistent);
    EXPECT_EQ(mapping.quality.outside, 0U);
    return rootMeanSquareOf(mapping, aroundAndAlong, source, target);
  };
  EXPECT_GT(std::log2(error(60) / error(240)) / 2.0, 3.0);
}

/// Each patch looks across in one direction, that of its middle: gap x patch size x curvature, so of second order for a
/// gap that is a third of the mesh size.
TEST(RadialBasis, MapsAcrossTheGapBetweenTwoCylinders) {
  const auto error = [&](std::size_t around) {
    const Points source = cylinder(1.0, around, around / 3);
    const Points target = cylinder(1.0 + 2.0 / static_cast<double>(around), 37, 11);
    return rootMeanSquareOf(radialBasis(source, target, Form::consistent), aroundAndAlong, source, target);
  };
  EXPECT_GT(std::log2(error(60) / error(240)) / 2.0, 1.9);
}

/// A source on a line or in a plane, askew in space, and targets on it.
Points askew(const Points& flat) {
  Points result = flat;
  for (Position& position : result.positions) {
    const auto [x, y, z] = position;
    position = {1.0 + 0.6 * x - 0.48 * y, 2.0 + 0.8 * x + 0.36 * y, 0.8 * y};
  }
  return result;
}

TEST(RadialBasis, TakesCollinearAndCoplanarClouds) {
  for (const Basis basis : kBases)
    for (const int dimension : {1, 2}) {
      const Points source = askew(randomCloud(dimension, 200, 4));
      const Points target = askew(randomCloud(dimension, 200, 5, 0.1));
      const Mapping mapping = radialBasis(source, target, Form::consistent, {.basis = basis});
      EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-12) << dimension;
    }
}

TEST(RadialBasis, IsConstantAcrossASurface) {
  const Points source = gridMesh(2, 20, 0.3);
  Points target = randomCloud(2, 100, 6, 0.1);
  const Numbers below = applied(radialBasis(source, target, Form::consistent), valuesOf(linearField, source));
  for (Position& position : target.positions) position[2] = 0.03;
  const Numbers beside = applied(radialBasis(source, target, Form::consistent), valuesOf(linearField, source));
  for (std::size_t i = 0; i < below.size(); ++i) EXPECT_NEAR(beside[i], below[i], 1e-12);
}

TEST(RadialBasis, DoesNotLeadAstrayFarOutside) {
  const Points source = randomCloud(3, 400, 7);
  const Points target = cloud({{50, 0.5, 0.5}, {-1e6, 3, 2}, {0.5, 0.5, 2.0}});
  const Mapping mapping = radialBasis(source, target, Form::consistent);
  EXPECT_EQ(mapping.quality.outside, 3U);
  for (const double value : applied(mapping, valuesOf(smoothField, source))) EXPECT_LT(std::abs(value), 10.0);
}

TEST(RadialBasis, ReproducesTheSourceAtItsPoints) {
  const Points source = randomCloud(3, 300, 8);
  EXPECT_EQ(applied(radialBasis(source, source, Form::consistent), valuesOf(smoothField, source)),
            valuesOf(smoothField, source));
}

/// Next to a source point the value is next to the one there, although patches begin and end.
TEST(RadialBasis, IsContinuous) {
  const Points source = randomCloud(2, 300, 9);
  std::vector<Position> line;
  constexpr std::size_t kSteps = 20000;
  for (std::size_t i = 0; i <= kSteps; ++i) line.push_back({0.1 + 0.8 * static_cast<double>(i) / kSteps, 0.5, 0.0});
  const Numbers along = applied(radialBasis(source, cloud(line, 2), Form::consistent), valuesOf(smoothField, source));
  // The field's slope is at most 3, so neighbours differ by at most 3 * 0.8 / kSteps = 1.2e-4 in it.
  for (std::size_t i = 1; i < along.size(); ++i) ASSERT_LT(std::abs(along[i] - along[i - 1]), 2.4e-4) << i;
}

TEST(RadialBasis, SharesWeightsAmongDuplicates) {
  Points source = randomCloud(2, 100, 10);
  source = cloud(
      [&] {
        std::vector<Position> twice = source.positions;
        twice.insert(twice.end(), source.positions.begin(), source.positions.end());
        return twice;
      }(),
      2);
  const Points target = randomCloud(2, 80, 11, 0.1);
  const Mapping mapping = radialBasis(source, target, Form::consistent);
  EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-12);
  const Numbers shares = applied(radialBasis(target, source, Form::conservative), Numbers(80, 1.0));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(shares[i], shares[i + 100]);
}

TEST(RadialBasis, AcceptsPointsThatAreNearlyDuplicates) {
  for (const Basis basis : kBases) {
    Points source = randomCloud(2, 100, 12);
    for (std::size_t i = 0; i < 50; ++i) {
      source.positions[i + 50] = source.positions[i];
      source.positions[i + 50][0] += 1e-12;
    }
    const Points target = randomCloud(2, 80, 13, 0.2);
    const Mapping mapping = radialBasis(source, target, Form::consistent, {.basis = basis});
    EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-8);
  }
}

TEST(RadialBasis, TakesFewPoints) {
  const Points target = randomCloud(2, 20, 14);
  for (std::size_t count = 1; count <= 12; ++count) {
    const Points source = randomCloud(2, count, 15);
    EXPECT_LT(errorOf(radialBasis(source, target, Form::consistent), constantField, source, target), 1e-13) << count;
  }
}

TEST(RadialBasis, IsExactForLinearFieldsInSpaceWithPatchesOf24) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Points source = randomCloud(3, 200, 2 * seed);
    const Points target = randomCloud(3, 100, 2 * seed + 1, 0.1);
    const Mapping mapping = radialBasis(source, target, Form::consistent, {.patchPoints = 24});
    EXPECT_LT(errorOf(mapping, linearField, source, target), 1e-9) << seed;
  }
}

TEST(RadialBasis, RefusesSettingsThatMeanNothing) {
  const Points points = randomCloud(2, 20, 1);
  for (const RadialBasisSettings& settings :
       {RadialBasisSettings{.patchPoints = 23}, RadialBasisSettings{.patchPoints = 1001},
        RadialBasisSettings{.degree = 0}, RadialBasisSettings{.degree = 3}, RadialBasisSettings{.support = 0.9},
        RadialBasisSettings{.support = NAN}})
    mistakeOf([&] { radialBasis(points, points, Form::consistent, settings); });
}

}  // namespace
}  // namespace koppla::mapping::test
