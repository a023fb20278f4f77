#pragma once

#include <array>
#include <string>
#include <string_view>

#include "koppla/report/axis.hpp"

namespace koppla::report {

// What all pictures in SVG share. Lengths are in px.

// After M. Okabe and K. Ito, Color Universal Design (2008); their yellow is too light for a line on white.
inline constexpr std::array<std::string_view, 7> kSvgColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                             "#e69f00", "#56b4e9", "#000000"};
inline constexpr double kFontSize = 13.0;
inline constexpr double kMargin = 14.0;
inline constexpr double kTickLength = 5.0;
inline constexpr double kLegendLine = 20.0;
inline constexpr double kLegendSample = 22.0;

/// The frame of a plot.
struct Box {
  double left;
  double top;
  double width;
  double height;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
  [[nodiscard]] double x(const Axis& across, double value) const { return left + width * across.position(value); }
  [[nodiscard]] double y(const Axis& up, double value) const { return bottom() - height * up.position(value); }
};

/// A text; `kind` is a class of the style sheet or any other name, `anchor` start, middle or end.
std::string svgText(std::string_view kind, double x, double y, std::string_view anchor, std::string_view content);
/// A text that reads upwards, centred.
std::string svgTurnedText(std::string_view content, double x, double y);
/// The part of a path that is one straight line.
std::string svgSegment(double x0, double y0, double x1, double y1);

/// Of the widest mark.
double tickWidth(const Axis& axis);
/// Grid lines, axes and marks; `labelled`: with the numbers of the horizontal axis.
std::string gridAndAxes(const Axis& across, const Axis& up, const Box& box, bool labelled);

/// The whole file around the elements of a picture.
std::string svgDocument(double width, double height, std::string_view body);

}  // namespace koppla::report
