#include "koppla/study/grid.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace koppla::study {

namespace {

/// Whole decades as the decimal numbers they are written as, which a power may miss by a rounding.
double gridValue(long index, unsigned perDecade) {
  const long decade = index / static_cast<long>(perDecade);
  if (decade * static_cast<long>(perDecade) != index)
    return std::pow(10.0, static_cast<double>(index) / static_cast<double>(perDecade));
  const std::string text = "1e" + std::to_string(decade);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<long> gridIndex(double value, unsigned perDecade) {
  const double exact = std::log10(value) * perDecade;
  const double nearest = std::round(exact);
  const double twoDigits = 0.0075 * perDecade;  // 1.78 to 1.8 and 3.16 to 3.2 are 0.0055 of a decade
  if (!(std::fabs(exact - nearest) <= std::fmin(twoDigits, 0.25))) return std::nullopt;
  return std::lround(nearest);
}

}  // namespace

std::string Axis::name() const {
  if (values.empty() || values.front().parts.empty()) return names.front();
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Axis::nameWith(const VariedValue& value) const {
  return labelled ? value.text : fmt::format("{} = {}", name(), value.text);
}

bool Axis::has(std::string_view name) const {
  return std::ranges::find(names, name) != names.end();
}

bool Axis::numeric() const {
  return std::ranges::all_of(values, [](const VariedValue& value) { return value.number.has_value(); });
}

std::optional<std::vector<double>> decadeValues(double from, double to, unsigned perDecade) {
  const std::optional<long> first = gridIndex(from, perDecade);
  const std::optional<long> last = gridIndex(to, perDecade);
  if (!first || !last) return std::nullopt;
  const long step = *last < *first ? -1 : 1;
  std::vector<double> values;
  for (long index = *first; index != *last + step; index += step) values.push_back(gridValue(index, perDecade));
  return values;
}

std::vector<double> linearValues(double from, double to, unsigned count) {
  std::vector<double> values;
  for (unsigned i = 0; i + 1 < count; ++i)
    values.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  values.push_back(to);
  return values;
}

std::size_t Grid::size() const {
  std::size_t size = 1;
  for (const Axis& axis : axes_) size *= axis.values.size();
  return size;
}

std::vector<std::size_t> Grid::choice(std::size_t point) const {
  std::vector<std::size_t> result(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0; point /= axes_[i].values.size())
    result[i] = point % axes_[i].values.size();
  return result;
}

const VariedValue& Grid::value(std::size_t point, std::size_t axis) const {
  return axes_[axis].values[choice(point)[axis]];
}

std::vector<project::Override> Grid::overrides(std::size_t point) const {
  std::vector<project::Override> result;
  const std::vector<std::size_t> chosen = choice(point);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const VariedValue& value = axes_[i].values[chosen[i]];
    for (std::size_t k = 0; k < axes_[i].names.size(); ++k)
      result.push_back({axes_[i].names[k], value.parts.empty() ? value.text : value.parts[k], value.place});
  }
  return result;
}

std::optional<std::size_t> Grid::axisOf(std::string_view name) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].has(name)) return i;
  return std::nullopt;
}

std::vector<std::size_t> Grid::cross() const {
  std::vector<std::size_t> points{0};
  std::size_t stride = size();
  for (const Axis& axis : axes_) {
    stride /= axis.values.size();
    for (std::size_t k = 1; k < axis.values.size(); ++k) points.push_back(k * stride);
  }
  return points;
}

}  // namespace koppla::study
