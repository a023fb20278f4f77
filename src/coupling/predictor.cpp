#include "koppla/coupling/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::coupling {

namespace {

/// Share of the squared error of the constant that a higher degree must stay below.
constexpr double kWorthwhile = 0.25;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Predictor::Predictor(std::size_t values, std::optional<unsigned> degree, const std::vector<std::size_t>& held)
    : fixed_(degree),
      values_(values),
      capacity_(std::min(degree.value_or(kHighest), kHighest) + 1),
      isHeld_(held.empty() ? 0 : values),
      samples_(capacity_ * values) {
  for (const std::size_t value : held) isHeld_[value] = true;
}

void Predictor::clear() {
  count_ = 0;
  degree_ = 0;
  errors_.fill(std::nullopt);
  tableTime_ = kNever;
}

void Predictor::add(double t, std::span<const double> y) {
  if (!fixed_ && count_ > 0) judge(t, y);
  newest_ = newest_ + 1 == capacity_ ? 0 : newest_ + 1;
  count_ = std::min(count_ + 1, capacity_);
  times_[newest_] = t;
  std::ranges::copy(y, samples_.begin() + static_cast<std::ptrdiff_t>(newest_ * values_));
  tableTime_ = kNever;
}

void Predictor::takeBack() {
  newest_ = newest_ == 0 ? capacity_ - 1 : newest_ - 1;
  if (count_ > 0) --count_;
  tableTime_ = kNever;
}

/// Lagrange's polynomials through the newest degree + 1 samples, at t.
void Predictor::weigh(unsigned degree, double t, Weights& result) const {
  for (unsigned i = 0; i <= degree; ++i) {
    result[i] = 1.0;
    for (unsigned j = 0; j <= degree; ++j)
      if (j != i) result[i] *= (t - times_[place(j)]) / (times_[place(i)] - times_[place(j)]);
  }
}

/// The same for all degrees: each continues the products of the one below. Kept, since who predicts a step is told of
/// its end soon after.
const Predictor::Table& Predictor::weightsOfAll(double t) {
  if (t == tableTime_) return table_;
  tableTime_ = t;
  std::array<double, kMost> times;  // NOLINT(cppcoreguidelines-pro-type-member-init): written at once
  times.fill(kNever);
  for (unsigned i = 0; i <= most(); ++i) times[i] = times_[place(i)];
  Table ratios{};  // by j, then by i
  for (unsigned j = 0; j <= most(); ++j)
    for (unsigned i = 0; i < kMost; ++i) ratios[j][i] = (t - times[j]) / (i == j ? 1.0 : times[i] - times[j]);
  for (unsigned i = 0; i <= most(); ++i) {
    double product = 1.0;
    for (unsigned j = 0; j < i; ++j) product *= ratios[j][i];
    table_[i][i] = product;
    for (unsigned degree = i + 1; degree <= most(); ++degree) table_[degree][i] = product *= ratios[degree][i];
  }
  return table_;
}

/// Of predictions of y from so many samples, relative, summed over the values.
template <std::size_t kSamples>
double Predictor::squaredError(const Weights& weights, std::span<const double> y) const {
  std::array<const double*, kSamples> samples{};
  for (std::size_t i = 0; i < kSamples; ++i) samples[i] = sample(i);
  double sum = 0.0;
  for (std::size_t v = 0; v < y.size(); ++v) {
    const double size = std::max(std::fabs(y[v]), std::fabs(samples[0][v]));
    if (size == 0.0 || (!isHeld_.empty() && isHeld_[v])) continue;
    double error = -y[v];
    for (std::size_t i = 0; i < kSamples; ++i) error += weights[i] * samples[i][v];
    sum += (error / size) * (error / size);
  }
  return sum;
}

void Predictor::judge(double t, std::span<const double> y) {
  constexpr double kNewest = 0.3;  // weight of the newest error in the mean
  using SquaredError = double (Predictor::*)(const Weights&, std::span<const double>) const;
  constexpr std::array<SquaredError, kMost> kSquaredError{&Predictor::squaredError<1>, &Predictor::squaredError<2>,
                                                          &Predictor::squaredError<3>, &Predictor::squaredError<4>,
                                                          &Predictor::squaredError<5>, &Predictor::squaredError<6>};
  const Table& table = weightsOfAll(t);
  std::array<double, kMost> squares{};
  for (unsigned degree = 0; degree <= most(); ++degree)
    squares[degree] = (this->*kSquaredError[degree])(table[degree], y);
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
  prepared_.resize(times.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    if (fixed_)
      weigh(degree_, times[i], prepared_[i]);
    else
      std::copy_n(weightsOfAll(times[i])[degree_].begin(), degree_ + 1, prepared_[i].begin());
}

}  // namespace koppla::coupling
