#include "koppla/project/condition.hpp"

#include "koppla/native/force_formula.hpp"

namespace koppla::project {

std::shared_ptr<const subsystem::ForceLaw> makeLaw(const ConditionEntry& condition) {
  if (const auto* formula = std::get_if<FormulaLaw>(&condition.law)) return native::forceFormula(formula->force.value);
  const auto& spring = std::get<SpringDamperLaw>(condition.law);
  return std::make_shared<const subsystem::SpringDamper>(spring.stiffness, spring.damping);
}

}  // namespace koppla::project
