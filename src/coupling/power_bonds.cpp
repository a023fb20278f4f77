#include "koppla/coupling/power_bonds.hpp"

#include <cmath>

namespace koppla::coupling {

namespace {

/// One value over a step: where it begins, how far it goes, and what extrapolation is off at the end.
struct Side {
  double begin;
  double change;
  double error;
};

Side sideOf(std::size_t value, const Look& look) {
  return {look.begin[value], look.accepted[value] - look.begin[value], look.accepted[value] - look.predicted[value]};
}

/// Mean over the step of (used - true) times a straight course. An error of 1 at the end says that the value is larger
/// than what is used.
double meanLost(const Side& approximated, const Side& straight, InputCourse course, const Look& look) {
  if (course == InputCourse::exact) return 0.0;
  const ErrorShape& shape = course == InputCourse::extrapolated ? look.extrapolated : look.interpolated;
  return -approximated.error * (shape.integral * straight.begin + shape.moment * straight.change);
}

}  // namespace

void PowerBonds::add(const Look& look) {
  const double duration = look.t1 - last_;
  last_ = look.t1;
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    const PowerBond& bond = bonds_[i];
    const Side e = sideOf(bond.effort, look);
    const Side f = sideOf(bond.flow, look);
    const double residual = meanLost(e, f, bond.effortCourse, look) - meanLost(f, e, bond.flowCourse, look);
    energies_[i].created += duration * bond.factor * residual;
    energies_[i].exchanged +=
        duration * std::fabs(bond.factor * (e.begin + 0.5 * e.change) * (f.begin + 0.5 * f.change));
  }
}

}  // namespace koppla::coupling
