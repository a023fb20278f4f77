#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace koppla::report {

/// Dots drawn with the braille patterns of Unicode, 2 x 4 to a character cell. (0, 0) is the dot at the top left.
class BrailleCanvas {
 public:
  static constexpr int kDotsAcross = 2;
  static constexpr int kDotsDown = 4;

  BrailleCanvas(int columns, int rows);

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int dotsWide() const { return columns_ * kDotsAcross; }
  [[nodiscard]] int dotsHigh() const { return rows_ * kDotsDown; }

  /// Dots outside are ignored.
  void dot(int x, int y);
  void line(int x0, int y0, int x1, int y1);

  /// The dots of a cell as bits of the braille block (U+2800 plus this); 0 where the cell is empty.
  [[nodiscard]] std::uint8_t cell(int column, int row) const { return cells_[index(column, row)]; }

 private:
  [[nodiscard]] std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }

  int columns_;
  int rows_;
  std::vector<std::uint8_t> cells_;
};

/// The character with these dots, in UTF-8.
std::string braille(std::uint8_t dots);

}  // namespace koppla::report
