#include "koppla/coupling/predictor.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

namespace {

/// Share of the squared error of the constant that a higher degree must stay below.
constexpr double kWorthwhile = 0.25;

}  // namespace

Predictor::Predictor(std::size_t values, std::optional<unsigned> degree, const std::vector<std::size_t>& held)
    : fixed_(degree), isHeld_(held.empty() ? 0 : values), ring_(std::min(degree.value_or(kHighest), kHighest) + 1) {
  for (const std::size_t value : held) isHeld_[value] = true;
  for (Sample& sample : ring_) sample.values.resize(values);
}

void Predictor::clear() {
  samples_ = 0;
  degree_ = 0;
  errors_.fill(std::nullopt);
}

void Predictor::add(double t, std::span<const double> y) {
  if (!fixed_ && samples_ > 0) judge(t, y);
  newest_ = (newest_ + 1) % ring_.size();
  samples_ = std::min(samples_ + 1, ring_.size());
  ring_[newest_].time = t;
  std::ranges::copy(y, ring_[newest_].values.begin());
}

void Predictor::takeBack() {
  newest_ = (newest_ + ring_.size() - 1) % ring_.size();
  if (samples_ > 0) --samples_;
}

/// Lagrange's polynomials through the newest degree + 1 samples, at t.
Predictor::Weights Predictor::weights(unsigned degree, double t) const {
  Weights result{};
  for (unsigned i = 0; i <= degree; ++i) {
    result[i] = 1.0;
    for (unsigned j = 0; j <= degree; ++j)
      if (j != i) result[i] *= (t - sample(j).time) / (sample(i).time - sample(j).time);
  }
  return result;
}

unsigned Predictor::most() const {
  return samples_ == 0 ? 0 : static_cast<unsigned>(samples_ - 1);
}

void Predictor::judge(double t, std::span<const double> y) {
  constexpr double kNewest = 0.3;  // weight of the newest error in the mean
  std::array<Weights, kHighest + 1> all{};
  for (unsigned degree = 0; degree <= most(); ++degree) all[degree] = weights(degree, t);
  std::array<double, kHighest + 1> squares{};
  for (std::size_t v = 0; v < y.size(); ++v) {
    const double size = std::max(std::fabs(y[v]), std::fabs(sample(0).values[v]));
    if (size == 0.0 || (!isHeld_.empty() && isHeld_[v])) continue;
    for (unsigned degree = 0; degree <= most(); ++degree) {
      double error = -y[v];
      for (unsigned i = 0; i <= degree; ++i) error += all[degree][i] * sample(i).values[v];
      squares[degree] += (error / size) * (error / size);
    }
  }
  // Where extrapolation is hardly better than none, or values that kept still move, the course has been broken: what
  // was before leads nowhere.
  constexpr double kFarMore = 100.0;
  const bool jumped = errors_[0] && squares[0] > kFarMore * *errors_[0];
  if (degree_ > 0 ? squares[degree_] > kWorthwhile * squares[0] : jumped) {
    clear();
    return;
  }
  for (unsigned degree = 0; degree <= most(); ++degree) {
    std::optional<double>& error = errors_[degree];
    error = error ? (1.0 - kNewest) * *error + kNewest * squares[degree] : squares[degree];
  }
}

void Predictor::begin(std::span<const double> times) {
  degree_ = 0;
  if (fixed_) {
    degree_ = std::min(*fixed_, most());
  } else {
    // A degree that has not predicted yet is not chosen before it has.
    for (unsigned degree = 1; degree <= most(); ++degree)
      if (errors_[degree] && *errors_[degree] < *errors_[degree_] && *errors_[degree] < kWorthwhile * *errors_[0])
        degree_ = degree;
  }
  prepared_.clear();
  for (const double t : times) prepared_.push_back(weights(degree_, t));
}

double Predictor::predict(std::size_t time, std::size_t value) const {
  if (!isHeld_.empty() && isHeld_[value]) return sample(0).values[value];
  double sum = 0.0;
  for (unsigned i = 0; i <= degree_; ++i) sum += prepared_[time][i] * sample(i).values[value];
  return sum;
}

}  // namespace koppla::coupling
