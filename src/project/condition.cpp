#include "koppla/project/condition.hpp"

#include "koppla/native/force_formula.hpp"

namespace koppla::project {

std::shared_ptr<const subsystem::ForceLaw> makeLaw(const ConditionEntry& condition, std::size_t equation) {
  if (const auto* formula = std::get_if<FormulaLaw>(&condition.law)) return native::forceFormula(formula->force.value);
  const auto& spring = std::get<SpringDamperLaw>(condition.law);
  const auto of = [equation](const std::vector<double>& values) {
    return values.size() == 1 ? values.front() : values.at(equation);
  };
  return std::make_shared<const subsystem::SpringDamper>(of(spring.stiffness), of(spring.damping));
}

}  // namespace koppla::project
