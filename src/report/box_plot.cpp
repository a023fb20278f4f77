#include "koppla/report/box_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/printable.hpp"
#include "koppla/report/svg_frame.hpp"
#include "koppla/report/svg_path.hpp"
#include "koppla/report/svg_text.hpp"
#include "koppla/report/text.hpp"

namespace koppla::report {

namespace {

constexpr double kRow = 24.0;     // px
constexpr double kHalfBox = 7.0;  // px
constexpr double kHalfCap = 4.0;  // px, of the ends of whiskers
constexpr std::string_view kInk = "#0072b2";
constexpr std::string_view kFill = "#cfe3f1";

/// A mark with its name for each row, the first one on top.
Axis rowAxis(const BoxPlot& plot) {
  constexpr std::size_t kLongestName = 30;
  const auto rows = static_cast<double>(plot.boxes.size());
  Axis axis{.range = {-rows + 0.5, 0.5}, .ticks = {}, .label = {}};
  for (std::size_t i = 0; i < plot.boxes.size(); ++i)
    axis.ticks.push_back({-static_cast<double>(i), clipped(core::printable(plot.boxes[i].name), kLongestName)});
  return axis;
}

Axis numberAxis(const BoxPlot& plot) {
  double most = plot.mark;
  for (const BoxRow& box : plot.boxes) most = std::max(most, box.most);
  return valueAxis({0.0, 1.02 * most}, {.quantity = plot.label, .unit = "", .mostTicks = 10});
}

std::string drawnBox(const BoxRow& numbers, const Axis& across, double y, const Box& frame) {
  const auto x = [&](double value) { return frame.x(across, value); };
  std::string lines = svgSegment(x(numbers.least), y, x(numbers.lowerQuartile), y) +
                      svgSegment(x(numbers.upperQuartile), y, x(numbers.most), y);
  for (const double end : {numbers.least, numbers.most})
    lines += svgSegment(x(end), y - kHalfCap, x(end), y + kHalfCap);
  std::string result = fmt::format("<g><title>{}</title>\n<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n",
                                   xmlEscaped(numbers.name), kInk, lines);
  result += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.4\"/>\n",
      pixels(x(numbers.lowerQuartile)), pixels(y - kHalfBox),
      pixels(x(numbers.upperQuartile) - x(numbers.lowerQuartile)), pixels(2.0 * kHalfBox), kFill, kInk);
  result += fmt::format("<path class=\"curve\" stroke=\"#d55e00\" d=\"{}\"/>\n",
                        svgSegment(x(numbers.median), y - kHalfBox, x(numbers.median), y + kHalfBox));
  return result +
         fmt::format("<circle r=\"3\" cx=\"{}\" cy=\"{}\" fill=\"#000\"/>\n</g>\n", pixels(x(numbers.mean)), pixels(y));
}

std::string boxLegend(double left, double top) {
  const double y = top + 0.5 * kLegendLine;
  std::string result = fmt::format("<path class=\"curve\" stroke=\"#d55e00\" d=\"{}\"/>\n",
                                   svgSegment(left + 4.0, y - kHalfBox, left + 4.0, y + kHalfBox));
  result += svgText("name", left + 12.0, y + 4.5, "start", "median");
  result += fmt::format("<circle r=\"3\" cx=\"{}\" cy=\"{}\" fill=\"#000\"/>\n", pixels(left + 84.0), pixels(y));
  return result + svgText("name", left + 94.0, y + 4.5, "start", "mean; box: middle half, lines: extremes");
}

}  // namespace

std::string plotBoxes(const BoxPlot& plot) {
  constexpr double kLabels = 50.0;  // px, below the frame
  const Axis up = rowAxis(plot);
  const Axis across = numberAxis(plot);
  const double left = kMargin + tickWidth(up) + 4.0 + kTickLength;
  double top = kMargin;
  std::string body;
  if (!plot.title.empty()) {
    body += svgText("title", left, top + 14.0, "start", plot.title);
    top += 30.0;
  }
  body += boxLegend(left, top);
  top += kLegendLine + 6.0;
  const Box frame{left, top, std::max(80.0, plot.width - left - kMargin - 8.0),
                  kRow * static_cast<double>(plot.boxes.size())};
  body += gridAndAxes(across, up, frame, true);
  const double mark = frame.x(across, plot.mark);
  body += fmt::format("<path class=\"axis\" stroke-dasharray=\"5 4\" d=\"{}\"/>\n",
                      svgSegment(mark, frame.top, mark, frame.bottom()));
  for (std::size_t i = 0; i < plot.boxes.size(); ++i)
    body += drawnBox(plot.boxes[i], across, frame.y(up, up.ticks[i].at), frame);
  body += svgText("label", left + 0.5 * frame.width, frame.bottom() + kTickLength + 33.0, "middle", across.label);
  return svgDocument(plot.width, frame.bottom() + kLabels, body);
}

}  // namespace koppla::report
