#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace koppla::report {

/// Builds the path of a curve from points in pixels, in the order of x. Where many fall into one pixel column, only the
/// first, the lowest, the highest and the last of them are kept, and points on a straight line are left out: the
/// picture is the same, the file is small.
class SvgPath {
 public:
  struct Point {
    double x = 0.0;
    double y = 0.0;
  };
  struct Result {
    std::string commands;       ///< for the attribute `d`; empty where there is no line
    std::vector<Point> single;  ///< points without neighbours, which a line would not show
  };

  /// `connected`: a line leads here from the point before.
  void add(Point point, bool connected);
  Result finish();

 private:
  struct Kept {
    Point point;
    std::size_t order = 0;
  };

  void emptyColumn();
  void addCorner(Point point);
  void endLine();

  std::vector<Point> line_;  ///< the corners of the line at hand
  Result result_;
  std::size_t inColumn_ = 0;
  std::size_t jumps_ = 0;  ///< in the column at hand
  double column_ = 0.0;
  std::array<Kept, 4> kept_{};  ///< of the column at hand: first, lowest, highest, last
};

/// A coordinate with two digits after the point, as short as can be.
std::string pixels(double value);

}  // namespace koppla::report
