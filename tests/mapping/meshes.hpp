#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping::test {

using Field = std::function<double(const Position&)>;

Points cloud(std::vector<Position> positions, int dimension = 3);

/// The unit interval, square or cube with n cells along each side, cut into simplices; inner points are moved at random
/// by up to `disorder` / 2 cells along each coordinate.
Points gridMesh(int dimension, std::size_t n, double disorder = 0.0);

/// Points at random, at least `margin` inside the unit interval, square or cube.
Points randomCloud(int dimension, std::size_t count, unsigned seed, double margin = 0.0);

std::vector<double> valuesOf(const Field& field, const Points& points);
std::vector<double> applied(const Mapping& mapping, const std::vector<double>& values, std::size_t components = 1);

/// Largest difference between the mapped field and the field itself at the targets.
double errorOf(const Mapping& mapping, const Field& field, const Points& source, const Points& target);
double rootMeanSquareOf(const Mapping& mapping, const Field& field, const Points& source, const Points& target);

double constantField(const Position& at);
double linearField(const Position& at);
double smoothField(const Position& at);

std::vector<double> rowSums(const Operator& map);
double largestDistanceFromOne(const std::vector<double>& sums);

/// The first mistake that is told when `act` is refused; fails the test where it is not.
core::Problem mistakeOf(const std::function<void()>& act);

}  // namespace koppla::mapping::test
