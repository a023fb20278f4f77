#include "koppla/project/exact_past.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace koppla::project {

namespace {

using coupling::Endpoint;
using coupling::MemberIndex;
using subsystem::PortIndex;

}  // namespace

struct ExactPast::Lookup {
  ExactValues exact;
  std::map<std::pair<MemberIndex, PortIndex>, std::size_t> variables;

  [[nodiscard]] double value(MemberIndex member, PortIndex port, double t) const {
    return exact.value(variables.at({member, port}), t);
  }
};

ExactPast::ExactPast(const Project& project, const coupling::System& system, Findings& findings) {
  auto lookup = std::make_shared<Lookup>(Lookup{exactValues(project), {}});
  for (const coupling::Connection& connection : system.connections) {
    const Endpoint& from = connection.from;
    const std::pair key(from.member, from.port);
    const coupling::Member& member = system.members[from.member];
    const subsystem::Port& port = member.subsystem->describe().ports[from.port];
    if (port.type != core::Type::real || lookup->variables.contains(key)) continue;
    const std::string name = member.nameOf(port);
    const std::optional<std::size_t> variable = lookup->exact.find(name);
    if (!variable)
      findings.mistake(project.reference->place,
                       fmt::format("The analytic start needs the exact value of the connected output '{}'.", name),
                       fmt::format("Write \"{}\" = \"...\" in [reference.values].", name));
    lookup->variables.emplace(key, variable.value_or(0));
  }
  lookup_ = std::move(lookup);
}

ExactPast::~ExactPast() = default;

coupling::Past ExactPast::ofSystem() const {
  return [lookup = lookup_](const Endpoint& output, std::size_t /*element*/, double t) {
    return lookup->value(output.member, output.port, t);
  };
}

subsystem::Past ExactPast::ofMember(MemberIndex member) const {
  return [lookup = lookup_, member](double t, std::span<double> y) {
    // Connected outputs are bound in the order of their ports, as the map has them.
    std::size_t i = 0;
    for (auto it = lookup->variables.lower_bound({member, 0});
         it != lookup->variables.end() && it->first.first == member && i < y.size(); ++it)
      y[i++] = lookup->exact.value(it->second, t);
  };
}

}  // namespace koppla::project
