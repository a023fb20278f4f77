#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/report/plot_svg.hpp"
#include "koppla/report/plot_terminal.hpp"
#include "koppla/results/load.hpp"

#include "commands.hpp"
#include "console.hpp"

namespace koppla::cli {

namespace {

constexpr int kPlainWidth = 80;
const std::vector<std::string> kIterationDefaults{"residual.*", "K", "factor_*"};

int terminalWidth() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kPlainWidth;
  constexpr int kWidest = 160;  // a curve gains nothing from more
  return std::clamp<int>(size.ws_col, 20, kWidest);
}

}  // namespace

ExitCode plotCommand(const PlotOptions& options) {
  const results::Table table =
      options.iterations ? results::loadIterations(options.results) : results::load(options.results);
  const std::vector<std::string> variables =
      options.iterations && options.variables.empty() ? kIterationDefaults : options.variables;
  for (const std::string& note : table.notes) complain("note: " + table.source + ": " + note + "\n");
  if (!options.svg.empty()) {
    core::writeWhole(options.svg, report::plotSvg(table, variables));
    if (!core::isOpenAs(options.svg, STDOUT_FILENO)) print("written: " + options.svg.string() + "\n");
    return ExitCode::ok;
  }
  report::TerminalPlot plot;
  plot.width = options.width > 0 ? options.width : terminalWidth();
  plot.height = options.height;
  plot.colour = ::isatty(STDOUT_FILENO) == 1;
  // Its colours are commands of our own; names in it are printable.
  std::cout << report::plotTerminal(table, variables, plot);
  return ExitCode::ok;
}

}  // namespace koppla::cli
