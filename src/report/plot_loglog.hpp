#pragma once

#include <string>
#include <vector>

namespace koppla::report {

struct LogLogPoint {
  double x;             ///< points that are not above 0 are left out
  double y;             ///< the same
  bool hollow = false;  ///< drawn as a ring: not to be trusted
};

struct LogLogCurve {
  std::string name;
  std::vector<LogLogPoint> points;  ///< connected in this order; one that is left out is a gap
};

struct LogLogPlot {
  std::string title;   ///< none if empty
  std::string xLabel;  ///< "step / s"
  std::string yLabel;
  std::vector<LogLogCurve> curves;
  double width = 760.0;   ///< px, of the whole picture
  double height = 480.0;  ///< px, of the frame
};

/// Draws curves over two logarithmic axes as a picture in SVG, with a mark at every point; from the eighth curve on,
/// colours come again with dashed lines.
std::string plotLogLog(const LogLogPlot& plot);

}  // namespace koppla::report
