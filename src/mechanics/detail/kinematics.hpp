#pragma once

#include <span>

#include <Eigen/Core>

#include "koppla/mechanics/rotation.hpp"

namespace koppla::mechanics::detail {

/// Rotation parameters, at most four; never on the heap.
using Parameters = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 4, 1>;
using RateMatrix = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, 4, 3>;

/// T: coordinates in the body's frame -> coordinates in K_0.
Eigen::Matrix3d orientation(Rotation rotation, std::span<const double> parameters);

/// The matrix that gives the rates of the parameters from the angular velocity (rad/s, in the body's frame): gamma' = B
/// omega for angles (Lu (51), order of the Euler angles corrected), q' = 1/4 P^T omega for Euler parameters, phi' =
/// omega_z in the plane.
RateMatrix rateMatrix(Rotation rotation, std::span<const double> parameters);

/// d/dt of the rate matrix while the parameters change at these rates.
RateMatrix rateMatrixDerivative(Rotation rotation, std::span<const double> parameters, std::span<const double> rates);

/// How a body moves at one instant. In the plane the z components of r, v, a and the x and y components of w, dw are 0.
struct Motion {
  Rotation rotation = Rotation::cardan;
  Parameters parameters = Parameters::Zero(3);
  Eigen::Matrix3d T = Eigen::Matrix3d::Identity();  ///< belongs to the parameters: use orient()
  Eigen::Vector3d r = Eigen::Vector3d::Zero();      ///< centre of mass in K_0, m
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      ///< its velocity in K_0, m/s
  Eigen::Vector3d a = Eigen::Vector3d::Zero();      ///< its acceleration in K_0, m/s^2
  Eigen::Vector3d w = Eigen::Vector3d::Zero();      ///< angular velocity in the body's frame, rad/s
  Eigen::Vector3d dw = Eigen::Vector3d::Zero();     ///< angular acceleration in the body's frame, rad/s^2

  /// Sets rotation, parameters and T.
  void orient(Rotation kind, std::span<const double> values);
};

/// A point of the body, given in its frame from the centre of mass: its position, velocity, acceleration in K_0.
Eigen::Vector3d pointPosition(const Motion& body, const Eigen::Vector3d& at);
Eigen::Vector3d pointVelocity(const Motion& body, const Eigen::Vector3d& at);
Eigen::Vector3d pointAcceleration(const Motion& body, const Eigen::Vector3d& at);
/// T e and its time derivatives: T (w x e), T (dw x e + w x (w x e)).
Eigen::Vector3d direction(const Motion& body, const Eigen::Vector3d& e);
Eigen::Vector3d directionRate(const Motion& body, const Eigen::Vector3d& e);
Eigen::Vector3d directionAcceleration(const Motion& body, const Eigen::Vector3d& e);

}  // namespace koppla::mechanics::detail
