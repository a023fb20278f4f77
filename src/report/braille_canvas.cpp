#include "koppla/report/braille_canvas.hpp"

#include <array>
#include <cstdlib>

namespace koppla::report {

BrailleCanvas::BrailleCanvas(int columns, int rows)
    : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

void BrailleCanvas::dot(int x, int y) {
  if (x < 0 || y < 0 || x >= dotsWide() || y >= dotsHigh()) return;
  // Braille counts its six classic dots down the columns; the fourth row came later.
  constexpr std::array<std::array<std::uint8_t, kDotsAcross>, kDotsDown> kBits{
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  std::uint8_t& cell = cells_[index(x / kDotsAcross, y / kDotsDown)];
  cell = static_cast<std::uint8_t>(
      cell | kBits.at(static_cast<std::size_t>(y % kDotsDown)).at(static_cast<std::size_t>(x % kDotsAcross)));
}

// Bresenham's line: `error` is the distance from the ideal line, scaled to whole numbers.
void BrailleCanvas::line(int x0, int y0, int x1, int y1) {
  const int width = std::abs(x1 - x0);
  const int height = std::abs(y1 - y0);
  const int right = x0 < x1 ? 1 : -1;
  const int down = y0 < y1 ? 1 : -1;
  int error = width - height;
  dot(x0, y0);
  while (x0 != x1 || y0 != y1) {
    const int doubled = 2 * error;
    if (doubled > -height) {
      error -= height;
      x0 += right;
    }
    if (doubled < width) {
      error += width;
      y0 += down;
    }
    dot(x0, y0);
  }
}

std::string braille(std::uint8_t dots) {
  const auto high = static_cast<unsigned char>(0xA0U | (dots >> 6U));
  const auto low = static_cast<unsigned char>(0x80U | (dots & 0x3FU));
  return {'\xE2', static_cast<char>(high), static_cast<char>(low)};
}

}  // namespace koppla::report
