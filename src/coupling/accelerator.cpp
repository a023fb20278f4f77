#include "koppla/coupling/accelerator.hpp"

namespace koppla::coupling {

std::unique_ptr<Accelerator> makeAccelerator(const AccelerationSettings& settings, const Unknowns& unknowns) {
  switch (settings.kind) {
    case AcceleratorKind::automatic:
      return automaticAcceleration(unknowns);
    case AcceleratorKind::adaptive:
      return adaptiveRelaxation(settings, unknowns);
    case AcceleratorKind::anderson:
    case AcceleratorKind::iqnIls:
    case AcceleratorKind::iqnImvj:
    case AcceleratorKind::broyden:
      return quasiNewton(settings, unknowns);
    default:
      return relaxation(settings, unknowns);
  }
}

}  // namespace koppla::coupling
