#include "koppla/coupling/interface_problem.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace koppla::coupling {

InterfaceProblem::InterfaceProblem(Network& network, Block block, Form form, Approximation* approximation)
    : network_(network),
      block_(block),
      values_(network.outputsOf(block)),
      form_(form),
      approximation_(approximation),
      discrete_(network.hasDiscreteOutputs(block)) {
  producer_.resize(values_.last - values_.first);
  for (std::size_t position = block.first; position < block.last; ++position) {
    const Block own = network.outputsOf(position);
    std::fill(producer_.begin() + static_cast<std::ptrdiff_t>(own.first - values_.first),
              producer_.begin() + static_cast<std::ptrdiff_t>(own.last - values_.first), position);
  }
  std::set<std::size_t> coupled;
  std::set<std::size_t> cut;
  for (std::size_t consumer = block.first; consumer < block.last; ++consumer)
    for (const Contribution& part : network.contributionsTo(consumer)) {
      if (part.source < values_.first || part.source >= values_.last) continue;
      coupled.insert(part.source);
      if (!isFresh(part.source, consumer)) cut.insert(part.source);
    }
  coupled_.assign(coupled.begin(), coupled.end());
  cut_.assign(cut.begin(), cut.end());
}

InterfaceProblem::InterfaceProblem(Network& network, Block block, Form form, Waveform& waveform)
    : InterfaceProblem(network, block, form) {
  waveform_ = &waveform;
}

bool InterfaceProblem::isFresh(std::size_t source, std::size_t consumer) const {
  const bool sees = form_ == Form::sequence || network_.isStatic(consumer);
  return sees && producer_[source - values_.first] < consumer;
}

Fault InterfaceProblem::begin(const subsystem::Step& step, Start start) {
  step_ = step;
  start_ = start;
  used_ = false;
  if (start_.saved) return {};
  return network_.save(block_, start_.slot);
}

Fault InterfaceProblem::evaluate(const Passing& passing) {
  if (used_)
    if (const Fault fault = network_.restore(block_, start_.slot)) return fault;
  used_ = true;
  sent_.clear();
  for (std::size_t point = 0; point < points(); ++point) {
    const auto y = ownAt(point);
    sent_.insert(sent_.end(), y.begin(), y.end());
  }
  if (discrete_) discreteSent_ = network_.discreteOutputs(block_);
  follow(values_);
  answered_.clear();
  return passing && form_ == Form::sequence ? runPassing(passing) : run(block_);
}

std::span<double> InterfaceProblem::outputsAt(std::size_t point) const {
  // The first sample of a waveform belongs to the beginning of the step; its last one is in the outputs as well.
  return waveform_ == nullptr ? network_.outputs() : waveform_->at(static_cast<unsigned>(point) + 1);
}

std::span<double> InterfaceProblem::ownAt(std::size_t point) const {
  return outputsAt(point).subspan(values_.first, values_.last - values_.first);
}

void InterfaceProblem::follow(Block values) {
  if (waveform_ != nullptr) waveform_->fit(values);
  if (approximation_ != nullptr) approximation_->interpolate(values, network_.outputs());
}

Fault InterfaceProblem::run(Block block) {
  if (waveform_ != nullptr) return network_.advance(block, step_, form_, *waveform_);
  if (approximation_ != nullptr) return network_.advance(block, step_, form_, *approximation_);
  return form_ == Form::parallel ? network_.advanceInParallel(block, step_) : network_.advanceInSequence(block, step_);
}

Fault InterfaceProblem::runPassing(const Passing& passing) {
  answered_ = sent_;
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

void InterfaceProblem::keepAnswers() {
  if (answered_.empty()) return;
  for (std::size_t point = 0; point < points(); ++point)
    std::ranges::copy(std::span(answered_).subspan(placeOf(point), ownAt(point).size()), ownAt(point).begin());
  putEnd();
}

void InterfaceProblem::putEnd() {
  if (waveform_ != nullptr)
    std::ranges::copy(ownAt(points() - 1), network_.outputs().begin() + static_cast<std::ptrdiff_t>(values_.first));
}

void InterfaceProblem::send(const std::vector<std::size_t>& values, std::span<const double> samples) {
  for (std::size_t point = 0; point < points(); ++point) {
    const auto outputs = outputsAt(point);
    for (std::size_t i = 0; i < values.size(); ++i) outputs[values[i]] = samples[point * values.size() + i];
  }
  putEnd();
}

void InterfaceProblem::readSent(const std::vector<std::size_t>& values, std::span<double> into) const {
  for (std::size_t point = 0; point < points(); ++point)
    for (std::size_t i = 0; i < values.size(); ++i)
      into[point * values.size() + i] = sent_[placeOf(point) + values[i] - values_.first];
}

void InterfaceProblem::readAnswered(const std::vector<std::size_t>& values, std::span<double> into) const {
  for (std::size_t point = 0; point < points(); ++point) {
    const std::span<const double> answered =
        answered_.empty() ? ownAt(point) : std::span<const double>(answered_).subspan(placeOf(point));
    for (std::size_t i = 0; i < values.size(); ++i)
      into[point * values.size() + i] = answered[values[i] - values_.first];
  }
}

bool InterfaceProblem::discreteChanged() const {
  if (!discrete_) return false;
  return network_.discreteOutputs(block_) != discreteSent_;
}

Fault InterfaceProblem::sensitivities(std::vector<Sensitivity>& result) {
  // Small enough for the linear part to rule, large enough to stand out of a subsystem's own integration error.
  constexpr double kRelativeIncrement = 1e-6;
  result.assign(block_.last - block_.first, {});
  core::Values frozen;
  if (discrete_) frozen = network_.discreteOutputs(block_);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    Sensitivity& block = result[position - block_.first];
    const auto u = network_.inputsOf(position);
    const auto contributions = network_.contributionsTo(position);
    const Block own = network_.outputsOf(position);
    const auto y = network_.outputs().subspan(own.first, own.last - own.first);
    std::vector<double> probed(y.size());
    block.inputs = u.size();
    block.values.assign(y.size() * u.size(), 0.0);
    for (std::size_t j = 0; j < u.size(); ++j) {
      const auto inside = [this, j](const Contribution& part) {
        return part.input == j && part.source >= values_.first && part.source < values_.last;
      };
      if (std::ranges::none_of(contributions, inside)) continue;
      // Forward; backward where the forward probe leaves the model's domain; no derivative where both do.
      for (const double direction : {1.0, -1.0}) {
        if (const Fault fault = network_.restore({position, position + 1}, start_.slot)) return fault;
        const double now = network_.inputAtEnd(position, j, approximation_);
        const double magnitude = std::fmax(std::fabs(now), network_.nominalOf(position, j));
        const double increment = (now + direction * kRelativeIncrement * magnitude) - now;
        const Fault fault = network_.probe(position, j, increment, step_, approximation_, probed);
        if (fault.kind == FaultKind::failed) return fault;
        if (fault) continue;
        for (std::size_t i = 0; i < y.size(); ++i) block.values[i * u.size() + j] = (probed[i] - y[i]) / increment;
        break;
      }
    }
  }
  if (discrete_) network_.putDiscreteOutputs(block_, frozen);
  return {};
}

std::vector<double> InterfaceProblem::cutJacobian(const std::vector<Sensitivity>& blocks) const {
  // Chain rule along the schedule: rows of d y / d cut, member by member; a fresh input continues its source's row, one
  // that uses an old value is a cut value itself.
  const std::size_t n = cut_.size();
  std::vector<double> rows((values_.last - values_.first) * n, 0.0);
  std::vector<double> inputRow(n);
  for (std::size_t position = block_.first; position < block_.last; ++position) {
    const Sensitivity& block = blocks[position - block_.first];
    const Block own = network_.outputsOf(position);
    for (const Contribution& part : network_.contributionsTo(position)) {
      const std::size_t source = part.source;
      if (source < values_.first || source >= values_.last) continue;
      std::fill(inputRow.begin(), inputRow.end(), 0.0);
      if (isFresh(source, position))
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>((source - values_.first) * n), n, inputRow.begin());
      else
        inputRow[static_cast<std::size_t>(std::ranges::lower_bound(cut_, source) - cut_.begin())] = 1.0;
      for (std::size_t i = own.first; i < own.last; ++i) {
        const double derivative = block.values[(i - own.first) * block.inputs + part.input] * part.scale;
        if (derivative == 0.0) continue;
        for (std::size_t k = 0; k < n; ++k) rows[(i - values_.first) * n + k] += derivative * inputRow[k];
      }
    }
  }
  std::vector<double> jacobian;
  jacobian.reserve(n * n);
  for (const std::size_t value : cut_) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>((value - values_.first) * n);
    jacobian.insert(jacobian.end(), row, row + static_cast<std::ptrdiff_t>(n));
  }
  return jacobian;
}

}  // namespace koppla::coupling
