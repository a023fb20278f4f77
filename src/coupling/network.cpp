#include "koppla/coupling/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "koppla/coupling/held_sweep.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/twins.hpp"

namespace koppla::coupling {

using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;

namespace {

template <class Array>
auto part(Array& array, std::size_t begin, std::size_t count) {
  return std::span(array).subspan(begin, count);
}

}  // namespace

Network::Network(System& system, const std::vector<Cycle>& cycles, double explosionLimit, Samples samples)
    : explosionLimit_(std::fmax(explosionLimit, 0.0)) {
  for (const Cycle& cycle : cycles) memberOf_.insert(memberOf_.end(), cycle.members.begin(), cycle.members.end());
  compile(system, samples);
  beyond_.resize(size());
  for (std::size_t position = 0; position < size(); ++position) watch(position, explosionLimit_);
  steps_.resize(size());
  stateCalls_.resize(size());
  saves_.resize(size(), CallMeter(CallMeter::kOuterRhythm));
  restores_.resize(size(), CallMeter(CallMeter::kOuterRhythm));
  anySpecial_ = std::ranges::any_of(entries_, &Entry::special);
  anyStatic_ = std::ranges::any_of(entries_, &Entry::isStatic);
  for (std::size_t value = 0; value < outputNames_.size(); ++value) {
    const OutputName& name = outputNames_[value];
    if (system.members[name.member].subsystem->describe().ports[name.port].discrete) heldOutputs_.push_back(value);
  }
}

Network::~Network() = default;

void Network::applyLinear(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end; ++i) {
    const Linear& map = linear_[i];
    u_[map.input] = map.scale * u_[map.input] + map.offset;
  }
}

void Network::applyMappings(std::size_t position, const double* y, double* u, bool withOffset) const {
  const Range& range = special_[position].mapped;
  for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
    const Mapped& mapped = mapped_[i];
    const auto& [map, components] = mapped.mapping;
    const std::span<double> target(u + (mapped.input - entries_[position].uBegin), map->rows() * components);
    map->apply({y + mapped.source, map->columns() * components}, target, components);
    const double offset = withOffset ? mapped.offset : 0.0;
    if (mapped.scale == 1.0 && offset == 0.0) continue;
    for (double& value : target) value = mapped.scale * value + offset;
  }
}

void Network::gatherDiscrete(std::size_t position) {
  const auto copy = [](const Range& range, const std::vector<std::uint32_t>& sources, const auto& from, auto& to) {
    for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) to[i] = from[sources[i]];
  };
  const DiscreteRanges& ranges = special_[position].inputs;
  copy(ranges.integers, integerSources_, discreteOut_.integers, discreteIn_.integers);
  copy(ranges.booleans, booleanSources_, discreteOut_.booleans, discreteIn_.booleans);
  copy(ranges.strings, stringSources_, discreteOut_.strings, discreteIn_.strings);
}

void Network::gatherSpecial(std::size_t position) {
  const Special& special = special_[position];
  applyLinear(special.linear.begin, special.linear.begin + special.linear.count);
  applyMappings(position, y_.data(), u_.data() + entries_[position].uBegin, true);
  for (const Term& term : part(terms_, special.terms.begin, special.terms.count))
    u_[term.input] += term.scale * y_[term.source] + term.offset;
  if (special.discreteInputs) gatherDiscrete(position);
}

void Network::gather(std::size_t position) {
  const Entry& entry = entries_[position];
  gatherReals(entry.uBegin, entry.uBegin + entry.uCount);
  if (entry.special) gatherSpecial(position);
}

Fault Network::explodedAt(std::size_t position) {
  return {FaultKind::exploded, static_cast<std::uint32_t>(position), 0.0};
}

void Network::watch(std::size_t position, double bound) {
  beyond_[position] = 0;
  entries_[position].bound =
      static_cast<std::uint16_t>(detail::magnitudeOf(std::fmin(bound, explosionLimit_)) >> detail::kBoundShift);
}

Fault Network::beyondBound(std::size_t position, std::span<const double> y) {
  if (!detail::bounded(y, detail::magnitudeOf(explosionLimit_))) return explodedAt(position);
  watch(position, explosionLimit_);
  beyond_[position] = 1;
  if (notice_ != nullptr) notice_->store(true);
  return {};
}

Fault Network::faultOf(std::size_t position, Status status, double reached) {
  return {status == Status::discard ? FaultKind::discarded : FaultKind::failed, static_cast<std::uint32_t>(position),
          reached};
}

std::size_t Network::explodedOutput(std::size_t position) const {
  const Block own = outputsOf(position);
  std::size_t value = own.first;
  while (value + 1 < own.last && detail::bounded(part(y_, value, 1), detail::magnitudeOf(explosionLimit_))) ++value;
  return value;
}

subsystem::StepResult Network::advanceTimed(std::size_t position, const Step& step, subsystem::Trajectory u,
                                            std::span<double> y) {
  Entry& entry = entries_[position];
  return steps_[position].measure(entry.untimed, [&] { return entry.subsystem->advance(step, u, y); });
}

Fault Network::advance(Block block, const Step& step, Form form) {
  return HeldSweep(*this, block, form)(step);
}

Fault Network::evaluate(std::size_t position, double t) {
  return evaluateAlone(position, t, part(y_, entries_[position].yBegin, entries_[position].yCount));
}

Fault Network::evaluateAlone(std::size_t position, double t, std::span<double> y) {
  const Entry& entry = entries_[position];
  const std::span<const double> u = part(u_, entry.uBegin, entry.uCount);
  Status status = Status::ok;
  if (special_[position].sloped) [[unlikely]] {
    const std::span<double> both = part(valuesAndSlopes_, std::size_t{2} * entry.yBegin, std::size_t{2} * entry.yCount);
    std::ranges::copy(y, both.begin());  // phases stay near what was there before
    status = entry.subsystem->evaluate(t, u, both);
    keepSlopes(position, y);
  } else {
    status = entry.subsystem->evaluate(t, u, y);
  }
  if (status >= Status::discard) return faultOf(position, Status::error, t);
  return {};
}

Fault Network::readOutputs(std::size_t position, double t) {
  const Entry& entry = entries_[position];
  const std::span<double> y = part(y_, entry.yBegin, entry.yCount);
  Status status = Status::ok;
  if (special_[position].sloped) {
    const std::span<double> both = part(valuesAndSlopes_, std::size_t{2} * entry.yBegin, std::size_t{2} * entry.yCount);
    std::ranges::copy(y, both.begin());  // it may leave them as they are
    status = entry.subsystem->readOutputs(both);
    keepSlopes(position, y);
  } else {
    status = entry.subsystem->readOutputs(y);
  }
  if (status >= Status::discard) return faultOf(position, Status::error, t);
  return {};
}

/// A mapping has no inverse: equal values whose map has the same total as the start values of the input.
void Network::guessSources(const Mapped& mapped, std::span<const double> target) {
  const auto& [map, components] = mapped.mapping;
  if (mapped.scale == 0.0) return;
  const std::vector<double>& weights = map->entries().weights;
  const double sumOfWeights = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t c = 0; c < components; ++c) {
    double total = 0.0;
    for (std::size_t row = 0; row < map->rows(); ++row) total += target[row * components + c] - mapped.offset;
    const double equal = total / (mapped.scale * sumOfWeights);
    for (std::size_t column = 0; column < map->columns(); ++column) y_[mapped.source + column * components + c] = equal;
  }
}

void Network::takeStartValues() {
  core::Values observed;
  for (std::size_t position = 0; position < size(); ++position) {
    observed.clear();
    entries_[position].subsystem->observe(inputPorts_[position], observed);
    const std::uint32_t begin = entries_[position].uBegin;
    for (std::size_t j = 0; j < observed.reals.size(); ++j)
      if (scales_[begin + j] != 0.0)
        y_[sources_[begin + j]] = (observed.reals[j] - offsets_[begin + j]) / scales_[begin + j];
    const Range& maps = special_[position].mapped;
    for (const Mapped& mapped : part(mapped_, maps.begin, maps.count))
      guessSources(mapped, std::span(observed.reals).subspan(mapped.input - begin));
    const auto put = [](const auto& from, const Range& range, const auto& sources, auto& to) {
      for (std::size_t j = 0; j < from.size(); ++j) to[sources[range.begin + j]] = from[j];
    };
    const DiscreteRanges& ranges = special_[position].inputs;
    put(observed.integers, ranges.integers, integerSources_, discreteOut_.integers);
    put(observed.booleans, ranges.booleans, booleanSources_, discreteOut_.booleans);
    put(observed.strings, ranges.strings, stringSources_, discreteOut_.strings);
  }
}

Fault Network::explosion() const {
  for (std::size_t position = 0; position < size(); ++position) {
    const Entry& entry = entries_[position];
    if (!detail::bounded(part(y_, entry.yBegin, entry.yCount), detail::magnitudeOf(explosionLimit_)))
      return explodedAt(position);
  }
  return {};
}

Status Network::saveTimed(std::size_t position, Slot slot) {
  return saves_[position].measure(stateCalls_[position].untimedSaves,
                                  [&] { return entries_[position].subsystem->save(slot); });
}

Status Network::restoreTimed(std::size_t position, Slot slot) {
  return restores_[position].measure(stateCalls_[position].untimedRestores,
                                     [&] { return entries_[position].subsystem->restore(slot); });
}

Fault Network::save(Block block, Slot slot) {
  const Entry* const entries = entries_.data();  // locals, as in sweep()
  StateCalls* const calls = stateCalls_.data();
  for (std::size_t i = block.first; i < block.last; ++i) {
    const bool timed = calls[i].untimedSaves == 0;
    if (!timed) --calls[i].untimedSaves;
    const Status status = timed ? saveTimed(i, slot) : entries[i].subsystem->save(slot);
    if (status >= Status::discard) [[unlikely]]
      return faultOf(i, Status::error, 0.0);
  }
  if (twins_)
    if (const auto position = twins_->save(block, slot)) return faultOf(*position, Status::error, 0.0);
  return {};
}

Fault Network::restore(Block block, Slot slot) {
  const Entry* const entries = entries_.data();
  StateCalls* const calls = stateCalls_.data();
  for (std::size_t i = block.first; i < block.last; ++i) {
    const bool timed = calls[i].untimedRestores == 0;
    if (!timed) --calls[i].untimedRestores;
    const Status status = timed ? restoreTimed(i, slot) : entries[i].subsystem->restore(slot);
    if (status >= Status::discard) [[unlikely]]
      return faultOf(i, Status::error, 0.0);
  }
  if (twins_)
    if (const auto position = twins_->restore(block, slot)) return faultOf(*position, Status::error, 0.0);
  return {};
}

void Network::setTwins(std::unique_ptr<Twins> twins) {
  twins_ = std::move(twins);
}

bool Network::mayHaveTwins(std::size_t position) const {
  return !entries_[position].isStatic && !special_[position].discreteInputs && !special_[position].sloped &&
         !hasDiscreteOutputs({position, position + 1});
}

subsystem::Binding Network::bindingOf(std::size_t position) const {
  subsystem::Binding binding;
  binding.inputs = inputPorts_[position];
  binding.outputs = outputPorts_[position];
  return binding;
}

std::uint64_t Network::stepCount(std::size_t position) const {
  return steps_[position].count(entries_[position].untimed) + (twins_ ? twins_->steps(position) : 0);
}

const subsystem::Subsystem& Network::sourceOf(std::size_t value) const {
  const auto position = std::ranges::find(memberOf_, outputNames_[value].member) - memberOf_.begin();
  return *entries_[static_cast<std::size_t>(position)].subsystem;
}

bool Network::isPrinted(std::size_t value) const {
  return outputNames_[value].digits > 0 || sourceOf(value).describe().capabilities.ownProcess;
}

unsigned Network::digitsOf(std::size_t value) const {
  return sourceOf(value).digits(outputNames_[value].port);
}

Block Network::outputsOf(std::size_t position) const {
  const Entry& entry = entries_[position];
  return {entry.yBegin, entry.yBegin + entry.yCount};
}

Block Network::outputsOf(Block block) const {
  if (block.first == block.last) return {};
  return {outputsOf(block.first).first, outputsOf(block.last - 1).last};
}

std::vector<Block> Network::prescribedOutputs() const {
  std::vector<Block> blocks;
  const auto hasNoPast = [this](std::size_t position) {
    const subsystem::Subsystem& member = *entries_[position].subsystem;
    const subsystem::Capabilities& can = member.describe().capabilities;
    return can.isStatic || (can.evaluatesBetweenSteps && can.states && member.states().empty());
  };
  for (std::size_t position = 0; position < size(); ++position)
    if (entries_[position].uCount == 0 && !hasDiscreteInputs(position) && hasNoPast(position))
      blocks.push_back(outputsOf(position));
  return blocks;
}

std::span<double> Network::inputsOf(std::size_t position) {
  return part(u_, entries_[position].uBegin, entries_[position].uCount);
}

double Network::largestInput(std::size_t position) const {
  double largest = 0.0;
  for (const double value : part(u_, entries_[position].uBegin, entries_[position].uCount))
    largest = std::fmax(largest, std::fabs(value));
  return largest;
}

bool Network::isMapped(std::size_t position, std::size_t input) const {
  const Range& maps = special_[position].mapped;
  const std::size_t place = entries_[position].uBegin + input;
  return std::ranges::any_of(part(mapped_, maps.begin, maps.count), [place](const Mapped& mapped) {
    return place >= mapped.input && place < mapped.input + mapped.mapping.map->rows() * mapped.mapping.components;
  });
}

std::vector<Contribution> Network::copiesTo(std::size_t position) const {
  const Entry& entry = entries_[position];
  std::vector<Contribution> result;
  for (std::size_t j = 0; j < entry.uCount; ++j)
    if (!isMapped(position, j)) result.push_back({j, sources_[entry.uBegin + j], scales_[entry.uBegin + j]});
  const Range& terms = special_[position].terms;
  for (const Term& term : part(terms_, terms.begin, terms.count))
    result.push_back({term.input - entry.uBegin, term.source, term.scale});
  return result;
}

std::vector<Contribution> Network::contributionsTo(std::size_t position) const {
  std::vector<Contribution> result = copiesTo(position);
  const Range& maps = special_[position].mapped;
  for (const Mapped& mapped : part(mapped_, maps.begin, maps.count)) {
    const auto& [map, components] = mapped.mapping;
    const mapping::SparseRows& rows = map->entries();
    const std::size_t first = mapped.input - entries_[position].uBegin;
    for (std::size_t row = 0; row < map->rows(); ++row)
      for (std::size_t c = 0; c < components; ++c)
        for (std::size_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k)
          if (rows.weights[k] != 0.0)
            result.push_back({first + row * components + c, mapped.source + rows.columns[k] * components + c,
                              mapped.scale * rows.weights[k]});
  }
  std::ranges::stable_sort(result, {}, &Contribution::input);
  return result;
}

std::vector<std::size_t> Network::sourcesOf(std::size_t position) const {
  std::vector<std::size_t> result;
  for (const Contribution& copy : copiesTo(position)) result.push_back(copy.source);
  const Range& maps = special_[position].mapped;
  for (const Mapped& mapped : part(mapped_, maps.begin, maps.count)) {
    const auto& [map, components] = mapped.mapping;
    std::vector<bool> used(map->columns());
    for (const std::uint32_t column : map->entries().columns) used[column] = true;
    for (std::size_t value = 0; value < used.size() * components; ++value)
      if (used[value / components]) result.push_back(mapped.source + value);
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

double Network::nominalOf(std::size_t position, std::size_t input) const {
  return nominals_[entries_[position].uBegin + input];
}

core::Values Network::discreteOutputs(Block block) const {
  core::Values copy;
  readDiscreteOutputs(block, copy);
  return copy;
}

void Network::readDiscreteOutputs(Block block, core::Values& into) const {
  if (block.first == block.last) return into.clear();
  const DiscreteRanges& first = special_[block.first].outputs;
  const DiscreteRanges& last = special_[block.last - 1].outputs;
  const auto take = [](const auto& from, const Range& begin, const Range& end, auto& to) {
    to.assign(from.begin() + begin.begin, from.begin() + end.begin + end.count);
  };
  take(discreteOut_.integers, first.integers, last.integers, into.integers);
  take(discreteOut_.booleans, first.booleans, last.booleans, into.booleans);
  take(discreteOut_.strings, first.strings, last.strings, into.strings);
}

bool Network::discreteOutputsAre(Block block, const core::Values& values) const {
  if (block.first == block.last) return true;
  const DiscreteRanges& first = special_[block.first].outputs;
  const auto equal = [](const auto& now, const Range& begin, const auto& then) {
    return std::equal(then.begin(), then.end(), now.begin() + begin.begin);
  };
  return equal(discreteOut_.integers, first.integers, values.integers) &&
         equal(discreteOut_.booleans, first.booleans, values.booleans) &&
         equal(discreteOut_.strings, first.strings, values.strings);
}

void Network::putDiscreteOutputs(Block block, const core::Values& values) {
  if (block.first == block.last) return;
  const DiscreteRanges& first = special_[block.first].outputs;
  const auto put = [](const auto& from, auto& to, const Range& begin) {
    std::ranges::copy(from, to.begin() + begin.begin);
  };
  put(values.integers, discreteOut_.integers, first.integers);
  put(values.booleans, discreteOut_.booleans, first.booleans);
  put(values.strings, discreteOut_.strings, first.strings);
}

bool Network::hasDiscreteOutputs(Block block) const {
  const auto any = [](const Special& plan) {
    return plan.outputs.integers.count + plan.outputs.booleans.count + plan.outputs.strings.count > 0;
  };
  return std::any_of(special_.begin() + static_cast<std::ptrdiff_t>(block.first),
                     special_.begin() + static_cast<std::ptrdiff_t>(block.last), any);
}

std::vector<Block> portsAmong(const Network& network, std::span<const std::size_t> values) {
  std::vector<Block> ports;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const OutputName name = network.outputName(values[i]);
    const bool goesOn = i > 0 && network.outputName(values[i - 1]).member == name.member &&
                        network.outputName(values[i - 1]).port == name.port;
    if (!goesOn) ports.push_back({i, i});
    ports.back().last = i + 1;
  }
  return ports;
}

}  // namespace koppla::coupling
