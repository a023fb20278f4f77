#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "koppla/coupling/lagrange.hpp"
#include "koppla/coupling/look.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

/// A run of neighbours: members in the order of evaluation, or their values.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;  ///< one past the end
};

/// All values over one stretch of time as polynomials: that of value v has the coefficient powers[k * values + v] of
/// s^k. A view that is valid until its owner changes.
struct Courses {
  const double* powers = nullptr;
  std::size_t values = 0;
  unsigned degree = 0;      ///< coefficients above it are not to be read
  unsigned mostDegree = 0;  ///< that the owner ever has
};

/// Coupling variables between communication points (Schmoll, sec. 2.4.3): the newest accepted values of all outputs and
/// the polynomials through them, in powers of s = (t - t0) / (t1 - t0) of the present step.
///
///     Ext_p: knots T_n, T_n-1, ..., T_n-p            inputs of whoever runs before the values at t1 are known
///     Int_p: knots T_n+1, T_n, ..., T_n+1-p          inputs of whoever runs after; p = 0 is the value at T_n+1
///
/// While there are fewer samples the degree is lower: it rises with every accepted step (trivial start, sec. 2.4.4).
///
/// Where the slopes of values are known as well, a sample gives two conditions (Hermite): Ext_p goes through value and
/// slope at T_n, then at T_n-1 and so on, Int_p through the values at both ends of the step, the slopes there, and then
/// further back, as many of them as the degree takes.
class Approximation {
 public:
  /// `held`: values that change at communication points only, so that their approximation is constant. `sloped`:
  /// ranges of values whose slopes are given.
  Approximation(std::size_t values, unsigned degree, std::vector<std::size_t> held, std::vector<Block> sloped = {});

  [[nodiscard]] unsigned degree() const { return degree_; }

  /// With degree 0 these ranges keep their values at t0 for the whole step, also where those at t1 are known.
  void keepBegin(std::vector<Block> kept) { kept_ = std::move(kept); }
  [[nodiscard]] bool keepsBegin(std::size_t value) const {
    return std::ranges::any_of(kept_, [value](Block kept) { return value >= kept.first && value < kept.last; });
  }

  // The history. Two samples at most can be taken back, and only right after they were added.
  void clear();
  void add(double t, std::span<const double> y) { add(t, y, {}); }
  /// `slopes`: d y / d t (1/s), of which the sloped ranges are taken; empty, or not finite there: unknown.
  void add(double t, std::span<const double> y, std::span<const double> slopes);
  void takeBack();
  [[nodiscard]] std::size_t samples() const { return samples_; }
  /// Sample i steps back, 0 is the newest.
  [[nodiscard]] std::span<double> sample(std::size_t i) { return ring_[place(i)].values; }
  [[nodiscard]] double time(std::size_t i) const { return ring_[place(i)].time; }

  /// Prepares a step that begins at the newest sample: all values are extrapolated.
  void begin(double t0, double t1);
  /// Values at t1 are known, in `y` (all of them, of which `block` is taken): these are interpolated from now on.
  void interpolate(Block block, std::span<const double> y) { interpolate(block, y, {}); }
  void interpolate(Block block, std::span<const double> y, std::span<const double> slopes);

  [[nodiscard]] Courses courses() const { return {powers_.data(), values_, degreeInUse_, degree_}; }
  /// Coefficients of s^k for all values.
  [[nodiscard]] std::span<const double> power(unsigned k) const { return {powers_.data() + k * values_, values_}; }
  /// One value at s.
  [[nodiscard]] double value(std::size_t v, double s) const {
    double sum = 0.0;
    for (unsigned k = degreeInUse_ + 1; k-- > 0;) sum = sum * s + powers_[k * values_ + v];
    return sum;
  }
  /// Degree of the polynomials in use; coefficients above it are not to be read.
  [[nodiscard]] unsigned degreeInUse() const { return degreeInUse_; }
  /// What extrapolation says of t1.
  [[nodiscard]] std::span<const double> predicted() const { return predicted_; }
  /// Degree of extrapolation in this step.
  [[nodiscard]] unsigned predictedDegree() const { return extrapolationDegree_; }
  /// How the coefficient of s^k of an interpolated value changes with its sample at t1.
  [[nodiscard]] double weightOfEnd(unsigned k) const;
  /// How errors go over the step (Milne's device). While the degree rises, interpolation is ahead by one, and how far
  /// it is off is not known before the next step: then its shape is zero.
  [[nodiscard]] const ErrorShape& extrapolationError() const { return extrapolationError_; }
  [[nodiscard]] const ErrorShape& interpolationError() const { return interpolationError_; }
  /// The step before, where that is known now: largest error of its interpolation over that of extrapolation at t1.
  [[nodiscard]] std::optional<EarlierError> earlierError() const;

 private:
  struct Sample {
    double time = 0.0;
    std::vector<double> values;
    std::vector<double> slopes;
    bool sloped = false;  ///< slopes are known
  };
  /// One condition of a polynomial: where, and the values or slopes to be met there.
  struct Condition {
    Knot knot;
    const double* data;
    double scale;  ///< slopes are per second, the polynomial's per step
  };

  [[nodiscard]] std::size_t place(std::size_t i) const { return (newest_ + ring_.size() - i) % ring_.size(); }
  bool knotsChanged(double t0, double t1);
  void renewBases();
  void hold(std::span<const double> y, Block block);
  void putBegin(Block block);
  [[nodiscard]] bool slopesKnown(std::span<const double> slopes) const;
  void appendSample(std::vector<Condition>& conditions, std::size_t i) const;
  void extrapolateSloped();
  void interpolateSloped(Block block, std::span<const double> y, std::span<const double> slopes);
  void fit(const std::vector<Condition>& conditions, Block block);

  std::size_t values_;
  unsigned degree_;
  std::vector<std::size_t> held_;
  std::vector<Block> sloped_;
  std::vector<Block> kept_;
  double stepBegin_ = 0.0;
  double stepLength_ = 1.0;
  std::vector<Sample> ring_;
  std::size_t newest_ = 0;
  std::size_t samples_ = 0;

  std::array<double, kMaxKnots> past_{};  ///< s of the samples in use
  std::size_t pastKnots_ = 0;
  PolynomialBasis extrapolation_;
  PolynomialBasis interpolation_;  ///< knots s = 0, 1, then the past ones; for degree 0 the knot s = 1
  std::array<double, kMaxKnots> prediction_{};
  unsigned extrapolationDegree_ = 0;
  unsigned interpolationDegree_ = 0;
  unsigned degreeInUse_ = 0;
  ErrorShape extrapolationError_ = kHeldFromBegin;
  ErrorShape interpolationError_ = kHeldFromEnd;
  double atEnd_ = 1.0;  ///< product of the distances of t1 to the knots of extrapolation, in lengths of the step
  double largestInside_ = 1.0;  ///< of the products for interpolation
  struct Open {
    unsigned degree = 0;
    double t1 = 0.0;       ///< s
    double product = 0.0;  ///< largest inside, s^(degree + 1)
  };
  std::optional<Open> risen_;  ///< the newest step, if its interpolation was ahead
  bool begun_ = false;         ///< a step has, since the newest sample

  std::vector<double> powers_;
  std::vector<double> predicted_;
};

}  // namespace koppla::coupling
