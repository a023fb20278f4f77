#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/study/fit.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

/// The runs that differ in one axis only, in the order of its values.
struct RunSeries {
  std::string label;  ///< "algorithm.kind = jacobi, mass.c = 4"; empty if nothing else is varied
  std::vector<std::size_t> points;
};

/// All series along an axis, in the order of the grid.
std::vector<RunSeries> seriesAlong(const Grid& grid, std::size_t axis);

/// The order of convergence of one series. Runs that are unstable, failed, ended early or limited by the reference are
/// left out, and so are those outside the range of [fit].
struct Fit {
  RunSeries series;
  Slope slope;
};

/// One for each series; none without [fit].
std::vector<Fit> fitAll(const Study& study, std::span<const Row> rows);

}  // namespace koppla::study
