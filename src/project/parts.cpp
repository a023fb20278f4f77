#include "koppla/project/parts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "koppla/program/program.hpp"
#include "koppla/project/port_values.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::project {

namespace {

using solver::Equations;
using subsystem::Description;
using subsystem::Subsystem;

/// What `make` gives; null, with the reasons at the place of the model's word or the program, where it refuses.
template <typename Make>
auto made(const SubsystemEntry& entry, Findings& findings, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      findings.mistake(entry.program ? entry.program->place : entry.model->word.place,
                       fmt::format("The {} of '{}' cannot be used: {}", entry.program ? "program" : "model",
                                   entry.name.value, core::text({problem.place, problem.message, {}})),
                       problem.remedy);
    return nullptr;
  }
}

std::unique_ptr<Subsystem> makeProgram(const Project& project, const ProgramEntry& entry, core::Log& log) {
  program::ProgramSettings settings = entry.settings;
  settings.workFolder = project.programsFolder;
  settings.resume = project.resumesPrograms;
  return program::makeProgram(std::move(settings), log);
}

const Description* descriptionOf(const solver::JoinedPart& part) {
  return std::visit([](const auto& model) { return &model->describe(); }, part.model);
}

void set(solver::JoinedPart& part, const coupling::StartValue& start) {
  std::visit([&](auto& model) { model->set(start.port, start.values); }, part.model);
}

}  // namespace

Parts::Parts(const Project& project, core::Log& log, Findings& findings) : fmus_(project, log, findings) {
  std::vector<const Description*> descriptions = fmus_.descriptions();
  std::vector<std::unique_ptr<Equations>> equations(project.subsystems.size());
  std::vector<std::unique_ptr<Subsystem>> solvers(project.subsystems.size());
  std::vector<Description> own(project.subsystems.size());  // outlive equations that a condition refuses
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    const bool native = entry.model && entry.model->sound;
    if (!native && !(entry.program && entry.program->sound)) continue;
    if (!native)
      solvers[i] = made(entry, findings, [&] { return makeProgram(project, *entry.program, log); });
    else if (bringsSolver(*entry.model))
      solvers[i] = made(entry, findings, [&] { return makeSolver(*entry.model); });
    else
      equations[i] = made(entry, findings, [&] { return makeEquations(*entry.model); });
    if (!equations[i] && !solvers[i]) continue;
    own[i] = solvers[i] ? solvers[i]->describe() : equations[i]->describe();
    descriptions[i] = &own[i];
  }
  composition_ = compose(project, descriptions, equations, findings);
  groups_ = groupsOf(composition_, descriptions, equations, findings);
  const auto isGrouped = [this](std::size_t member) {
    return std::ranges::any_of(groups_, [&](const Group& g) { return std::ranges::count(g.members, member) > 0; });
  };
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    const bool apart = !equations[i] || isGrouped(i);
    made_.push_back(apart ? std::move(solvers[i]) : made(entry, findings, [&] {
      return solver::integrate(std::move(equations[i]), entry.model->integrator);
    }));
  }
  equations_ = std::move(equations);
  for (std::unique_ptr<Subsystem>& condition : composition_.evaluated) made_.push_back(std::move(condition));
}

std::vector<const Description*> Parts::descriptions() const {
  std::vector<const Description*> result = fmus_.descriptions();
  result.resize(made_.size());
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (made_[i]) result[i] = &made_[i]->describe();
    if (i < equations_.size() && equations_[i]) result[i] = &equations_[i]->describe();
  }
  return result;
}

std::unique_ptr<Subsystem> Parts::take(std::size_t member, core::Log& log) {
  const SubsystemEntry& entry = project().subsystems[member];
  std::unique_ptr<Subsystem> taken = made_[member] ? std::move(made_[member]) : fmus_.instantiate(member, entry, log);
  const bool integrated = entry.model && !bringsSolver(*entry.model);  // in micro steps already
  if (integrated || entry.microStep == 0.0 || entry.overshoot) return taken;
  return subsystem::subdivide(std::move(taken), entry.microStep);
}

/// Its value and its probes come from instances of their own, so that each starts from its own last solution.
std::vector<std::unique_ptr<Subsystem>> Parts::staticInstances(std::size_t member, std::size_t count, core::Log& log) {
  const SubsystemEntry& entry = project().subsystems[member];
  std::vector<std::unique_ptr<Subsystem>> instances;
  for (std::size_t i = 0; i < count; ++i) {
    if (entry.program) {
      instances.push_back(i == 0 ? std::move(made_[member]) : makeProgram(project(), *entry.program, log));
    } else if (!entry.model) {
      instances.push_back(fmus_.instantiate(member, entry, log));
    } else {
      solver::IntegratorSettings settings = entry.model->integrator;  // its tolerances; there is nothing to integrate
      settings.kind = solver::Kind::ode1;
      instances.push_back(
          solver::integrate(i == 0 ? std::move(equations_[member]) : makeEquations(*entry.model), settings));
    }
  }
  return instances;
}

solver::JoinedPart Parts::takePart(std::size_t member, const Resolution& resolution, core::Log& log) {
  constexpr std::size_t kMostInstances = 16;  // beyond that they take turns
  const SubsystemEntry& entry = project().subsystems[member];
  const bool joins = member < equations_.size() && equations_[member] &&
                     (equations_[member]->algebraicCount() == 0 ||
                      equations_[member]->algebraicCount() < equations_[member]->stateCount());
  if (joins && !entry.staticCoupling) return {entry.name.value, std::move(equations_[member])};
  const Description& description = *descriptions()[member];
  std::vector<subsystem::PortIndex> inputs;
  std::size_t probes = 0;
  for (subsystem::PortIndex port = 0; port < description.ports.size(); ++port) {
    const bool varies = std::ranges::any_of(resolution.connections, [&](const coupling::Connection& connection) {
      return connection.to.member == member && connection.to.port == port;
    });
    if (!varies || description.ports[port].type != core::Type::real) continue;
    inputs.push_back(port);
    probes += description.ports[port].size;
  }
  std::size_t count = std::min(entry.instances > 0 ? entry.instances : kMostInstances, probes + 1);
  if (description.capabilities.oncePerProcess) count = 1;
  std::vector<std::unique_ptr<Subsystem>> instances;
  if (member < equations_.size())
    instances = staticInstances(member, count, log);
  else
    instances.push_back(std::move(made_[member]));  // a force law
  solver::StaticSettings settings;
  if (entry.staticCoupling) settings.coupling = entry.staticCoupling->value;
  settings.increment = entry.increment;
  settings.threads = project().settings.threads > 0 ? project().settings.threads : std::thread::hardware_concurrency();
  auto function =
      std::make_unique<solver::StaticFunction>(entry.name.value, std::move(instances), std::move(inputs), settings);
  // Who says how many instances there may be has a reason.
  const bool isFmu = member < equations_.size() && !entry.program && !entry.model;
  if (isFmu && entry.instances == 0 && !description.capabilities.oncePerProcess)
    function->watchBy(std::move(staticInstances(member, 1, log).front()));
  return {entry.name.value, std::move(function)};
}

std::unique_ptr<Subsystem> Parts::takeJoint(const Group& group, const Resolution& resolution, core::Log& log,
                                            Findings& findings) {
  std::vector<solver::JoinedPart> parts;
  std::map<std::size_t, std::size_t> partOf;  // by member
  for (const std::size_t member : group.members) {
    partOf[member] = parts.size();
    parts.push_back(takePart(member, resolution, log));
    const subsystem::Description* const description = descriptionOf(parts.back());
    for (const coupling::StartValue& start : resolution.startValues[member])
      trySetting(start, *description, project().subsystems[member], findings, [&] { set(parts.back(), start); });
  }
  std::vector<solver::Wire> wires;
  std::set<std::pair<std::size_t, subsystem::PortIndex>> fedInside, fedOutside;
  for (const coupling::Connection& connection : resolution.connections) {
    const auto from = partOf.find(connection.from.member);
    const auto to = partOf.find(connection.to.member);
    if (to == partOf.end()) continue;
    (from == partOf.end() ? fedOutside : fedInside).emplace(connection.to.member, connection.to.port);
    if (from == partOf.end()) continue;
    wires.push_back({from->second, connection.from.port, to->second, connection.to.port, connection.scale,
                     connection.offset, connection.fromElement, connection.toElement});
  }
  const SubsystemEntry& host = project().subsystems[group.host];
  if (project().settings.algorithm.kind == coupling::AlgorithmKind::modelCoupling)
    log.write(core::Severity::info, "project",
              fmt::format("One integrator, '{}' of '{}', solves all {} subsystems; the integrators of the others and "
                          "further options of [algorithm] have no effect.",
                          solver::word(host.model->integrator.kind), host.name.value, group.members.size()));
  for (const auto& [member, port] : fedInside)
    if (fedOutside.contains({member, port}))
      findings.mistake(project().subsystems[member].name.place,
                       fmt::format("The input '{}.{}' is fed by subsystems that the integrator of '{}' solves and by "
                                   "others.",
                                   project().subsystems[member].name.value,
                                   descriptionOf(parts[partOf[member]])->ports[port].name, host.name.value),
                       "Put all of them inside, or none.");
  return made(host, findings,
              [&] { return solver::integrate(solver::join(std::move(parts), wires), host.model->integrator); });
}

}  // namespace koppla::project
