#include "koppla/run/growth_watch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace koppla::run {

namespace {

constexpr std::uint64_t kLeastOfSwings = 8;  // steps: in fewer, what grows with every swing may look calm

/// Real outputs that somebody in the same closed cycle takes, in order.
std::vector<std::size_t> fedBack(const coupling::Network& network, const coupling::System& system,
                                 const std::vector<coupling::Cycle>& cycles) {
  std::vector<std::size_t> cycleOf(system.members.size(), cycles.size());
  for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle)
    if (cycles[cycle].closed)
      for (const coupling::MemberIndex member : cycles[cycle].members) cycleOf[member] = cycle;
  std::set<std::pair<coupling::MemberIndex, subsystem::PortIndex>> inside;
  for (const coupling::Connection& c : system.connections)
    if (cycleOf[c.from.member] < cycles.size() && cycleOf[c.from.member] == cycleOf[c.to.member])
      inside.insert({c.from.member, c.from.port});
  std::vector<std::size_t> values;
  for (std::size_t value = 0; value < network.outputs().size(); ++value) {
    const coupling::OutputName name = network.outputName(value);
    if (inside.contains({name.member, name.port})) values.push_back(value);
  }
  return values;
}

}  // namespace

double Growth::perStep() const {
  return std::pow(factor, 1.0 / static_cast<double>(std::max<std::uint64_t>(steps, 1)));
}

GrowthWatch::GrowthWatch(coupling::Network& network, const coupling::System& system,
                         const std::vector<coupling::Cycle>& cycles, Patience patience)
    : network_(network),
      values_(fedBack(network, system, cycles)),
      sizes_(network, values_),
      patience_(patience),
      limits_(values_.size()),
      bounds_(network.size(), HUGE_VAL),
      allowances_(network.size(), 0.0),
      appeared_(values_.size(), -HUGE_VAL),
      peaks_(values_.size()) {}

void GrowthWatch::begin(double t, std::atomic<bool>& notice) {
  notice_ = &notice;
  network_.noticeBy(notice);
  settle(t);
}

void GrowthWatch::see(double t) {
  const std::span<const double> y = std::as_const(network_).outputs();
  bool bounded = true;
  for (std::size_t i = 0; i < values_.size(); ++i) bounded &= std::fabs(y[values_[i]]) <= limits_[i];
  if (suspicion_) [[unlikely]]
    follow(t);
  if (!bounded) [[unlikely]]
    notice_->store(true);
}

/// How the first suspect goes on, and how large the others get.
void GrowthWatch::follow(double t) {
  keepPeaks();
  const double value = std::as_const(network_).outputs()[values_[suspicion_->first.place]];
  const bool rises = value > suspicion_->last;
  if (value != suspicion_->last && std::exchange(suspicion_->rising, rises) != rises) ++suspicion_->swings;
  suspicion_->last = value;
  if (t > suspicion_->until) notice_->store(true);
}

void GrowthWatch::keepPeaks() {
  const std::span<const double> y = std::as_const(network_).outputs();
  for (std::size_t i = 0; i < values_.size(); ++i) peaks_[i] = std::fmax(peaks_[i], std::fabs(y[values_[i]]));
}

std::optional<Growth> GrowthWatch::judge(double t, std::uint64_t steps) {
  measureNewcomers(t);
  const Grown grown = mostGrown();
  if (suspicion_ && isOver(t, steps)) {
    settle(t);
  } else if (!(grown.ratio > factor_)) {
    liftBounds();
    setLimits(factor_);
  } else if (!suspicion_) {
    suspect(grown, t, steps);
  } else {
    return Growth{values_[grown.place], sizes_.all()[grown.place], grown.ratio / suspicion_->first.ratio,
                  steps - suspicion_->steps, suspicion_->swings};
  }
  return std::nullopt;
}

bool GrowthWatch::isOver(double t, std::uint64_t steps) const {
  const Grown& first = suspicion_->first;
  const double present = std::fabs(std::as_const(network_).outputs()[values_[first.place]]);
  const bool swings = suspicion_->swings > 0 || present < first.ratio * sizes_.all()[first.place];
  const std::uint64_t seen = steps - suspicion_->steps;
  return swings ? t > suspicion_->swingsUntil && seen >= kLeastOfSwings : t > suspicion_->until && seen > 1;
}

void GrowthWatch::suspect(const Grown& grown, double t, std::uint64_t steps) {
  constexpr double kTie = 1.0 + 1e-9;
  constexpr double kSwing = 2.0;  // half a period, in which what oscillates may have come here in less than half of it
  const double taken = t - std::fmax(calmSince_, appeared_[grown.place]);
  suspicion_ = Suspicion{grown, steps, t + patience_.pace * taken * kTie, t + kSwing * taken};
  suspicion_->last = std::as_const(network_).outputs()[values_[grown.place]];
  keepPeaks();
  setLimits(grown.ratio * patience_.further);
}

void GrowthWatch::settle(double t) {
  keepPeaks();
  sizes_.show(peaks_);
  std::ranges::fill(peaks_, 0.0);
  suspicion_.reset();
  calmSince_ = t;
  setLimits(kRegular);
}

void GrowthWatch::settleUnchecked(double t) {
  patience_ = kUnchecked;
  settle(t);
}

void GrowthWatch::rest() {
  suspicion_.reset();
  setLimits(HUGE_VAL);
}

GrowthWatch::Grown GrowthWatch::mostGrown() const {
  const std::span<const double> y = std::as_const(network_).outputs();
  Grown most;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double size = sizes_.all()[i];
    if (size > 0.0 && std::fabs(y[values_[i]]) > most.ratio * size) most = {std::fabs(y[values_[i]]) / size, i};
  }
  return most;
}

/// Who has been 0 so far has his regular size now.
void GrowthWatch::measureNewcomers(double t) {
  std::vector<double> first(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (sizes_.all()[i] != 0.0) continue;
    first[i] = std::as_const(network_).outputs()[values_[i]];
    appeared_[i] = t;
  }
  sizes_.show(first);
}

void GrowthWatch::setLimits(double factor) {
  factor_ = factor;
  for (std::size_t i = 0; i < values_.size(); ++i) limits_[i] = std::isinf(factor) ? factor : factor * sizes_.all()[i];
  setBounds();
}

/// Of members: none of their values may exceed what the largest may.
void GrowthWatch::setBounds() {
  std::ranges::fill(bounds_, HUGE_VAL);
  std::size_t position = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    while (values_[i] >= network_.outputsOf(position).last) ++position;
    double& bound = bounds_[position];
    const bool first = i == 0 || values_[i - 1] < network_.outputsOf(position).first;
    bound = std::fmax(first ? allowances_[position] : bound, limits_[i]);
  }
  for (position = 0; position < network_.size(); ++position) network_.watch(position, bounds_[position]);
}

/// A bound that was exceeded without anything to say about it, by values that are not watched or not accepted, is too
/// low.
void GrowthWatch::liftBounds() {
  constexpr double kLift = 4.0;
  for (std::size_t position = 0; position < network_.size(); ++position) {
    if (!network_.isBeyond(position)) continue;
    double largest = bounds_[position];
    const coupling::Block own = network_.outputsOf(position);
    for (std::size_t i = own.first; i < own.last; ++i)
      largest = std::fmax(largest, std::fabs(std::as_const(network_).outputs()[i]));
    allowances_[position] = kLift * largest;
  }
}

}  // namespace koppla::run
