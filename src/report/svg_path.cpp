#include "koppla/report/svg_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace koppla::report {

namespace {

/// Of a point from the line between two others that it lies between; infinite where it does not.
double distance(SvgPath::Point point, SvgPath::Point from, SvgPath::Point to) {
  const double alongX = to.x - from.x;
  const double alongY = to.y - from.y;
  const double length = std::hypot(alongX, alongY);
  const double along = ((point.x - from.x) * alongX + (point.y - from.y) * alongY) / length;
  if (!(along >= 0.0 && along <= length)) return std::numeric_limits<double>::infinity();
  return std::fabs((point.x - from.x) * alongY - (point.y - from.y) * alongX) / length;
}

}  // namespace

void SvgPath::add(Point point, bool connected) {
  if (!connected) endLine();
  const double column = std::floor(point.x);
  // A jump is kept as it is, or it would lean over; where there are many in a column, nobody can see that.
  const bool jump = inColumn_ > 0 && point.x == kept_[3].point.x && point.y != kept_[3].point.y;
  constexpr std::size_t kExactJumps = 2;
  if (column != column_) {
    emptyColumn();
    jumps_ = 0;
  } else if (jump && jumps_++ < kExactJumps) {
    emptyColumn();
  }
  column_ = column;
  const Kept kept{point, inColumn_};
  if (inColumn_ == 0) kept_.fill(kept);
  if (point.y > kept_[1].point.y) kept_[1] = kept;
  if (point.y < kept_[2].point.y) kept_[2] = kept;
  kept_[3] = kept;
  ++inColumn_;
}

SvgPath::Result SvgPath::finish() {
  endLine();
  return std::exchange(result_, {});
}

void SvgPath::emptyColumn() {
  if (inColumn_ == 0) return;
  std::ranges::sort(kept_, {}, &Kept::order);
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (i == 0 || kept_[i].order != kept_[i - 1].order) addCorner(kept_[i].point);
  inColumn_ = 0;
}

void SvgPath::addCorner(Point point) {
  constexpr double kInvisible = 0.01;  // px
  if (line_.size() > 1 && distance(line_.back(), line_[line_.size() - 2], point) < kInvisible)
    line_.back() = point;
  else
    line_.push_back(point);
}

void SvgPath::endLine() {
  emptyColumn();
  if (line_.size() == 1) result_.single.push_back(line_.front());
  if (line_.size() > 1) {
    result_.commands += "M";
    for (const Point& point : line_) result_.commands += pixels(point.x) + "," + pixels(point.y) + " ";
    result_.commands.pop_back();
  }
  line_.clear();
}

std::string pixels(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace koppla::report
