#pragma once

#include <span>
#include <string>
#include <vector>

#include "koppla/native/detail/band_matrix.hpp"

namespace koppla::native::detail {

/// The flow at one instant, a value for each node: all there is to know of the past.
struct TubeState {
  std::vector<double> v;  ///< m/s
  std::vector<double> p;  ///< Pa
  std::vector<double> a;  ///< m2
};

/// What a step of the flow is given besides the state and the new area.
struct TubeStepData {
  double inletVelocity = 0.0;     ///< m/s, at the end of the step
  double cellPerStep = 0.0;       ///< dx/dt, m/s
  double waveSpeedSquared = 0.0;  ///< c^2, m2/s2
  double tolerance = 0.0;         ///< |residual| < tolerance |(p, v)|
};

/// One implicit step of the flow in a tube of given area (docs/native-models.md, tube-flow) by Newton's method from the
/// state before. Continuity does not know the pressure, and the derivatives by v of continuity and by p of momentum
/// hold the new area only: a Newton step is a band solve for v, then one for p, with matrices that stay for the step.
class TubeStep {
 public:
  explicit TubeStep(std::size_t nodes);

  /// Leaves the state as it is where it fails: false, with the reason in failure().
  [[nodiscard]] bool advance(TubeState& state, std::span<const double> area, const TubeStepData& data);

  /// Why the last step failed, without a full stop.
  [[nodiscard]] std::string failure() const;
  /// Of the last step: how often the equations were evaluated.
  [[nodiscard]] unsigned evaluations() const { return evaluations_; }

 private:
  void prepare(std::span<const double> area);
  void findResidual(const TubeState& old, std::span<const double> area, const TubeStepData& data);
  void correct(std::span<const double> area, const TubeStepData& data);
  [[nodiscard]] double meanArea(std::span<const double> area, std::size_t left) const {
    return 0.5 * (area[left] + area[left + 1]);
  }

  std::size_t last_;             ///< number of the last node, N
  std::vector<double> v_, p_;    ///< the iterate
  std::vector<double> rv_, rp_;  ///< residuals of continuity and momentum, boundary conditions at the ends
  std::vector<double> flux_;     ///< a v between the nodes, m3/s
  double outletRoot_ = 0.0;      ///< sqrt(c^2 - p_N,old/2) - (v_N - v_N,old)/4, m/s
  double residual_ = 0.0;        ///< its norm
  BandMatrix byVelocity_;        ///< of continuity
  BandMatrix byPressure_;        ///< of momentum
  unsigned evaluations_ = 0;
};

}  // namespace koppla::native::detail
