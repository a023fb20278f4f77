#include "koppla/mechanics/detail/coupled_joint.hpp"

#include <limits>

namespace koppla::mechanics::detail {

using Quantity = CoupledJoint::Input::Quantity;

namespace {

/// What is not read must not be needed: it is no number.
Motion unknownMotion(Rotation rotation) {
  Motion motion;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  motion.rotation = rotation;
  motion.parameters.setConstant(static_cast<Eigen::Index>(parameterCount(rotation)), unknown);
  motion.T.setConstant(unknown);
  for (Eigen::Vector3d* const vector : {&motion.r, &motion.v, &motion.a, &motion.w, &motion.dw})
    vector->setConstant(unknown);
  return motion;
}

}  // namespace

CoupledJoint::CoupledJoint(const Coupling& coupling, std::size_t body, std::size_t firstInput)
    : body_(body),
      side_(coupling.side),
      equations_(coupling.joint),
      laws_(coupling.laws),
      projects_(coupling.projection),
      partnerRotation_(side_ == Side::first ? coupling.joint.secondRotation : coupling.joint.firstRotation),
      partner_(unknownMotion(partnerRotation_)),
      lambda_(equations_.rows()) {
  const JointEquations::Reads reads = equations_.reads(side_, hasLaw());
  const auto need = [&](bool needed, Quantity quantity, std::size_t size) {
    if (!needed) return;
    inputs_.push_back({quantity, firstInput, size});
    firstInput += size;
  };
  need(!hasLaw(), Quantity::lambda, rows());
  need(projects_, Quantity::mu, rows());
  need(reads.position, Quantity::position, translations(partnerRotation_));
  need(reads.rotation, Quantity::rotation, parameterCount(partnerRotation_));
  need(reads.velocity, Quantity::velocity, translations(partnerRotation_));
  need(reads.angularVelocity, Quantity::angularVelocity, spins(partnerRotation_));
}

void CoupledJoint::addLoads(std::span<const double> u, const Motion& own, Loads& loads) {
  if (hasLaw()) return add(evaluateLaws(u, own), own, loads);
  readPartner(u);
  add(u.subspan(inputs_[0].first, rows()), own, loads);
}

void CoupledJoint::addProjection(std::span<const double> u, const Motion& own, Loads& projection) {
  readPartner(u);
  add(u.subspan(inputs_[1].first, rows()), own, projection);
}

std::span<const double> CoupledJoint::evaluateLaws(std::span<const double> u, const Motion& own) {
  readPartner(u);
  if (side_ == Side::first)
    equations_.evaluate(laws_, own, partner_, lambda_);
  else
    equations_.evaluate(laws_, partner_, own, lambda_);
  return lambda_;
}

void CoupledJoint::readPartner(std::span<const double> u) {
  for (const Input& input : inputs_) {
    const double* const values = &u[input.first];
    switch (input.quantity) {
      case Quantity::lambda:
      case Quantity::mu:
        break;
      case Quantity::position:
        partner_.r = translation(partnerRotation_, values);
        break;
      case Quantity::rotation:
        partner_.orient(partnerRotation_, u.subspan(input.first, input.size));
        break;
      case Quantity::velocity:
        partner_.v = translation(partnerRotation_, values);
        break;
      case Quantity::angularVelocity:
        partner_.w = spin(partnerRotation_, values);
        break;
    }
  }
}

void CoupledJoint::add(std::span<const double> multipliers, const Motion& own, Loads& loads) const {
  const Loads added = equations_.loads(side_, multipliers, own, partner_);
  loads.force += added.force;
  loads.moment += added.moment;
}

}  // namespace koppla::mechanics::detail
