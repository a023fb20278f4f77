#pragma once

#include <memory>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem {

/// A force between two points that move along one line: with the distance x2 - x1 (m) and its rate v2 - v1 (m/s) it
/// gives the force (N) on the first point in the direction of x; the second one gets the opposite.
class ForceLaw {
 public:
  ForceLaw() = default;
  virtual ~ForceLaw() = default;
  ForceLaw(const ForceLaw&) = delete;
  ForceLaw& operator=(const ForceLaw&) = delete;

  [[nodiscard]] virtual double force(double distance, double rate) const = 0;
  /// Whether the force is linear in both.
  [[nodiscard]] virtual bool isLinear() const { return false; }
};

/// F = stiffness (x2 - x1) + damping (v2 - v1), Schmoll (2.11).
class SpringDamper final : public ForceLaw {
 public:
  SpringDamper(double stiffness, double damping) : stiffness_(stiffness), damping_(damping) {}
  [[nodiscard]] double force(double distance, double rate) const override {
    return stiffness_ * distance + damping_ * rate;
  }
  [[nodiscard]] bool isLinear() const override { return true; }
  [[nodiscard]] double stiffness() const { return stiffness_; }  ///< N/m
  [[nodiscard]] double damping() const { return damping_; }      ///< N s/m

 private:
  double stiffness_;
  double damping_;
};

/// A static subsystem that evaluates the law in the coupling itself (force/force coupling, Schmoll, sec. 2.3.3): inputs
/// x1, v1, x2, v2, output force.
std::unique_ptr<Subsystem> evaluateInCoupling(std::shared_ptr<const ForceLaw> law);

}  // namespace koppla::subsystem
