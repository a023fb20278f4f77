#include "koppla/mechanics/rotation.hpp"

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "koppla/mechanics/detail/kinematics.hpp"

#include "motions.hpp"

namespace koppla::mechanics {
namespace {

using detail::Motion;
using detail::orientation;
using detail::rateMatrix;
using detail::rateMatrixDerivative;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kSamples = 50;

std::span<const double> values(const detail::Parameters& p) {
  return {p.data(), static_cast<std::size_t>(p.size())};
}

Matrix3d crossMatrix(const Vector3d& w) {
  Matrix3d m;
  m << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  return m;
}

class EveryRotation : public testing::TestWithParam<Rotation> {};
INSTANTIATE_TEST_SUITE_P(All, EveryRotation, testing::ValuesIn(kRotations), [](const auto& instance) {
  return instance.param == Rotation::eulerParameters ? std::string("eulerParameters")
                                                     : std::string(word(instance.param));
});

TEST(RotationWords, NameEveryRotationBothWays) {
  for (const Rotation rotation : kRotations) EXPECT_EQ(rotationNamed(word(rotation)), rotation);
  EXPECT_EQ(word(Rotation::eulerParameters), "euler-parameters");
  EXPECT_FALSE(rotationNamed("quaternion"));
}

TEST(RotationMatrix, TurnsAboutTheAxesInTheOrderOfTheAngles) {
  const auto about = [](const Vector3d& axis, double angle) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  const std::array angles{0.3, -0.7, 1.9};
  EXPECT_LT((orientation(Rotation::cardan, angles) -
             about(Vector3d::UnitX(), 0.3) * about(Vector3d::UnitY(), -0.7) * about(Vector3d::UnitZ(), 1.9))
                .norm(),
            1e-14);
  EXPECT_LT((orientation(Rotation::euler, angles) -
             about(Vector3d::UnitZ(), 0.3) * about(Vector3d::UnitX(), -0.7) * about(Vector3d::UnitZ(), 1.9))
                .norm(),
            1e-14);
  // A quarter turn takes x to y.
  EXPECT_LT((orientation(Rotation::planar, std::array{std::acos(0.0)}) * Vector3d::UnitX() - Vector3d::UnitY()).norm(),
            1e-15);
  const double half = std::sqrt(0.5);
  EXPECT_LT(
      (orientation(Rotation::eulerParameters, std::array{half, 0.0, 0.0, half}) * Vector3d::UnitX() - Vector3d::UnitY())
          .norm(),
      1e-15);
}

TEST_P(EveryRotation, GivesAnOrthogonalRightHandedMatrix) {
  test::Random random(1);
  for (int k = 0; k < kSamples; ++k) {
    const Motion body = test::anyMotion(GetParam(), random);
    EXPECT_LT((body.T * body.T.transpose() - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(body.T.determinant(), 1.0, 1e-14);
    EXPECT_EQ(static_cast<std::size_t>(body.parameters.size()), parameterCount(GetParam()));
  }
}

/// T' = T [omega x] while the parameters change at the rates that the matrix gives (Lu (51), order corrected).
TEST_P(EveryRotation, RatesBelongToTheAngularVelocity) {
  test::Random random(2);
  for (int k = 0; k < kSamples; ++k) {
    const Motion body = test::anyMotion(GetParam(), random);
    const detail::Parameters rates = rateMatrix(GetParam(), values(body.parameters)) * body.w;
    const auto turned = [&](double t) -> Matrix3d {
      const detail::Parameters later = body.parameters + t * rates;
      return orientation(GetParam(), values(later));
    };
    EXPECT_LT((test::derivative(turned, 0.0) - body.T * crossMatrix(body.w)).norm(), 1e-9);
  }
}

TEST_P(EveryRotation, RatesOfASmoothMotionAreTheDerivativesOfItsParameters) {
  test::Random random(3);
  for (int k = 0; k < kSamples; ++k) {
    const test::SmoothMotion motion(GetParam(), random);
    const Motion body = motion.at(0.4);
    const auto parameters = [&](double t) { return motion.at(t).parameters; };
    const detail::Parameters expected = test::derivative(parameters, 0.4);
    EXPECT_LT((rateMatrix(GetParam(), values(body.parameters)) * body.w - expected).norm(), 1e-9);
  }
}

TEST_P(EveryRotation, DerivativeOfTheRateMatrixIsThatOfItsEntries) {
  test::Random random(4);
  for (int k = 0; k < kSamples; ++k) {
    const Motion body = test::anyMotion(GetParam(), random);
    const detail::Parameters rates = rateMatrix(GetParam(), values(body.parameters)) * body.w;
    const auto matrix = [&](double t) {
      const detail::Parameters later = body.parameters + t * rates;
      return rateMatrix(GetParam(), values(later));
    };
    const detail::RateMatrix expected = test::derivative(matrix, 0.0, 1e-3);
    EXPECT_LT((rateMatrixDerivative(GetParam(), values(body.parameters), values(rates)) - expected).norm(),
              1e-8 * (1.0 + expected.norm()));
  }
}

/// P P^T = 4 I and P q = 0 for the matrix P of omega = P q' (Lu, App. C); the rate matrix is P^T / 4.
TEST(EulerParameters, KeepTheirNorm) {
  test::Random random(5);
  for (int k = 0; k < kSamples; ++k) {
    const Motion body = test::anyMotion(Rotation::eulerParameters, random);
    const detail::RateMatrix quarter = rateMatrix(Rotation::eulerParameters, values(body.parameters));
    const Eigen::Matrix<double, 3, 4> p = 4.0 * quarter.transpose();
    EXPECT_LT((p * p.transpose() - 4.0 * Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_LT((p * body.parameters).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace koppla::mechanics
