#include "koppla/native/detail/model.hpp"

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

Model::Model(std::string name) {
  description_.kind = "native";
  description_.model = std::move(name);
}

PortIndex Model::add(Quantity quantity, Causality causality) {
  Port port;
  port.name = std::move(quantity.name);
  port.causality = causality;
  port.unit = std::move(quantity.unit);
  port.description = std::move(quantity.description);
  port.settable = causality != Causality::output;
  description_.ports.push_back(std::move(port));
  parameters_.emplace_back();
  return description_.ports.size() - 1;
}

PortIndex Model::addInput(Quantity quantity, double start) {
  const PortIndex port = add(std::move(quantity), Causality::input);
  check(port, start);
  description_.ports[port].start = start;
  return port;
}

PortIndex Model::addOutput(Quantity quantity, std::vector<PortIndex> feedThrough) {
  const PortIndex port = add(std::move(quantity), Causality::output);
  description_.dependencies[port] = std::move(feedThrough);
  return port;
}

PortIndex Model::addParameter(Quantity quantity, double& variable, Range range) {
  const PortIndex port = add(std::move(quantity), Causality::parameter);
  parameters_[port] = {&variable, range};
  check(port, variable);
  description_.ports[port].start = variable;
  return port;
}

void Model::addMarker(subsystem::Marker marker) {
  description_.markers.push_back(std::move(marker));
}

void Model::check(PortIndex port, double value) const {
  const Port& target = description_.ports[port];
  const std::string said = fmt::format("{}: {} '{}' is {}", description_.model, word(target.causality), target.name,
                                       core::text(value) + (target.unit.empty() ? "" : " " + target.unit));
  if (!std::isfinite(value)) throw core::InputError(said + ".", "Give a finite number.");
  const Range range = parameters_[port].range;
  if (isWithin(value, range)) return;
  throw core::InputError(said + ".",
                         range == Range::positive ? "It must be greater than zero." : "It must not be less than zero.");
}

void Model::set(PortIndex port, std::span<const core::Value> values) {
  Port& target = description_.ports.at(port);
  if (target.causality == Causality::output)
    throw core::InputError(fmt::format("{}: '{}' is an output.", description_.model, target.name),
                           "Only parameters and inputs can be set.");
  if (values.size() != 1 || !std::holds_alternative<double>(values[0]))
    throw core::InputError(fmt::format("{}: '{}' was not given as one real number.", description_.model, target.name),
                           "Give one real number.");
  const double value = std::get<double>(values[0]);
  check(port, value);
  target.start = value;
  if (double* const variable = parameters_[port].variable) *variable = value;
}

core::Value Model::parameter(PortIndex port) const {
  const Port& target = description_.ports.at(port);
  if (target.causality != Causality::parameter)
    throw core::InternalError(fmt::format("{}: '{}' is no parameter", description_.model, target.name));
  return *target.start;
}

}  // namespace koppla::native::detail
