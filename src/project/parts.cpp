#include "koppla/project/parts.hpp"

#include <utility>

#include <fmt/format.h>

#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::project {

namespace {

using solver::Equations;
using subsystem::Description;
using subsystem::Subsystem;

/// What `make` gives; null, with the reasons at the place of the model's word, where it refuses.
template <typename Make>
auto made(const SubsystemEntry& entry, Findings& findings, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      findings.mistake(entry.model->word.place,
                       fmt::format("The model of '{}' cannot be used: {}", entry.name.value, problem.message),
                       problem.remedy);
    return nullptr;
  }
}

}  // namespace

Parts::Parts(const Project& project, core::Log& log, Findings& findings) : fmus_(project, log, findings) {
  std::vector<const Description*> descriptions = fmus_.descriptions();
  std::vector<std::unique_ptr<Equations>> equations(project.subsystems.size());
  std::vector<std::unique_ptr<Subsystem>> solvers(project.subsystems.size());
  std::vector<Description> own(project.subsystems.size());  // outlive equations that a condition refuses
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    if (!entry.model || !entry.model->sound) continue;
    if (bringsSolver(*entry.model))
      solvers[i] = made(entry, findings, [&] { return makeSolver(*entry.model); });
    else
      equations[i] = made(entry, findings, [&] { return makeEquations(*entry.model); });
    if (!equations[i] && !solvers[i]) continue;
    own[i] = solvers[i] ? solvers[i]->describe() : equations[i]->describe();
    descriptions[i] = &own[i];
  }
  composition_ = compose(project, descriptions, equations, findings);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const SubsystemEntry& entry = project.subsystems[i];
    made_.push_back(!equations[i] ? std::move(solvers[i]) : made(entry, findings, [&] {
      return solver::integrate(std::move(equations[i]), entry.model->integrator);
    }));
  }
  for (std::unique_ptr<Subsystem>& condition : composition_.evaluated) made_.push_back(std::move(condition));
}

std::vector<const Description*> Parts::descriptions() const {
  std::vector<const Description*> result = fmus_.descriptions();
  result.resize(made_.size());
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (made_[i]) result[i] = &made_[i]->describe();
  return result;
}

std::unique_ptr<Subsystem> Parts::take(std::size_t member, core::Log& log) {
  const SubsystemEntry& entry = project().subsystems[member];
  std::unique_ptr<Subsystem> taken = made_[member] ? std::move(made_[member]) : fmus_.instantiate(member, entry, log);
  const bool integrated = entry.model && !bringsSolver(*entry.model);  // in micro steps already
  if (integrated || entry.microStep == 0.0 || entry.overshoot) return taken;
  return subsystem::subdivide(std::move(taken), entry.microStep);
}

}  // namespace koppla::project
