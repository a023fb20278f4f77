// What holds for every mapping, whatever the meshes.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "meshes.hpp"
#include "support/extremes.hpp"

namespace koppla::mapping::test {
namespace {

using Numbers = std::vector<double>;
using Method = std::function<Mapping(const Points&, const Points&, Form)>;

const std::array<Method, 4> kMethods{
    [](const Points& source, const Points& target, Form form) { return nearest(source, target, form); },
    [](const Points& source, const Points& target, Form form) { return linear(source, target, form); },
    [](const Points& source, const Points& target, Form form) { return radialBasis(source, target, form); },
    [](const Points& source, const Points& target, Form form) {
      return radialBasis(source, target, form, {.basis = Basis::gaussian, .patchPoints = 24, .degree = 1});
    }};

/// Coordinates on a coarse grid, so that points coincide and line up often; any simplices between them.
Points anyMesh() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  const int dimension = *rc::gen::inRange(1, 4);
  std::vector<Position> positions(count, Position{});
  for (Position& position : positions)
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis)
      position[axis] = 0.25 * *rc::gen::inRange(-6, 7) + (*rc::gen::inRange(0, 3) == 0 ? 0.01 : 0.0);
  Points points = cloud(positions, dimension);
  const auto simplices = *rc::gen::inRange<std::size_t>(1, 60);
  for (std::size_t i = 0; i < simplices; ++i) {
    Simplex simplex{{}, *rc::gen::inRange<std::uint32_t>(2, 5)};
    for (std::uint32_t& corner : simplex.corners)
      corner = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(count));
    points.simplices.push_back(simplex);
  }
  return points;
}

/// How much rounding may show: the sizes of all weights of a row or column.
double sizeOf(const Operator& map) {
  koppla::test::Largest largest;
  largest.see(1.0);
  for (const double weight : map.entries().weights) largest.see(std::abs(weight));
  return largest * static_cast<double>(map.rows() + map.columns());
}

RC_GTEST_PROP(Laws, RowsOfConsistentMappingsSumToOne, ()) {
  const Points source = anyMesh();
  const Points target = anyMesh();
  for (const Method& method : kMethods) {
    const Mapping mapping = method(source, target, Form::consistent);
    RC_ASSERT(mapping.map.rows() == target.size());
    RC_ASSERT(mapping.map.columns() == source.size());
    RC_ASSERT(largestDistanceFromOne(rowSums(mapping.map)) <= 1e-15 * sizeOf(mapping.map));
  }
}

RC_GTEST_PROP(Laws, ConservativeMappingsKeepTotals, ()) {
  const Points source = anyMesh();
  const Points target = anyMesh();
  for (const Method& method : kMethods) {
    const Mapping mapping = method(source, target, Form::conservative);
    RC_ASSERT(largestDistanceFromOne(rowSums(mapping.map.transposed())) <= 1e-15 * sizeOf(mapping.map));
    const Numbers forces = valuesOf(smoothField, source);
    const Numbers received = applied(mapping, forces);
    const double sent = std::accumulate(forces.begin(), forces.end(), 0.0);
    const double arrived = std::accumulate(received.begin(), received.end(), 0.0);
    RC_ASSERT(std::abs(sent - arrived) <= 1e-13 * sizeOf(mapping.map));
  }
}

RC_GTEST_PROP(Laws, APairOfFormsDoesTheSameWork, ()) {
  const Points fluid = anyMesh();
  const Points solid = anyMesh();
  for (const Method& method : kMethods) {
    const Mapping displacements = method(solid, fluid, Form::consistent);
    const Mapping forces = method(fluid, solid, Form::conservative);
    const Numbers u = valuesOf(smoothField, solid);
    const Numbers f = valuesOf(linearField, fluid);
    const Numbers uOfFluid = applied(displacements, u);
    const Numbers fOfSolid = applied(forces, f);
    const double there = std::inner_product(f.begin(), f.end(), uOfFluid.begin(), 0.0);
    const double here = std::inner_product(fOfSolid.begin(), fOfSolid.end(), u.begin(), 0.0);
    RC_ASSERT(std::abs(there - here) <= 1e-12 * sizeOf(displacements.map));
  }
}

TEST(Laws, MomentsOfForcesAreKeptWhereLinearFieldsAreExact) {
  const Points fluid = randomCloud(3, 200, 4, 0.1);
  const Points solid = gridMesh(3, 6, 0.3);
  std::vector<double> forces;
  for (const Position& at : fluid.positions)
    forces.insert(forces.end(), {smoothField(at), at[1] * at[2] - 1.0, linearField(at)});
  const auto momentAboutZ = [](const Points& points, const Numbers& f) {
    double sum = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i)
      sum += points.positions[i][0] * f[3 * i + 1] - points.positions[i][1] * f[3 * i];
    return sum;
  };
  for (std::size_t method = 1; method < kMethods.size(); ++method) {
    const Mapping mapping = kMethods[method](fluid, solid, Form::conservative);
    EXPECT_NEAR(momentAboutZ(solid, applied(mapping, forces, 3)), momentAboutZ(fluid, forces), 1e-11) << method;
  }
}

TEST(Laws, EqualMeshesAreMappedByTheIdentity) {
  for (const int dimension : {1, 2, 3}) {
    const Points mesh = gridMesh(dimension, 5, 0.4);
    for (const Method& method : kMethods)
      for (const Form form : {Form::consistent, Form::conservative}) {
        const Mapping mapping = method(mesh, mesh, form);
        EXPECT_LT(errorOf(mapping, smoothField, mesh, mesh), 1e-14) << dimension;
        EXPECT_EQ(mapping.quality.outside, 0U);
        EXPECT_EQ(mapping.quality.unused, 0U);
        EXPECT_LT(mapping.quality.largestDistance, 1e-15);
      }
  }
}

/// The same mesh with its points in another order.
Points permuted(const Points& mesh, const std::vector<std::uint32_t>& newIndex) {
  Points result = mesh;
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    result.ids[newIndex[i]] = mesh.ids[i];
    result.positions[newIndex[i]] = mesh.positions[i];
  }
  for (Simplex& simplex : result.simplices)
    for (std::uint32_t i = 0; i < simplex.count; ++i) simplex.corners[i] = newIndex[simplex.corners[i]];
  return result;
}

TEST(Laws, TheOrderOfPointsDoesNotMatter) {
  const Points source = gridMesh(2, 12, 0.5);
  const Points target = randomCloud(2, 150, 3);
  std::vector<std::uint32_t> newIndex(source.size());
  std::iota(newIndex.begin(), newIndex.end(), 0U);
  std::shuffle(newIndex.begin(), newIndex.end(), std::mt19937(1));
  const Points shuffled = permuted(source, newIndex);
  for (const Method& method : kMethods) {
    const Numbers one = applied(method(source, target, Form::consistent), valuesOf(smoothField, source));
    const Numbers other = applied(method(shuffled, target, Form::consistent), valuesOf(smoothField, shuffled));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-12);
  }
}

TEST(Laws, ASinglePointGivesItsValueToAll) {
  const Points source = cloud({{1, 2, 3}});
  const Points target = randomCloud(3, 10, 1);
  for (const Method& method : kMethods) {
    EXPECT_EQ(applied(method(source, target, Form::consistent), {7.0}), Numbers(10, 7.0));
    EXPECT_EQ(applied(method(target, source, Form::conservative), Numbers(10, 1.0)), Numbers{10.0});
    EXPECT_EQ(method(source, target, Form::consistent).quality.outside, 10U);
  }
}

TEST(Laws, DuplicatesOfAllPointsAreAccepted) {
  const Points source = cloud(std::vector<Position>(50, Position{1, 1, 1}));
  const Points target = randomCloud(3, 10, 1);
  for (const Method& method : kMethods) {
    const Numbers result = applied(method(source, target, Form::consistent), Numbers(50, 3.0));
    for (const double value : result) EXPECT_NEAR(value, 3.0, 1e-14);
  }
}

TEST(Laws, EmptySetsAreRefused) {
  const Points nothing;
  const Points something = randomCloud(1, 3, 1);
  for (const Method& method : kMethods) {
    EXPECT_EQ(mistakeOf([&] { method(nothing, something, Form::consistent); }).message, "The source has no points.");
    EXPECT_EQ(mistakeOf([&] { method(something, nothing, Form::consistent); }).message, "The target has no points.");
  }
}

}  // namespace
}  // namespace koppla::mapping::test
