#include "koppla/mechanics/detail/kinematics.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace koppla::mechanics::detail {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d turnAbout(const Vector3d& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

/// 1/4 P(q)^T, linear in q; Lu, App. C, signs per the note's E14.
RateMatrix quarterP(std::span<const double> q) {
  RateMatrix transposed(4, 3);
  transposed << -q[1], -q[2], -q[3],  //
      q[0], -q[3], q[2],              //
      q[3], q[0], -q[1],              //
      -q[2], q[1], q[0];
  return 0.5 * transposed;
}

RateMatrix cardanRates(std::span<const double> angles) {
  const double cosBeta = std::cos(angles[1]);
  const double tanBeta = std::tan(angles[1]);
  const double cosGamma = std::cos(angles[2]);
  const double sinGamma = std::sin(angles[2]);
  RateMatrix b(3, 3);
  b << cosGamma / cosBeta, -sinGamma / cosBeta, 0.0,  //
      sinGamma, cosGamma, 0.0,                        //
      -tanBeta * cosGamma, tanBeta * sinGamma, 1.0;
  return b;
}

RateMatrix eulerRates(std::span<const double> angles) {
  const double sinTheta = std::sin(angles[1]);
  const double cotTheta = std::cos(angles[1]) / sinTheta;
  const double cosPhi = std::cos(angles[2]);
  const double sinPhi = std::sin(angles[2]);
  RateMatrix b(3, 3);
  b << sinPhi / sinTheta, cosPhi / sinTheta, 0.0,  //
      cosPhi, -sinPhi, 0.0,                        //
      -cotTheta * sinPhi, -cotTheta * cosPhi, 1.0;
  return b;
}

RateMatrix cardanRatesDerivative(std::span<const double> angles, std::span<const double> rates) {
  const double cosBeta = std::cos(angles[1]);
  const double tanBeta = std::tan(angles[1]);
  const double cosGamma = std::cos(angles[2]);
  const double sinGamma = std::sin(angles[2]);
  RateMatrix byBeta(3, 3);
  byBeta << cosGamma * tanBeta, -sinGamma * tanBeta, 0.0,  //
      0.0, 0.0, 0.0,                                       //
      -cosGamma / cosBeta, sinGamma / cosBeta, 0.0;
  RateMatrix byGamma(3, 3);
  byGamma << -sinGamma / cosBeta, -cosGamma / cosBeta, 0.0,  //
      cosGamma, -sinGamma, 0.0,                              //
      tanBeta * sinGamma, tanBeta * cosGamma, 0.0;
  return byBeta * (rates[1] / cosBeta) + byGamma * rates[2];
}

RateMatrix eulerRatesDerivative(std::span<const double> angles, std::span<const double> rates) {
  const double sinTheta = std::sin(angles[1]);
  const double cotTheta = std::cos(angles[1]) / sinTheta;
  const double cosPhi = std::cos(angles[2]);
  const double sinPhi = std::sin(angles[2]);
  RateMatrix byTheta(3, 3);
  byTheta << -sinPhi * cotTheta, -cosPhi * cotTheta, 0.0,  //
      0.0, 0.0, 0.0,                                       //
      sinPhi / sinTheta, cosPhi / sinTheta, 0.0;
  RateMatrix byPhi(3, 3);
  byPhi << cosPhi / sinTheta, -sinPhi / sinTheta, 0.0,  //
      -sinPhi, -cosPhi, 0.0,                            //
      -cotTheta * cosPhi, cotTheta * sinPhi, 0.0;
  return byTheta * (rates[1] / sinTheta) + byPhi * rates[2];
}

}  // namespace

Matrix3d orientation(Rotation rotation, std::span<const double> p) {
  switch (rotation) {
    case Rotation::planar:
      return turnAbout(Vector3d::UnitZ(), p[0]);
    case Rotation::cardan:
      return turnAbout(Vector3d::UnitX(), p[0]) * turnAbout(Vector3d::UnitY(), p[1]) *
             turnAbout(Vector3d::UnitZ(), p[2]);
    case Rotation::euler:
      return turnAbout(Vector3d::UnitZ(), p[0]) * turnAbout(Vector3d::UnitX(), p[1]) *
             turnAbout(Vector3d::UnitZ(), p[2]);
    case Rotation::eulerParameters:
      break;
  }
  const double q0 = p[0];
  const double q1 = p[1];
  const double q2 = p[2];
  const double q3 = p[3];
  Matrix3d t;
  t << 2 * (q0 * q0 + q1 * q1) - 1, 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2),  //
      2 * (q1 * q2 + q0 * q3), 2 * (q0 * q0 + q2 * q2) - 1, 2 * (q2 * q3 - q0 * q1),   //
      2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 2 * (q0 * q0 + q3 * q3) - 1;
  return t;
}

RateMatrix rateMatrix(Rotation rotation, std::span<const double> parameters) {
  switch (rotation) {
    case Rotation::planar:
      return Eigen::RowVector3d::UnitZ();
    case Rotation::cardan:
      return cardanRates(parameters);
    case Rotation::euler:
      return eulerRates(parameters);
    case Rotation::eulerParameters:
      break;
  }
  return quarterP(parameters);
}

RateMatrix rateMatrixDerivative(Rotation rotation, std::span<const double> parameters, std::span<const double> rates) {
  switch (rotation) {
    case Rotation::planar:
      return Eigen::RowVector3d::Zero();
    case Rotation::cardan:
      return cardanRatesDerivative(parameters, rates);
    case Rotation::euler:
      return eulerRatesDerivative(parameters, rates);
    case Rotation::eulerParameters:
      break;
  }
  return quarterP(rates);
}

void Motion::orient(Rotation kind, std::span<const double> values) {
  rotation = kind;
  parameters = Eigen::Map<const Parameters>(values.data(), static_cast<Eigen::Index>(values.size()));
  T = orientation(kind, values);
}

Vector3d pointPosition(const Motion& body, const Vector3d& at) {
  return body.r + direction(body, at);
}
Vector3d pointVelocity(const Motion& body, const Vector3d& at) {
  return body.v + directionRate(body, at);
}
Vector3d pointAcceleration(const Motion& body, const Vector3d& at) {
  return body.a + directionAcceleration(body, at);
}

Vector3d direction(const Motion& body, const Vector3d& e) {
  return body.T * e;
}
Vector3d directionRate(const Motion& body, const Vector3d& e) {
  return body.T * body.w.cross(e);
}
Vector3d directionAcceleration(const Motion& body, const Vector3d& e) {
  return body.T * (body.dw.cross(e) + body.w.cross(body.w.cross(e)));
}

}  // namespace koppla::mechanics::detail
