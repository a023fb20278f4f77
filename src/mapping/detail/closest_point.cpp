#include "koppla/mapping/detail/closest_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "koppla/mapping/detail/point_tree.hpp"

namespace koppla::mapping::detail {

namespace {

using Vector = Position;

/// What is left of a corner's height above the others, relative to its edge, before it counts as lying among them.
constexpr double kFlatCorner = 1e-12;

Vector difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Barycentric coordinates of the point's projection to the line, plane or space of the corners; empty where these do
/// not span it. Gram-Schmidt: each edge e_i = sum_{j<i} r_ij q_j + q_i, then back substitution.
std::optional<std::array<double, 4>> barycentric(std::span<const Position> corners, const Position& point) {
  const std::size_t edges = corners.size() - 1;
  std::array<Vector, 3> q{};
  std::array<std::array<double, 3>, 3> r{};
  std::array<double, 3> along{};
  Vector rest = difference(point, corners[0]);
  for (std::size_t i = 0; i < edges; ++i) {
    q[i] = difference(corners[i + 1], corners[0]);
    const double length = dot(q[i], q[i]);
    for (std::size_t j = 0; j < i; ++j) {
      r[i][j] = dot(q[i], q[j]) / dot(q[j], q[j]);
      for (std::size_t k = 0; k < 3; ++k) q[i][k] -= r[i][j] * q[j][k];
    }
    const double height = dot(q[i], q[i]);
    if (!(height > kFlatCorner * kFlatCorner * length)) return std::nullopt;
    along[i] = dot(rest, q[i]) / height;
    for (std::size_t k = 0; k < 3; ++k) rest[k] -= along[i] * q[i][k];
  }
  std::array<double, 4> weights{1.0, 0.0, 0.0, 0.0};
  for (std::size_t i = edges; i-- > 0;) {
    double weight = along[i];
    for (std::size_t j = i + 1; j < edges; ++j) weight -= weights[j + 1] * r[j][i];
    weights[i + 1] = weight;
    weights[0] -= weight;
  }
  return weights;
}

double squaredDistanceTo(std::span<const Position> corners, const std::array<double, 4>& weights,
                         const Position& point) {
  Position place{};
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) place[k] += weights[i] * corners[i][k];
  return squaredDistance(place, point);
}

/// The nearest place on the face without one corner.
Closest closestOnFace(std::span<const Position> corners, std::size_t without, const Position& point) {
  std::array<Position, 3> face{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (i != without) face[count++] = corners[i];
  const Closest onFace = closestPoint(std::span(face).first(count), point);
  Closest result{{}, onFace.squaredDistance};
  count = 0;
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (i != without) result.weights[i] = onFace.weights[count++];
  return result;
}

}  // namespace

Closest closestPoint(std::span<const Position> corners, const Position& point) {
  if (corners.size() == 1) return {{1.0, 0.0, 0.0, 0.0}, squaredDistance(corners[0], point)};
  const auto weights = barycentric(corners, point);
  if (weights && std::ranges::all_of(*weights, [](double weight) { return weight >= 0.0; })) {
    const bool inside = corners.size() == 4;  // without rounding, so that a search ends here
    return {*weights, inside ? 0.0 : squaredDistanceTo(corners, *weights, point)};
  }
  // A projection outside lies beyond the faces opposite to the corners whose weights are negative, and the nearest
  // place is on one of these.
  Closest best{{}, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (weights && (*weights)[i] >= 0.0) continue;
    const Closest candidate = closestOnFace(corners, i, point);
    if (candidate.squaredDistance < best.squaredDistance) best = candidate;
  }
  return best;
}

}  // namespace koppla::mapping::detail
