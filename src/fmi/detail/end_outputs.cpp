#include "koppla/fmi/detail/end_outputs.hpp"

#include <algorithm>

#include "koppla/subsystem/feed_through.hpp"

namespace koppla::fmi::detail {

using subsystem::PortIndex;

void EndOutputs::raiseDegree(subsystem::Description& description) {
  if (description.capabilities.inputDerivatives != 0 || !description.capabilities.saveRestore) return;
  std::vector<PortIndex> inputs;
  for (PortIndex port = 0; port < description.ports.size(); ++port)
    if (description.ports[port].causality == subsystem::Causality::input) inputs.push_back(port);
  if (!subsystem::realOutputsFedBy(description, inputs).empty()) description.capabilities.inputDerivatives = 1;
}

void EndOutputs::bind(std::span<const PortIndex> inputs, std::span<const PortIndex> outputs) {
  const PortTable& table = instance_.ports();
  ports_ = subsystem::realOutputsFedBy(table.description, inputs);
  references_.clear();
  for (const PortIndex port : ports_) references_.push_back(table.references[port]);
  values_.assign(ports_.size(), 0.0);
  known_ = false;
  inputs_.assign(inputs.size(), 0.0);
  targets_.clear();
  std::size_t real = 0;
  for (const PortIndex output : outputs) {
    if (table.description.ports.at(output).type != core::Type::real) continue;
    if (const auto found = std::ranges::find(ports_, output); found != ports_.end())
      targets_.push_back({real, static_cast<std::size_t>(found - ports_.begin())});
    ++real;
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
  const Answer answer{
      instance_.functions().getReal(instance_.component(), references_.data(), references_.size(), values_.data()),
      "fmi2GetReal"};
  known_ = !answer.bad();
  return answer;
}

void EndOutputs::restore(std::size_t place) {
  const Saved& saved = saved_.at(place);
  known_ = saved.known;
  if (known_) std::ranges::copy(saved.values, values_.begin());
}

void EndOutputs::replaceBound(double* y) const {
  if (!known_) return;
  for (const Target& target : targets_) y[target.output] = values_[target.value];
}

void EndOutputs::replace(std::span<const PortIndex> ports, double* reals) const {
  if (!known_) return;
  for (const PortIndex port : ports) {
    if (instance_.ports().description.ports.at(port).type != core::Type::real) continue;
    if (const auto found = std::ranges::find(ports_, port); found != ports_.end())
      *reals = values_[static_cast<std::size_t>(found - ports_.begin())];
    ++reals;
  }
}

}  // namespace koppla::fmi::detail
