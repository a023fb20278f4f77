#include "koppla/fmi/detail/end_outputs.hpp"

#include <algorithm>

#include "koppla/subsystem/feed_through.hpp"

namespace koppla::fmi::detail {

using subsystem::PortIndex;

std::size_t& PlaceInValues::of(core::Type type) {
  switch (type) {
    case core::Type::real:
      return real;
    case core::Type::boolean:
      return boolean;
    case core::Type::string:
      return string;
    case core::Type::integer:
    case core::Type::enumeration:
      break;
  }
  return integer;
}

void EndOutputs::raiseDegree(subsystem::Description& description) {
  if (description.capabilities.inputDerivatives != 0 || !description.capabilities.saveRestore) return;
  std::vector<PortIndex> inputs;
  for (PortIndex port = 0; port < description.ports.size(); ++port)
    if (description.ports[port].causality == subsystem::Causality::input) inputs.push_back(port);
  if (!subsystem::outputsFedBy(description, inputs).empty()) description.capabilities.inputDerivatives = 1;
}

void EndOutputs::bind(const subsystem::Binding& binding) {
  const subsystem::Description& description = instance_.ports().description;
  ports_ = subsystem::outputsFedBy(description, binding.inputs);
  PlaceInValues place;
  kept_.clear();
  for (const PortIndex port : ports_) kept_[port] = place.of(description.ports.at(port).type)++;
  known_ = false;
  inputs_.assign(binding.inputs.size(), 0.0);
  discrete_ = binding.discreteOutputs;
  targets_.clear();
  PlaceInValues bound;
  for (const PortIndex output : binding.outputs) {
    const core::Type type = description.ports.at(output).type;
    const std::size_t at = bound.of(type)++;
    if (const auto found = kept_.find(output); found != kept_.end()) targets_.push_back({type, at, found->second});
  }
}

const double* EndOutputs::ends(subsystem::Trajectory u) {
  for (std::uint32_t i = 0; i < u.count; ++i) inputs_[i] = u.value(i, 1.0);
  return inputs_.data();
}

const double* EndOutputs::means(subsystem::Trajectory u) {
  std::fill(inputs_.begin(), inputs_.end(), 0.0);
  for (std::uint32_t k = u.degree + 1; k-- > 0;)
    for (std::uint32_t i = 0; i < u.count; ++i) inputs_[i] += u.power(k)[i] / (k + 1.0);
  return inputs_.data();
}

Answer EndOutputs::read() {
  values_.clear();
  const Answer answer = reader_.read(ports_, values_);
  known_ = !answer.bad();
  return answer;
}

void EndOutputs::restore(std::size_t place) {
  const Saved& saved = saved_.at(place);
  known_ = saved.known;
  if (known_) values_ = saved.values;  // in memory that is there already
}

void EndOutputs::put(const Target& target, double* reals, const subsystem::DiscreteValues& others) const {
  switch (target.type) {
    case core::Type::real:
      reals[target.output] = values_.reals[target.value];
      break;
    case core::Type::integer:
    case core::Type::enumeration:
      others.integers[target.output] = values_.integers[target.value];
      break;
    case core::Type::boolean:
      others.booleans[target.output] = values_.booleans[target.value];
      break;
    case core::Type::string:
      others.strings[target.output] = values_.strings[target.value];
      break;
  }
}

void EndOutputs::replaceBound(double* y) const {
  if (!known_) return;
  for (const Target& target : targets_) put(target, y, discrete_);
}

void EndOutputs::replace(std::span<const PortIndex> ports, core::Values& values, PlaceInValues before) const {
  if (!known_) return;
  for (const PortIndex port : ports) {
    const core::Type type = instance_.ports().description.ports.at(port).type;
    const std::size_t at = before.of(type)++;
    if (const auto found = kept_.find(port); found != kept_.end())
      put({type, at, found->second}, values.reals.data(), {values.integers, values.booleans, values.strings});
  }
}

}  // namespace koppla::fmi::detail
