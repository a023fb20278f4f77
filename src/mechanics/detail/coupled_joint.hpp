#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/mechanics/detail/bodies.hpp"

namespace koppla::mechanics::detail {

/// One system's share in a joint with a body of another system: loads, projection terms and laws from its own body and
/// from inputs (Lu, sec. 2.2.3-2.2.5 and 3.2.2).
class CoupledJoint {
 public:
  /// What an input is, and where its scalars stand.
  struct Input {
    enum class Quantity : std::uint8_t { lambda, mu, position, rotation, velocity, angularVelocity };
    Quantity quantity;
    std::size_t first;  ///< place in u
    std::size_t size;
  };

  /// `firstInput`: the place in u where its inputs begin.
  CoupledJoint(const Coupling& coupling, std::size_t body, std::size_t firstInput);

  [[nodiscard]] std::size_t body() const { return body_; }
  [[nodiscard]] std::size_t rows() const { return equations_.rows(); }
  [[nodiscard]] bool hasLaw() const { return !laws_.empty(); }
  [[nodiscard]] bool projects() const { return projects_; }
  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }

  void addLoads(std::span<const double> u, const Motion& own, Loads& loads);
  /// V_c in the place of the force and Omega_c in that of the moment: the loads with mu instead of lambda.
  void addProjection(std::span<const double> u, const Motion& own, Loads& projection);
  /// The multipliers that follow from the laws, until the next call.
  [[nodiscard]] std::span<const double> evaluateLaws(std::span<const double> u, const Motion& own);

 private:
  void readPartner(std::span<const double> u);
  void add(std::span<const double> multipliers, const Motion& own, Loads& loads) const;

  std::size_t body_;
  Side side_;
  JointEquations equations_;
  Laws laws_;
  bool projects_;
  Rotation partnerRotation_;
  std::vector<Input> inputs_;
  // What an evaluation works on, so that it allocates nothing.
  Motion partner_;
  std::vector<double> lambda_;
};

}  // namespace koppla::mechanics::detail
