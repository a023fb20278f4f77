#include "koppla/coupling/interface_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "koppla/coupling/twins.hpp"

namespace koppla::coupling {

InterfaceProblem::InterfaceProblem(Network& network, Block block, Form form, Approximation* approximation)
    : network_(network),
      approximation_(approximation),
      block_(block),
      values_(network.outputsOf(block)),
      form_(form),
      discrete_(network.hasDiscreteOutputs(block)) {
  producer_.resize(values_.last - values_.first);
  for (std::size_t position = block.first; position < block.last; ++position) {
    const Block own = network.outputsOf(position);
    std::fill(producer_.begin() + static_cast<std::ptrdiff_t>(own.first - values_.first),
              producer_.begin() + static_cast<std::ptrdiff_t>(own.last - values_.first), position);
  }
  std::vector<bool> coupled(producer_.size());
  std::vector<bool> cut(producer_.size());
  for (std::size_t consumer = block.first; consumer < block.last; ++consumer)
    for (const std::size_t source : network.sourcesOf(consumer)) {
      if (source < values_.first || source >= values_.last) continue;
      coupled[source - values_.first] = true;
      if (!isFresh(source, consumer)) cut[source - values_.first] = true;
    }
  for (std::size_t i = 0; i < producer_.size(); ++i) {
    if (coupled[i]) coupled_.push_back(values_.first + i);
    if (cut[i]) cut_.push_back(values_.first + i);
  }
  sent_.resize(producer_.size());
}

const std::vector<InterfaceProblem::Inside>& InterfaceProblem::insideOf(std::size_t position) const {
  if (inside_.empty()) {
    for (std::size_t consumer = block_.first; consumer < block_.last; ++consumer) {
      std::vector<Inside>& inside = inside_.emplace_back();
      for (const Contribution& part : network_.contributionsTo(consumer)) {
        if (part.source < values_.first || part.source >= values_.last) continue;
        const auto place = std::ranges::lower_bound(cut_, part.source) - cut_.begin();
        inside.push_back(
            {part.input, part.source, part.scale, isFresh(part.source, consumer), static_cast<std::size_t>(place)});
      }
    }
  }
  return inside_[position - block_.first];
}

InterfaceProblem::InterfaceProblem(Network& network, Block block, Form form, Waveform& waveform)
    : InterfaceProblem(network, block, form) {
  waveform_ = &waveform;
  sent_.resize(points() * producer_.size());
}

bool InterfaceProblem::isFresh(std::size_t source, std::size_t consumer) const {
  const bool sees = form_ == Form::sequence || network_.isStatic(consumer);
  return sees && producer_[source - values_.first] < consumer;
}

Fault InterfaceProblem::begin(const subsystem::Step& step, Start start) {
  step_ = step;
  step_.final = false;
  start_ = start;
  used_ = false;
  if (start_.saved) return {};
  return network_.save(block_, start_.slot);
}

inline void InterfaceProblem::follow(Block values) {
  if (waveform_ != nullptr) waveform_->fit(values);
  if (approximation_ != nullptr) approximation_->interpolate(values, network_.outputs());
}

inline Fault InterfaceProblem::run(Block block) {
  if (waveform_ != nullptr) return network_.advance(block, step_, form_, *waveform_);
  if (approximation_ != nullptr) return network_.advance(block, step_, form_, *approximation_);
  return network_.advance(block, step_, form_);
}

inline Fault InterfaceProblem::startEvaluation() {
  if (used_)
    if (const Fault fault = network_.restore(block_, start_.slot)) return fault;
  used_ = true;
  const std::size_t values = values_.last - values_.first;
  for (std::size_t point = 0; point < points(); ++point)
    std::copy_n(outputsAt(point).data() + values_.first, values, sent_.data() + placeOf(point));
  if (discrete_) network_.readDiscreteOutputs(block_, discreteSent_);
  follow(values_);
  passedOn_ = false;
  return {};
}

Fault InterfaceProblem::evaluate(const Passing& passing) {
  if (const Fault fault = startEvaluation()) return fault;
  return passing && form_ == Form::sequence ? runPassing(passing) : run(block_);
}

Fault InterfaceProblem::runPassing(const Passing& passing) {
  answered_ = sent_;
  passedOn_ = true;
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    if (const Fault fault = run({position, position + 1})) return fault;
    const Block own = network_.outputsOf(position);
    for (std::size_t point = 0; point < points(); ++point)
      for (std::size_t i = own.first; i < own.last; ++i)
        answered_[placeOf(point) + i - values_.first] = outputsAt(point)[i];
    passing(position);
    follow(own);
  }
  return {};
}

const double* InterfaceProblem::answersTo(std::size_t place) const {
  return passedOn_ ? answered_.data() + place : ownAt(place / (values_.last - values_.first)).data();
}

void InterfaceProblem::putAnswers() {
  for (std::size_t point = 0; point < points(); ++point)
    std::ranges::copy(std::span(answered_).subspan(placeOf(point), ownAt(point).size()), ownAt(point).begin());
  putEnd();
}

void InterfaceProblem::putEnd() {
  if (waveform_ != nullptr)
    std::ranges::copy(ownAt(points() - 1), network_.outputs().begin() + static_cast<std::ptrdiff_t>(values_.first));
}

void InterfaceProblem::sendSamples(const std::vector<std::size_t>& values, std::span<const double> samples) {
  for (std::size_t point = 0; point < points(); ++point) {
    const auto outputs = outputsAt(point);
    for (std::size_t i = 0; i < values.size(); ++i) outputs[values[i]] = samples[point * values.size() + i];
  }
  putEnd();
}

void InterfaceProblem::sendAgain() {
  for (std::size_t point = 0; point < points(); ++point)
    std::ranges::copy(std::span(sent_).subspan(placeOf(point), ownAt(point).size()), ownAt(point).begin());
  putEnd();
}

double InterfaceProblem::incrementOf(std::size_t position, std::size_t input, const Increments& increments) const {
  const bool linear = network_.subsystem(position).describe().capabilities.linear;
  const double now = network_.inputAtEnd(position, input, approximation_);
  const double magnitude = std::fmax(std::fabs(now), network_.nominalOf(position, input));
  double least = 0.0;
  double own = 0.0;
  for (const Inside& part : insideOf(position)) {
    if (part.input != input) continue;
    if (!increments.atLeast.empty()) least += std::fabs(part.scale) * increments.atLeast[part.source];
    if (!increments.own.empty()) own = std::fmax(own, increments.own[part.source]);
  }
  const double usual = std::fmax((linear ? increments.linear : increments.relative) * magnitude, least);
  return (now + (own > 0.0 ? own * magnitude : usual)) - now;
}

void InterfaceProblem::empty(std::vector<Sensitivity>& blocks) const {
  blocks.resize(block_.last - block_.first);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    const Block own = network_.outputsOf(position);
    Sensitivity& block = blocks[position - block_.first];
    block.inputs = network_.inputsOf(position).size();
    block.values.assign((own.last - own.first) * block.inputs, 0.0);
    block.increments.assign(block.inputs, 0.0);
  }
}

/// Forward; backward where the forward probe leaves the model's domain; no derivative where both do.
Fault InterfaceProblem::probe(std::size_t position, std::size_t input, double increment, Sensitivity& block) {
  const Block own = network_.outputsOf(position);
  const auto y = network_.outputs().subspan(own.first, own.last - own.first);
  for (const double change : {increment, -increment}) {
    if (!network_.isStatic(position))
      if (const Fault fault = network_.restore({position, position + 1}, start_.slot)) return fault;
    probed_.assign(y.begin(), y.end());  // a constraint leaves its multipliers as it finds them
    const Fault fault = network_.probe(position, input, change, step_, approximation_, probed_);
    if (fault.kind == FaultKind::failed) return fault;
    if (fault) continue;
    for (std::size_t i = 0; i < y.size(); ++i) block.values[i * block.inputs + input] = (probed_[i] - y[i]) / change;
    block.increments[input] = increment;
    break;
  }
  return {};
}

std::size_t InterfaceProblem::probesOf(std::size_t position) const {
  std::size_t count = 0;
  std::size_t last = static_cast<std::size_t>(-1);
  for (const Inside& part : insideOf(position)) {
    if (part.input != last) ++count;
    last = part.input;
  }
  return count;
}

Fault InterfaceProblem::evaluateWithProbes(std::vector<Sensitivity>& result, const Increments& increments) {
  if (const Fault fault = startEvaluation()) return fault;
  network_.gatherTrajectories(block_, *approximation_);
  std::vector<Network::ProbeTask> probes;
  std::vector<bool> atOnce(block_.last - block_.first, false);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    if (network_.isStatic(position) || network_.twins()->of(position).size() < probesOf(position)) continue;
    atOnce[position - block_.first] = true;
    std::size_t done = static_cast<std::size_t>(-1);
    for (const Inside& part : insideOf(position)) {
      if (part.input == done) continue;
      done = part.input;
      probes.push_back({position, part.input, incrementOf(position, part.input, increments)});
    }
  }
  if (const Fault fault = network_.advanceWithProbes(block_, step_, *approximation_, probes)) return fault;
  if (discrete_) network_.readDiscreteOutputs(block_, frozen_);
  empty(result);
  for (const Network::ProbeTask& probe : probes) {
    if (probe.fault.kind == FaultKind::failed) return probe.fault;
    Sensitivity& block = result[probe.position - block_.first];
    if (probe.fault) {
      atOnce[probe.position - block_.first] = false;  // in turn, backward where forward leaves the model's domain
      continue;
    }
    const std::size_t first = network_.outputsOf(probe.position).first;
    for (std::size_t i = 0; i < probe.y.size(); ++i)
      block.values[i * block.inputs + probe.input] = (probe.y[i] - network_.outputs()[first + i]) / probe.change;
    block.increments[probe.input] = probe.change;
  }
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    Sensitivity& block = result[position - block_.first];
    if (atOnce[position - block_.first]) continue;
    if (const Fault fault = network_.isStatic(position) ? differentiateStatic(position, increments, block)
                                                        : probeInputs(position, increments, block))
      return fault;
  }
  if (discrete_) network_.putDiscreteOutputs(block_, frozen_);
  return {};
}

std::size_t InterfaceProblem::mostProbesInTurn() const {
  std::size_t most = 0;
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    const std::size_t twins = network_.twins() == nullptr ? 0 : network_.twins()->of(position).size();
    if (!network_.isStatic(position) && twins < probesOf(position)) most = std::max(most, probesOf(position));
  }
  return most;
}

/// Derivatives at one instant, which is all there is to a static member.
Fault InterfaceProblem::differentiateHeld(std::size_t position, Sensitivity& block) {
  const Block own = network_.outputsOf(position);
  probed_.resize(own.last - own.first);
  std::size_t done = block.inputs;
  for (const Inside& part : insideOf(position)) {
    if (part.input == done) continue;
    done = part.input;
    if (network_.subsystem(position).differentiate(part.input, probed_) >= subsystem::Status::discard)
      return {FaultKind::failed, static_cast<std::uint32_t>(position), step_.t1};
    for (std::size_t i = 0; i < probed_.size(); ++i) block.values[i * block.inputs + part.input] = probed_[i];
  }
  return {};
}

Fault InterfaceProblem::probeInputs(std::size_t position, const Increments& increments, Sensitivity& block) {
  std::size_t done = block.inputs;
  for (const Inside& part : insideOf(position)) {
    if (part.input == done) continue;  // contributions are sorted by input
    done = part.input;
    if (const Fault fault = probe(position, part.input, incrementOf(position, part.input, increments), block))
      return fault;
  }
  return {};
}

/// Laws and joint equations are formulas, exact to rounding: with no solver's noise to stand out of, short distances
/// serve best, whatever those of the steps are.
Fault InterfaceProblem::differentiateStatic(std::size_t position, const Increments& increments, Sensitivity& block) {
  if (network_.subsystem(position).describe().capabilities.directionalDerivatives)
    return differentiateHeld(position, block);
  constexpr double kOfFormulas = 1e-7;
  Increments own = increments;
  own.relative = kOfFormulas;
  own.own = {};
  return probeInputs(position, own, block);
}

Fault InterfaceProblem::sensitivities(std::vector<Sensitivity>& result, const Increments& increments) {
  empty(result);
  if (discrete_) network_.readDiscreteOutputs(block_, frozen_);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    Sensitivity& block = result[position - block_.first];
    if (const Fault fault = network_.isStatic(position) ? differentiateStatic(position, increments, block)
                                                        : probeInputs(position, increments, block))
      return fault;
  }
  if (discrete_) network_.putDiscreteOutputs(block_, frozen_);
  return {};
}

void InterfaceProblem::heldSensitivities(std::vector<Sensitivity>& result) {
  empty(result);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    Sensitivity& block = result[position - block_.first];
    const bool known = network_.subsystem(position).describe().capabilities.directionalDerivatives;
    if (network_.isStatic(position) ? !differentiateStatic(position, {}, block)
                                    : known && !differentiateHeld(position, block))
      continue;
    result.clear();
    return;
  }
}

subsystem::SeriesWeights InterfaceProblem::weightsOfEnd() const {
  // An input changes by w(s) = sum w_k s^k times the change of its value at the end of the step.
  subsystem::SeriesWeights weights{0.0, 0.0};
  for (unsigned k = 0; k <= approximation_->degreeInUse(); ++k) {
    const double power = k;
    weights.integral += approximation_->weightOfEnd(k) / (power + 1.0);
    weights.second += approximation_->weightOfEnd(k) / ((power + 1.0) * (power + 2.0));
  }
  return weights;
}

Fault InterfaceProblem::leadingSensitivities(std::vector<Sensitivity>& result) {
  const subsystem::SeriesWeights weights = weightsOfEnd();
  empty(result);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    Sensitivity& block = result[position - block_.first];
    if (network_.isStatic(position)) {
      if (const Fault fault = differentiateStatic(position, {}, block)) return fault;
      continue;
    }
    probed_.resize(block.inputs == 0 ? 0 : block.values.size() / block.inputs);
    std::size_t done = block.inputs;
    for (const Inside& part : insideOf(position)) {
      if (part.input == done) continue;
      done = part.input;
      if (network_.subsystem(position).differentiateStep(step_, part.input, weights, probed_) >=
          subsystem::Status::discard)
        return {FaultKind::failed, static_cast<std::uint32_t>(position), step_.t1};
      for (std::size_t i = 0; i < probed_.size(); ++i) block.values[i * block.inputs + part.input] = probed_[i];
    }
  }
  return {};
}

const std::vector<Derivative>& InterfaceProblem::derivatives(const std::vector<Sensitivity>& blocks,
                                                             const std::vector<std::size_t>& values) const {
  // Rows of d y / d cut, member by member; a fresh input continues its source's row, one that uses an old value is a
  // cut value itself.
  auto& [rows, sum, touched, columns, result] = chain_;
  rows.resize(values_.last - values_.first);
  for (ChainRule::Row& row : rows) row.clear();
  sum.assign(cut_.size(), 0.0);
  touched.assign(cut_.size(), false);
  const auto add = [&chain = chain_](std::size_t column, double value) {
    if (!chain.touched[column]) chain.columns.push_back(column);
    chain.touched[column] = true;
    chain.sum[column] += value;
  };
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    const Sensitivity& block = blocks[position - block_.first];
    const Block own = network_.outputsOf(position);
    for (std::size_t i = own.first; i < own.last; ++i) {
      for (const Inside& part : insideOf(position)) {
        const double derivative = block.values[(i - own.first) * block.inputs + part.input] * part.scale;
        if (derivative == 0.0) continue;
        if (part.fresh)
          for (const auto& [column, value] : rows[part.source - values_.first]) add(column, derivative * value);
        else
          add(part.cut, derivative);
      }
      for (const std::size_t column : columns) {
        rows[i - values_.first].emplace_back(column, sum[column]);
        sum[column] = 0.0;
        touched[column] = false;
      }
      columns.clear();
    }
  }
  result.clear();
  for (std::size_t row = 0; row < values.size(); ++row)
    for (const auto& [column, value] : rows[values[row] - values_.first]) result.push_back({row, column, value});
  return result;
}

std::vector<double> InterfaceProblem::smallestIncrements(const std::vector<Sensitivity>& blocks) const {
  std::vector<double> result(cut_.size(), 0.0);
  for (std::size_t position = block_.first; position < block_.last; ++position)
    for (const Inside& part : insideOf(position)) {
      const double increment = blocks[position - block_.first].increments[part.input] / std::fabs(part.scale);
      if (part.fresh || !(increment > 0.0)) continue;
      double& smallest = result[part.cut];
      smallest = smallest == 0.0 ? increment : std::fmin(smallest, increment);
    }
  return result;
}

std::vector<double> InterfaceProblem::largestTerms(const std::vector<Sensitivity>& blocks,
                                                   const std::vector<std::size_t>& values) const {
  std::vector<double> result;
  for (const std::size_t value : values) {
    const std::size_t position = producer_[value - values_.first];
    const Sensitivity& block = blocks[position - block_.first];
    const auto u = network_.inputsOf(position);
    const std::size_t row = value - network_.outputsOf(position).first;
    double largest = 0.0;
    for (std::size_t j = 0; j < block.inputs; ++j)
      largest = std::fmax(largest, std::fabs(block.values[row * block.inputs + j] * u[j]));
    result.push_back(largest);
  }
  return result;
}

}  // namespace koppla::coupling
