#include "koppla/study/fit.hpp"

namespace koppla::study {

Slope fitSlope(std::span<const FitPoint> points) {
  Slope fit;
  fit.points = points.size();
  const auto n = static_cast<double>(points.size());
  double meanX = 0.0;
  double meanY = 0.0;
  for (const FitPoint& point : points) {
    meanX += std::log10(point.setting) / n;
    meanY += std::log10(point.error) / n;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (const FitPoint& point : points) {
    const double x = std::log10(point.setting) - meanX;
    xx += x * x;
    xy += x * (std::log10(point.error) - meanY);
  }
  constexpr double kSameSetting = 1e-24;  // squares of differences that are rounding only, or of one point
  if (xx < kSameSetting) return fit;
  fit.slope = xy / xx;
  fit.intercept = meanY - fit.slope * meanX;
  if (points.size() < 3) return fit;
  double residual = 0.0;
  for (const FitPoint& point : points) {
    const double off = std::log10(point.error) - fit.intercept - fit.slope * std::log10(point.setting);
    residual += off * off;
  }
  fit.standardError = std::sqrt(residual / (n - 2.0) / xx);
  return fit;
}

}  // namespace koppla::study
