#pragma once

#include <string>
#include <vector>

namespace koppla::report {

/// A box: the middle half of some numbers, with lines to the extremes.
struct BoxRow {
  std::string name;
  double least;
  double lowerQuartile;
  double median;
  double upperQuartile;
  double most;
  double mean;
};

struct BoxPlot {
  std::string title;          ///< none if empty
  std::string label;          ///< of the axis
  std::vector<BoxRow> boxes;  ///< from top to bottom
  double mark = 1.0;          ///< a value that is marked by a line
  double width = 760.0;       ///< px, of the whole picture
};

/// Draws one box for each row as a picture in SVG: the box from quartile to quartile, the median as a line in it, the
/// mean as a dot, lines to the least and the largest number. The axis begins at 0.
std::string plotBoxes(const BoxPlot& plot);

}  // namespace koppla::report
