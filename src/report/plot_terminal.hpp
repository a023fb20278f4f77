#pragma once

#include <span>
#include <string>

#include "koppla/results/table.hpp"

namespace koppla::report {

struct TerminalPlot {
  int width = 80;   ///< character cells
  int height = 24;  ///< of all panels together, as long as each keeps a few rows
  /// With colour (ANSI escape sequences) each curve has its own. Without, as for a file, curves that share a frame
  /// carry letters.
  bool colour = true;
};

/// Draws variables over time with braille dots, one panel per unit. See makePanels() for the choice of variables.
std::string plotTerminal(const results::Table& table, std::span<const std::string> patterns,
                         const TerminalPlot& options = {});

}  // namespace koppla::report
