#include "koppla/native/detail/ports.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"

namespace koppla::native::detail {

using subsystem::Causality;
using subsystem::Port;
using subsystem::PortIndex;

namespace {

bool isWithin(double value, Range range) {
  switch (range) {
    case Range::any:
      return true;
    case Range::notNegative:
      return value >= 0.0;
    case Range::positive:
      return value > 0.0;
  }
  return false;
}

}  // namespace

Ports::Ports(std::string model) {
  description_.kind = "native";
  description_.model = std::move(model);
}

PortIndex Ports::add(Quantity quantity, Causality causality, std::size_t size) {
  Port port;
  port.name = std::move(quantity.name);
  port.causality = causality;
  port.size = size;
  port.unit = std::move(quantity.unit);
  port.description = std::move(quantity.description);
  port.settable = causality != Causality::output;
  description_.ports.push_back(std::move(port));
  parameters_.emplace_back();
  return description_.ports.size() - 1;
}

PortIndex Ports::addInput(Quantity quantity, double start, std::size_t size) {
  const PortIndex port = add(std::move(quantity), Causality::input, size);
  check(port, start);
  description_.ports[port].start = start;
  return port;
}

PortIndex Ports::addOutput(Quantity quantity, std::vector<PortIndex> feedThrough, std::size_t size) {
  const PortIndex port = add(std::move(quantity), Causality::output, size);
  description_.dependencies[port] = std::move(feedThrough);
  return port;
}

PortIndex Ports::addParameter(Quantity quantity, double& variable, Range range) {
  const PortIndex port = add(std::move(quantity), Causality::parameter, 1);
  parameters_[port] = {&variable, range};
  check(port, variable);
  description_.ports[port].start = variable;
  return port;
}

void Ports::addMarker(subsystem::Marker marker) {
  description_.markers.push_back(std::move(marker));
}

void Ports::startsAlone(PortIndex output) {
  description_.initialDependencies[output] = std::vector<PortIndex>{};
}

void Ports::complete(const subsystem::Capabilities& capabilities) {
  description_.capabilities = capabilities;
  description_.indexNames();
}

void Ports::check(PortIndex port, double value) const {
  const Port& target = description_.ports[port];
  const std::string said = fmt::format("{}: {} '{}' is {}", description_.model, word(target.causality), target.name,
                                       core::text(value) + (target.unit.empty() ? "" : " " + target.unit));
  if (!std::isfinite(value)) throw core::InputError(said + ".", "Give a finite number.");
  const Range range = parameters_[port].range;
  if (isWithin(value, range)) return;
  throw core::InputError(said + ".",
                         range == Range::positive ? "It must be greater than zero." : "It must not be less than zero.");
}

void Ports::set(PortIndex port, std::span<const core::Value> values) {
  Port& target = description_.ports.at(port);
  if (target.causality == Causality::output)
    throw core::InputError(fmt::format("{}: '{}' is an output.", description_.model, target.name),
                           "Only parameters and inputs can be set.");
  const auto isReal = [](const core::Value& value) { return std::holds_alternative<double>(value); };
  if (values.size() != target.size || !std::ranges::all_of(values, isReal)) {
    const std::string wanted = target.size == 1 ? "one real number" : fmt::format("{} real numbers", target.size);
    throw core::InputError(fmt::format("{}: '{}' was not given as {}.", description_.model, target.name, wanted),
                           fmt::format("Give {}.", wanted));
  }
  for (const core::Value& value : values) check(port, std::get<double>(value));
  target.start.reset();
  if (std::ranges::count(values, values[0]) == std::ssize(values)) target.start = values[0];
  if (double* const variable = parameters_[port].variable) *variable = std::get<double>(values[0]);
}

core::Value Ports::parameter(PortIndex port) const {
  const Port& target = description_.ports.at(port);
  if (target.causality != Causality::parameter)
    throw core::InternalError(fmt::format("{}: '{}' is no parameter", description_.model, target.name));
  return *target.start;
}

}  // namespace koppla::native::detail
