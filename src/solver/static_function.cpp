#include "koppla/solver/static_function.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/witness.hpp"

namespace koppla::solver {

namespace {

using subsystem::Causality;
using subsystem::Port;
using subsystem::PortIndex;

constexpr double kRelativeIncrement = 1.4901161193847656e-08;  // sqrt(eps)

std::size_t sizeOf(const subsystem::Description& description, const std::vector<PortIndex>& ports) {
  std::size_t size = 0;
  for (const PortIndex port : ports) size += description.ports[port].size;
  return size;
}

template <typename Work>
double secondsOf(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

StaticFunction::StaticFunction(std::string name, std::vector<std::unique_ptr<subsystem::Subsystem>> instances,
                               std::vector<PortIndex> inputs, const StaticSettings& settings)
    : name_(std::move(name)), instances_(std::move(instances)), settings_(settings), inputs_(std::move(inputs)) {
  const std::vector<Port>& ports = describe().ports;
  for (PortIndex port = 0; port < ports.size(); ++port)
    if (ports[port].type == core::Type::real && ports[port].causality == Causality::output) outputs_.push_back(port);
  for (const PortIndex port : inputs_)
    nominals_.insert(nominals_.end(), ports[port].size, ports[port].usualMagnitude());
  y_.resize(sizeOf(describe(), outputs_));
  present_ = {std::vector<double>(nominals_.size()), y_, std::vector<double>(nominals_.size() * y_.size()), y_};
  saved_.fill(present_);
  probes_.assign(nominals_.size() + 1, {present_.u, y_});
  failures_.resize(instances_.size());
  for (const auto& instance : instances_) instance->bind({inputs_, outputs_, {}, {}});
}

StaticFunction::~StaticFunction() {
  for (const auto& instance : instances_) instance->terminate();
}

void StaticFunction::watchBy(std::unique_ptr<subsystem::Subsystem> witness) {
  witness->bind({inputs_, outputs_, {}, {}});
  witness_ = std::make_unique<detail::Witness>(std::move(witness));
}

void StaticFunction::set(PortIndex port, std::span<const core::Value> values) {
  for (const auto& instance : instances_) instance->set(port, values);
  if (witness_) witness_->instance().set(port, values);
}

core::Value StaticFunction::value(PortIndex port) const {
  core::Values values;
  const std::array<PortIndex, 1> ports{port};
  instances_.front()->observe(ports, values);
  if (!values.reals.empty()) return values.reals.front();
  if (!values.integers.empty()) return values.integers.front();
  if (!values.booleans.empty()) return values.booleans.front() != 0;
  return values.strings.empty() ? std::string() : values.strings.front();
}

void StaticFunction::begin(const subsystem::Experiment& experiment) {
  for (const auto& instance : instances_) instance->enterInitialisation(experiment);
  if (witness_) witness_->begin(experiment);
  forget();
}

bool StaticFunction::visit(Visit at) {
  direct_ = at == Visit::held;
  return isDue(at);
}

bool StaticFunction::isDue(Visit at) const {
  switch (at) {
    case Visit::started:
    case Visit::accepted:
      return settings_.coupling == StaticCoupling::lastCorrector;
    case Visit::predicted:
      return settings_.coupling == StaticCoupling::predictor;
    case Visit::iterate:
    case Visit::renewal:
      return settings_.coupling == StaticCoupling::full;
    case Visit::held:
      return false;
  }
  return false;
}

void StaticFunction::call(Visit at, double t, std::span<const double> u) {
  call(t, u, at != Visit::iterate || !present_.linear);
}

std::span<const double> StaticFunction::values(double t, std::span<const double> u) {
  if (direct_ || !present_.linear) {
    if (!(known_ && t == t_ && std::ranges::equal(u, probes_.front().u))) {
      ++calls_;
      std::ranges::copy(u, probes_.front().u.begin());
      evaluate(t, false);
    }
    return probes_.front().y;
  }
  for (std::size_t row = 0; row < y_.size(); ++row) {
    y_[row] = present_.y[row];
    const double* const slopes = &present_.slopes[row * u.size()];
    for (std::size_t i = 0; i < u.size(); ++i) y_[row] += slopes[i] * (u[i] - present_.u[i]);
    y_[row] += present_.rates[row] * (t - present_.t);
  }
  return y_;
}

/// Without slopes those of an earlier call stay, beside the new value.
void StaticFunction::call(double t, std::span<const double> u, bool withSlopes) {
  ++calls_;
  for (Probe& probe : probes_) std::ranges::copy(u, probe.u.begin());
  if (withSlopes)
    for (std::size_t i = 0; i < u.size(); ++i) probes_[i + 1].u[i] += increment(i, u[i]);
  evaluate(t, withSlopes);
  std::ranges::copy(u, present_.u.begin());
  present_.y = probes_.front().y;
  present_.t = t;
  if (!withSlopes) return;
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t row = 0; row < y_.size(); ++row)
      present_.slopes[row * u.size() + i] = (probes_[i + 1].y[row] - present_.y[row]) / (probes_[i + 1].u[i] - u[i]);
  present_.linear = true;
  if (settings_.coupling == StaticCoupling::lastCorrector && dependsOnTime_.value_or(true)) addRates(t);
}

/// Formulas may hold time itself. The first call tells whether they do.
void StaticFunction::addRates(double t) {
  const double dt = kRelativeIncrement * std::fmax(1.0, std::fabs(t));
  Probe& probe = probes_.front();
  probe.status = instances_.front()->evaluate(t + dt, probe.u, probe.y);
  check(0, t + dt);
  dependsOnTime_ = probe.y != present_.y;
  for (std::size_t row = 0; row < y_.size(); ++row) present_.rates[row] = (probe.y[row] - present_.y[row]) / dt;
  probe.y = present_.y;
}

double StaticFunction::increment(std::size_t input, double at) const {
  return settings_.increment.value_or(kRelativeIncrement) * std::fmax(nominals_[input], std::fabs(at));
}

void StaticFunction::evaluate(double t, bool withSlopes) {
  known_ = false;
  for (std::size_t probe = 0; probe < probes_.size(); ++probe)
    if (probes_[probe].status == subsystem::Status::fatal) check(probe, t);  // nobody may be called any more
  if (!pool_ && withSlopes && threadsPay())
    pool_ = std::make_unique<core::ThreadPool>(std::min(settings_.threads, instances_.size()));
  const std::size_t used = withSlopes ? probes_.size() : 1;
  const double seconds = secondsOf([&] {
    if (withSlopes)
      evaluateAll(t);
    else
      probes_.front().status = instances_.front()->evaluate(t, probes_.front().u, probes_.front().y);
  });
  if (!pool_) {
    seconds_ = std::fmin(seconds_, seconds / static_cast<double>(used));
    ++measured_;
  }
  for (std::size_t probe = 0; probe < used; ++probe) check(probe, t);
  if (witness_) askWitness(t);
  if (!unfit_.empty()) throw core::SubsystemError(unfit_);
  t_ = t;
  known_ = true;
}

void StaticFunction::askWitness(double t) {
  const std::vector<double>& u = probes_.front().u;
  std::vector<double> changed = u;
  for (std::size_t i = 0; i < u.size(); ++i) changed[i] += increment(i, u[i]);
  std::vector<std::string> names;
  for (const std::size_t scalar : witness_->silentOutputs(t, u, changed, y_.size())) {
    std::size_t left = scalar;
    auto port = outputs_.begin();
    for (; left >= describe().ports[*port].size; ++port) left -= describe().ports[*port].size;
    names.push_back(describe().ports[*port].name);
  }
  witness_.reset();
  if (names.empty()) return;
  unfit_ = fmt::format(
      "'{}' cannot be solved inside an integrator: in initialisation mode, where it stays, its outputs do not follow "
      "from its inputs: {} did not answer to a change of {}, and took other values when that mode was left or in a "
      "step. Couple it by another algorithm, without 'inside'.",
      name_, fmt::join(names, ", "), inputsText(probes_.front()));
}

bool StaticFunction::threadsPay() const {
  constexpr double kWorthwhile = 100e-6;  // s of work for a further thread
  constexpr double kBeyondDoubt = 5e-3;   // s, which an evaluation does not take by chance
  constexpr unsigned kMeasured = 4;       // first evaluations are slow, and others may be disturbed
  if (settings_.threads < 2 || instances_.size() < 2 || measured_ == 0) return false;
  return seconds_ > (measured_ < kMeasured ? kBeyondDoubt : kWorthwhile);
}

/// Every instance always computes the same probes in the same order, so that threads change no result.
void StaticFunction::evaluateAll(double t) {
  const std::size_t count = instances_.size();
  const std::size_t threads = pool_ ? pool_->size() : 1;
  const auto compute = [&](std::size_t thread) {
    for (std::size_t instance = thread; instance < count; instance += threads) evaluateWith(instance, t);
  };
  if (pool_)
    pool_->run(compute);
  else
    compute(0);
}

/// The value is the first instance's; the probes go round among the others.
void StaticFunction::evaluateWith(std::size_t instance, double t) {
  const std::size_t others = instances_.size() - 1;
  const auto compute = [&](Probe& probe) { probe.status = instances_[instance]->evaluate(t, probe.u, probe.y); };
  if (instance == 0) compute(probes_.front());
  if (others == 0)
    for (std::size_t i = 1; i < probes_.size(); ++i) compute(probes_[i]);
  else if (instance > 0)
    for (std::size_t i = instance; i < probes_.size(); i += others) compute(probes_[i]);
}

void StaticFunction::check(std::size_t index, double t) {
  const Probe& probe = probes_[index];
  const std::size_t others = instances_.size() - 1;
  const std::size_t instance = index == 0 || others == 0 ? 0 : 1 + (index - 1) % others;
  Failure& failure = failures_[instance];
  if (probe.status > subsystem::Status::warning) {
    const std::string reason = instances_[instance]->failure();
    if (reason != failure.reason)
      failure = {reason,
                 fmt::format("'{}' failed at t = {} s with {}: {}", name_, core::text(t), inputsText(probe), reason)};
    if (instances_[instance]->failedAtFile())
      throw core::FileError(fmt::format("'{}' could not go on.", name_), reason);
    throw core::SubsystemError(failure.message);
  }
  failure = {};
  if (!std::ranges::all_of(probe.y, [](double value) { return std::isfinite(value); }))
    throw core::SubsystemError(fmt::format("'{}' gave a value that is not a finite number at t = {} s with {}.", name_,
                                           core::text(t), inputsText(probe)));
}

/// The first few inputs by their names.
std::string StaticFunction::inputsText(const Probe& probe) const {
  constexpr std::size_t kShown = 6;
  std::string text;
  std::size_t scalar = 0;
  for (const PortIndex port : inputs_)
    for (std::size_t i = 0; i < describe().ports[port].size && scalar < kShown; ++i, ++scalar)
      text +=
          fmt::format("{}{} = {}", text.empty() ? "" : ", ", describe().ports[port].name, core::text(probe.u[scalar]));
  return text;
}

void StaticFunction::save(subsystem::Slot slot) {
  known_ = false;  // whoever comes back computes it anew, so whoever goes on does
  saved_[static_cast<std::size_t>(slot)] = present_;
  for (const auto& instance : instances_)
    if (instance->describe().capabilities.saveRestore) instance->save(slot);
}

void StaticFunction::restore(subsystem::Slot slot) {
  known_ = false;
  present_ = saved_[static_cast<std::size_t>(slot)];
  for (const auto& instance : instances_)
    if (instance->describe().capabilities.saveRestore) instance->restore(slot);
}

}  // namespace koppla::solver
