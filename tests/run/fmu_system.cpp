#include "fmu_system.hpp"

#include <cmath>
#include <memory>

#include "koppla/fmi/co_simulation.hpp"
#include "koppla/fmi/fmu.hpp"

namespace koppla::test {

coupling::System fmuSystem(const std::vector<FmuPart>& parts, const std::vector<Link>& links, core::Log& log) {
  coupling::System system;
  std::map<std::string, std::shared_ptr<fmi::Fmu>> opened;
  for (const FmuPart& part : parts) {
    auto& fmu = opened[part.fmu];
    if (!fmu) fmu = fmi::Fmu::open(std::string(KOPPLA_FMU_DIR) + "/" + part.fmu + ".fmu", log);
    coupling::Member member{part.name, fmi::instantiate(fmu, part.name, log), {}};
    for (const auto& [name, value] : part.parameters)
      member.startValues.push_back({member.subsystem->describe().find(name).value(), {value}});
    system.members.push_back(std::move(member));
  }
  connect(system, links);
  return system;
}

coupling::System math003(core::Log& log) {
  return fmuSystem(
      {{"part1", "Math003Part1"}, {"part2", "Math003Part2"}, {"part3", "Math003Part3"}},
      {{"part1.x1", "part2.x1"}, {"part1.x2", "part2.x2"}, {"part2.x3", "part3.x3"}, {"part3.x4", "part2.x4"}}, log);
}

void MemoryRecorder::begin(const std::vector<results::Column>& all) {
  recorder_.begin(all);
}

void MemoryRecorder::row(double time, const core::Values& values) {
  times.push_back(time);
  recorder_.row(time, values);
  for (const results::Series& series : recorder_.table().series)
    if (!series.numbers.empty()) columns[series.name].push_back(series.numbers.back());
}

double MemoryRecorder::at(const std::string& name, double t) const {
  std::size_t best = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::fabs(times[i] - t) < std::fabs(times[best] - t)) best = i;
  return of(name)[best];
}

}  // namespace koppla::test
