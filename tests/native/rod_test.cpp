#include "koppla/native/rod.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/native/two_mass_oscillator.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::inputError;

/// Angular frequencies of an undamped mechanical model with inputs at rest, rising.
std::vector<double> frequenciesOf(const solver::Equations& model) {
  const std::size_t n = model.stateCount() / 2;
  const std::vector<double> a = model.linear().a;
  std::vector<double> stiffness;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) stiffness.push_back(-a[(n + i) * 2 * n + j]);
  const auto squares = core::eigenvalues(stiffness).value();
  std::vector<double> frequencies;
  for (const std::complex<double>& square : squares) frequencies.push_back(std::sqrt(square.real()));
  std::ranges::sort(frequencies);
  return frequencies;
}

/// c = sqrt(E / rho) of the default rod, m/s.
const double kWaveSpeed = std::sqrt(5e7 / 1000.0);

/// A rod whose coupled end is free: nothing ties it to the given motion.
Rod freeRod(std::int32_t elements) {
  return {.elements = elements,
          .boundary = RodBoundary::penalty,
          .rayleighBeta = 0.0,
          .penaltyStiffness = 0.0,
          .penaltyDamping = 0.0};
}

void expectNear(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-14 * std::fabs(expected[i])) << i;
}

TEST(Rod, OfTwoElementsIsTheSecondMassWithItsLink) {
  // Schmoll 3.3.3: ck = c2 = 2 E A / L, dk = d2 = beta ck, m2 = rho A L / 2 (table 3.1).
  const auto model = rod();
  const auto analogue = oscillatorWithLink(secondWithLink(schmollTable31()));
  expectNear(model->linear().a, analogue->linear().a);
  expectNear(model->linear().b, analogue->linear().b);
  expectNear(model->linear().c, analogue->linear().c);
  expectNear(model->linear().d, analogue->linear().d);
  EXPECT_EQ(test::startOf(*model), test::startOf(*analogue));
}

TEST(Rod, WithNodeInertiaIsItsAnalogueWithThatMass) {
  // The node has rho A L / 4 = 0.5 kg: loop gain 0.5 with the mass of 1 kg.
  OscillatorWithLink settings = secondWithLink(schmollTable31());
  settings.nodeInertia = true;
  settings.nodeMass = 0.5;
  expectNear(rod({.nodeInertia = true})->linear().d, oscillatorWithLink(settings)->linear().d);
}

TEST(Rod, OfOneElementWithFreeEndIsASingleMass) {
  // Schmoll C.5: A = 0.002 m2, L = 1 m, E = 5e7 N/m2, rho = 1000 kg/m3, beta = 2e-5 s => m = 1 kg, c = 1e5 N/m,
  // d = 2 N s/m.
  Rod settings = freeRod(1);
  settings.rayleighBeta = 2e-5;
  expectNear(rod(settings)->linear().a, {0.0, 1.0, -1e5, -2.0});
}

TEST(Rod, PenaltyTiesTheFreeNodeToTheGivenMotion) {
  // One element: m w1'' = -(k + ck) w1 - (b + dk) w1' + ck w + dk v with k = 1e5, b = 2, m = 1 and f on the partner.
  const auto model =
      rod({.elements = 1, .boundary = RodBoundary::penalty, .penaltyStiffness = 3e5, .penaltyDamping = 7.0});
  expectNear(model->linear().a, {0.0, 1.0, -4e5, -9.0});
  expectNear(model->linear().b, {0.0, 0.0, 3e5, 7.0});
  expectNear(model->linear().c, {3e5, 7.0, 1.0, 0.0, 0.0, 1.0});
  expectNear(model->linear().d, {-3e5, -7.0, 0.0, 0.0, 0.0, 0.0});
}

TEST(Rod, LumpedMassHasTheFrequenciesOfTheDiscreteChain) {
  // Both ends fixed: omega_j = 2 c / l sin(j pi / 2n); one end free: sin((2j - 1) pi / 4n).
  constexpr std::int32_t n = 12;
  const std::vector<double> fixed = frequenciesOf(*rod({.elements = n, .rayleighBeta = 0.0}));
  const std::vector<double> free = frequenciesOf(*rod(freeRod(n)));
  ASSERT_EQ(fixed.size(), 11U);
  ASSERT_EQ(free.size(), 12U);
  for (std::size_t j = 1; j <= free.size(); ++j) {
    const double angle = std::numbers::pi / (2.0 * n);
    const auto order = static_cast<double>(j);
    if (j <= fixed.size()) {
      EXPECT_NEAR(fixed[j - 1], 2.0 * kWaveSpeed * n * std::sin(order * angle), 1e-8 * fixed[j - 1]);
    }
    EXPECT_NEAR(free[j - 1], 2.0 * kWaveSpeed * n * std::sin((order - 0.5) * angle), 1e-8 * free[j - 1]);
  }
}

TEST(Rod, RefinedItConvergesToTheWaveEquation) {
  // omega_j = j pi c / L, from below with the relative error (j pi / n)^2 / 24: a fourth with twice as many elements.
  const auto error = [](std::int32_t n, std::size_t j) {
    const double exact = static_cast<double>(j) * std::numbers::pi * kWaveSpeed;
    return 1.0 - frequenciesOf(*rod({.elements = n, .rayleighBeta = 0.0}))[j - 1] / exact;
  };
  for (const std::size_t j : {1U, 2U, 3U}) {
    EXPECT_NEAR(error(40, j), std::pow(static_cast<double>(j) * std::numbers::pi / 40.0, 2) / 24.0,
                0.01 * error(40, j));
    EXPECT_NEAR(error(20, j) / error(40, j), 4.0, 0.05);
  }
}

TEST(Rod, IsDampedInProportionToItsStiffness) {
  const auto model = rod({.elements = 5, .rayleighBeta = 3e-4});
  const std::vector<double> a = model->linear().a;
  for (std::size_t i = 4; i < 8; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(a[i * 8 + 4 + j], 3e-4 * a[i * 8 + j], 1e-9) << i << j;
}

TEST(Rod, StartsLinearlyOrAsGiven) {
  EXPECT_EQ(test::startOf(*rod()), (std::vector<double>{5e-3, 0.0}));
  EXPECT_EQ(test::startOf(*rod({.elements = 4, .w0 = 8.0})), (std::vector<double>{6.0, 4.0, 2.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(test::startOf(*rod({.boundary = RodBoundary::penalty, .w0 = 8.0})),
            (std::vector<double>{8.0, 4.0, 0.0, 0.0}));
  EXPECT_EQ(test::startOf(*rod({.elements = 3, .displacements = {1.0, 2.0}})),
            (std::vector<double>{1.0, 2.0, 0.0, 0.0}));
}

TEST(Rod, OfOneElementWithPrescribedEndIsASpringAndDamper) {
  const auto model = rod({.elements = 1});
  EXPECT_EQ(model->stateCount(), 0U);
  expectNear(test::outputsOf(*model, {}, {2.0, 3.0}), {-(1e5 * 2.0 + 2.0 * 3.0)});
}

TEST(Rod, MistakesInItsStructureAreNamed) {
  EXPECT_EQ(inputError([] { rod({.elements = 0}); }), "rod: 0 elements are asked for. A rod has 1 to 10000 elements.");
  EXPECT_EQ(inputError([] { rod({.elements = -1}); }),
            "rod: -1 elements are asked for. A rod has 1 to 10000 elements.");
  EXPECT_EQ(inputError([] { rod({.elements = 10001}); }),
            "rod: 10001 elements are asked for. A rod has 1 to 10000 elements.");
  EXPECT_EQ(
      inputError([] { rod({.boundary = RodBoundary::penalty, .nodeInertia = true}); }),
      "rod: the boundary 'penalty' and node inertia do not go together. The coupled node is free there and has its "
      "inertia already; leave one of them out.");
  EXPECT_EQ(
      inputError([] {
        rod({.displacements = {1.0, 2.0}});
      }),
      "rod: 2 displacements are given for 1 free nodes. Give one for each free node, or none for a linear shape.");
  EXPECT_EQ(inputError([] { rod({.displacements = {std::nan("")}}); }),
            "rod: a displacement at the start is no finite number. Give finite numbers.");
}

}  // namespace
}  // namespace koppla::native
