#include "koppla/mechanics/detail/internal_joints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/mechanics/detail/multibody_settings.hpp"

namespace koppla::mechanics::detail {

using solver::Side;

namespace {

/// Largest defect of a joint at the start, m, m/s, or of a product of directions and its rate.
constexpr double kStartDefect = 1e-6;
/// Smallest eigenvalue of J M^-1 J^T, scaled to a unit diagonal, below which a joint says nothing new.
constexpr double kIndependent = 1e-10;

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) result = std::isnan(value) ? value : std::max(result, std::abs(value));
  return result;
}

/// Of a symmetric matrix with its rows scaled to a unit diagonal; zero where a diagonal entry is.
double smallestScaledEigenvalue(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  if (!(matrix.diagonal().minCoeff() > 0.0)) return 0.0;
  const Eigen::VectorXd scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
  return core::detail::symmetricEigenvalues(scale.asDiagonal() * matrix * scale.asDiagonal())[0];
}

Motion groundMotion(Rotation rotation) {
  Motion ground;
  ground.orient(rotation, parallelToInertial(rotation));
  return ground;
}

}  // namespace

InternalJoints::InternalJoints(const MultibodySettings& settings)
    : ground_(groundMotion(settings.rotation)),
      rate_(settings.constraints == InternalConstraints::baumgarte ? settings.rate : 0.0) {
  for (const InternalJoint& internal : settings.joints) {
    Joint joint = internal.joint;
    joint.firstRotation = joint.secondRotation = settings.rotation;
    joints_.push_back({internal.name, JointEquations(joint), indexNamed(settings.bodies, internal.first),
                       internal.second.empty() ? kGround : indexNamed(settings.bodies, internal.second), rows_});
    rows_ += joints_.back().equations.rows();
  }
  first_.resize(rows_);
  second_.resize(rows_);
  unit_.assign(rows_, 0.0);
  defect_.assign(rows_, 0.0);
  const auto n = static_cast<Eigen::Index>(rows_);
  lambda_.setZero(n);
  mobility_.setIdentity(n, n);
  factor_.compute(mobility_);  // takes its memory
}

/// Calls act(body, row, loads of a unit multiplier) for all bodies that a row loads.
template <typename Act>
void InternalJoints::forEachLoad(const Act& act) const {
  for (const Entry& joint : joints_)
    for (std::size_t row = joint.firstRow; row < joint.firstRow + joint.equations.rows(); ++row) {
      if (joint.first != kGround) act(joint.first, row, first_[row]);
      if (joint.second != kGround) act(joint.second, row, second_[row]);
    }
}

void InternalJoints::checkStart(const Bodies& bodies, std::span<const Motion> motions) {
  differentiate(motions);
  assemble(bodies);
  for (const Entry& joint : joints_) {
    const std::size_t rows = joint.equations.rows();
    for (const Level level : {Level::position, Level::velocity}) {
      const std::span<double> defect = std::span(defect_).first(rows);
      joint.equations.defect(level, motionOf(joint.first, motions), motionOf(joint.second, motions), defect);
      if (largest(defect) <= kStartDefect) continue;
      const bool isPosition = level == Level::position;
      throw core::InputError(
          fmt::format("The bodies do not fit the joint {} at the start: its {} defect is {}.", joint.name,
                      isPosition ? "position" : "velocity", core::text(largest(defect))),
          fmt::format("Start values must meet the joint to {}; correct {} of its bodies.", core::text(kStartDefect),
                      isPosition ? "positions, rotations or the places" : "velocities or angular velocities"));
    }
    const auto upToHere = static_cast<Eigen::Index>(joint.firstRow + rows);
    if (smallestScaledEigenvalue(mobility_.topLeftCorner(upToHere, upToHere)) < kIndependent)
      throw core::InputError(
          fmt::format("The joint {} is redundant: some of what it holds is held already.", joint.name),
          "Take a kind with fewer conditions, or leave the joint out.");
  }
}

void InternalJoints::react(const Bodies& bodies, std::span<Motion> motions) {
  if (rows_ == 0) return;
  differentiate(motions);
  assemble(bodies);
  lambda_.setZero();
  subtractDefects(Level::acceleration, 1.0, motions);
  if (rate_ > 0.0) {
    subtractDefects(Level::velocity, 2.0 * rate_, motions);
    subtractDefects(Level::position, rate_ * rate_, motions);
  }
  factor_.compute(mobility_);
  if (factor_.info() != Eigen::Success)
    throw core::SubsystemError(
        "In this position internal joints hold the same motion twice, so that their reactions are not determined.");
  factor_.solveInPlace(lambda_);
  accelerate(bodies, motions);
}

void InternalJoints::react(std::span<const double> lambda, const Bodies& bodies, std::span<Motion> motions) {
  differentiate(motions);
  std::ranges::copy(lambda, lambda_.data());
  accelerate(bodies, motions);
}

void InternalJoints::addProjection(std::span<const double> mu, const Bodies& bodies,
                                   std::span<Loads> projection) const {
  forEachLoad([&](std::size_t body, std::size_t row, const Loads& unit) {
    const Loads added = bodies.perMass(body, unit);
    projection[body].force += mu[row] * added.force;
    projection[body].moment += mu[row] * added.moment;
  });
}

void InternalJoints::defects(Level level, std::span<const Motion> motions, std::span<double> g) const {
  for (const Entry& joint : joints_)
    joint.equations.defect(level, motionOf(joint.first, motions), motionOf(joint.second, motions),
                           g.subspan(joint.firstRow, joint.equations.rows()));
}

void InternalJoints::accelerate(const Bodies& bodies, std::span<Motion> motions) const {
  forEachLoad([&](std::size_t body, std::size_t row, const Loads& unit) {
    const double lambda = lambda_[static_cast<Eigen::Index>(row)];
    const Loads added = bodies.perMass(body, {lambda * unit.force, lambda * unit.moment});
    motions[body].a += added.force;
    motions[body].dw += added.moment;
  });
}

void InternalJoints::subtractDefects(Level level, double weight, std::span<const Motion> motions) {
  defects(level, motions, defect_);
  for (std::size_t row = 0; row < rows_; ++row) lambda_[static_cast<Eigen::Index>(row)] -= weight * defect_[row];
}

/// The columns of J^T: what a unit multiplier of each row does.
void InternalJoints::differentiate(std::span<const Motion> motions) {
  for (const Entry& joint : joints_) {
    const std::size_t rows = joint.equations.rows();
    const std::span<double> unit = std::span(unit_).first(rows);
    const Motion& first = motionOf(joint.first, motions);
    const Motion& second = motionOf(joint.second, motions);
    for (std::size_t k = 0; k < rows; ++k) {
      unit[k] = 1.0;
      if (joint.first != kGround) first_[joint.firstRow + k] = joint.equations.loads(Side::first, unit, first, second);
      if (joint.second != kGround)
        second_[joint.firstRow + k] = joint.equations.loads(Side::second, unit, second, first);
      unit[k] = 0.0;
    }
  }
}

void InternalJoints::assemble(const Bodies& bodies) {
  mobility_.setZero();
  const auto couple = [&](const Entry& a, std::size_t bodyA, const std::vector<Loads>& loadsA, const Entry& b,
                          std::size_t bodyB, const std::vector<Loads>& loadsB) {
    if (bodyA == kGround || bodyA != bodyB) return;
    for (std::size_t i = a.firstRow; i < a.firstRow + a.equations.rows(); ++i)
      for (std::size_t j = b.firstRow; j < b.firstRow + b.equations.rows(); ++j)
        mobility_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +=
            bodies.mobility(bodyA, loadsA[i], loadsB[j]);
  };
  for (const Entry& a : joints_)
    for (const Entry& b : joints_) {
      couple(a, a.first, first_, b, b.first, first_);
      couple(a, a.first, first_, b, b.second, second_);
      couple(a, a.second, second_, b, b.first, first_);
      couple(a, a.second, second_, b, b.second, second_);
    }
}

}  // namespace koppla::mechanics::detail
