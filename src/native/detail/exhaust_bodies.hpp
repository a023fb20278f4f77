#pragma once

#include <array>
#include <complex>

#include <Eigen/Core>

namespace koppla::native::detail {

/// A body of the exhaust tract. Points are given from its centre.
struct ExhaustBody {
  double mass;                            ///< kg
  Eigen::Vector3d inertia;                ///< kg.m2
  Eigen::Vector3d link;                   ///< m, where the other body is joined
  std::array<Eigen::Vector3d, 3> mounts;  ///< m; the first two are shaken
  Eigen::Vector3d rotorAxis;
  std::complex<double> phase;  ///< of the shaking
};

std::array<ExhaustBody, 2> exhaustBodies();

Eigen::Matrix3d crossProduct(const Eigen::Vector3d& r);

/// Degrees of freedom: displacement and rotation of the first body, then of the second.
struct ExhaustMatrices {
  static constexpr int kFreedoms = 12;
  static constexpr std::array<int, 6> kRotations{3, 4, 5, 9, 10, 11};

  Eigen::Vector<double, kFreedoms> mass = Eigen::Vector<double, kFreedoms>::Zero();
  Eigen::Matrix<double, kFreedoms, kFreedoms> stiffness = Eigen::Matrix<double, kFreedoms, kFreedoms>::Zero();
  /// N, for a shaking of 1 m.
  Eigen::Vector<std::complex<double>, kFreedoms> force = Eigen::Vector<std::complex<double>, kFreedoms>::Zero();
};

ExhaustMatrices exhaustMatrices();

}  // namespace koppla::native::detail
