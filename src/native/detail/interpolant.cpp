#include "koppla/native/detail/interpolant.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"

namespace koppla::native::detail {

namespace {

void checkFinite(const std::string& what, const char* axis, const std::vector<double>& values) {
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (bad != values.end())
    throw core::InputError(
        fmt::format("{}: the {} of point {} is {}.", what, axis, bad - values.begin() + 1, core::text(*bad)),
        "Give finite numbers.");
}

void checkPoints(const std::string& what, const std::vector<double>& x, const std::vector<double>& y,
                 Interpolation interpolation) {
  if (x.size() != y.size())
    throw core::InputError(fmt::format("{}: {} values belong to {} points.", what, y.size(), x.size()),
                           "Give one value for each point.");
  const std::size_t least = interpolation == Interpolation::hold ? 1 : 2;
  if (x.size() < least)
    throw core::InputError(fmt::format("{}: {} points are given.", what, x.size()),
                           fmt::format("This interpolation needs at least {}.", least));
  checkFinite(what, "abscissa", x);
  checkFinite(what, "value", y);
  const auto fall = std::ranges::adjacent_find(x, std::greater_equal<>());
  if (fall != x.end())
    throw core::InputError(fmt::format("{}: point {} lies at {} and the next one at {}.", what, fall - x.begin() + 1,
                                       core::text(*fall), core::text(*(fall + 1))),
                           "Points must rise strictly.");
}

/// Slope at an inner point from the secants on both sides: zero at an extremum, else their weighted harmonic mean.
double innerSlope(double hLeft, double left, double hRight, double right) {
  if (left * right <= 0.0) return 0.0;
  const double wLeft = 2.0 * hRight + hLeft;
  const double wRight = hRight + 2.0 * hLeft;
  return (wLeft + wRight) / (wLeft / left + wRight / right);
}

/// Slope at the first point from the secants of the first two intervals: three-point formula, cut so that the shape of
/// the points is kept.
double endSlope(double h1, double first, double h2, double second) {
  const double slope = ((2.0 * h1 + h2) * first - h1 * second) / (h1 + h2);
  if (slope * first <= 0.0) return 0.0;
  return std::fabs(slope) > 3.0 * std::fabs(first) ? 3.0 * first : slope;
}

std::vector<double> cubicSlopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  const auto h = [&x](std::size_t i) { return x[i + 1] - x[i]; };
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };
  if (n == 2) return {secant(0), secant(0)};
  std::vector<double> slopes(n);
  slopes.front() = endSlope(h(0), secant(0), h(1), secant(1));
  for (std::size_t i = 1; i + 1 < n; ++i) slopes[i] = innerSlope(h(i - 1), secant(i - 1), h(i), secant(i));
  slopes.back() = endSlope(h(n - 2), secant(n - 2), h(n - 3), secant(n - 3));
  return slopes;
}

std::vector<double> linearEndSlopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> slopes(n, 0.0);
  slopes.front() = (y[1] - y[0]) / (x[1] - x[0]);
  slopes.back() = (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2]);
  return slopes;
}

}  // namespace

Interpolant::Interpolant(const std::string& what, std::vector<double> x, std::vector<double> y,
                         Interpolation interpolation, Extrapolation extrapolation)
    : x_(std::move(x)), y_(std::move(y)), interpolation_(interpolation), extrapolation_(extrapolation) {
  checkPoints(what, x_, y_, interpolation);
  if (interpolation == Interpolation::hold && extrapolation == Extrapolation::linear)
    throw core::InputError(what + ": a staircase has no slope at its ends to go on with.",
                           "Use the extrapolation 'hold' with the interpolation 'hold'.");
  if (interpolation == Interpolation::cubic) slopes_ = cubicSlopes(x_, y_);
  if (interpolation == Interpolation::linear) slopes_ = linearEndSlopes(x_, y_);
}

double Interpolant::operator()(double x) const {
  if (std::isnan(x)) return x;
  if (x < x_.front()) return beyond(0, x);
  if (x >= x_.back()) return beyond(x_.size() - 1, x);
  const auto next = std::ranges::upper_bound(x_, x);
  return between(static_cast<std::size_t>(next - x_.begin()) - 1, x);
}

/// From a point to the next one; beyond the ends as they are gone on with.
double Interpolant::secant(std::size_t i) const {
  return i + 1 < x_.size()                       ? (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i])
         : extrapolation_ == Extrapolation::hold ? 0.0
                                                 : slopes_.back();
}

bool Interpolant::passes(std::size_t point) const {
  constexpr double kRounding = 1e-9;
  if (interpolation_ == Interpolation::cubic) return false;
  if (interpolation_ == Interpolation::hold) return point == 0 || y_[point] == y_[point - 1];
  const double before = point > 0 ? secant(point - 1) : extrapolation_ == Extrapolation::hold ? 0.0 : slopes_.front();
  const double behind = secant(point);
  return std::fabs(behind - before) <= kRounding * (std::fabs(behind) + std::fabs(before));
}

double Interpolant::beyond(std::size_t point, double x) const {
  return extrapolation_ == Extrapolation::hold ? y_[point] : y_[point] + slopes_[point] * (x - x_[point]);
}

double Interpolant::between(std::size_t i, double x) const {
  if (interpolation_ == Interpolation::hold) return y_[i];
  const double h = x_[i + 1] - x_[i];
  const double s = (x - x_[i]) / h;
  const double rise = y_[i + 1] - y_[i];
  if (interpolation_ == Interpolation::linear) return y_[i] + s * rise;
  // Hermite's cubic with the slopes at both ends, as the line plus what bends it.
  const double a = h * slopes_[i] - rise;
  const double b = rise - h * slopes_[i + 1];
  return y_[i] + s * rise + s * (1.0 - s) * (a * (1.0 - s) + b * s);
}

}  // namespace koppla::native::detail
