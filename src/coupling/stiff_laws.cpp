#include "koppla/coupling/stiff_laws.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/coupling/free_motion.hpp"

namespace koppla::coupling {

StiffLaws::StiffLaws(const Network& network, const InterfaceProblem& problem, unsigned degree)
    : network_(network), degree_(degree) {
  if (degree == 0) return;  // stable, however stiff
  for (const PlacedLaw& law : network.laws())
    if (law.member >= problem.block().first && law.member < problem.block().last) {
      laws_.push_back({law});
      forces_.push_back(law.force);
    }
}

std::vector<StiffLaws::Finding> StiffLaws::examine(const InterfaceProblem& problem,
                                                   const std::vector<Sensitivity>& blocks) {
  constexpr double kChanged = 1.25;
  constexpr double kAllowance = 1e-3;  // the points are not free, and their mass is an estimate
  std::vector<Finding> findings;
  if (std::ranges::all_of(laws_, &Watched::told)) return findings;
  const subsystem::SeriesWeights weights = problem.weightsOfEnd();
  const double H = problem.step().t1 - problem.step().t0;
  std::vector<double> slopes(laws_.size(), 0.0);  // d force answered / d force sent
  for (const Derivative& d : problem.derivatives(blocks, forces_))
    if (problem.cut()[d.column] == forces_[d.row]) slopes[d.row] = d.value;
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    Watched& watched = laws_[i];
    const Sensitivity& block = blocks[watched.law.member - problem.block().first];
    const std::size_t row = watched.law.force - network_.outputsOf(watched.law.member).first;
    const double c = block.values[row * block.inputs + watched.law.position];
    const double d = block.values[row * block.inputs + watched.law.velocity];
    // A force moves the free points apart by -(second H^2, integral H) / mass.
    const double perMass = -slopes[i] / (c * weights.second * H * H + d * weights.integral * H);
    const double stiffness = c * H * H * perMass;
    const double damping = d * H * perMass;
    if (watched.told || !(perMass > 0.0) || !std::isfinite(perMass)) continue;
    if (stiffness <= kChanged * watched.stiffness && damping <= kChanged * watched.damping) continue;
    watched.stiffness = stiffness;
    watched.damping = damping;
    const double growth = growthOfFreeMotion(stiffness, damping, degree_);
    if (growth <= 1.0 + kAllowance) continue;
    watched.told = true;
    findings.push_back({watched.law.member, growth});
  }
  return findings;
}

}  // namespace koppla::coupling
