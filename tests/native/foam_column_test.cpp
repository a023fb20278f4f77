#include "koppla/native/foam_column.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::derivativesOf;
using test::inputError;
using test::outputsOf;

constexpr std::size_t kForce = 0, kTop = 1, kGap = 2, kStrain = 3;  // outputs

/// One element of unit area and length whose node weighs 1 kg: accelerations are stresses.
constexpr FoamColumn kStress{.elements = 1,
                             .area = 1.0,
                             .length = 1.0,
                             .density = 1.0,
                             .modulus = 200.0,
                             .plateau = 10.0,
                             .densification = 50.0,
                             .exponent = 3.0,
                             .viscosity = 4.0,
                             .capMass = 0.5,
                             .contactStiffness = 1000.0,
                             .contactDamping = 20.0};

/// Stress at that compressive strain and rate of strain, nobody in contact.
double stress(double strain, double rate = 0.0) {
  return derivativesOf(*foamColumn(kStress), {-strain, -rate}, {2.0, 0.0}).at(1);
}

/// Of the stress over the strain.
double slope(double strain) {
  constexpr double kStep = 1e-6;
  return (stress(strain + kStep) - stress(strain - kStep)) / (2.0 * kStep);
}

TEST(FoamColumn, IsElasticThenYieldsOnAPlateauThenDensifies) {
  EXPECT_NEAR(slope(0.0), 200.0, 0.01);
  EXPECT_DOUBLE_EQ(stress(0.05), 5.0 + 50.0 * 1.25e-4);  // half of the plateau where modulus e = plateau
  EXPECT_DOUBLE_EQ(stress(-0.05), -5.0);                 // pulled cells do not close
  EXPECT_DOUBLE_EQ(stress(0.5), 100.0 / 11.0 + 50.0 / 8.0);
  EXPECT_LT(slope(0.3), 0.1 * slope(0.0));
  EXPECT_GT(slope(0.9), 4.0 * slope(0.3));
}

TEST(FoamColumn, ResistsTheRateOfStrain) {
  EXPECT_DOUBLE_EQ(stress(0.05, 3.0) - stress(0.05), 4.0 * 3.0);
}

TEST(FoamColumn, PushesOnlyWhatTouchesIt) {
  const auto model = foamColumn(kStress);
  const auto force = [&](double x, double v) { return outputsOf(*model, {-0.1, -2.0}, {x, v}).at(kForce); };
  EXPECT_EQ(force(0.95, -5.0), 0.0);                                  // above the top at 0.9 m
  EXPECT_NEAR(force(0.85, -2.0), 1000.0 * 0.05, 1e-12);               // moves along with it
  EXPECT_NEAR(force(0.85, -3.0), 1000.0 * 0.05 + 20.0 * 1.0, 1e-12);  // approaches
  EXPECT_NEAR(force(0.85, -1.0), 1000.0 * 0.05 - 20.0 * 1.0, 1e-12);  // leaves
  EXPECT_EQ(force(0.85, 5.0), 0.0);                                   // leaves fast: nothing sticks
  const std::vector<double> y = outputsOf(*model, {-0.1, -2.0}, {0.95, 0.0});
  EXPECT_DOUBLE_EQ(y.at(kTop), 0.9);
  EXPECT_NEAR(y.at(kGap), 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(y.at(kStrain), 0.1);
  EXPECT_EQ(outputsOf(*model, {0.1, 0.0}, {2.0, 0.0}).at(kStrain), 0.0);  // pulled: none
}

// What the contact gives the column and what the floor takes is all that changes its momentum.
TEST(FoamColumn, KeepsTheBalanceOfMomentum) {
  constexpr FoamColumn kColumn{.elements = 4};
  const double l = kColumn.length / 4.0, nodeMass = kColumn.density * kColumn.area * l;
  const std::vector<double> masses{nodeMass / 2.0 + kColumn.capMass, nodeMass, nodeMass, nodeMass};
  const std::vector<double> x{-8e-3, -5e-3, -3e-3, -1e-3, -1.0, -0.5, 0.25, -0.125};
  const std::vector<double> u{kColumn.length - 8.2e-3, -1.1};
  const auto model = foamColumn(kColumn);
  const std::vector<double> dx = derivativesOf(*model, x, u);
  const double rate = std::inner_product(masses.begin(), masses.end(), dx.begin() + 4, 0.0);
  const double e = 1e-3 / l;
  const double ofFloor =
      kColumn.area * (kColumn.modulus * e / (1.0 + kColumn.modulus * e / kColumn.plateau) +
                      kColumn.densification * std::pow(e, kColumn.exponent) + kColumn.viscosity * 0.125 / l);
  const double force = outputsOf(*model, x, u).at(kForce);
  EXPECT_NEAR(force, kColumn.contactStiffness * 0.2e-3 + kColumn.contactDamping * 0.1, 1e-9);
  EXPECT_NEAR(rate, ofFloor - force, 1e-9 * force);
}

TEST(FoamColumn, SqueezedEvenlyIsInEquilibriumWithItsContact) {
  constexpr double kStrain3 = 0.03,
                   kForce3 = 0.0025 * (2e6 * kStrain3 / 1.4 + 3e6 * 6.561e-13);  // N, 2e6 e/1.5e5 = 0.4
  const auto model = foamColumn({.w0 = -0.03 * kStrain3});
  const std::vector<double> x = test::startOf(*model);
  const std::vector<double> u{0.03 * (1.0 - kStrain3) - kForce3 / 5e6, 0.0};
  EXPECT_NEAR(outputsOf(*model, x, u).at(kForce), kForce3, 1e-6);
  for (const double rate : derivativesOf(*model, x, u)) EXPECT_NEAR(rate, 0.0, 1e-4);  // m/s2, of 5e3 by one element
}

TEST(FoamColumn, MistakesInItsStructureAreNamed) {
  EXPECT_EQ(inputError([] { foamColumn({.elements = 0}); }),
            "foam-column: 0 elements are asked for. A column has 1 to 10000 elements.");
  EXPECT_EQ(inputError([] { foamColumn({.elements = 10001}); }),
            "foam-column: 10001 elements are asked for. A column has 1 to 10000 elements.");
}

}  // namespace
}  // namespace koppla::native
