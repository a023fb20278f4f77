#include "koppla/project/groups.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "koppla/project/check.hpp"

namespace koppla::project {

namespace {

using subsystem::Description;

bool isDiscrete(const Description& description, const std::string& name) {
  const std::optional<subsystem::PortIndex> port = description.find(name);
  return port && description.ports[*port].type != core::Type::real;
}

const char* const kStaticOnly = "Static FMUs can be inside; couple this one by another algorithm.";

class Grouping {
 public:
  Grouping(const Composition& composition, const std::vector<const Description*>& descriptions,
           const std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings)
      : composition_(composition),
        project_(composition.project),
        descriptions_(descriptions),
        equations_(equations),
        findings_(findings),
        index_(project_) {}

  std::vector<Group> groups() && {
    if (project_.settings.algorithm.kind == coupling::AlgorithmKind::modelCoupling)
      groupAll();
    else
      groupInside();
    for (Group& group : groups_) addLaws(group);
    warnOfIdleOptions();
    return std::move(groups_);
  }

 private:
  [[nodiscard]] const SubsystemEntry& entry(std::size_t member) const { return project_.subsystems[member]; }
  [[nodiscard]] core::Place placeOf(std::size_t member) const {
    return entry(member).inside.value.empty() ? entry(member).name.place : entry(member).inside.place;
  }

  /// Others than algebraic unknowns.
  [[nodiscard]] bool hasStates(std::size_t member) const {
    return equations_[member] && equations_[member]->stateCount() > equations_[member]->algebraicCount();
  }

  [[nodiscard]] bool isInside(std::size_t member) const {
    return std::ranges::any_of(groups_, [member](const Group& group) {
      return group.host != member && std::ranges::count(group.members, member) > 0;
    });
  }

  void warnOfIdleOptions() {
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      const SubsystemEntry& own = entry(i);
      const bool called = isInside(i) && (!own.model || own.staticCoupling);
      if (own.staticCoupling && !isInside(i))
        findings_.warning(
            own.staticCoupling->place,
            fmt::format("'static_coupling' of '{}' has no effect: no other integrator solves it.", own.name.value),
            "Write inside = \"...\", the name of the subsystem whose integrator calls it.");
      if ((own.instances > 0 || own.increment) && !called)
        findings_.warning(own.name.place,
                          fmt::format("'instances' and 'increment' of '{}' have no effect: no integrator calls it as a "
                                      "static solver.",
                                      own.name.value));
    }
  }

  /// The master's integrator solves all; without one named, that of the first subsystem with states.
  void groupAll() {
    std::optional<std::size_t> host = index_.find(project_.master.value);
    for (std::size_t i = 0; i < equations_.size() && !host; ++i)
      if (hasStates(i)) host = i;
    for (const HeldJoint& joint : composition_.joints)
      findings_.mistake(entry(joint.member).name.place,
                        fmt::format("Model coupling cannot hold the rigid joint '{}'.", entry(joint.member).name.value),
                        "Choose algorithm.kind = \"semi-implicit\".");
    if (!composition_.joints.empty()) return;
    if (!host) {
      findings_.mistake({project_.file.string()}, "Model coupling needs a native model with states, but there is none.",
                        "Choose another algorithm.");
      return;
    }
    Group group{*host, {}};
    for (std::size_t i = 0; i < equations_.size(); ++i)
      if (canBeInside(i, *host)) group.members.push_back(i);
    put(std::move(group));
  }

  void groupInside() {
    for (std::size_t host = 0; host < equations_.size(); ++host) {
      Group group{host, {}};
      for (std::size_t i = 0; i < equations_.size(); ++i)
        if (i != host && entry(i).inside.value == entry(host).name.value && canBeInside(i, host))
          group.members.push_back(i);
      if (!group.members.empty()) put(std::move(group));
    }
  }

  void put(Group group) {
    std::erase(group.members, group.host);
    group.members.insert(group.members.begin(), group.host);
    if (isHost(group.host)) groups_.push_back(std::move(group));
  }

  bool isHost(std::size_t member) {
    if (hasStates(member)) return true;
    if (descriptions_[member] == nullptr) return false;  // reported
    findings_.mistake(entry(member).name.place,
                      fmt::format("'{}' has no equations that Koppla could integrate together with others.",
                                  entry(member).name.value),
                      "Name a native model with states that brings no solver of its own.");
    return false;
  }

  bool canBeInside(std::size_t member, std::size_t host) {
    if (member == host || descriptions_[member] == nullptr) return member == host;
    const SubsystemEntry& inner = entry(member);
    const auto refuse = [&](const std::string& reason, const std::string& remedy) {
      findings_.mistake(placeOf(member),
                        fmt::format("'{}' cannot be solved by the integrator of '{}': {}", inner.name.value,
                                    entry(host).name.value, reason),
                        remedy);
      return false;
    };
    if (inner.model && !equations_[member])
      return refuse(fmt::format("the model '{}' brings its own solver.", inner.model->word.value),
                    "Couple it by another algorithm.");
    if (inner.program && inner.program->settings.isTransient)
      return refuse("the program takes steps of its own.", "Static programs can be inside; couple this one.");
    if (!inner.model && descriptions_[member]->declaredStates > 0)
      return refuse(fmt::format("its FMU has continuous states ({}) and a solver of its own for them.",
                                descriptions_[member]->declaredStates),
                    kStaticOnly);
    if (const std::string output = inner.model ? "" : remembered(member); !output.empty())
      return refuse(fmt::format("its output '{}' depends on none of its inputs at the same instant, so its FMU is not "
                                "static.",
                                output),
                    kStaticOnly);
    if (inner.staticCoupling && hasStates(member))
      return refuse("it has states, so it is not static.", "Remove static_coupling: its equations are joined.");
    for (const ConnectionEntry& connection : project_.connections)
      for (const PortReference* end : {&connection.from, &connection.to})
        if (end->subsystem == inner.name.value && isDiscrete(*descriptions_[member], end->port))
          return refuse(fmt::format("its port '{}' is not real.", end->port), "Only real values are joined.");
    if (inner.microStep > 0.0 && !inner.model)
      return refuse("a static subsystem takes no steps.", "Remove micro_step.");
    return true;
  }

  /// FMUs for co-simulation need not declare their states. An output that is used and follows from a past would stay
  /// what it is at the start. Empty if there is none.
  [[nodiscard]] std::string remembered(std::size_t member) const {
    for (const ConnectionEntry& connection : project_.connections) {
      if (connection.from.subsystem != entry(member).name.value) continue;
      const std::optional<subsystem::PortIndex> output = descriptions_[member]->find(connection.from.port);
      if (!output) continue;  // reported
      const subsystem::Dependencies& inputs = descriptions_[member]->dependenciesOf(*output);
      if (inputs && inputs->empty()) return connection.from.port;
    }
    return {};
  }

  /// A law that the coupling would evaluate is solved with its partners where all of them are in the group.
  void addLaws(Group& group) {
    for (std::size_t law = equations_.size(); law < project_.subsystems.size(); ++law) {
      if (std::ranges::count(composition_.joints, law, &HeldJoint::member) > 0) continue;
      const std::string& name = entry(law).name.value;
      bool all = true;
      for (const ConnectionEntry& connection : project_.connections)
        if (connection.to.subsystem == name) {
          const std::optional<std::size_t> partner = index_.find(connection.from.subsystem);
          all = all && partner && std::ranges::find(group.members, *partner) != group.members.end();
        }
      if (all) group.members.push_back(law);
    }
  }

  const Composition& composition_;
  const Project& project_;
  const std::vector<const Description*>& descriptions_;
  const std::vector<std::unique_ptr<solver::Equations>>& equations_;
  Findings& findings_;
  SubsystemIndex index_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> groupsOf(const Composition& composition, const std::vector<const Description*>& descriptions,
                            const std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings) {
  return Grouping(composition, descriptions, equations, findings).groups();
}

}  // namespace koppla::project
