#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "koppla/solver/equations.hpp"
#include "koppla/solver/static_function.hpp"

namespace koppla::solver {

/// A model under its name in a joint one: equations, or a static subsystem that they call.
struct JoinedPart {
  std::string name;
  std::variant<std::unique_ptr<Equations>, std::unique_ptr<StaticFunction>> model;
};

/// input = scale * output + offset between real ports of parts; contributions to one input add up.
struct Wire {
  std::size_t fromPart;
  subsystem::PortIndex from;
  std::size_t toPart;
  subsystem::PortIndex to;
  double scale = 1.0;
  double offset = 0.0;
  // One element, counted from 0; absent: all elements, as many on both sides.
  std::optional<std::size_t> fromElement{};
  std::optional<std::size_t> toElement{};
};

/// The equations of several models as those of one, for one integrator: model coupling, and, with static parts,
/// dynamic-static coupling. Its ports are those of the parts, named "<part>.<port>". Inputs that are wired are outputs
/// of the joint model; inputs of static parts that do not vary are parameters of it. Local ports, and parameters of
/// static parts with several elements, are not among them.
///
/// Throws core::InputError where outputs depend on each other in a circle at one instant.
std::unique_ptr<Equations> join(std::vector<JoinedPart> parts, const std::vector<Wire>& wires);

}  // namespace koppla::solver
