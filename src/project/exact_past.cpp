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

struct Source {
  std::size_t variable;
  double sign;
};

/// The force of a condition has one exact value, "condition.force", wherever the law is; the first subsystem tells it
/// to the second with the opposite sign.
std::optional<Source> forceOf(const Project& project, const std::string& member, const std::string& port,
                              const ExactValues& exact) {
  for (const ConditionEntry& condition : project.conditions) {
    const std::string force = condition.name.value + ".force";
    if (port != force) continue;
    if (const auto variable = exact.find(force))
      return Source{*variable, member == condition.first.subsystem ? -1.0 : 1.0};
  }
  return std::nullopt;
}

}  // namespace

struct ExactPast::Lookup {
  ExactValues exact;
  std::map<std::pair<MemberIndex, PortIndex>, Source> sources;

  [[nodiscard]] double value(MemberIndex member, PortIndex port, double t) const {
    const Source& source = sources.at({member, port});
    return source.sign * exact.value(source.variable, t);
  }
};

ExactPast::ExactPast(const Project& project, const coupling::System& system, Findings& findings) {
  auto lookup = std::make_shared<Lookup>(Lookup{ExactValues(*project.reference, project.settings.start), {}});
  for (const coupling::Connection& connection : system.connections) {
    const Endpoint& from = connection.from;
    const std::pair key(from.member, from.port);
    const coupling::Member& member = system.members[from.member];
    const subsystem::Port& port = member.subsystem->describe().ports[from.port];
    if (port.type != core::Type::real || lookup->sources.contains(key)) continue;
    const std::string name = member.name + "." + port.name;
    std::optional<Source> source;
    if (const auto variable = lookup->exact.find(name))
      source = Source{*variable, 1.0};
    else
      source = forceOf(project, member.name, port.name, lookup->exact);
    if (!source)
      findings.mistake(project.reference->place,
                       fmt::format("The analytic start needs the exact value of the connected output '{}'.", name),
                       fmt::format("Write \"{}\" = \"...\" in [reference.values].", name));
    lookup->sources.emplace(key, source.value_or(Source{0, 1.0}));
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
    for (auto source = lookup->sources.lower_bound({member, 0});
         source != lookup->sources.end() && source->first.first == member && i < y.size(); ++source)
      y[i++] = lookup->value(member, source->first.second, t);
  };
}

}  // namespace koppla::project
