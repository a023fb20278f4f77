#pragma once

#include <array>
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
  [[nodiscard]] double predict(std::size_t time, std::size_t value) const;
  [[nodiscard]] unsigned degree() const { return degree_; }

 private:
  using Weights = std::array<double, kHighest + 1>;  ///< of the samples, newest first
  struct Sample {
    double time = 0.0;
    std::vector<double> values;
  };

  [[nodiscard]] const Sample& sample(std::size_t i) const { return ring_[(newest_ + ring_.size() - i) % ring_.size()]; }
  [[nodiscard]] Weights weights(unsigned degree, double t) const;
  void judge(double t, std::span<const double> y);
  [[nodiscard]] unsigned most() const;

  std::optional<unsigned> fixed_;
  std::vector<bool> isHeld_;
  std::vector<Sample> ring_;
  std::size_t newest_ = 0;
  std::size_t samples_ = 0;
  unsigned degree_ = 0;
  std::array<std::optional<double>, kHighest + 1> errors_{};  ///< mean of squares, by degree
  std::vector<Weights> prepared_;                             ///< by time
};

}  // namespace koppla::coupling
