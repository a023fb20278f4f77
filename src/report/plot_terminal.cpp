#include "koppla/report/plot_terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/printable.hpp"
#include "koppla/report/axis.hpp"
#include "koppla/report/braille_canvas.hpp"
#include "koppla/report/panels.hpp"
#include "koppla/report/text.hpp"

namespace koppla::report {

namespace {

/// Near the colours of plotSvg(), of a brightness that can be read on dark and on light ground (xterm's 256 colours).
constexpr std::array<int, 6> kColours{32, 166, 36, 175, 178, 74};
constexpr std::size_t kCurvesPerTerminalPanel = kColours.size();
constexpr int kLeastRows = 6;
constexpr int kLeastColumns = 16;

std::string coloured(std::string_view text, std::size_t curve) {
  return fmt::format("\033[38;5;{}m{}\033[0m", kColours.at(curve % kColours.size()), text);
}

char letter(std::size_t curve) {
  return static_cast<char>('a' + curve);
}

int dotAt(double position, int dots) {
  return static_cast<int>(std::lround(position * (dots - 1)));
}

/// All that one line of cells shows; a cell is drawn by the curve that comes last.
struct Cell {
  std::uint8_t dots = 0;
  std::size_t curve = 0;
  bool lettered = false;
};

/// The curves of one panel in one frame of cells.
class Frame {
 public:
  Frame(const results::Table& table, const Panel& panel, const Axis& time, const Axis& values, int columns, int rows)
      : columns_(columns), rows_(rows) {
    for (const results::Series* curve : panel.curves) canvases_.push_back(draw(table, *curve, time, values));
    cells_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    for (std::size_t curve = 0; curve < canvases_.size(); ++curve)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          if (const std::uint8_t dots = canvases_[curve].cell(column, row); dots != 0) {
            Cell& cell = at(column, row);
            cell.dots = static_cast<std::uint8_t>(cell.dots | dots);
            cell.curve = curve;
          }
  }

  /// Puts each curve's letter on it every few cells, where no other curve passes if there is such a place.
  void addLetters() {
    const int period = std::max(12, columns_ / 4);
    for (std::size_t curve = 0; curve < canvases_.size(); ++curve) {
      const int offset = static_cast<int>(static_cast<std::size_t>(period) * (2 * curve + 1) / (2 * canvases_.size()));
      for (int from = offset; from < columns_; from += period)
        putLetter(curve, from, std::min(from + period / 2, columns_));
    }
  }

  [[nodiscard]] std::string line(int row, bool colour) const {
    std::string result;
    std::string run;  // neighbours of one colour share the escape sequence
    std::size_t runCurve = 0;
    const auto finishRun = [&] {
      if (!run.empty()) result += colour ? coloured(run, runCurve) : run;
      run.clear();
    };
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[index(column, row)];
      if (cell.dots == 0 || cell.curve != runCurve) finishRun();
      runCurve = cell.curve;
      if (cell.dots == 0)
        result += ' ';
      else if (cell.lettered)
        run += letter(cell.curve);
      else
        run += braille(cell.dots);
    }
    finishRun();
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  }

 private:
  [[nodiscard]] BrailleCanvas draw(const results::Table& table, const results::Series& curve, const Axis& time,
                                   const Axis& values) const {
    BrailleCanvas canvas(columns_, rows_);
    int lastX = 0;
    int lastY = 0;
    trace(table.time, curve, [&](double t, double y, bool connected) {
      const int x = dotAt(time.position(t), canvas.dotsWide());
      const int down = canvas.dotsHigh() - 1 - dotAt(values.position(y), canvas.dotsHigh());
      if (connected)
        canvas.line(lastX, lastY, x, down);
      else
        canvas.dot(x, down);
      lastX = x;
      lastY = down;
    });
    return canvas;
  }

  void putLetter(std::size_t curve, int from, int to) {
    Cell* shared = nullptr;
    for (int column = from; column < to; ++column)
      for (int row = 0; row < rows_; ++row) {
        const std::uint8_t own = canvases_[curve].cell(column, row);
        Cell& cell = at(column, row);
        if (own == 0 || cell.lettered) continue;
        if (own == cell.dots) {
          cell = {own, curve, true};
          return;
        }
        if (shared == nullptr) shared = &cell;
      }
    if (shared != nullptr) *shared = {shared->dots, curve, true};
  }

  [[nodiscard]] std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  Cell& at(int column, int row) { return cells_[index(column, row)]; }

  int columns_;
  int rows_;
  std::vector<BrailleCanvas> canvases_;
  std::vector<Cell> cells_;
};

/// The label of the vertical axis and, for several curves, which is which.
std::string heading(const Panel& panel, const Axis& values, int width, bool colour) {
  const auto most = static_cast<std::size_t>(std::max(width, 8));
  std::string result = clipped(core::printable(values.label), most);
  if (panel.curves.size() == 1) return result + "\n";
  std::size_t used = cells(result);
  for (std::size_t curve = 0; curve < panel.curves.size(); ++curve) {
    const std::string name = clipped(core::printable(panel.curves[curve]->name), most - 5);
    const std::size_t length = cells(name) + 5;  // two or three spaces and the sample
    if (used + length > most) {
      result += "\n";
      used = 0;
    }
    result += colour ? "  " + coloured("━━", curve) + " " + name : fmt::format("   {} {}", letter(curve), name);
    used += length;
  }
  return result + "\n";
}

std::size_t labelWidth(const Axis& axis) {
  std::size_t widest = 0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, cells(tick.text));
  return widest;
}

std::string canvasLines(const Frame& frame, const Axis& values, std::size_t gutter, int rows, bool colour) {
  std::vector<const Tick*> ticks(static_cast<std::size_t>(rows), nullptr);
  for (const Tick& tick : values.ticks) {
    const int dots = rows * BrailleCanvas::kDotsDown;
    const int row = (dots - 1 - dotAt(values.position(tick.at), dots)) / BrailleCanvas::kDotsDown;
    ticks.at(static_cast<std::size_t>(std::clamp(row, 0, rows - 1))) = &tick;
  }
  std::string result;
  for (int row = 0; row < rows; ++row) {
    const Tick* tick = ticks[static_cast<std::size_t>(row)];
    result += fmt::format("{:>{}} {}{}\n", tick != nullptr ? tick->text : "", gutter, tick != nullptr ? "┤" : "│",
                          frame.line(row, colour));
  }
  return result;
}

int columnOf(const Axis& time, const Tick& tick, int columns) {
  const int dots = columns * BrailleCanvas::kDotsAcross;
  return std::clamp(dotAt(time.position(tick.at), dots) / BrailleCanvas::kDotsAcross, 0, columns - 1);
}

std::string timeLine(const Axis& time, std::size_t gutter, int columns) {
  std::vector<bool> marked(static_cast<std::size_t>(columns), false);
  for (const Tick& tick : time.ticks) marked[static_cast<std::size_t>(columnOf(time, tick, columns))] = true;
  std::string result = std::string(gutter + 1, ' ') + "└";
  for (const bool mark : marked) result += mark ? "┬" : "─";
  return result + "\n";
}

/// The numbers below their marks, as many as have room, and the axis label centred below them.
std::string timeLabels(const Axis& time, std::size_t gutter, int columns) {
  const int left = static_cast<int>(gutter) + 2;
  const int width = left + columns;
  std::string numbers;
  for (const Tick& tick : time.ticks) {
    const int length = static_cast<int>(cells(tick.text));
    const int at = std::min(left + columnOf(time, tick, columns) - length / 2, width - length);
    const int used = static_cast<int>(numbers.size());
    if (at < (used == 0 ? 0 : used + 2)) continue;
    numbers += std::string(static_cast<std::size_t>(at - used), ' ') + tick.text;
  }
  const int indent = std::max(0, left + (columns - static_cast<int>(cells(time.label))) / 2);
  return numbers + "\n" + std::string(static_cast<std::size_t>(indent), ' ') + time.label + "\n";
}

}  // namespace

std::string plotTerminal(const results::Table& table, std::span<const std::string> patterns,
                         const TerminalPlot& options) {
  const std::vector<Panel> panels = makePanels(table, patterns, kCurvesPerTerminalPanel);
  const int count = static_cast<int>(panels.size());
  const int rows = std::max(kLeastRows, (options.height - 2) / count - 2);

  std::vector<Axis> axes;
  std::size_t gutter = 0;
  for (const Panel& panel : panels) {
    axes.push_back(verticalAxis(panel, panel.range(), static_cast<std::size_t>(rows / 2), true));
    gutter = std::max(gutter, labelWidth(axes.back()));
  }
  const int columns = std::max(kLeastColumns, options.width - static_cast<int>(gutter) - 2);
  const Axis time = horizontalAxis(table, static_cast<std::size_t>(std::max(3, columns / 9)));

  std::string result;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Frame frame(table, panels[i], time, axes[i], columns, rows);
    if (!options.colour && panels[i].curves.size() > 1) frame.addLetters();
    result += heading(panels[i], axes[i], options.width, options.colour);
    result += canvasLines(frame, axes[i], gutter, rows, options.colour);
    result += timeLine(time, gutter, columns);
  }
  return result + timeLabels(time, gutter, columns);
}

}  // namespace koppla::report
