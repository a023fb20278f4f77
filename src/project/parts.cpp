#include "koppla/project/parts.hpp"

#include <utility>

#include <fmt/format.h>

#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::project {

namespace {

using subsystem::Subsystem;

std::unique_ptr<Subsystem> makeNative(const SubsystemEntry& entry, Findings& findings) {
  try {
    return solver::integrate(makeEquations(*entry.model), entry.model->integrator);
  } catch (const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      findings.mistake(entry.model->word.place,
                       fmt::format("The model of '{}' cannot be used: {}", entry.name.value, problem.message),
                       problem.remedy);
    return nullptr;
  }
}

}  // namespace

Parts::Parts(const Project& project, core::Log& log, Findings& findings)
    : project_(project), fmus_(project, log, findings) {
  for (const SubsystemEntry& entry : project.subsystems)
    natives_.push_back(entry.model ? makeNative(entry, findings) : nullptr);
}

std::vector<const subsystem::Description*> Parts::descriptions() const {
  std::vector<const subsystem::Description*> result = fmus_.descriptions();
  for (std::size_t i = 0; i < natives_.size(); ++i)
    if (natives_[i]) result[i] = &natives_[i]->describe();
  return result;
}

std::unique_ptr<Subsystem> Parts::take(std::size_t member, core::Log& log) {
  const SubsystemEntry& entry = project_.subsystems[member];
  if (entry.model) return std::move(natives_[member]);
  std::unique_ptr<Subsystem> fmu = fmus_.instantiate(member, entry, log);
  if (entry.microStep == 0.0 || entry.overshoot) return fmu;
  return subsystem::subdivide(std::move(fmu), entry.microStep);
}

}  // namespace koppla::project
