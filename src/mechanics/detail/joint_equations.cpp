#include "koppla/mechanics/detail/joint_equations.hpp"

#include <Eigen/Geometry>

namespace koppla::mechanics::detail {

namespace {

using Eigen::Vector3d;

std::span<const double> values(const Parameters& p) {
  return {p.data(), static_cast<std::size_t>(p.size())};
}

/// Rates of the parameters and, at the level of accelerations, their second derivatives.
Parameters parametersAt(Level level, const Motion& body) {
  if (level == Level::position) return body.parameters;
  const RateMatrix rate = rateMatrix(body.rotation, values(body.parameters));
  Parameters rates = rate * body.w;
  if (level == Level::velocity) return rates;
  return rate * body.dw + rateMatrixDerivative(body.rotation, values(body.parameters), values(rates)) * body.w;
}

}  // namespace

std::size_t JointEquations::rowsOf(Base base) const {
  switch (base) {
    case Base::atpoint:
      return points_;
    case Base::parameters:
      return parameters_;
    case Base::inplane:
    case Base::perpendicular:
      break;
  }
  return 1;
}

void JointEquations::defect(Level level, const Motion& first, const Motion& second, std::span<double> g) const {
  std::size_t row = 0;
  for (const Element& element : elements_) {
    const std::size_t count = rowsOf(element.base);
    elementDefect(element, level, first, second, g.subspan(row, count));
    row += count;
  }
}

void JointEquations::elementDefect(const Element& element, Level level, const Motion& first, const Motion& second,
                                   std::span<double> g) const {
  switch (element.base) {
    case Base::atpoint: {
      const Vector3d d = distance(level, first, second);
      for (std::size_t k = 0; k < g.size(); ++k) g[k] = d[static_cast<Eigen::Index>(k)];
      return;
    }
    case Base::inplane:
      g[0] = inplaneDefect(element, level, first, second);
      return;
    case Base::perpendicular:
      g[0] = perpendicularDefect(element, level, first, second);
      return;
    case Base::parameters: {
      const Parameters difference = parametersAt(level, second) - parametersAt(level, first);
      for (std::size_t k = 0; k < g.size(); ++k) g[k] = difference[static_cast<Eigen::Index>(k)];
      if (level == Level::position) g[0] -= angle_;
      return;
    }
  }
}

Vector3d JointEquations::distance(Level level, const Motion& first, const Motion& second) const {
  switch (level) {
    case Level::position:
      return pointPosition(first, firstPoint_) - pointPosition(second, secondPoint_);
    case Level::velocity:
      return pointVelocity(first, firstPoint_) - pointVelocity(second, secondPoint_);
    case Level::acceleration:
      break;
  }
  return pointAcceleration(first, firstPoint_) - pointAcceleration(second, secondPoint_);
}

double JointEquations::inplaneDefect(const Element& element, Level level, const Motion& first,
                                     const Motion& second) const {
  const Vector3d d = distance(Level::position, first, second);
  const Vector3d e = direction(second, element.second);
  if (level == Level::position) return d.dot(e);
  const Vector3d dRate = distance(Level::velocity, first, second);
  const Vector3d eRate = directionRate(second, element.second);
  if (level == Level::velocity) return dRate.dot(e) + d.dot(eRate);
  return distance(Level::acceleration, first, second).dot(e) + 2.0 * dRate.dot(eRate) +
         d.dot(directionAcceleration(second, element.second));
}

double JointEquations::perpendicularDefect(const Element& element, Level level, const Motion& first,
                                           const Motion& second) {
  const Vector3d ei = direction(first, element.first);
  const Vector3d ej = direction(second, element.second);
  if (level == Level::position) return ei.dot(ej);
  const Vector3d eiRate = directionRate(first, element.first);
  const Vector3d ejRate = directionRate(second, element.second);
  if (level == Level::velocity) return eiRate.dot(ej) + ei.dot(ejRate);
  return directionAcceleration(first, element.first).dot(ej) + 2.0 * eiRate.dot(ejRate) +
         ei.dot(directionAcceleration(second, element.second));
}

Loads JointEquations::loads(Side side, std::span<const double> lambda, const Motion& own, const Motion& other) const {
  Loads sum;
  std::size_t row = 0;
  for (const Element& element : elements_) {
    const std::size_t count = rowsOf(element.base);
    addLoads(element, side, lambda.subspan(row, count), own, other, sum);
    row += count;
  }
  return sum;
}

void JointEquations::addLoads(const Element& element, Side side, std::span<const double> lambda, const Motion& own,
                              const Motion& other, Loads& sum) const {
  const bool isFirst = side == Side::first;
  switch (element.base) {
    case Base::atpoint: {
      Vector3d force = Vector3d::Zero();
      for (std::size_t k = 0; k < lambda.size(); ++k)
        force[static_cast<Eigen::Index>(k)] = isFirst ? lambda[k] : -lambda[k];
      sum.force += force;
      sum.moment += (isFirst ? firstPoint_ : secondPoint_).cross(own.T.transpose() * force);
      return;
    }
    case Base::inplane:
      if (isFirst) {
        const Vector3d force = direction(other, element.second) * lambda[0];
        sum.force += force;
        sum.moment += firstPoint_.cross(own.T.transpose() * force);
      } else {
        sum.force -= direction(own, element.second) * lambda[0];
        sum.moment += element.second.cross(own.T.transpose() * (pointPosition(other, firstPoint_) - own.r)) * lambda[0];
      }
      return;
    case Base::perpendicular: {
      const Vector3d& ownAxis = isFirst ? element.first : element.second;
      const Vector3d otherAxis = direction(other, isFirst ? element.second : element.first);
      const Vector3d across = ownAxis.cross(own.T.transpose() * otherAxis);
      // Parallel axes: a scaled moment has no direction, and by symmetry none.
      const double length = scaled_ ? across.norm() : 1.0;
      if (length != 0.0) sum.moment += across * (lambda[0] / length);
      return;
    }
    case Base::parameters: {
      const Eigen::Map<const Parameters> multipliers(lambda.data(), static_cast<Eigen::Index>(lambda.size()));
      const Vector3d moment = rateMatrix(own.rotation, values(own.parameters)).transpose() * multipliers;
      sum.moment += isFirst ? Vector3d(-moment) : moment;
      return;
    }
  }
}

void JointEquations::evaluate(const Laws& laws, const Motion& first, const Motion& second,
                              std::span<double> lambda) const {
  // A joint has at most six rows, so the rates fit on the stack.
  std::array<double, kMaxRows> rates{};
  defect(Level::velocity, first, second, std::span(rates).first(rows_));
  defect(Level::position, first, second, lambda);
  for (std::size_t k = 0; k < rows_; ++k) lambda[k] = laws[k]->force(-lambda[k], -rates.at(k));
}

JointEquations::Reads JointEquations::reads(Side side, bool evaluatesLaw) const {
  Reads all;
  for (const Element& element : elements_) {
    const bool needsPoint = element.base == Base::atpoint || element.base == Base::inplane;
    const bool directs = element.base == Base::inplane || element.base == Base::perpendicular;
    all.position |= needsPoint && (evaluatesLaw || (element.base == Base::inplane && side == Side::second));
    all.rotation |= directs || evaluatesLaw;
    all.velocity |= needsPoint && evaluatesLaw;
    all.angularVelocity |= evaluatesLaw;
  }
  return all;
}

std::size_t scalars(const JointEquations::Reads& reads, Rotation rotation) {
  const bool isPlanar = rotation == Rotation::planar;
  const std::size_t coordinates = isPlanar ? 2 : 3;
  const std::size_t angular = isPlanar ? 1 : 3;
  return (reads.position ? coordinates : 0) + (reads.rotation ? parameterCount(rotation) : 0) +
         (reads.velocity ? coordinates : 0) + (reads.angularVelocity ? angular : 0);
}

}  // namespace koppla::mechanics::detail
