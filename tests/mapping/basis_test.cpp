#include <cmath>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/mapping/detail/local_basis.hpp"

namespace koppla::mapping::basis_test {
namespace {

double valueAt(Basis basis, double distance, double support) {
  Eigen::MatrixXd values = Eigen::MatrixXd::Constant(1, 1, distance * distance);
  detail::evaluateBasis(basis, support, values);
  return values(0, 0);
}

TEST(RadialBasis, ValuesAreThoseOfTheFormulas) {
  constexpr double kSupport = 4.0;
  for (const double r : {0.0, 0.25, 0.5, 1.0}) {
    EXPECT_NEAR(valueAt(Basis::wendland, r * kSupport, kSupport), std::pow(1.0 - r, 4) * (4.0 * r + 1.0), 1e-14) << r;
    EXPECT_NEAR(valueAt(Basis::gaussian, r * kSupport, kSupport), std::pow(1e-9, r * r), 1e-14) << r;
  }
  EXPECT_EQ(valueAt(Basis::wendland, 1.5 * kSupport, kSupport), 0.0);
}

}  // namespace
}  // namespace koppla::mapping::basis_test
