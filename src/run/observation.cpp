#include "koppla/run/observation.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/results/pattern.hpp"

namespace koppla::run {

namespace {

std::vector<std::string> allNames(const coupling::System& system) {
  std::vector<std::string> names;
  for (const coupling::Member& member : system.members)
    for (const subsystem::Port& port : member.subsystem->describe().ports) names.push_back(member.nameOf(port));
  return names;
}

void append(const subsystem::Port& port, const std::string& name, std::vector<results::Column>& columns) {
  if (port.size == 1) columns.push_back({name, port.type, port.unit, port.description});
  for (std::size_t k = 1; port.size > 1 && k <= port.size; ++k)
    columns.push_back({name + "[" + std::to_string(k) + "]", port.type, port.unit, port.description});
}

}  // namespace

Observation::Observation(const coupling::System& system, const std::vector<std::string>& patterns)
    : ports_(system.members.size()) {
  std::vector<bool> used(patterns.size(), false);
  for (std::size_t m = 0; m < system.members.size(); ++m) {
    const auto& ports = system.members[m].subsystem->describe().ports;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const std::string name = system.members[m].nameOf(ports[p]);
      bool chosen = patterns.empty() && ports[p].causality == subsystem::Causality::output && !ports[p].internal;
      for (std::size_t i = 0; i < patterns.size(); ++i)
        if (results::matches(patterns[i], name)) used[i] = chosen = true;
      if (!chosen) continue;
      ports_[m].push_back(p);
      append(ports[p], name, columns_);
    }
  }
  std::vector<core::Problem> problems;
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (!used[i])
      problems.push_back(core::Problem{core::Place{},
                                       "The pattern '" + patterns[i] + "' of recorded variables fits no variable.",
                                       core::suggestion(patterns[i], allNames(system))});
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

const core::Values& Observation::read(const coupling::System& system) {
  values_.clear();
  for (std::size_t m = 0; m < ports_.size(); ++m)
    if (!ports_[m].empty()) system.members[m].subsystem->observe(ports_[m], values_);
  return values_;
}

std::optional<std::string> Observation::exploded(double limit) const {
  const auto bad = std::ranges::find_if(values_.reals, [limit](double v) { return !(std::fabs(v) <= limit); });
  if (bad == values_.reals.end()) return std::nullopt;
  auto left = bad - values_.reals.begin();
  for (const results::Column& column : columns_)
    if (column.type == core::Type::real && left-- == 0) return column.name;
  return std::nullopt;
}

}  // namespace koppla::run
