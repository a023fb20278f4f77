#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/project/project.hpp"

namespace koppla::study {

/// A value of a varied setting, as `--set` would spell it, and as a number if it is one.
struct VariedValue {
  std::string text;
  std::optional<double> number;
  core::Place place{};               ///< in the study file
  std::vector<std::string> parts{};  ///< one for each name of the axis; empty: all have the same
};

/// What is varied: one setting, or several that change together, with the same value or each with its own.
struct Axis {
  std::vector<std::string> names;  ///< "section.option" or "subsystem.parameter"
  std::vector<VariedValue> values;
  bool labelled = false;  ///< values have names of their own, which say all

  /// For people: the first name, which stands for all that have the same value; all where each has its own.
  [[nodiscard]] std::string name() const;
  /// For people: "name = value", or the label.
  [[nodiscard]] std::string nameWith(const VariedValue& value) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] bool numeric() const;
};

/// The grid values 10^(j/perDecade) from one to the other, both taken to the nearest grid value: 5.62e-4 stands for
/// 10^-3.25. Nothing where one of them is off the grid by more than its rounding to two digits explains.
std::optional<std::vector<double>> decadeValues(double from, double to, unsigned perDecade);
/// `count` values at equal distances, both ends among them; count is at least 2.
std::vector<double> linearValues(double from, double to, unsigned count);

/// All combinations of the axes' values; the last axis varies fastest.
class Grid {
 public:
  explicit Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] std::size_t size() const;
  /// Which value of each axis a point has.
  [[nodiscard]] std::vector<std::size_t> choice(std::size_t point) const;
  [[nodiscard]] const VariedValue& value(std::size_t point, std::size_t axis) const;
  /// The settings of a point, one for each varied name.
  [[nodiscard]] std::vector<project::Override> overrides(std::size_t point) const;
  /// The axis that varies this setting.
  [[nodiscard]] std::optional<std::size_t> axisOf(std::string_view name) const;
  /// The first point, and those that differ from it in one axis: every value occurs at least once.
  [[nodiscard]] std::vector<std::size_t> cross() const;

 private:
  std::vector<Axis> axes_;
};

}  // namespace koppla::study
