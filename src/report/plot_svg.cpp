#include "koppla/report/plot_svg.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/printable.hpp"
#include "koppla/report/axis.hpp"
#include "koppla/report/panels.hpp"
#include "koppla/report/svg_frame.hpp"
#include "koppla/report/svg_path.hpp"
#include "koppla/report/svg_text.hpp"
#include "koppla/report/text.hpp"

namespace koppla::report {

namespace {

constexpr std::size_t kCurvesPerSvgPanel = kSvgColours.size();

// All in px.
constexpr double kPanelGap = 20.0;
constexpr double kTimeLabels = 44.0;

/// A panel with all that is known about it before it has its place.
struct Layout {
  const Panel* panel = nullptr;
  Axis values;
  std::vector<std::string> names;       ///< by curve, for the legend
  std::vector<std::size_t> legendLine;  ///< by curve
  std::vector<double> legendLeft;       ///< by curve, from the left of the frame
  double legendHeight = 0.0;
};

/// Names in the order of the curves, as many to a line as fit. A single name that stands at the axis needs no legend.
void placeLegend(Layout& layout, double width, double panelHeight) {
  const auto& curves = layout.panel->curves;
  if (curves.size() == 1 && textWidth(layout.values.label, kFontSize) <= panelHeight) return;
  if (curves.size() == 1) layout.values.label = axisLabel("value", layout.panel->unit, layout.values.powerOfTen);
  double left = 0.0;
  std::size_t line = 0;
  const double nameWidth = width - kLegendSample - 6.0;
  for (const results::Series* curve : curves) {
    layout.names.push_back(
        clipped(core::printable(curve->name), static_cast<std::size_t>(nameWidth / (0.6 * kFontSize))));
    const double needed = kLegendSample + 6.0 + textWidth(layout.names.back(), kFontSize);
    if (left > 0.0 && left + needed > width) {
      ++line;
      left = 0.0;
    }
    layout.legendLine.push_back(line);
    layout.legendLeft.push_back(left);
    left += needed + 18.0;
  }
  layout.legendHeight = static_cast<double>(line + 1) * kLegendLine + 4.0;
}

std::string legend(const Layout& layout, const Box& box) {
  std::string result;
  for (std::size_t i = 0; i < layout.legendLeft.size(); ++i) {
    const double x = box.left + layout.legendLeft[i];
    const double y = box.top - layout.legendHeight + (static_cast<double>(layout.legendLine[i]) + 0.5) * kLegendLine;
    result += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", kSvgColours.at(i),
                          svgSegment(x, y, x + kLegendSample, y));
    result += svgText("name", x + kLegendSample + 6.0, y + 4.5, "start", layout.names[i]);
  }
  return result;
}

std::string curves(const results::Table& table, const Layout& layout, const Axis& time, const Box& box) {
  std::string result;
  for (std::size_t i = 0; i < layout.panel->curves.size(); ++i) {
    const results::Series& curve = *layout.panel->curves[i];
    SvgPath path;
    trace(table.time, curve, [&](double t, double y, bool connected) {
      path.add({box.x(time, t), box.y(layout.values, y)}, connected);
    });
    const SvgPath::Result drawn = path.finish();
    result += fmt::format("<g><title>{}</title>\n", xmlEscaped(curve.name));
    if (!drawn.commands.empty())
      result += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", kSvgColours.at(i), drawn.commands);
    for (const SvgPath::Point& point : drawn.single)
      result += fmt::format("<circle r=\"2.5\" fill=\"{}\" cx=\"{}\" cy=\"{}\"/>\n", kSvgColours.at(i), pixels(point.x),
                            pixels(point.y));
    result += "</g>\n";
  }
  return result;
}

/// Two values need little room.
double panelHeight(const Panel& panel, const SvgPlot& options) {
  return panel.boolean() ? std::max(0.3 * options.panelHeight, 50.0) : options.panelHeight;
}

Range padded(Range range) {
  constexpr double kAir = 0.04;
  using Limits = std::numeric_limits<double>;
  const double air = kAir * range.high - kAir * range.low;  // their difference may be too large for a double
  return {std::max(range.low - air, Limits::lowest()), std::min(range.high + air, Limits::max())};
}

}  // namespace

std::string plotSvg(const results::Table& table, std::span<const std::string> patterns, const SvgPlot& options) {
  const std::vector<Panel> panels = makePanels(table, patterns, kCurvesPerSvgPanel);
  std::vector<Layout> layouts;
  double labels = 0.0;
  for (const Panel& panel : panels) {
    const auto most = static_cast<std::size_t>(std::max(3.0, panelHeight(panel, options) / 30.0));
    Layout layout;
    layout.panel = &panel;
    layout.values = verticalAxis(panel, padded(panel.range()), most, false);
    labels = std::max(labels, tickWidth(layout.values));
    layouts.push_back(std::move(layout));
  }
  const double left = kMargin + kFontSize + 8.0 + labels + 4.0 + kTickLength;
  const double width = std::max(80.0, options.width - left - kMargin - 8.0);
  const Axis time = horizontalAxis(table, static_cast<std::size_t>(std::max(3.0, width / 75.0)));

  double top = kMargin;
  std::string body;
  if (!options.title.empty()) {
    body += svgText("title", left, top + 14.0, "start", options.title);
    top += 30.0;
  }
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const double frameHeight = panelHeight(panels[i], options);
    placeLegend(layouts[i], width, frameHeight);
    top += layouts[i].legendHeight;
    const Box box{left, top, width, frameHeight};
    body += gridAndAxes(time, layouts[i].values, box, i + 1 == layouts.size());
    body += curves(table, layouts[i], time, box);
    body += legend(layouts[i], box);
    body += svgTurnedText(layouts[i].values.label, kMargin + kFontSize - 3.0, box.top + 0.5 * box.height);
    top = box.bottom() + kPanelGap;
  }
  top -= kPanelGap;
  body += svgText("label", left + 0.5 * width, top + kTickLength + 33.0, "middle", time.label);
  const double height = top + kTimeLabels + 6.0;
  return svgDocument(options.width, height, body);
}

}  // namespace koppla::report
