#include "koppla/native/detail/exhaust_bodies.hpp"

#include <cmath>

namespace koppla::native::detail {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Matrix36d = Eigen::Matrix<double, 3, 6>;

constexpr double kMountStiffness = 5e5;   // N/m
constexpr double kLinkStiffness = 4e5;    // N/m
constexpr double kLinkTorsion = 2e3;      // N.m/rad
constexpr double kSecondBodyPhase = 0.6;  // rad

/// Displacement of a point from displacement and rotation of its body: u + theta x r.
Matrix36d pointOf(const Vector3d& r) {
  Matrix36d B;
  B << Matrix3d::Identity(), -crossProduct(r);
  return B;
}

}  // namespace

std::array<ExhaustBody, 2> exhaustBodies() {
  return {ExhaustBody{8.0,
                      {0.08, 0.06, 0.10},
                      {0.0, -0.25, 0.0},
                      {Vector3d(0.12, 0.05, -0.08), Vector3d(-0.12, 0.05, -0.08), Vector3d(0.0, -0.06, 0.10)},
                      {1.0, 0.0, 0.0},
                      1.0},
          ExhaustBody{7.0,
                      {0.075, 0.055, 0.09},
                      {0.0, 0.25, 0.0},
                      {Vector3d(0.11, -0.05, -0.08), Vector3d(-0.13, -0.05, -0.08), Vector3d(0.0, 0.06, 0.11)},
                      {std::cos(0.5), std::sin(0.5), 0.0},
                      std::polar(1.0, kSecondBodyPhase)}};
}

Matrix3d crossProduct(const Vector3d& r) {
  Matrix3d matrix;
  matrix << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return matrix;
}

ExhaustMatrices exhaustMatrices() {
  ExhaustMatrices s;
  const std::array<ExhaustBody, 2> both = exhaustBodies();
  const Vector3d shaking(1.0, 0.4, 0.8);
  Eigen::Matrix<double, 3, 12> link;
  Eigen::Matrix<double, 3, 12> twist = Eigen::Matrix<double, 3, 12>::Zero();
  for (Eigen::Index b = 0; b < 2; ++b) {
    const ExhaustBody& body = both[static_cast<std::size_t>(b)];
    const double sign = b == 0 ? 1.0 : -1.0;
    s.mass.segment<3>(6 * b).setConstant(body.mass);
    s.mass.segment<3>(6 * b + 3) = body.inertia;
    for (std::size_t m = 0; m < body.mounts.size(); ++m) {
      const Matrix36d B = pointOf(body.mounts[m]);
      s.stiffness.block<6, 6>(6 * b, 6 * b) += kMountStiffness * B.transpose() * B;
      if (m < 2) s.force.segment<6>(6 * b) += body.phase * (kMountStiffness * B.transpose() * shaking);
    }
    link.middleCols<6>(6 * b) = sign * pointOf(body.link);
    twist.middleCols<3>(6 * b + 3) = sign * Matrix3d::Identity();
  }
  s.stiffness += kLinkStiffness * link.transpose() * link + kLinkTorsion * twist.transpose() * twist;
  return s;
}

}  // namespace koppla::native::detail
