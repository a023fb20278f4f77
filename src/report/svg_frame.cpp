#include "koppla/report/svg_frame.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/report/svg_path.hpp"
#include "koppla/report/svg_text.hpp"

namespace koppla::report {

namespace {

constexpr std::string_view kStyle =
    "text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:13px;"
    "fill:#222}"
    ".title{font-size:16px;font-weight:600}.tick{font-size:12px;fill:#444}"
    ".grid{stroke:#e4e4e4;stroke-width:1;fill:none}.axis{stroke:#444;stroke-width:1;fill:none}"
    ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}";

/// Lines of one pixel are sharp between the pixels.
double sharp(double pixel) {
  return std::floor(pixel) + 0.5;
}

}  // namespace

std::string svgText(std::string_view kind, double x, double y, std::string_view anchor, std::string_view content) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", kind, pixels(x), pixels(y),
                     anchor, xmlEscaped(content));
}

std::string svgTurnedText(std::string_view content, double x, double y) {
  return fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\" transform=\"rotate(-90 {0} {1})\">{2}</text>\n",
                     pixels(x), pixels(y), xmlEscaped(content));
}

std::string svgSegment(double x0, double y0, double x1, double y1) {
  return fmt::format("M{},{}L{},{}", pixels(x0), pixels(y0), pixels(x1), pixels(y1));
}

double tickWidth(const Axis& axis) {
  double widest = 0.0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, textWidth(tick.text, kFontSize - 1.0));
  return widest;
}

std::string gridAndAxes(const Axis& across, const Axis& up, const Box& box, bool labelled) {
  std::string grid;
  std::string marks;
  std::string labels;
  for (const Tick& tick : up.ticks) {
    const double y = sharp(box.y(up, tick.at));
    grid += svgSegment(box.left, y, box.right(), y);
    marks += svgSegment(box.left - kTickLength, y, box.left, y);
    labels += svgText("tick", box.left - kTickLength - 4.0, y + 4.0, "end", withMinusSign(tick.text));
  }
  for (const Tick& tick : across.ticks) {
    const double x = sharp(box.x(across, tick.at));
    grid += svgSegment(x, box.top, x, box.bottom());
    marks += svgSegment(x, box.bottom(), x, box.bottom() + kTickLength);
    if (labelled) labels += svgText("tick", x, box.bottom() + kTickLength + 14.0, "middle", withMinusSign(tick.text));
  }
  const double left = sharp(box.left);
  const double bottom = sharp(box.bottom());
  marks += fmt::format("M{},{}V{}H{}", pixels(left), pixels(box.top), pixels(bottom), pixels(box.right()));
  return fmt::format("<path class=\"grid\" d=\"{}\"/>\n<path class=\"axis\" d=\"{}\"/>\n", grid, marks) + labels;
}

std::string svgDocument(double width, double height, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{3}</svg>\n",
      pixels(width), pixels(height), kStyle, body);
}

}  // namespace koppla::report
