#include "koppla/report/stability_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "koppla/report/svg_frame.hpp"
#include "koppla/report/svg_path.hpp"

namespace koppla::report {

namespace {

/// A radius from which on all cells look alike.
constexpr double kDarkest = 2.0;

struct Colour {
  double red;
  double green;
  double blue;
};

// Light at the spectral radius 1, dark far from it. Blue and orange differ for all kinds of colour vision.
constexpr std::array<Colour, 2> kStable{Colour{198, 219, 239}, Colour{8, 81, 156}};
constexpr std::array<Colour, 2> kUnstable{Colour{253, 224, 190}, Colour{190, 75, 1}};
constexpr std::string_view kUnknown = "#bbbbbb";

std::string mixed(const std::array<Colour, 2>& ends, double share) {
  const auto part = [share](double from, double to) {
    return static_cast<unsigned>(std::lround(from + share * (to - from)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(ends[0].red, ends[1].red), part(ends[0].green, ends[1].green),
                     part(ends[0].blue, ends[1].blue));
}

std::string colourOf(double radius, const run::RecursionSettings& recursion) {
  if (std::isnan(radius)) return std::string(kUnknown);
  if (recursion.isStable(radius)) return mixed(kStable, 1.0 - std::min(1.0, radius));
  return mixed(kUnstable, std::clamp(std::log(radius) / std::log(kDarkest), 0.0, 1.0));
}

/// The places of the values on their axis.
std::vector<double> placesOf(const MapAxis& axis) {
  std::vector<double> places = axis.values;
  if (axis.logarithmic)
    for (double& place : places) place = std::log10(place);
  return places;
}

/// The borders of the cells: halfway between places, and as far outside of the first and the last one.
std::vector<double> bordersOf(const std::vector<double>& places) {
  std::vector<double> borders{1.5 * places[0] - 0.5 * places[1]};
  for (std::size_t i = 1; i < places.size(); ++i) borders.push_back(0.5 * (places[i - 1] + places[i]));
  borders.push_back(1.5 * places.back() - 0.5 * places[places.size() - 2]);
  return borders;
}

Axis drawnAxis(const MapAxis& axis, const std::vector<double>& borders, double length) {
  const Range range{borders.front(), borders.back()};
  const auto most = static_cast<std::size_t>(std::max(2.0, length / 60.0));
  if (axis.logarithmic) return decadeAxis(range, most, axis.label);
  return valueAxis(range, {.quantity = axis.label, .unit = "", .mostTicks = most});
}

/// What both parts of the picture need.
struct Layout {
  std::vector<double> x, y;  ///< px, of the values
  std::vector<double> left;  ///< px, borders of the columns
  std::vector<double> top;   ///< px, borders of the rows, from the lowest one up
};

std::string cells(const MapPanel& map, const Layout& layout, const run::RecursionSettings& recursion) {
  std::string result = "<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t row = 0; row < layout.y.size(); ++row)
    for (std::size_t column = 0; column < layout.x.size(); ++column)
      result +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", pixels(layout.left[column]),
                      pixels(layout.top[row + 1]), pixels(layout.left[column + 1] - layout.left[column]),
                      pixels(layout.top[row] - layout.top[row + 1]),
                      colourOf(map.radii[row * layout.x.size() + column], recursion));
  return result + "</g>\n";
}

/// The line of the largest stable radius, by marching triangles: each square of four neighbours is cut along its
/// diagonal, so that no case is ambiguous. Logarithms, because radii grow like powers.
class Contour {
 public:
  Contour(const MapPanel& map, const Layout& layout, const run::RecursionSettings& recursion)
      : map_(map), layout_(layout), recursion_(recursion) {}

  std::string path() {
    for (std::size_t row = 0; row + 1 < layout_.y.size(); ++row)
      for (std::size_t column = 0; column + 1 < layout_.x.size(); ++column) {
        const Corner low = corner(column, row);
        const Corner high = corner(column + 1, row + 1);
        triangle({low, corner(column + 1, row), high});
        triangle({low, corner(column, row + 1), high});
      }
    return std::move(commands_);
  }

 private:
  struct Corner {
    double x;
    double y;
    double value;  ///< the logarithm of the radius; NaN: unknown
    bool stable;
  };

  [[nodiscard]] Corner corner(std::size_t column, std::size_t row) const {
    constexpr double kFar = 5.0;  // an infinite radius counts like exp(5)
    const double radius = map_.radii[row * layout_.x.size() + column];
    const double value = std::isnan(radius) ? radius : std::clamp(std::log(radius), -kFar, kFar);
    return {layout_.x[column], layout_.y[row], value, recursion_.isStable(radius)};
  }

  void triangle(const std::array<Corner, 3>& corners) {
    std::array<std::pair<double, double>, 3> crossings{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Corner& a = corners.at(i);
      const Corner& b = corners.at((i + 1) % corners.size());
      if (std::isnan(a.value) || std::isnan(b.value)) return;
      if (a.stable == b.stable) continue;
      const double share = (std::log(recursion_.largestStableRadius()) - a.value) / (b.value - a.value);
      const double within = std::isnan(share) ? 0.5 : std::clamp(share, 0.0, 1.0);  // radii beyond kFar are alike
      crossings.at(count++) = {a.x + within * (b.x - a.x), a.y + within * (b.y - a.y)};
    }
    if (count == 2)
      commands_ += svgSegment(crossings[0].first, crossings[0].second, crossings[1].first, crossings[1].second);
  }

  const MapPanel& map_;
  const Layout& layout_;
  const run::RecursionSettings& recursion_;
  std::string commands_;
};

constexpr std::string_view kLine = "class=\"curve\" stroke=\"#000\"";

/// Shades with their radii, and the line.
std::string legend(double left, double top, const run::RecursionSettings& recursion, bool anyUnknown) {
  constexpr double kShade = 26.0;  // px
  constexpr double kHeight = 14.0;
  struct Shade {
    double radius;
    std::string_view text;
  };
  constexpr std::array kShades{Shade{0.0, "0"},  Shade{0.25, ""},       Shade{0.5, "0.5"}, Shade{0.75, ""},
                               Shade{0.999, ""}, Shade{1.001, ""},      Shade{1.2, ""},    Shade{1.4, "1.4"},
                               Shade{1.7, ""},   Shade{kDarkest, "≥ 2"}};
  std::string result = svgText("name", left, top + 11.5, "start", "spectral radius ρ");
  double x = left + 122.0;
  for (const Shade& shade : kShades) {
    result += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", pixels(x), pixels(top),
                          pixels(kShade), pixels(kHeight), colourOf(shade.radius, recursion));
    if (!shade.text.empty()) result += svgText("tick", x + 0.5 * kShade, top + kHeight + 13.0, "middle", shade.text);
    x += kShade;
  }
  result += svgText("tick", x - 5.0 * kShade, top + kHeight + 13.0, "middle", "1");
  const double y = top + 0.5 * kHeight;
  x += 18.0;
  result += fmt::format("<path {} d=\"{}\"/>\n", kLine, svgSegment(x, y, x + kLegendSample, y));
  result += svgText("name", x + kLegendSample + 6.0, y + 4.5, "start",
                    fmt::format("ρ = {}: blue is stable", recursion.largestStableText()));
  if (!anyUnknown) return result;
  x += kLegendSample + 210.0;
  result += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", pixels(x), pixels(top),
                        pixels(kHeight), pixels(kHeight), kUnknown);
  return result + svgText("name", x + kHeight + 6.0, y + 4.5, "start", "unknown");
}

Layout laidOut(const MapAxis& acrossAxis, const MapAxis& upAxis, const Axis& across, const Axis& up, const Box& box) {
  Layout layout;
  for (const double place : placesOf(acrossAxis)) layout.x.push_back(box.x(across, place));
  for (const double place : placesOf(upAxis)) layout.y.push_back(box.y(up, place));
  for (const double border : bordersOf(placesOf(acrossAxis))) layout.left.push_back(box.x(across, border));
  for (const double border : bordersOf(placesOf(upAxis))) layout.top.push_back(box.y(up, border));
  return layout;
}

}  // namespace

bool looksLogarithmic(const std::vector<double>& values) {
  if (values.size() < 3 || values.front() <= 0.0) return false;
  // Equal ratios put the middle value at the geometric mean of the ends, equal distances at the arithmetic one.
  const std::size_t half = (values.size() - 1) / 2;
  const double first = values.front();
  const double last = values[2 * half];
  return std::fabs(std::log(values[half] / std::sqrt(first * last))) <
         std::fabs(std::log(values[half] / (0.5 * (first + last))));
}

std::string plotStabilityMap(const StabilityMap& map) {
  constexpr double kLabels = 50.0;  // px, below the lowest frames
  constexpr double kLegend = 44.0;  // px
  constexpr double kTicks = 30.0;   // px, below the other frames
  constexpr double kName = 20.0;    // px, above a frame
  const auto columns = static_cast<double>(map.columns);
  const Axis up = drawnAxis(map.up, bordersOf(placesOf(map.up)), map.height);
  const double ticks = tickWidth(up) + 4.0 + kTickLength + 8.0;
  const double left = kMargin + kFontSize + ticks;
  const double width = std::max(80.0, (map.width - kMargin - kFontSize - kMargin - 8.0) / columns - ticks);
  const Axis across = drawnAxis(map.across, bordersOf(placesOf(map.across)), width);

  std::string body;
  double top = kMargin;
  if (!map.title.empty()) {
    body += svgText("title", left, top + 14.0, "start", map.title);
    top += 30.0;
  }
  const auto isUnknown = [](double radius) { return std::isnan(radius); };
  body += legend(left, top, map.recursion, std::ranges::any_of(map.panels, [&](const MapPanel& panel) {
                   return std::ranges::any_of(panel.radii, isUnknown);
                 }));
  top += kLegend;

  const bool named = std::ranges::any_of(map.panels, [](const MapPanel& panel) { return !panel.name.empty(); });
  const double rowHeight = map.height + kTicks + (named ? kName : 0.0);
  const std::size_t rows = (map.panels.size() + map.columns - 1) / map.columns;
  Box box{left, top, width, map.height};
  for (std::size_t i = 0; i < map.panels.size(); ++i) {
    const MapPanel& panel = map.panels[i];
    const std::size_t column = i % map.columns;
    const std::size_t row = i / map.columns;
    const bool lowest = i + map.columns >= map.panels.size();
    box.left = left + static_cast<double>(column) * (width + ticks);
    box.top = top + static_cast<double>(row) * rowHeight + (named ? kName : 0.0);
    if (!panel.name.empty()) body += svgText("name", box.left, box.top - 7.0, "start", panel.name);
    const Layout layout = laidOut(map.across, map.up, across, up, box);
    body += gridAndAxes(across, up, box, true);
    body += cells(panel, layout, map.recursion);
    body += fmt::format("<path {} d=\"{}\"/>\n", kLine, Contour(panel, layout, map.recursion).path());
    if (column == 0) body += svgTurnedText(up.label, kMargin + kFontSize - 3.0, box.top + 0.5 * box.height);
    if (lowest)
      body += svgText("label", box.left + 0.5 * width, box.bottom() + kTickLength + 33.0, "middle", across.label);
  }
  return svgDocument(map.width, top + static_cast<double>(rows) * rowHeight - kTicks + kLabels, body);
}

}  // namespace koppla::report
