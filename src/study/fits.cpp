#include "koppla/study/fits.hpp"

#include <map>

namespace koppla::study {

namespace {

/// Range ends are often written with fewer digits than grid values have.
constexpr double kTie = 1e-3;

}  // namespace

std::vector<RunSeries> seriesAlong(const Grid& grid, std::size_t axis) {
  std::vector<RunSeries> result;
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (std::size_t point = 0; point < grid.size(); ++point) {
    std::vector<std::size_t> others = grid.choice(point);
    others[axis] = 0;
    const auto [place, fresh] = known.emplace(others, result.size());
    if (fresh) {
      RunSeries& series = result.emplace_back();
      for (std::size_t i = 0; i < grid.axes().size(); ++i)
        if (i != axis)
          series.label += (series.label.empty() ? "" : ", ") + grid.axes()[i].nameWith(grid.value(point, i));
    }
    result[place->second].points.push_back(point);
  }
  return result;
}

std::vector<Fit> fitAll(const Study& study, std::span<const Row> rows) {
  std::vector<Fit> fits;
  if (!study.fit) return fits;
  const FitSettings& settings = *study.fit;
  for (RunSeries& series : seriesAlong(study.grid, settings.axis)) {
    std::vector<FitPoint> points;
    for (const std::size_t point : series.points) {
      const double setting = study.grid.value(point, settings.axis).number.value_or(kNone);
      const bool inRange = setting >= settings.from * (1.0 - kTie) && setting <= settings.to * (1.0 + kTie);
      if (inRange && rows[point].status == Status::ok && rows[point].error > 0.0)
        points.push_back({setting, rows[point].error});
    }
    fits.push_back({std::move(series), fitSlope(points)});
  }
  return fits;
}

}  // namespace koppla::study
