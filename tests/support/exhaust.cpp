#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "koppla/core/eigenvalues.hpp"

namespace koppla::test {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using Matrix36d = Eigen::Matrix<double, 3, 6>;
using Matrix6cd = Eigen::Matrix<std::complex<double>, 6, 6>;
using std::numbers::pi;

constexpr std::complex<double> kI{0.0, 1.0};
constexpr double kLossFactor = 0.02;
constexpr double kMountStiffness = 5e5;          // N/m
constexpr double kLinkStiffness = 4e5;           // N/m
constexpr double kLinkTorsion = 2e3;             // N.m/rad
constexpr double kSecondBodyPhase = 0.6;         // rad
constexpr double kRotorInertia = 2e-4;           // kg.m2
constexpr double kRotorSpeed = 2e5 * pi / 30.0;  // rad/s
constexpr double kBearingDamping = 0.3;          // N.m.s/rad

struct Body {
  double mass;                     // kg
  Vector3d inertia;                // kg.m2
  Vector3d link;                   // m, from the centre, as the mounts
  std::array<Vector3d, 3> mounts;  // the first two are excited
  Vector3d rotorAxis;
  std::complex<double> phase;
};

std::array<Body, 2> bodies() {
  return {Body{8.0,
               {0.08, 0.06, 0.10},
               {0.0, -0.25, 0.0},
               {Vector3d(0.12, 0.05, -0.08), Vector3d(-0.12, 0.05, -0.08), Vector3d(0.0, -0.06, 0.10)},
               {1.0, 0.0, 0.0},
               1.0},
          Body{7.0,
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

/// Displacement of a point from displacement and rotation of its body: u + theta x r.
Matrix36d pointOf(const Vector3d& r) {
  Matrix36d B;
  B << Matrix3d::Identity(), -crossProduct(r);
  return B;
}

/// Degrees of freedom: displacement and rotation of the first body, then of the second.
struct Structure {
  VectorXd mass = VectorXd::Zero(12);
  MatrixXd stiffness = MatrixXd::Zero(12, 12);
  VectorXcd force = VectorXcd::Zero(12);
};

Structure assemble() {
  Structure s;
  const std::array<Body, 2> both = bodies();
  const Vector3d base = 5e-5 * Vector3d(1.0, 0.4, 0.8);  // m
  Eigen::Matrix<double, 3, 12> link;
  Eigen::Matrix<double, 3, 12> twist = Eigen::Matrix<double, 3, 12>::Zero();
  for (Eigen::Index b = 0; b < 2; ++b) {
    const Body& body = both[static_cast<std::size_t>(b)];
    const double sign = b == 0 ? 1.0 : -1.0;
    s.mass.segment<3>(6 * b).setConstant(body.mass);
    s.mass.segment<3>(6 * b + 3) = body.inertia;
    for (std::size_t m = 0; m < body.mounts.size(); ++m) {
      const Matrix36d B = pointOf(body.mounts[m]);
      s.stiffness.block<6, 6>(6 * b, 6 * b) += kMountStiffness * B.transpose() * B;
      if (m < 2) s.force.segment<6>(6 * b) += body.phase * (kMountStiffness * B.transpose() * base);
    }
    link.middleCols<6>(6 * b) = sign * pointOf(body.link);
    twist.middleCols<3>(6 * b + 3) = sign * Matrix3d::Identity();
  }
  s.stiffness += kLinkStiffness * link.transpose() * link + kLinkTorsion * twist.transpose() * twist;
  return s;
}

Matrix6cd gyroscopicMoments(double omega) {
  Matrix6cd G = Matrix6cd::Zero();
  const std::array<Body, 2> both = bodies();
  for (Eigen::Index b = 0; b < 2; ++b) {
    const Vector3d& a = both[static_cast<std::size_t>(b)].rotorAxis;
    const Matrix3d real =
        kRotorInertia * kRotorSpeed * crossProduct(a) - kBearingDamping * (Matrix3d::Identity() - a * a.transpose());
    G.block<3, 3>(3 * b, 3 * b) = kI * omega * real;
  }
  return G;
}

template <typename Matrix>
Eigen::Map<const Matrix6cd> mapped(const Matrix& matrix) {
  return Eigen::Map<const Matrix6cd>(matrix.data());
}

auto atFrequency(const Exhaust::Field& field, std::size_t n) {
  return Eigen::Map<const Eigen::Vector<std::complex<double>, 6>>(field.data() + n * Exhaust::kRotations);
}

auto atFrequency(Exhaust::Field& field, std::size_t n) {
  return Eigen::Map<Eigen::Vector<std::complex<double>, 6>>(field.data() + n * Exhaust::kRotations);
}

}  // namespace

Exhaust::Exhaust() : compliance_(kFrequencies), gyroscopic_(kFrequencies), excited_(kValues) {
  const Structure s = assemble();
  const std::array<Eigen::Index, 6> rotations{3, 4, 5, 9, 10, 11};
  for (std::size_t n = 0; n < kFrequencies; ++n) {
    const double omega = 2.0 * pi * frequency(n);
    MatrixXcd dynamic = s.stiffness * (1.0 + kLossFactor * kI);
    dynamic.diagonal() -= (omega * omega * s.mass).cast<std::complex<double>>();
    const MatrixXcd inverse = dynamic.inverse();
    Eigen::Map<Matrix6cd>(compliance_[n].data()) = inverse(rotations, rotations);
    Eigen::Map<Matrix6cd>(gyroscopic_[n].data()) = gyroscopicMoments(omega);
    atFrequency(excited_, n) = VectorXcd(inverse * s.force)(rotations);
  }
  // K and M are symmetric: all squares are real, and the order of the entries does not matter.
  const VectorXd root = s.mass.cwiseSqrt().cwiseInverse();
  const MatrixXd scaled = root.asDiagonal() * s.stiffness * root.asDiagonal();
  const auto squares = core::eigenvalues({scaled.data(), static_cast<std::size_t>(scaled.size())}).value();
  for (const std::complex<double>& square : squares) eigenfrequencies_.push_back(std::sqrt(square.real()) / (2.0 * pi));
  std::ranges::sort(eigenfrequencies_);
}

Exhaust::Field Exhaust::structure(const Field& moments) const {
  Field rotations = excited_;
  for (std::size_t n = 0; n < kFrequencies; ++n)
    atFrequency(rotations, n) += mapped(compliance_[n]) * atFrequency(moments, n);
  return rotations;
}

Exhaust::Field Exhaust::rotor(const Field& rotations) const {
  Field moments(kValues);
  for (std::size_t n = 0; n < kFrequencies; ++n)
    atFrequency(moments, n) = mapped(gyroscopic_[n]) * atFrequency(rotations, n);
  return moments;
}

Exhaust::Field Exhaust::coupledRotations() const {
  Field rotations(kValues);
  for (std::size_t n = 0; n < kFrequencies; ++n) {
    const Matrix6cd matrix = Matrix6cd::Identity() - mapped(compliance_[n]) * mapped(gyroscopic_[n]);
    atFrequency(rotations, n) = matrix.partialPivLu().solve(atFrequency(excited_, n));
  }
  return rotations;
}

std::vector<std::complex<double>> Exhaust::loopEigenvalues(std::size_t n) const {
  const Matrix6cd loop = mapped(compliance_[n]) * mapped(gyroscopic_[n]);
  const Eigen::ComplexEigenSolver<Matrix6cd> solver(loop, false);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

std::vector<double> realAndImaginary(const Exhaust::Field& field) {
  std::vector<double> values;
  for (const std::complex<double>& z : field) values.insert(values.end(), {z.real(), z.imag()});
  return values;
}

Exhaust::Field fromRealAndImaginary(std::span<const double> values) {
  Exhaust::Field field;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) field.emplace_back(values[i], values[i + 1]);
  return field;
}

std::vector<double> amplitudeAndPhase(const Exhaust::Field& field) {
  std::vector<double> values;
  for (const std::complex<double>& z : field) values.insert(values.end(), {std::abs(z), std::arg(z)});
  return values;
}

Exhaust::Field fromAmplitudeAndPhase(std::span<const double> values) {
  Exhaust::Field field;
  // Not std::polar: accelerators may send an amplitude below zero.
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    field.emplace_back(values[i] * std::cos(values[i + 1]), values[i] * std::sin(values[i + 1]));
  return field;
}

}  // namespace koppla::test
