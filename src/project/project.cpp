#include "koppla/project/project.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/project/arrangement.hpp"
#include "koppla/project/assembly.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/exact_past.hpp"
#include "koppla/project/mapped_connections.hpp"
#include "koppla/project/parts.hpp"
#include "koppla/project/port_values.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/project/resolver.hpp"
#include "koppla/run/preparation.hpp"
#include "koppla/subsystem/overshoot.hpp"

namespace koppla::project {

namespace {

/// What is wrong with a project as seen from its subsystems.
Findings inspect(const Project& project, core::Log& log) {
  Findings findings;
  const Parts parts(project, log, findings);
  Resolution resolution = resolve(parts.project(), parts.descriptions());
  makeMappings(parts, resolution, log);
  findings.append(std::move(resolution.findings));
  return findings;
}

/// What was before the start, where the approximation needs it, and solvers that keep micro steps of their own.
void addPast(coupling::System& system, const Project& project, const coupling::AlgorithmSettings& algorithm,
             Findings& findings) {
  std::optional<ExactPast> past;
  if (algorithm.startUp == coupling::StartUp::analytic && algorithm.degree > 0 && project.reference) {
    past.emplace(project, system, findings);
    system.past = past->ofSystem();
  }
  for (std::size_t i = 0; i < system.members.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    if (!entry.overshoot) continue;
    std::unique_ptr<subsystem::Subsystem>& member = system.members[i].subsystem;
    member = subsystem::overshoot(std::move(member), entry.microStep, algorithm.degree,
                                  past ? past->ofMember(i) : subsystem::Past{});
  }
}

/// Often meant, sometimes forgotten.
void reportUnconnected(const coupling::System& system, core::Log& log) {
  std::set<std::pair<std::size_t, std::size_t>> connected;
  for (const coupling::Connection& connection : system.connections)
    connected.emplace(connection.to.member, connection.to.port);
  constexpr std::size_t kShown = 12;
  std::vector<std::string> names;
  std::size_t count = 0;
  for (std::size_t m = 0; m < system.members.size(); ++m) {
    const std::vector<subsystem::Port>& ports = system.members[m].subsystem->describe().ports;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      if (ports[p].causality != subsystem::Causality::input || connected.contains({m, p})) continue;
      if (++count <= kShown) names.push_back(system.members[m].nameOf(ports[p]));
    }
  }
  if (count == 0) return;
  log.write(core::Severity::info, "project",
            fmt::format("Inputs that are not connected and keep their start values: {}{}", fmt::join(names, ", "),
                        count > kShown ? fmt::format(" and {} more.", count - kShown) : "."));
}

coupling::CoupledLaw coupledLaw(std::size_t member, const coupling::System& system) {
  const subsystem::Description& description = system.members[member].subsystem->describe();
  return {member, *description.find("force"), *description.find("x2"), *description.find("v2")};
}

coupling::Constraint constraintOf(const HeldJoint& joint, const coupling::System& system) {
  const subsystem::Description& description = system.members[joint.member].subsystem->describe();
  std::optional<subsystem::PortIndex> acceleration;
  if (joint.accelerations) acceleration = description.find("acceleration_defect");
  return {.member = joint.member,
          .method = joint.law.method,
          .lambda = *description.find("lambda"),
          .mu = *description.find("mu"),
          .position = *description.find("position_defect"),
          .velocity = *description.find("velocity_defect"),
          .acceleration = acceleration,
          .beta = joint.law.beta,
          .gamma = joint.law.gamma,
          .velocityWeight = joint.law.velocityWeight,
          .accelerationWeight = joint.law.accelerationWeight};
}

/// What was built once without mistakes is built again without any.
std::vector<std::unique_ptr<subsystem::Subsystem>> twinsOf(const Project& plan,
                                                           const std::vector<coupling::MemberIndex>& members,
                                                           core::Log& log) {
  Findings findings;
  Parts parts(plan, log, findings);
  Resolution resolution = resolve(parts.project(), parts.descriptions());
  Assembly assembly(parts, resolution);
  std::vector<std::unique_ptr<subsystem::Subsystem>> twins;
  twins.reserve(members.size());
  for (const coupling::MemberIndex member : members) twins.push_back(assembly.take(member, log, findings).subsystem);
  return twins;
}

}  // namespace

Project read(const std::filesystem::path& file, core::Log& log, std::span<const Override> overrides) {
  return readText(core::readWhole(file), file, log, overrides);
}

Project readText(const std::string& text, const std::filesystem::path& file, core::Log& log,
                 std::span<const Override> overrides) {
  Reading reading = parse(text, file, overrides);
  if (!reading.findings.mistakes.empty()) {
    reading.findings.append(inspect(reading.project, log));
    reading.findings.sort(file.string());
  }
  reading.findings.conclude(log);
  return std::move(reading.project);
}

Coupled build(const Project& plan, core::Log& log) {
  Findings findings = checkEntries(plan);
  Parts parts(plan, log, findings);
  const Project& project = parts.project();
  Resolution resolution = resolve(project, parts.descriptions());
  makeMappings(parts, resolution, log);
  findings.append(std::move(resolution.findings));
  findings.sort(project.file.string());
  findings.conclude(log);

  Assembly assembly(parts, resolution);
  const Project assembled = assembly.project();
  coupling::System system;
  for (std::size_t i = 0; i < assembled.subsystems.size(); ++i) {
    system.members.push_back(assembly.take(i, log, findings));
    const coupling::Member& member = system.members.back();
    if (!member.subsystem) continue;
    const SubsystemEntry& entry = assembled.subsystems[i];
    for (const coupling::StartValue& start : member.startValues)
      if (entry.model)
        trySetting(start, member.subsystem->describe(), entry, findings,
                   [&] { member.subsystem->set(start.port, start.values); });
  }
  findings.sort(project.file.string());
  if (!findings.mistakes.empty()) throw core::InputError(findings.mistakes);
  system.connections = assembly.connections(system);
  for (const std::size_t law : parts.laws())
    if (const auto member = assembly.find(law)) system.laws.push_back(coupledLaw(*member, system));
  for (const HeldJoint& joint : parts.joints())
    system.constraints.push_back(constraintOf({*assembly.find(joint.member), joint.law, joint.accelerations}, system));
  system.order = assembly.order();
  system.twins = [plan, &log](const std::vector<coupling::MemberIndex>& members) {
    return twinsOf(plan, members, log);
  };
  run::Settings settings = run::withTestedSteps(plan.settings, system, log);
  addPast(system, assembled, settings.algorithm, findings);
  arrange(system, assembled, findings);
  if (!findings.mistakes.empty()) throw core::InputError(findings.mistakes);
  reportUnconnected(system, log);
  return {std::move(system), std::move(settings)};
}

ExactValues exactValues(const Project& project) {
  if (!project.reference)
    throw core::InputError(
        {{{project.file.string()}, "The project has no exact solution.", "Write [reference] with kind and values."}});
  ExactValues exact(*project.reference, project.settings.start);
  for (const ConditionEntry& condition : project.conditions) {
    const std::string force = condition.name.value + ".force";
    const std::optional<std::size_t> known = exact.find(force);
    if (!known) continue;
    // The force on the first is what the second tells it; the first tells the opposite.
    exact.addAlias(condition.second.subsystem + "." + force, *known, 1.0);
    exact.addAlias(condition.first.subsystem + "." + force, *known, -1.0);
  }
  return exact;
}

run::Run makeRun(const Project& project, core::Log& log, run::Recorders recorders) {
  Coupled coupled = build(project, log);
  return run::Run(std::move(coupled.system), std::move(coupled.settings), log, recorders);
}

}  // namespace koppla::project
