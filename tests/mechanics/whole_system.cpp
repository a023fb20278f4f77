#include "whole_system.hpp"

#include <array>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace koppla::mechanics::test {

using detail::JointEquations;
using detail::Level;
using detail::Loads;
using detail::Motion;
using detail::Side;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

Eigen::Index at(std::size_t body) {
  return 6 * static_cast<Eigen::Index>(body);
}

detail::Parameters ratesOf(const Motion& body) {
  return detail::rateMatrix(body.rotation, {body.parameters.data(), static_cast<std::size_t>(body.parameters.size())}) *
         body.w;
}

}  // namespace

WholeSystem::WholeSystem(std::vector<Body> bodies, std::vector<Hold> holds, std::vector<Hanger> hangers,
                         Vector3d gravity)
    : bodies_(std::move(bodies)), hangers_(std::move(hangers)), gravity_(std::move(gravity)) {
  for (Hold& hold : holds) {
    JointEquations equations(hold.joint);
    const auto count = static_cast<Eigen::Index>(equations.rows());
    const bool isRigid = hold.laws.empty();
    connections_.push_back({std::move(equations), hold.first, hold.second, std::move(hold.laws), rigidRows_});
    if (isRigid) rigidRows_ += count;
  }
  for (const Body& body : bodies_) motions_.push_back(body.start);
  planarGround_.orient(Rotation::planar, std::array{0.0});
  accelerate(motions_);
}

const Motion& WholeSystem::second(const Connection& connection, const Motions& motions) const {
  if (connection.second) return motions[*connection.second];
  return motions[connection.first].rotation == Rotation::planar ? planarGround_ : spatialGround_;
}

void WholeSystem::addLoads(const Connection& connection, std::span<const double> lambda, const Motions& motions,
                           Eigen::Ref<VectorXd> loads) const {
  const Motion& i = motions[connection.first];
  const Motion& j = second(connection, motions);
  const auto add = [&loads](std::size_t body, const Loads& of) {
    loads.segment<3>(at(body)) += of.force;
    loads.segment<3>(at(body) + 3) += of.moment;
  };
  add(connection.first, connection.equations.loads(Side::first, lambda, i, j));
  if (connection.second) add(*connection.second, connection.equations.loads(Side::second, lambda, j, i));
}

VectorXd WholeSystem::appliedLoads(const Motions& motions) const {
  VectorXd loads = VectorXd::Zero(at(bodies_.size()));
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Vector3d momentum = bodies_[k].inertia.cwiseProduct(motions[k].w);
    loads.segment<3>(at(k)) += bodies_[k].mass * gravity_;
    loads.segment<3>(at(k) + 3) -= motions[k].w.cross(momentum);
  }
  for (const Hanger& hanger : hangers_) {
    const Motion& body = motions[hanger.body];
    const Vector3d force = hanger.stiffness * (hanger.ground - detail::pointPosition(body, hanger.at));
    loads.segment<3>(at(hanger.body)) += force;
    loads.segment<3>(at(hanger.body) + 3) += hanger.at.cross(body.T.transpose() * force);
  }
  for (const Connection& connection : connections_) {
    if (connection.laws.empty()) continue;
    std::vector<double> lambda(connection.equations.rows());
    connection.equations.evaluate(connection.laws, motions[connection.first], second(connection, motions), lambda);
    addLoads(connection, lambda, motions, loads);
  }
  return loads;
}

VectorXd WholeSystem::accelerate(Motions& motions) const {
  const VectorXd applied = appliedLoads(motions);
  VectorXd perMass(at(bodies_.size()));
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    perMass.segment<3>(at(k)).setConstant(1.0 / bodies_[k].mass);
    perMass.segment<3>(at(k) + 3) = bodies_[k].inertia.cwiseInverse();
    motions[k].a.setZero();
    motions[k].dw.setZero();
  }
  // Columns: loads of unit multipliers, which are the gradients of the rows.
  MatrixXd gradients = MatrixXd::Zero(at(bodies_.size()), rigidRows_);
  VectorXd demanded = VectorXd::Zero(rigidRows_);  // g'' without accelerations
  for (const Connection& connection : connections_) {
    if (!connection.laws.empty()) continue;
    const std::size_t count = connection.equations.rows();
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> unit(count, 0.0);
      unit[k] = 1.0;
      addLoads(connection, unit, motions, gradients.col(connection.row + static_cast<Eigen::Index>(k)));
    }
    connection.equations.defect(Level::acceleration, motions[connection.first], second(connection, motions),
                                {demanded.data() + connection.row, count});
  }
  VectorXd lambda = (gradients.transpose() * perMass.asDiagonal() * gradients)
                        .fullPivLu()
                        .solve(-demanded - gradients.transpose() * perMass.cwiseProduct(applied));
  const VectorXd acceleration = perMass.cwiseProduct(applied + gradients * lambda);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    motions[k].a = acceleration.segment<3>(at(k));
    motions[k].dw = acceleration.segment<3>(at(k) + 3);
  }
  return lambda;
}

WholeSystem::Motions WholeSystem::moved(const Motions& start, const Motions& rates, double h) {
  Motions end = start;
  for (std::size_t k = 0; k < start.size(); ++k) {
    const detail::Parameters parameters = start[k].parameters + h * ratesOf(rates[k]);
    end[k].orient(start[k].rotation, {parameters.data(), static_cast<std::size_t>(parameters.size())});
    end[k].r += h * rates[k].v;
    end[k].v += h * rates[k].a;
    end[k].w += h * rates[k].dw;
  }
  return end;
}

void WholeSystem::advance(double duration, int steps) {
  const double h = duration / steps;
  for (int step = 0; step < steps; ++step) {
    const Motions start = motions_;
    Motions halfway = moved(start, start, 0.5 * h);
    accelerate(halfway);
    Motions again = moved(start, halfway, 0.5 * h);
    accelerate(again);
    Motions late = moved(start, again, h);
    accelerate(late);
    motions_ = moved(start, start, h / 6.0);
    motions_ = moved(motions_, halfway, h / 3.0);
    motions_ = moved(motions_, again, h / 3.0);
    motions_ = moved(motions_, late, h / 6.0);
    accelerate(motions_);
  }
}

std::vector<double> WholeSystem::multipliers(std::size_t hold) const {
  Motions present = motions_;
  const VectorXd lambda = accelerate(present);
  const Connection& connection = connections_[hold];
  std::vector<double> result(connection.equations.rows());
  if (connection.laws.empty())
    VectorXd::Map(result.data(), static_cast<Eigen::Index>(result.size())) =
        lambda.segment(connection.row, static_cast<Eigen::Index>(result.size()));
  else
    connection.equations.evaluate(connection.laws, motions_[connection.first], second(connection, motions_), result);
  return result;
}

double WholeSystem::energy() const {
  double sum = 0.0;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Motion& body = motions_[k];
    sum += 0.5 * bodies_[k].mass * body.v.squaredNorm() + 0.5 * body.w.dot(bodies_[k].inertia.cwiseProduct(body.w)) -
           bodies_[k].mass * gravity_.dot(body.r);
  }
  for (const Hanger& hanger : hangers_)
    sum += 0.5 * hanger.stiffness *
           (detail::pointPosition(motions_[hanger.body], hanger.at) - hanger.ground).squaredNorm();
  return sum;
}

}  // namespace koppla::mechanics::test
