#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "koppla/run/recursion.hpp"

namespace koppla::report {

/// A direction of a map.
struct MapAxis {
  std::string label;           ///< "simulation.step / s"
  std::vector<double> values;  ///< two at least, ascending; at equal distances or not
  bool logarithmic = false;    ///< needs values above 0
};

/// Whether the values, ascending, are nearer to equal ratios than to equal distances, and above 0.
bool looksLogarithmic(const std::vector<double>& values);

/// Spectral radii over two parameters.
struct MapPanel {
  std::string name;           ///< none if empty
  std::vector<double> radii;  ///< up x across, row by row from the lowest; NaN: unknown
};

/// One map, or several with the same axes side by side.
struct StabilityMap {
  std::string title;  ///< none if empty
  MapAxis across;
  MapAxis up;
  std::vector<MapPanel> panels;
  run::RecursionSettings recursion;  ///< which tell stable radii from others
  std::size_t columns = 1;           ///< panels in a row, 1 at least
  double width = 760.0;              ///< px, of the whole picture
  double height = 480.0;             ///< px, of each frame
};

/// Draws the maps as a picture in SVG: one cell per combination, blue where it is stable (the darker, the faster
/// disturbances die out), orange where it is unstable, grey where nothing is known; and the line where the spectral
/// radius is the largest stable one, interpolated between the combinations.
std::string plotStabilityMap(const StabilityMap& map);

}  // namespace koppla::report
