#include "koppla/coupling/approximation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace koppla::coupling {

namespace {

/// out[v] = sum_i weights[i] samples[i][v] for v in the block; straight loops over neighbours.
void combine(std::span<const double* const> samples, const std::array<double, kMaxKnots>& weights, Block block,
             double* out) {
  for (std::size_t v = block.first; v < block.last; ++v) out[v] = weights[0] * samples[0][v];
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double weight = weights[i];
    if (weight == 0.0) continue;
    const double* const sample = samples[i];
    for (std::size_t v = block.first; v < block.last; ++v) out[v] += weight * sample[v];
  }
}

/// Powers 1 to N - 1 and the prediction of all values from N samples, in one pass; power 0 is the newest sample.
template <std::size_t N>
void extrapolateAll(const std::array<const double*, kMaxKnots>& samples, const PolynomialBasis& basis,
                    const std::array<double, kMaxKnots>& prediction, std::size_t values, double* powers,
                    double* predicted) {
  std::array<std::array<double, N>, N> weights{};
  for (std::size_t k = 1; k < N; ++k)
    for (std::size_t i = 0; i < N; ++i) weights[k][i] = basis.coefficient(k, i);
  for (std::size_t v = 0; v < values; ++v) {
    std::array<double, N> sample;  // NOLINT(cppcoreguidelines-pro-type-member-init): written at once
    for (std::size_t i = 0; i < N; ++i) sample[i] = samples[i][v];
    powers[v] = sample[0];
    double end = prediction[0] * sample[0];
    for (std::size_t i = 1; i < N; ++i) end += prediction[i] * sample[i];
    predicted[v] = end;
    for (std::size_t k = 1; k < N; ++k) {
      double sum = weights[k][0] * sample[0];
      for (std::size_t i = 1; i < N; ++i) sum += weights[k][i] * sample[i];
      powers[k * values + v] = sum;
    }
  }
}

using ExtrapolateAll = decltype(&extrapolateAll<1>);
constexpr std::array<ExtrapolateAll, kMaxKnots> kExtrapolateAll{&extrapolateAll<1>, &extrapolateAll<2>,
                                                                &extrapolateAll<3>, &extrapolateAll<4>,
                                                                &extrapolateAll<5>, &extrapolateAll<6>};

std::array<double, kMaxKnots> weightsOf(const PolynomialBasis& basis, std::size_t k) {
  std::array<double, kMaxKnots> weights{};
  for (std::size_t i = 0; i < basis.size(); ++i) weights[i] = basis.coefficient(k, i);
  return weights;
}

double productAt(double s, std::span<const Knot> knots) {
  double product = 1.0;
  for (const Knot& knot : knots) product *= s - knot.s;
  return product;
}

/// The error over a step that goes with these knots, as a part of what is one at the end.
ErrorShape shapeOf(std::span<const Knot> knots, double one) {
  constexpr int kPoints = 32;
  // Gauss and Legendre's, exact up to s^7: the product has degree 6 at most, times s.
  constexpr std::array kNodes{0.069431844202973713, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
  constexpr std::array kWeights{0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};
  ErrorShape shape{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    const double part = kWeights[i] * productAt(kNodes[i], knots) / one;
    shape.integral += part;
    shape.moment += kNodes[i] * part;
  }
  for (int k = 0; k <= kPoints; ++k)
    shape.largest = std::fmax(shape.largest, std::fabs(productAt(static_cast<double>(k) / kPoints, knots) / one));
  return shape;
}

}  // namespace

Approximation::Approximation(std::size_t values, unsigned degree, std::vector<std::size_t> held,
                             std::vector<Block> sloped)
    : values_(values), degree_(degree), held_(std::move(held)), sloped_(std::move(sloped)) {
  ring_.resize(degree_ + 3);  // two more, so that samples can be taken back
  for (Sample& sample : ring_) {
    sample.values.resize(values);
    if (!sloped_.empty()) sample.slopes.resize(values);
  }
  powers_.resize((degree_ + 1) * values);
  predicted_.resize(values);
}

void Approximation::clear() {
  samples_ = 0;
  begun_ = false;
  risen_.reset();
}

std::optional<EarlierError> Approximation::earlierError() const {
  if (!risen_ || risen_->degree != extrapolationDegree_) return std::nullopt;
  return EarlierError{risen_->t1, risen_->product / std::fabs(atEnd_ * std::pow(stepLength_, pastKnots_))};
}

void Approximation::add(double t, std::span<const double> y, std::span<const double> slopes) {
  risen_.reset();
  if (std::exchange(begun_, false) && interpolationDegree_ > extrapolationDegree_)
    risen_ = {interpolationDegree_, t, largestInside_ * std::pow(stepLength_, interpolationDegree_ + 1)};
  newest_ = (newest_ + 1) % ring_.size();
  Sample& sample = ring_[newest_];
  sample.time = t;
  std::ranges::copy(y, sample.values.begin());
  if (!sloped_.empty()) {
    sample.sloped = slopesKnown(slopes);
    if (sample.sloped) std::ranges::copy(slopes, sample.slopes.begin());
  }
  samples_ = std::min(samples_ + 1, ring_.size());
}

bool Approximation::slopesKnown(std::span<const double> slopes) const {
  if (slopes.empty()) return false;
  for (const Block& block : sloped_)
    for (std::size_t v = block.first; v < block.last; ++v)
      if (!std::isfinite(slopes[v])) return false;
  return true;
}

void Approximation::takeBack() {
  newest_ = (newest_ + ring_.size() - 1) % ring_.size();
  if (samples_ > 0) --samples_;
}

bool Approximation::knotsChanged(double t0, double t1) {
  const std::size_t knots = std::min<std::size_t>(degree_ + 1, samples_);
  const double h = t1 - t0;
  // Differences that the rounding of times explains are no differences: the points of an equidistant grid are meant.
  const double rounding = 8.0 * std::numeric_limits<double>::epsilon() * std::fmax(std::fabs(t0), std::fabs(t1)) / h;
  bool changed = knots != pastKnots_;
  for (std::size_t i = 0; i < knots; ++i) {
    double s = (time(i) - t0) / h;
    if (std::fabs(s - std::round(s)) <= rounding) s = std::round(s);
    if (s == past_[i] || (!changed && std::fabs(s - past_[i]) <= rounding)) continue;
    past_[i] = s;
    changed = true;
  }
  pastKnots_ = knots;
  return changed;
}

void Approximation::renewBases() {
  std::array<Knot, kMaxKnots> knots{};
  for (std::size_t i = 0; i < kMaxKnots; ++i) knots[i] = {past_[i]};  // those in use come first
  extrapolation_ = PolynomialBasis(std::span(knots).first(pastKnots_));
  extrapolationDegree_ = static_cast<unsigned>(pastKnots_ - 1);
  for (std::size_t i = 0; i < pastKnots_; ++i) prediction_[i] = extrapolation_.value(i, 1.0);
  // Errors are f[..] prod (s - s_i): of extrapolation at t1 f[..] prod (1 - s_i).
  atEnd_ = productAt(1.0, std::span(knots).first(pastKnots_));
  extrapolationError_ = shapeOf(std::span(knots).first(pastKnots_), atEnd_);

  // The knot s = 0 first: the coefficient of s^0 is then exactly the value at t0.
  interpolationDegree_ = static_cast<unsigned>(std::min<std::size_t>(degree_, samples_));
  if (interpolationDegree_ == 0) {
    knots[0] = {1.0};
  } else {
    knots[1] = {1.0};
    for (std::size_t i = 2; i < kMaxKnots; ++i) knots[i] = {past_[i - 1]};
  }
  interpolation_ = PolynomialBasis(std::span(knots).first(interpolationDegree_ + 1));

  interpolationError_ = shapeOf(std::span(knots).first(interpolationDegree_ + 1), atEnd_);
  largestInside_ = interpolationError_.largest * std::fabs(atEnd_);
  if (interpolationDegree_ > extrapolationDegree_) interpolationError_ = {0.0, 0.0, 0.0};
}

void Approximation::appendSample(std::vector<Condition>& conditions, std::size_t i) const {
  const Sample& sample = ring_[place(i)];
  const double s = (sample.time - stepBegin_) / stepLength_;
  if (conditions.size() <= degree_) conditions.push_back({{s}, sample.values.data(), 1.0});
  if (conditions.size() <= degree_ && sample.sloped)
    conditions.push_back({{s, true}, sample.slopes.data(), stepLength_});
}

/// Coefficients of the polynomials through all conditions, for the sloped values of a block.
void Approximation::fit(const std::vector<Condition>& conditions, Block block) {
  std::vector<Knot> knots;
  knots.reserve(conditions.size());
  for (const Condition& condition : conditions) knots.push_back(condition.knot);
  const PolynomialBasis basis(knots);
  const unsigned fitted = static_cast<unsigned>(conditions.size()) - 1;
  for (unsigned k = degreeInUse_ + 1; k <= fitted; ++k)
    std::fill_n(powers_.begin() + static_cast<std::ptrdiff_t>(k * values_), values_, 0.0);
  degreeInUse_ = std::max(degreeInUse_, fitted);
  for (const Block& sloped : sloped_)
    for (std::size_t v = std::max(sloped.first, block.first); v < std::min(sloped.last, block.last); ++v)
      for (unsigned k = 1; k <= degreeInUse_; ++k) {  // power 0 is the value at t0 already
        double sum = 0.0;
        if (k <= fitted)
          for (std::size_t i = 0; i < conditions.size(); ++i)
            sum += basis.coefficient(k, i) * conditions[i].scale * conditions[i].data[v];
        powers_[k * values_ + v] = sum;
      }
}

void Approximation::extrapolateSloped() {
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < samples_; ++i) appendSample(conditions, i);
  fit(conditions, {0, values_});
  for (const Block& sloped : sloped_)
    for (std::size_t v = sloped.first; v < sloped.last; ++v) {
      predicted_[v] = 0.0;
      for (unsigned k = 0; k <= degreeInUse_; ++k) predicted_[v] += powers_[k * values_ + v];
    }
  extrapolationDegree_ = std::max(extrapolationDegree_, static_cast<unsigned>(conditions.size()) - 1);
}

void Approximation::interpolateSloped(Block block, std::span<const double> y, std::span<const double> slopes) {
  if (degree_ == 0) return;  // the value at the end, as without slopes
  const Sample& newest = ring_[place(0)];
  std::vector<Condition> conditions{{{0.0}, newest.values.data(), 1.0}};
  if (degree_ >= 2 && newest.sloped) conditions.push_back({{0.0, true}, newest.slopes.data(), stepLength_});
  conditions.push_back({{1.0}, y.data(), 1.0});
  if (conditions.size() <= degree_ && slopesKnown(slopes))
    conditions.push_back({{1.0, true}, slopes.data(), stepLength_});
  for (std::size_t i = 1; i < samples_; ++i) appendSample(conditions, i);
  fit(conditions, block);
}

void Approximation::begin(double t0, double t1) {
  begun_ = true;
  stepBegin_ = t0;
  stepLength_ = t1 - t0;
  if (knotsChanged(t0, t1) || !sloped_.empty()) renewBases();
  degreeInUse_ = std::max(extrapolationDegree_, interpolationDegree_);
  std::array<const double*, kMaxKnots> samples{};
  for (std::size_t i = 0; i < pastKnots_; ++i) samples[i] = ring_[place(i)].values.data();
  kExtrapolateAll[extrapolationDegree_](samples, extrapolation_, prediction_, values_, powers_.data(),
                                        predicted_.data());
  for (unsigned k = extrapolationDegree_ + 1; k <= degreeInUse_; ++k)
    std::fill_n(powers_.begin() + static_cast<std::ptrdiff_t>(k * values_), values_, 0.0);
  if (!sloped_.empty()) extrapolateSloped();
  for (const std::size_t value : held_) predicted_[value] = samples[0][value];
  hold({samples[0], values_}, {0, values_});
}

void Approximation::interpolate(Block block, std::span<const double> y, std::span<const double> slopes) {
  std::array<const double*, kMaxKnots> samples{};
  if (interpolationDegree_ == 0) {
    samples[0] = y.data();
  } else {
    samples[0] = ring_[place(0)].values.data();
    samples[1] = y.data();
    for (std::size_t i = 2; i <= interpolationDegree_; ++i) samples[i] = ring_[place(i - 1)].values.data();
  }
  const std::span<const double* const> used(samples.data(), interpolationDegree_ + 1);
  for (unsigned k = 0; k <= interpolationDegree_; ++k)
    combine(used, weightsOf(interpolation_, k), block, powers_.data() + k * values_);
  if (!sloped_.empty()) interpolateSloped(block, y, slopes);  // only they have higher powers
  hold(y, block);
  if (interpolationDegree_ == 0 && !kept_.empty()) putBegin(block);
}

void Approximation::putBegin(Block block) {
  const std::vector<double>& begin = ring_[place(0)].values;
  for (const Block& kept : kept_)
    for (std::size_t v = std::max(kept.first, block.first); v < std::min(kept.last, block.last); ++v)
      powers_[v] = begin[v];
}

void Approximation::hold(std::span<const double> y, Block block) {
  for (const std::size_t value : held_) {
    if (value < block.first || value >= block.last) continue;
    powers_[value] = y[value];
    for (unsigned k = 1; k <= degreeInUse_; ++k) powers_[k * values_ + value] = 0.0;
  }
}

double Approximation::weightOfEnd(unsigned k) const {
  return interpolation_.coefficient(k, interpolationDegree_ == 0 ? 0 : 1);
}

}  // namespace koppla::coupling
