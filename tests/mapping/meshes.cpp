#include "meshes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "support/extremes.hpp"

namespace koppla::mapping::test {

Points cloud(std::vector<Position> positions, int dimension) {
  Points points;
  points.dimension = dimension;
  points.positions = std::move(positions);
  for (std::size_t i = 0; i < points.size(); ++i) points.ids.push_back(static_cast<std::int64_t>(i) + 1);
  return points;
}

namespace {

/// The corners of a cell in the order of the axes' permutation: Kuhn's division into d! simplices.
void addSimplices(Points& points, int dimension, std::uint32_t corner, const std::array<std::uint32_t, 3>& strides) {
  std::array<std::size_t, 3> order{0, 1, 2};
  const auto used = order.begin() + dimension;
  do {
    Simplex simplex{{corner, 0, 0, 0}, static_cast<std::uint32_t>(dimension) + 1};
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
      simplex.corners[i + 1] = simplex.corners[i] + strides[order[i]];
    points.simplices.push_back(simplex);
  } while (std::next_permutation(order.begin(), used));
}

}  // namespace

Points gridMesh(int dimension, std::size_t n, double disorder) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> move(-0.5 * disorder, 0.5 * disorder);
  const std::size_t ny = dimension > 1 ? n : 0;
  const std::size_t nz = dimension > 2 ? n : 0;
  const auto strideY = static_cast<std::uint32_t>(n + 1);
  const auto strideZ = static_cast<std::uint32_t>((n + 1) * (ny + 1));
  Points points = cloud({}, dimension);
  std::vector<std::uint32_t> cells;
  const auto coordinate = [&](std::size_t i) {
    const double moved = i == 0 || i == n ? 0.0 : move(random);
    return (static_cast<double>(i) + moved) / static_cast<double>(n);
  };
  for (std::size_t k = 0; k <= nz; ++k)
    for (std::size_t j = 0; j <= ny; ++j)
      for (std::size_t i = 0; i <= n; ++i) {
        const bool cell = i < n && (dimension < 2 || j < n) && (dimension < 3 || k < n);
        if (cell) cells.push_back(static_cast<std::uint32_t>(points.size()));
        points.positions.push_back(
            {coordinate(i), dimension > 1 ? coordinate(j) : 0.0, dimension > 2 ? coordinate(k) : 0.0});
      }
  points = cloud(points.positions, dimension);
  for (const std::uint32_t cell : cells) addSimplices(points, dimension, cell, {1, strideY, strideZ});
  return points;
}

Points randomCloud(int dimension, std::size_t count, unsigned seed, double margin) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> coordinate(margin, 1.0 - margin);
  std::vector<Position> positions(count, Position{});
  for (Position& position : positions) std::generate_n(position.begin(), dimension, [&] { return coordinate(random); });
  return cloud(std::move(positions), dimension);
}

std::vector<double> valuesOf(const Field& field, const Points& points) {
  std::vector<double> values;
  std::ranges::transform(points.positions, std::back_inserter(values), field);
  return values;
}

std::vector<double> applied(const Mapping& mapping, const std::vector<double>& values, std::size_t components) {
  std::vector<double> result(mapping.map.rows() * components);
  mapping.map.apply(values, result, components);
  return result;
}

namespace {

std::vector<double> differences(const Mapping& mapping, const Field& field, const Points& source,
                                const Points& target) {
  std::vector<double> result = applied(mapping, valuesOf(field, source));
  const std::vector<double> expected = valuesOf(field, target);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::abs(result[i] - expected[i]);
  return result;
}

}  // namespace

double errorOf(const Mapping& mapping, const Field& field, const Points& source, const Points& target) {
  return koppla::test::largestOf(differences(mapping, field, source, target));
}

double rootMeanSquareOf(const Mapping& mapping, const Field& field, const Points& source, const Points& target) {
  double sum = 0.0;
  for (const double difference : differences(mapping, field, source, target)) sum += difference * difference;
  return std::sqrt(sum / static_cast<double>(target.size()));
}

double constantField(const Position&) {
  return -2.5;
}

double linearField(const Position& at) {
  return 1.0 + 2.0 * at[0] - 3.0 * at[1] + 0.5 * at[2];
}

double smoothField(const Position& at) {
  return std::sin(3.0 * at[0] + 1.0) * std::cos(2.0 * at[1]) * std::exp(at[2]);
}

std::vector<double> rowSums(const Operator& map) {
  const std::vector<double> ones(map.columns(), 1.0);
  std::vector<double> sums(map.rows());
  map.apply(ones, sums);
  return sums;
}

double largestDistanceFromOne(const std::vector<double>& sums) {
  koppla::test::Largest largest;
  for (const double sum : sums) largest.see(std::abs(sum - 1.0));
  return largest;
}

core::Problem mistakeOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const core::InputError& error) {
    EXPECT_FALSE(error.problems().front().remedy.empty()) << error.what();
    return error.problems().front();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

}  // namespace koppla::mapping::test
