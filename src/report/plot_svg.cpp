#include "koppla/report/plot_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/report/axis.hpp"
#include "koppla/report/panels.hpp"
#include "koppla/report/svg_path.hpp"
#include "koppla/report/svg_text.hpp"
#include "koppla/report/text.hpp"

namespace koppla::report {

namespace {

// After M. Okabe and K. Ito, Color Universal Design (2008); their yellow is too light for a line on white.
constexpr std::array<std::string_view, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#000000"};
constexpr std::size_t kCurvesPerPanel = kColours.size();

// All in px.
constexpr double kFontSize = 13.0;
constexpr double kMargin = 14.0;
constexpr double kTickLength = 5.0;
constexpr double kLegendLine = 20.0;
constexpr double kLegendSample = 22.0;
constexpr double kPanelGap = 20.0;
constexpr double kTimeLabels = 44.0;

constexpr std::string_view kStyle =
    "text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:13px;"
    "fill:#222}"
    ".title{font-size:16px;font-weight:600}.tick{font-size:12px;fill:#444}"
    ".grid{stroke:#e4e4e4;stroke-width:1;fill:none}.axis{stroke:#444;stroke-width:1;fill:none}"
    ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}";

struct Box {
  double left;
  double top;
  double width;
  double height;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
  [[nodiscard]] double x(const Axis& time, double t) const { return left + width * time.position(t); }
  [[nodiscard]] double y(const Axis& values, double value) const { return bottom() - height * values.position(value); }
};

/// Lines of one pixel are sharp between the pixels.
double sharp(double pixel) {
  return std::floor(pixel) + 0.5;
}

std::string element(std::string_view kind, double x, double y, std::string_view anchor, std::string_view content) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", kind, pixels(x), pixels(y),
                     anchor, xmlEscaped(content));
}

std::string segment(double x0, double y0, double x1, double y1) {
  return fmt::format("M{},{}L{},{}", pixels(x0), pixels(y0), pixels(x1), pixels(y1));
}

/// A panel with all that is known about it before it has its place.
struct Layout {
  const Panel* panel = nullptr;
  Axis values;
  std::vector<std::string> names;       ///< by curve, for the legend
  std::vector<std::size_t> legendLine;  ///< by curve
  std::vector<double> legendLeft;       ///< by curve, from the left of the frame
  double legendHeight = 0.0;
};

double tickWidth(const Axis& axis) {
  double widest = 0.0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, textWidth(tick.text, kFontSize - 1.0));
  return widest;
}

/// Names in the order of the curves, as many to a line as fit. A single name that stands at the axis needs no legend.
void placeLegend(Layout& layout, double width, double panelHeight) {
  const auto& curves = layout.panel->curves;
  if (curves.size() == 1 && textWidth(layout.values.label, kFontSize) <= panelHeight) return;
  if (curves.size() == 1) layout.values.label = axisLabel("value", layout.panel->unit, layout.values.powerOfTen);
  double left = 0.0;
  std::size_t line = 0;
  const double nameWidth = width - kLegendSample - 6.0;
  for (const results::Series* curve : curves) {
    layout.names.push_back(clipped(printable(curve->name), static_cast<std::size_t>(nameWidth / (0.6 * kFontSize))));
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
    result += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", kColours.at(i),
                          segment(x, y, x + kLegendSample, y));
    result += element("name", x + kLegendSample + 6.0, y + 4.5, "start", layout.names[i]);
  }
  return result;
}

std::string gridAndAxes(const Axis& time, const Axis& values, const Box& box, bool last) {
  std::string grid;
  std::string marks;
  std::string labels;
  for (const Tick& tick : values.ticks) {
    const double y = sharp(box.y(values, tick.at));
    grid += segment(box.left, y, box.right(), y);
    marks += segment(box.left - kTickLength, y, box.left, y);
    labels += element("tick", box.left - kTickLength - 4.0, y + 4.0, "end", withMinusSign(tick.text));
  }
  for (const Tick& tick : time.ticks) {
    const double x = sharp(box.x(time, tick.at));
    grid += segment(x, box.top, x, box.bottom());
    marks += segment(x, box.bottom(), x, box.bottom() + kTickLength);
    if (last) labels += element("tick", x, box.bottom() + kTickLength + 14.0, "middle", withMinusSign(tick.text));
  }
  const double left = sharp(box.left);
  const double bottom = sharp(box.bottom());
  marks += fmt::format("M{},{}V{}H{}", pixels(left), pixels(box.top), pixels(bottom), pixels(box.right()));
  return fmt::format("<path class=\"grid\" d=\"{}\"/>\n<path class=\"axis\" d=\"{}\"/>\n", grid, marks) + labels;
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
      result += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", kColours.at(i), drawn.commands);
    for (const SvgPath::Point& point : drawn.single)
      result += fmt::format("<circle r=\"2.5\" fill=\"{}\" cx=\"{}\" cy=\"{}\"/>\n", kColours.at(i), pixels(point.x),
                            pixels(point.y));
    result += "</g>\n";
  }
  return result;
}

std::string turnedLabel(std::string_view label, double x, double y) {
  return fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\" transform=\"rotate(-90 {0} {1})\">{2}</text>\n",
                     pixels(x), pixels(y), xmlEscaped(label));
}

/// Two values need little room.
double panelHeight(const Panel& panel, const SvgPlot& options) {
  return panel.boolean() ? std::max(0.3 * options.panelHeight, 50.0) : options.panelHeight;
}

Range padded(Range range) {
  constexpr double kAir = 0.04;
  const double air = kAir * (range.high - range.low);
  return {range.low - air, range.high + air};
}

}  // namespace

std::string plotSvg(const results::Table& table, std::span<const std::string> patterns, const SvgPlot& options) {
  const std::vector<Panel> panels = makePanels(table, patterns, kCurvesPerPanel);
  std::vector<Layout> layouts;
  double labels = 0.0;
  for (const Panel& panel : panels) {
    const auto most = static_cast<std::size_t>(std::max(3.0, panelHeight(panel, options) / 30.0));
    Layout layout;
    layout.panel = &panel;
    layout.values = valueAxis(padded(panel.range()), {panel.quantity(), panel.unit, most, panel.whole(), false});
    labels = std::max(labels, tickWidth(layout.values));
    layouts.push_back(std::move(layout));
  }
  const double left = kMargin + kFontSize + 8.0 + labels + 4.0 + kTickLength;
  const double width = std::max(80.0, options.width - left - kMargin - 8.0);
  const Axis time = timeAxis(timeRange(table), static_cast<std::size_t>(std::max(3.0, width / 75.0)));

  double top = kMargin;
  std::string body;
  if (!options.title.empty()) {
    body += element("title", left, top + 14.0, "start", options.title);
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
    body += turnedLabel(layouts[i].values.label, kMargin + kFontSize - 3.0, box.top + 0.5 * box.height);
    top = box.bottom() + kPanelGap;
  }
  top -= kPanelGap;
  body += element("label", left + 0.5 * width, top + kTickLength + 33.0, "middle", time.label);
  const double height = top + kTimeLabels + 6.0;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "role=\"img\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             pixels(options.width), pixels(height), kStyle) +
         body + "</svg>\n";
}

}  // namespace koppla::report
