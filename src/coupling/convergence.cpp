#include "koppla/coupling/convergence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "koppla/coupling/printed_digits.hpp"

namespace koppla::coupling {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// What is below the usual magnitude of any quantity is no measure of size.
constexpr double kLeastSize = 1.0;

/// Values of the network that belong to one of the outputs.
std::vector<std::size_t> select(const Network& network, const std::vector<std::size_t>& values,
                                const std::vector<Endpoint>& outputs) {
  std::vector<std::size_t> result;
  for (const std::size_t value : values) {
    const OutputName name = network.outputName(value);
    const auto same = [&](const Endpoint& output) { return output.member == name.member && output.port == name.port; };
    if (std::ranges::any_of(outputs, same)) result.push_back(value);
  }
  return result;
}

bool isWeighedBySent(Norm norm) {
  return norm == Norm::rms || norm == Norm::nicolai;
}

}  // namespace

Behaviour behaviourOf(double k) {
  if (!std::isfinite(k)) return Behaviour::unknown;
  if (k <= -1.0) return Behaviour::alternatingDivergent;
  if (k < 0.0) return Behaviour::alternatingConvergent;
  return k < 1.0 ? Behaviour::monotoneConvergent : Behaviour::monotoneGrowing;
}

std::string_view word(Behaviour behaviour) {
  constexpr std::array<std::string_view, 5> kWords{"", "alternating-divergent", "alternating-convergent",
                                                   "monotone-convergent", "monotone-growing"};
  return kWords.at(static_cast<std::size_t>(behaviour));
}

ConvergenceMonitor::ConvergenceMonitor(const Network& network, const InterfaceProblem& problem,
                                       const AlgorithmSettings& settings, unsigned innocent)
    : network_(network),
      exchanged_(problem.coupled()),
      sizes_(network, problem.coupled()),
      points_(problem.points()),
      samples_(exchanged_.size() * points_),
      newest_(2 * samples_),
      explosionGrowth_(settings.explosionGrowth),
      innocent_(innocent),
      relatesToFirst_(settings.relativeTo == RelativeTo::firstResidual) {
  for (const ConvergenceGroup& group : settings.convergence) {
    std::vector<std::size_t> values = select(network, exchanged_, group.outputs);
    if (values.empty()) continue;
    names_.push_back(group.name);
    groups_.push_back({std::move(values), {}, group.tolerance, group.norm});
  }
  if (groups_.empty()) {
    names_.emplace_back("all");
    groups_.push_back({exchanged_, {}, {settings.rtol, settings.atol}, settings.norm});
  }
  norms_.resize(groups_.size());
  const Group& first = groups_.front();
  undivided_ = groups_.size() == 1 && first.values.size() == exchanged_.size() && core::isByValue(first.norm);
  for (Group& group : groups_)
    if (group.values.size() < exchanged_.size())
      for (const std::size_t value : group.values)
        group.places.push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(exchanged_, value) - exchanged_.begin()));
  for (Group& group : groups_)
    group.printed = std::ranges::any_of(group.values, [&](std::size_t v) { return network.outputName(v).digits > 0; });
  printed_ = std::ranges::any_of(groups_, &Group::printed);
  memory_.resize((2 + innocent_ + kAnswers) * samples_);
  const bool allSent = settings.acceleration.values == Accelerated::all && settings.acceleration.relaxes();
  if (settings.test == ConvergenceTest::residual || allSent || problem.cut().size() * points_ != 1 || samples_ == 1)
    return;
  onlyCut_ = static_cast<std::size_t>(std::ranges::lower_bound(exchanged_, problem.cut().front()) - exchanged_.begin());
  ofCut_ = toleranceOf(problem.cut());
}

core::Tolerance ConvergenceMonitor::toleranceOf(std::span<const std::size_t> values) const {
  std::optional<core::Tolerance> tightest;
  for (const Group& group : groups_) {
    const auto isTested = [&group](std::size_t value) { return std::ranges::binary_search(group.values, value); };
    if (std::ranges::none_of(values, isTested)) continue;
    if (!tightest) tightest = group.tolerance;
    tightest->rtol = std::min(tightest->rtol, group.tolerance.rtol);
    tightest->atol = std::min(tightest->atol, group.tolerance.atol);  // none of its own counts as the least
  }
  return tightest.value_or(core::Tolerance{0.0, 0.0});
}

double ConvergenceMonitor::normOf(std::span<const double> errors, std::span<const std::size_t> values,
                                  std::span<const double> answered, std::span<const double> sizes) {
  if (undivided_) return core::weightedNorm(groups_.front().norm, groups_.front().tolerance, errors, answered, sizes);
  double largest = 0.0;
  for (const Group& group : groups_) {
    clearScratch();
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (std::ranges::binary_search(group.values, values[i % values.size()]))
        compareLater(errors[i], answered[i], sizes[i]);
    largest = std::max(largest, normOfScratch(group));
  }
  return largest;
}

void ConvergenceMonitor::begin() {
  looks_ = 0;
  exploded_.reset();
  if (!started_) [[unlikely]]
    lookAtStart();
  if (measured_ != sizes_.version()) [[unlikely]]
    measureSamples();
}

/// Later on the outputs may be predictions.
void ConvergenceMonitor::lookAtStart() {
  started_ = true;
  std::vector<double> present;
  for (const std::size_t value : exchanged_) present.push_back(network_.outputs()[value]);
  sizes_.show(present);
  measureSamples();
}

void ConvergenceMonitor::measureSamples() {
  measured_ = sizes_.version();
  sampleSizes_.clear();
  for (std::size_t point = 0; point < points_; ++point)
    sampleSizes_.insert(sampleSizes_.end(), sizes_.all().begin(), sizes_.all().end());
}

template <class Use>
inline void ConvergenceMonitor::forSamples(const Group& group, Use&& use) const {
  const double* const sent = memory_.data() + placeOfSent(looks_);
  const double* const answered = newestAnswers().data();
  const double* const sizes = sampleSizes_.data();
  if (group.places.empty()) {
    for (std::size_t i = 0; i < samples_; ++i) use(sent[i], answered[i], sizes[i]);
    return;
  }
  for (std::size_t first = 0; first < samples_; first += exchanged_.size())
    for (const std::size_t place : group.places)
      use(sent[first + place], answered[first + place], sizes[first + place]);
}

double ConvergenceMonitor::residualNorm(const Group& group) {
  if (!core::isByValue(group.norm)) return residualNormOfWhole(group);
  const bool bySent = isWeighedBySent(group.norm);
  core::NormByValue values(group.tolerance);
  forSamples(group, [&](double u, double y, double size) { values.add(y - u, bySent ? u : y, size); });
  return values.norm(group.norm, group.values.size() * points_);
}

double ConvergenceMonitor::residualNormOfWhole(const Group& group) {
  const bool bySent = isWeighedBySent(group.norm);
  clearScratch();
  forSamples(group, [&](double u, double y, double size) { compareLater(y - u, bySent ? u : y, size); });
  return normOfScratch(group);
}

void ConvergenceMonitor::clearScratch() {
  differences_.clear();
  references_.clear();
  scales_.clear();
}

void ConvergenceMonitor::compareLater(double difference, double reference, double size) {
  differences_.push_back(difference);
  references_.push_back(reference);
  scales_.push_back(size);
}

double ConvergenceMonitor::normOfScratch(const Group& group) const {
  return core::weightedNorm(group.norm, group.tolerance, differences_, references_, scales_);
}

/// |answered - sent| / |answered|, of the group where it is largest.
double ConvergenceMonitor::relativeChange() const {
  double largest = 0.0;
  for (const Group& group : groups_) {
    double change = 0.0;
    double size = 0.0;
    forSamples(group, [&](double u, double y, double) {
      change += (y - u) * (y - u);
      size += y * y;
    });
    largest = std::max(largest, size > 0.0 ? std::sqrt(change / size) : 0.0);
  }
  return largest;
}

double ConvergenceMonitor::largestResidual() const {
  double largest = 0.0;
  for (const Group& group : groups_)
    forSamples(group, [&](double u, double y, double) { largest = std::max(largest, std::fabs(y - u)); });
  return largest;
}

/// Both at once where one group holds all.
inline void ConvergenceMonitor::readAndMeasure(const InterfaceProblem& problem) {
  const Group& group = groups_.front();
  const bool bySent = isWeighedBySent(group.norm);
  double* const answered = nextAnswers().data();
  double* const sent = this->sent().data();
  const double* const sizes = sampleSizes_.data();
  core::NormByValue values(group.tolerance);
  problem.forSamples(exchanged_, [&](std::size_t i, double u, double y) {
    sent[i] = u;
    answered[i] = y;
    values.add(y - u, bySent ? u : y, sizes[i]);
  });
  norms_.front() = values.norm(group.norm, samples_);
}

/// Where one number is sent and agrees, all others follow from it along a line: of their last change they still have as
/// much before them as the residual r of that number has of its own, r - r_before. Several numbers may hide a direction
/// in which the residual is small and the change is not.
void ConvergenceMonitor::followCut(std::size_t cut) {
  if (std::ranges::max(norms_) <= 1.0) return;
  const std::span<double> sent = this->sent();
  const std::span<const double> answered = newestAnswers();
  const double residual = answered[cut] - sent[cut];
  if (!(std::fabs(residual) <= ofCut_.allowed(answered[cut], sampleSizes_[cut]))) return;
  const double before = answers(1)[cut] - memory_[placeOfSent(looks_ - 1) + cut];
  const double share = std::fabs(residual / (residual - before));
  if (!(share < 1.0)) return;
  for (std::size_t i = 0; i < samples_; ++i)
    if (i != cut) sent[i] = answered[i] - share * (answered[i] - sent[i]);
  for (std::size_t g = 0; g < groups_.size(); ++g) norms_[g] = residualNorm(groups_[g]);
}

void ConvergenceMonitor::relateToFirst() {
  byValues_ = std::ranges::max(norms_);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    norms_[g] = groups_[g].first.relate(norms_[g], groups_[g].tolerance.rtol, looks_ == 1);
}

inline void ConvergenceMonitor::compare() {
  norm_ = norms_.front();
  if (!undivided_) norm_ = std::ranges::max(norms_);
  if (printed_) [[unlikely]] {
    rounding_ = 0.0;
    coarse_.reset();
    for (const Group& group : groups_)
      if (group.printed) findCoarse(group);
  }
  follow(norm_);
}

void ConvergenceMonitor::findCoarse(const Group& group) {
  clearScratch();
  forSamples(group, [&](double, double y, double size) {
    const std::size_t value = group.values[differences_.size() % group.values.size()];
    compareLater(roundingOf(y, network_.outputName(value).digits), y, size);
  });
  const double norm = normOfScratch(group);
  if (norm <= std::max(1.0, rounding_)) return;
  rounding_ = norm;
  const auto coarsest = static_cast<std::size_t>(std::ranges::max_element(differences_) - differences_.begin());
  coarse_ = group.values[coarsest % group.values.size()];
}

double ConvergenceMonitor::lastK() const {
  const std::span<const double> x = answers(0);
  const std::span<const double> x1 = answers(1);
  const std::span<const double> x2 = answers(2);
  double product = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < samples_; ++i) {
    product += (x[i] - x1[i]) * (x1[i] - x2[i]);
    square += (x1[i] - x2[i]) * (x1[i] - x2[i]);
  }
  return square > 0.0 ? product / square : kUnknown;
}

double ConvergenceMonitor::magnitude(Block field, unsigned look) const {
  const std::span<const double> answered = answersOf(look);
  double largest = 0.0;
  for (std::size_t first = 0; first < samples_; first += exchanged_.size())
    for (std::size_t i = field.first; i < field.last; ++i) largest = std::max(largest, std::fabs(answered[first + i]));
  return largest;
}

/// Most often all values are below what any field may have.
inline void ConvergenceMonitor::findExplosion() {
  exploded_.reset();
  double largest = 0.0;
  for (const double value : newestAnswers()) largest = std::max(largest, std::fabs(value));
  if (largest > explosionGrowth_ * kLeastSize && explosionGrowth_ > 0.0) [[unlikely]]
    findExplodedField();
}

void ConvergenceMonitor::findExplodedField() {
  for (const Block field : sizes_.ports()) {
    double allowed = sizes_.shown(field);
    for (unsigned look = 1; look <= innocent_; ++look) allowed = std::max(allowed, magnitude(field, look));
    const double present = magnitude(field, looks_);
    if (allowed == 0.0 || !(present > explosionGrowth_ * std::max(allowed, kLeastSize))) continue;
    exploded_ = largestOf(field, present);
    return;
  }
}

void ConvergenceMonitor::look(const InterfaceProblem& problem) {
  if (undivided_) {
    readAndMeasure(problem);
  } else {
    const std::span<double> answered = nextAnswers();
    problem.read(exchanged_, sent(), answered);
    for (std::size_t g = 0; g < groups_.size(); ++g) norms_[g] = residualNorm(groups_[g]);
  }
  if (looks_ > innocent_) findExplosion();
  if (onlyCut_ && looks_ > 1) followCut(*onlyCut_);
  if (relatesToFirst_) [[unlikely]]
    relateToFirst();
  compare();
}

void ConvergenceMonitor::watch(const InterfaceProblem& problem) {
  problem.readAnswered(exchanged_, nextAnswers());
  if (looks_ > innocent_) findExplosion();
}

/// The output whose answer has the field's present magnitude.
std::size_t ConvergenceMonitor::largestOf(Block field, double present) const {
  const std::span<const double> answered = newestAnswers();
  for (std::size_t first = 0; first < samples_; first += exchanged_.size())
    for (std::size_t i = field.first; i < field.last; ++i)
      if (std::fabs(answered[first + i]) == present) return exchanged_[i];
  return exchanged_[field.first];
}

std::vector<std::size_t> ConvergenceMonitor::untested(const InterfaceProblem& problem) const {
  std::vector<std::size_t> result;
  for (const std::size_t value : problem.cut()) {
    const auto holds = [value](const Group& group) { return std::ranges::binary_search(group.values, value); };
    if (std::ranges::none_of(groups_, holds)) result.push_back(value);
  }
  return result;
}

std::vector<ConvergenceMonitor::Tested> ConvergenceMonitor::tested() const {
  std::vector<Tested> result;
  for (const Block port : sizes_.ports()) {
    const std::size_t value = exchanged_[port.first];
    const auto holds = [value](const Group& group) { return std::ranges::binary_search(group.values, value); };
    const auto group = std::ranges::find_if(groups_, holds);
    if (group == groups_.end()) continue;
    const double absolute = group->tolerance.absolute(sizes_.all()[port.first]);
    result.push_back({value, group->tolerance, sizes_.shown(port), absolute});
  }
  return result;
}

bool ConvergenceMonitor::Tested::isHidden() const {
  constexpr double kNotable = 1e-2;  // of the value
  constexpr double kTimes = 10.0;    // what rtol allows
  return shown > 0.0 && absolute > std::max(kNotable, kTimes * tolerance.rtol) * shown;
}

bool ConvergenceMonitor::hasFallen() const {
  // A residual that stays at a thousandth of its largest value or more may still be on its way, and one that is not
  // small beside the values has other reasons than precision.
  constexpr double kFallen = 1e-3;
  constexpr double kSmall = 1e-6;
  constexpr double kSmallBehindFiles = 1e-4;  // differences of printed values have fewer digits than they
  return (coarse_ || best_ < kFallen * largestNorm_) && relativeChange() < (printed_ ? kSmallBehindFiles : kSmall);
}

}  // namespace koppla::coupling
