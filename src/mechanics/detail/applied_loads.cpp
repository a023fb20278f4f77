#include "koppla/mechanics/detail/applied_loads.hpp"

#include "koppla/mechanics/detail/multibody_settings.hpp"

namespace koppla::mechanics::detail {

using Eigen::Vector3d;

namespace {

double angle(std::size_t body, std::span<const Motion> motions) {
  return body == kGround ? 0.0 : motions[body].parameters[0];
}

double rate(std::size_t body, std::span<const Motion> motions) {
  return body == kGround ? 0.0 : motions[body].w.z();
}

}  // namespace

AppliedLoads::AppliedLoads(const MultibodySettings& settings) {
  for (const PointSpring& spring : settings.springs)
    springs_.push_back(
        {pointOf(settings, spring.first),
         spring.second.empty() ? Point{kGround, vector(spring.ground)} : pointOf(settings, spring.second),
         vector(spring.stiffness), vector(spring.damping)});
  for (const TorsionSpring& spring : settings.torsionSprings)
    torsions_.push_back({indexNamed(settings.bodies, spring.first),
                         spring.second.empty() ? kGround : indexNamed(settings.bodies, spring.second), spring.stiffness,
                         spring.damping, spring.relaxed});
  for (const AppliedForce& force : settings.forces)
    forces_.push_back({pointOf(settings, force.marker), vector(force.force), vector(force.forceRate),
                       vector(force.moment), vector(force.momentRate)});
}

AppliedLoads::Point AppliedLoads::pointOf(const MultibodySettings& settings, const std::string& marker) {
  const MarkerSettings& found = settings.markers[indexNamed(settings.markers, marker)];
  return {indexNamed(settings.bodies, found.body), vector(found.place.at)};
}

Vector3d AppliedLoads::position(const Point& point, std::span<const Motion> motions) {
  return point.body == kGround ? point.at : pointPosition(motions[point.body], point.at);
}

Vector3d AppliedLoads::velocity(const Point& point, std::span<const Motion> motions) {
  return point.body == kGround ? Vector3d(Vector3d::Zero()) : pointVelocity(motions[point.body], point.at);
}

double AppliedLoads::twist(const Torsion& spring, std::span<const Motion> motions) {
  return angle(spring.first, motions) - angle(spring.second, motions) - spring.relaxed;
}

void AppliedLoads::add(double t, std::span<const Motion> motions, std::span<Loads> loads) const {
  for (const Spring& spring : springs_) {
    const Vector3d force =
        -spring.stiffness.cwiseProduct(position(spring.first, motions) - position(spring.second, motions)) -
        spring.damping.cwiseProduct(velocity(spring.first, motions) - velocity(spring.second, motions));
    addForce(motions[spring.first.body], spring.first.at, force, loads[spring.first.body]);
    if (spring.second.body != kGround)
      addForce(motions[spring.second.body], spring.second.at, -force, loads[spring.second.body]);
  }
  for (const Torsion& spring : torsions_) {
    const double moment = -spring.stiffness * twist(spring, motions) -
                          spring.damping * (rate(spring.first, motions) - rate(spring.second, motions));
    loads[spring.first].moment.z() += moment;
    if (spring.second != kGround) loads[spring.second].moment.z() -= moment;
  }
  for (const Force& force : forces_) {
    const std::size_t body = force.point.body;
    addForce(motions[body], force.point.at, force.force + t * force.forceRate, loads[body]);
    loads[body].moment += force.moment + t * force.momentRate;
  }
}

double AppliedLoads::energy(std::span<const Motion> motions) const {
  double sum = 0.0;
  for (const Spring& spring : springs_) {
    const Vector3d length = position(spring.first, motions) - position(spring.second, motions);
    sum += length.dot(spring.stiffness.cwiseProduct(length)) / 2.0;
  }
  for (const Torsion& spring : torsions_) {
    const double angle = twist(spring, motions);
    sum += spring.stiffness * angle * angle / 2.0;
  }
  return sum;
}

}  // namespace koppla::mechanics::detail
