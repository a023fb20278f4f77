#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "koppla/solver/settings.hpp"

namespace koppla::solver::detail {

/// The last states of a multistep method, at instants that need not be equidistant, and the polynomials through them. A
/// value: copies go on independently, and assigning one to another of the same size allocates nothing.
class BdfHistory {
 public:
  explicit BdfHistory(std::size_t states);

  void clear() { count_ = 0; }
  /// The newest states, h (s) after those before.
  void push(double h, std::span<const double> x);
  /// How many instants are known, the newest included.
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] std::span<const double> newest() const { return point(0); }

  /// Value at h (s) after the newest of the polynomial of that degree through the newest degree + 1 points.
  void extrapolate(double h, unsigned degree, std::span<double> x) const;
  /// The derivative, h (s) after the newest, of the polynomial through a new point x there and the newest `order`
  /// points is alpha x + rest: alpha in 1/s, the rest written to `rest`.
  double differentiate(double h, unsigned order, std::span<double> rest) const;

 private:
  static constexpr std::size_t kPoints = kHighestBdfOrder + 2;  ///< the predictor of one order more needs that many

  [[nodiscard]] const std::vector<double>& point(unsigned age) const {
    return points_[(newest_ + kPoints - age) % kPoints];
  }
  [[nodiscard]] double weight(double h, unsigned points, unsigned age) const;

  std::array<std::vector<double>, kPoints> points_;
  std::array<double, kPoints> back_{};  ///< s before the newest, by age
  std::size_t newest_ = 0;
  unsigned count_ = 0;
};

}  // namespace koppla::solver::detail
