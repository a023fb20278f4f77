#include "koppla/report/plot_loglog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "koppla/core/printable.hpp"
#include "koppla/report/svg_frame.hpp"
#include "koppla/report/svg_path.hpp"
#include "koppla/report/svg_text.hpp"
#include "koppla/report/text.hpp"

namespace koppla::report {

namespace {

constexpr std::array<std::string_view, 3> kDashes{"", "7 5", "2 4"};
constexpr double kMark = 3.2;  // px, radius

bool canBeDrawn(const LogLogPoint& point) {
  return point.x > 0.0 && point.y > 0.0 && std::isfinite(point.x) && std::isfinite(point.y);
}

/// Of the logarithms of one coordinate, with a little air; one decade where there is nothing to draw.
Range decades(const LogLogPlot& plot, double LogLogPoint::*coordinate) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const LogLogCurve& curve : plot.curves) {
    for (const LogLogPoint& point : curve.points) {
      if (!canBeDrawn(point)) continue;
      range.low = std::min(range.low, std::log10(point.*coordinate));
      range.high = std::max(range.high, std::log10(point.*coordinate));
    }
  }
  if (range.low > range.high) return {0.0, 1.0};
  constexpr double kAir = 0.06;
  const double air = kAir * std::max(1.0, range.high - range.low);
  return {range.low - air, range.high + air};
}

/// One line per curve above the frame.
std::string legend(const LogLogPlot& plot, double left, double top) {
  std::string result;
  const auto most = static_cast<std::size_t>((plot.width - left - kLegendSample) / (0.6 * kFontSize));
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const double y = top + (static_cast<double>(i) + 0.5) * kLegendLine;
    result += fmt::format("<path class=\"curve\" stroke=\"{}\" stroke-dasharray=\"{}\" d=\"{}\"/>\n",
                          kSvgColours.at(i % kSvgColours.size()), kDashes.at(i / kSvgColours.size() % kDashes.size()),
                          svgSegment(left, y, left + kLegendSample, y));
    result += svgText("name", left + kLegendSample + 6.0, y + 4.5, "start",
                      clipped(core::printable(plot.curves[i].name), most));
  }
  return result;
}

std::string drawn(const LogLogCurve& curve, std::size_t number, const Axis& across, const Axis& up, const Box& box) {
  const std::string_view colour = kSvgColours.at(number % kSvgColours.size());
  std::string path;
  std::string marks;
  bool connected = false;
  for (const LogLogPoint& point : curve.points) {
    if (!canBeDrawn(point)) {
      connected = false;
      continue;
    }
    const std::string x = pixels(box.x(across, std::log10(point.x)));
    const std::string y = pixels(box.y(up, std::log10(point.y)));
    path += fmt::format("{}{},{}", connected ? "L" : "M", x, y);
    marks += fmt::format("<circle r=\"{}\" cx=\"{}\" cy=\"{}\" stroke=\"{}\" stroke-width=\"1.4\" fill=\"{}\"/>\n",
                         kMark, x, y, colour, point.hollow ? "#fff" : colour);
    connected = true;
  }
  return fmt::format(
      "<g><title>{}</title>\n<path class=\"curve\" stroke=\"{}\" stroke-dasharray=\"{}\" d=\"{}\"/>\n{}</g>\n",
      xmlEscaped(curve.name), colour, kDashes.at(number / kSvgColours.size() % kDashes.size()), path, marks);
}

}  // namespace

std::string plotLogLog(const LogLogPlot& plot) {
  constexpr double kLabels = 50.0;  // px, below the frame
  const auto most = [](double length) { return static_cast<std::size_t>(std::max(2.0, length / 40.0)); };
  const Axis up = decadeAxis(decades(plot, &LogLogPoint::y), most(plot.height), plot.yLabel);
  const double left = kMargin + kFontSize + 8.0 + tickWidth(up) + 4.0 + kTickLength;
  const double width = std::max(80.0, plot.width - left - kMargin - 8.0);
  const Axis across = decadeAxis(decades(plot, &LogLogPoint::x), most(width), plot.xLabel);

  std::string body;
  double top = kMargin;
  if (!plot.title.empty()) {
    body += svgText("title", left, top + 14.0, "start", plot.title);
    top += 30.0;
  }
  const bool named = plot.curves.size() > 1 || (!plot.curves.empty() && !plot.curves.front().name.empty());
  if (named) body += legend(plot, left, top);
  if (named) top += static_cast<double>(plot.curves.size()) * kLegendLine + 6.0;

  const Box box{left, top, width, plot.height};
  body += gridAndAxes(across, up, box, true);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) body += drawn(plot.curves[i], i, across, up, box);
  body += svgTurnedText(up.label, kMargin + kFontSize - 3.0, box.top + 0.5 * box.height);
  body += svgText("label", left + 0.5 * width, box.bottom() + kTickLength + 33.0, "middle", across.label);
  return svgDocument(plot.width, box.bottom() + kLabels, body);
}

}  // namespace koppla::report
