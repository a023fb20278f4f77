#pragma once

#include <span>
#include <string>

#include "koppla/results/table.hpp"

namespace koppla::report {

struct SvgPlot {
  double width = 760.0;        ///< px, of the whole picture
  double panelHeight = 240.0;  ///< px, of each panel's frame
  std::string title;           ///< above all; none if empty
};

/// Draws variables over time as a picture in SVG, one panel per unit, in colours that colour-blind readers can tell
/// apart (Okabe and Ito). See makePanels() for the choice of variables.
std::string plotSvg(const results::Table& table, std::span<const std::string> patterns, const SvgPlot& options = {});

}  // namespace koppla::report
