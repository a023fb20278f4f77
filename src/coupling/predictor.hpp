#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace koppla::coupling {

/// The first guess of an iteration: the polynomial through the newest accepted values, extrapolated. Without a fixed
/// degree each value is predicted by the degree, 0 to kHighest, whose predictions of past steps were nearest to what
/// came, in the mean over all values and with the newest steps weighing most. After a jump it begins anew with the
/// constant.
class Predictor {
 public:
  static constexpr unsigned kHighest = 5;

  Predictor(std::size_t values, std::optional<unsigned> degree, const std::vector<std::size_t>& held);

  void clear();
  /// Values accepted at t (s).
  void add(double t, std::span<const double> y);
  /// The newest sample never was.
  void takeBack();

  /// Prepares predictions for times t (s), of which predict() names one by its position.
  void begin(std::span<const double> times);
  [[nodiscard]] double predict(std::size_t time, std::size_t value) const {
    if (!isHeld_.empty() && isHeld_[value]) return sample(0)[value];
    double sum = 0.0;
    for (unsigned i = 0; i <= degree_; ++i) sum += prepared_[time][i] * sample(i)[value];
    return sum;
  }
  [[nodiscard]] unsigned degree() const { return degree_; }

 private:
  static constexpr std::size_t kMost = kHighest + 1;
  using Weights = std::array<double, kMost>;  ///< of the samples, newest first
  using Table = std::array<Weights, kMost>;   ///< by degree

  /// Sample i steps back, 0 is the newest.
  [[nodiscard]] std::size_t place(std::size_t i) const { return i <= newest_ ? newest_ - i : newest_ + capacity_ - i; }
  [[nodiscard]] const double* sample(std::size_t i) const { return samples_.data() + place(i) * values_; }
  /// Writes the first degree + 1 of them.
  void weigh(unsigned degree, double t, Weights& result) const;
  [[nodiscard]] const Table& weightsOfAll(double t);
  void judge(double t, std::span<const double> y);
  template <std::size_t kSamples>
  [[nodiscard]] double squaredError(const Weights& weights, std::span<const double> y) const;
  [[nodiscard]] unsigned most() const { return count_ == 0 ? 0 : static_cast<unsigned>(count_ - 1); }

  std::optional<unsigned> fixed_;
  std::size_t values_;
  std::size_t capacity_;  ///< of samples
  std::vector<bool> isHeld_;
  std::vector<double> samples_;  ///< a ring, sample by sample
  std::array<double, kMost> times_{};
  std::size_t newest_ = 0;
  std::size_t count_ = 0;
  unsigned degree_ = 0;
  std::array<std::optional<double>, kMost> errors_{};  ///< mean of squares, by degree
  std::vector<Weights> prepared_;                      ///< by time
  Table table_{};
  double tableTime_ = std::numeric_limits<double>::quiet_NaN();  ///< that the table is for; not a number: none
};

}  // namespace koppla::coupling
