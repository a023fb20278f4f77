#include "koppla/project/project.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/fmu_kind.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/project/resolver.hpp"

namespace koppla::project {

namespace {

/// What is wrong with a project as seen from its FMUs.
Findings inspect(const Project& project, core::Log& log) {
  Findings findings;
  const ProjectFmus fmus(project, log, findings);
  findings.append(resolve(project, fmus.descriptions()).findings);
  return findings;
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
      if (++count <= kShown) names.push_back(system.members[m].name + "." + ports[p].name);
    }
  }
  if (count == 0) return;
  log.write(core::Severity::info, "project",
            fmt::format("Inputs that are not connected and keep their start values: {}{}", fmt::join(names, ", "),
                        count > kShown ? fmt::format(" and {} more.", count - kShown) : "."));
}

}  // namespace

Project read(const std::filesystem::path& file, core::Log& log, std::span<const Override> overrides) {
  Reading reading = parse(core::readWhole(file), file, overrides);
  if (!reading.findings.mistakes.empty()) {
    reading.findings.append(inspect(reading.project, log));
    reading.findings.sort(file.string());
  }
  reading.findings.conclude(log);
  return std::move(reading.project);
}

coupling::System build(const Project& project, core::Log& log) {
  Findings findings = checkEntries(project);
  const ProjectFmus fmus(project, log, findings);
  Resolution resolution = resolve(project, fmus.descriptions());
  findings.append(std::move(resolution.findings));
  findings.sort(project.file.string());
  findings.conclude(log);

  coupling::System system;
  for (std::size_t i = 0; i < project.subsystems.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    system.members.push_back({entry.name.value, fmus.instantiate(i, entry, log), std::move(resolution.startValues[i])});
  }
  system.connections = std::move(resolution.connections);
  system.order = std::move(resolution.order);
  reportUnconnected(system, log);
  return system;
}

run::Run makeRun(const Project& project, core::Log& log, results::Recorder* recorder) {
  return run::Run(build(project, log), project.settings, log, recorder);
}

}  // namespace koppla::project
