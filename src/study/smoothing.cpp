#include "koppla/study/smoothing.hpp"

namespace koppla::study {

namespace {

struct Direction {
  std::size_t size;
  std::size_t stride;  ///< from a point to its neighbour
  std::size_t at = 0;  ///< where the point at hand lies

  [[nodiscard]] bool inside() const { return at > 0 && at + 1 < size; }
};

std::vector<Direction> directionsOf(std::span<const std::size_t> sizes) {
  std::vector<Direction> directions;
  std::size_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) directions.push_back({sizes[i], stride});
  return directions;  // the fastest one first
}

void goOn(std::vector<Direction>& directions) {
  for (Direction& direction : directions) {
    if (++direction.at < direction.size) return;
    direction.at = 0;
  }
}

}  // namespace

std::vector<double> smoothed(std::span<const double> field, std::span<const std::size_t> sizes) {
  std::vector<Direction> directions = directionsOf(sizes);
  std::vector<double> result(field.begin(), field.end());
  for (std::size_t point = 0; point < field.size(); ++point, goOn(directions)) {
    double sum = 0.0;
    unsigned counted = 0;
    for (const Direction& direction : directions) {
      if (!direction.inside()) continue;
      sum += field[point - direction.stride] + field[point + direction.stride];
      ++counted;
    }
    if (counted > 0) result[point] = 0.5 * field[point] + sum / (4.0 * counted);
  }
  return result;
}

}  // namespace koppla::study
