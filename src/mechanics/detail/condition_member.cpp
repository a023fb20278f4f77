#include "koppla/mechanics/detail/condition_member.hpp"

#include <algorithm>
#include <utility>

namespace koppla::mechanics::detail {

using subsystem::Causality;
using subsystem::PortIndex;
using subsystem::Status;

ConditionMember::ConditionMember(std::string model) {
  description_.kind = "coupling condition";
  description_.model = std::move(model);
}

PortIndex ConditionMember::addPort(Quantity quantity, Causality causality) {
  subsystem::Port port;
  port.name = std::move(quantity.name);
  port.causality = causality;
  port.size = quantity.size;
  port.unit = std::move(quantity.unit);
  port.description = std::move(quantity.text);
  port.settable = causality == Causality::input;
  offsets_.push_back(values_.size());
  values_.resize(values_.size() + port.size, 0.0);
  isMultiplier_.push_back(false);
  description_.ports.push_back(std::move(port));
  return description_.ports.size() - 1;
}

PortIndex ConditionMember::addInput(Quantity quantity) {
  return addPort(std::move(quantity), Causality::input);
}

PortIndex ConditionMember::addOutput(Quantity quantity, std::vector<PortIndex> dependsOn) {
  const PortIndex port = addPort(std::move(quantity), Causality::output);
  description_.dependencies[port] = std::move(dependsOn);
  return port;
}

PortIndex ConditionMember::addMultiplier(Quantity quantity) {
  const PortIndex port = addOutput(std::move(quantity), {});
  isMultiplier_[port] = true;
  return port;
}

void ConditionMember::finish(bool isLinear) {
  description_.capabilities = {.saveRestore = true,
                               .variableStep = true,
                               .inputDerivatives = subsystem::kMaxDegree,
                               .states = true,
                               .evaluatesBetweenSteps = true,
                               .linear = isLinear,
                               .isStatic = true};
  description_.indexNames();
}

std::span<const double> ConditionMember::values(PortIndex port) const {
  return {values_.data() + offsets_[port], description_.ports[port].size};
}

std::span<double> ConditionMember::values(PortIndex port) {
  return {values_.data() + offsets_[port], description_.ports[port].size};
}

void ConditionMember::set(PortIndex port, std::span<const core::Value> given) {
  std::ranges::transform(given, values(port).begin(), [](const core::Value& value) { return std::get<double>(value); });
}

Status ConditionMember::evaluate(double /*t*/, std::span<const double> u, std::span<double> y) {
  std::size_t at = 0;
  for (const PortIndex port : binding_.inputs)
    for (double& value : values(port)) value = u[at++];
  answer(y);
  return Status::ok;
}

subsystem::StepResult ConditionMember::advance(const subsystem::Step& step, subsystem::Trajectory u,
                                               std::span<double> y) {
  std::size_t at = 0;
  for (const PortIndex port : binding_.inputs)
    for (double& value : values(port)) value = u.value(at++, 1.0);
  answer(y);
  return {Status::ok, step.t1};
}

void ConditionMember::answer(std::span<double> y) {
  refresh();
  std::size_t at = 0;
  for (const PortIndex port : binding_.outputs) {
    const std::span<double> place = y.subspan(at, description_.ports[port].size);
    if (isMultiplier_[port])
      std::ranges::copy(place, values(port).begin());
    else
      compute(port, place);
    at += place.size();
  }
}

void ConditionMember::observe(std::span<const PortIndex> ports, core::Values& into) {
  refresh();
  for (const PortIndex port : ports) {
    const std::span<double> present = values(port);
    if (description_.ports[port].causality == Causality::output && !isMultiplier_[port]) compute(port, present);
    into.reals.insert(into.reals.end(), present.begin(), present.end());
  }
}

}  // namespace koppla::mechanics::detail
