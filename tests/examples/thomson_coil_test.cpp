// examples/thomson-coil: a plate thrown off a coil, coupled as in Schmoll, sec. 3.2.3. Orders against a monolithic
// reference, which is computed here once more in another form of its equations.

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/results/load.hpp"

#include "example_run.hpp"
#include "runge_kutta.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::thomson_coil_test {
namespace {

constexpr double kMutual = 1.6e-6, kHeight = 5e-3, kMass = 0.06;  // H, m, kg

/// Voltage of the capacitor, flux linkages of coil and ring, position and velocity of the plate. With flux linkages
/// induction is their rate alone: the term with the plate's velocity, which the example has, does not occur.
using State = std::array<double, 5>;

struct Currents {
  double coil, ring;
};

double mutualInductance(const State& x) {
  return kMutual * std::exp(-x[3] / kHeight);
}

Currents currentsOf(const State& x) {
  constexpr double coil = 2.4e-5, ring = 2e-7;  // H
  const double mutual = mutualInductance(x);
  const double determinant = coil * ring - mutual * mutual;
  return {(ring * x[1] - mutual * x[2]) / determinant, (coil * x[2] - mutual * x[1]) / determinant};
}

double forceOn(const State& x) {
  const Currents i = currentsOf(x);
  return -i.coil * i.ring * mutualInductance(x) / kHeight;
}

State rateOf(const State& x) {
  const Currents i = currentsOf(x);
  const double diode = x[0] < 0.0 ? 100.0 * x[0] * x[0] / (10.0 - x[0]) : 0.0;
  return {(diode - i.coil) / 6e-4, x[0] - 0.06 * i.coil, -1e-4 * i.ring, x[4], forceOn(x) / kMass - 9.81};
}

TEST(ThomsonCoilExample, TheReferenceSolvesTheEquationsOfItsReadme) {
  const results::Table reference = results::load(examplesFolder() / "thomson-coil/monolithic.csv");
  ASSERT_EQ(reference.time.size(), 1001U);
  State x{450.0, 0.0, 0.0, 1e-3, 0.0};
  for (std::size_t row = 0; row < reference.time.size(); ++row) {
    ASSERT_NEAR(reference.find("field.F")->numbers[row], forceOn(x), 1e-8 * 6e3) << row;
    ASSERT_NEAR(reference.find("plate.z")->numbers[row], x[3], 1e-8 * 1e-2) << row;
    ASSERT_NEAR(reference.find("plate.v")->numbers[row], x[4], 1e-8 * 15.0) << row;
    for (int i = 0; i < 20; ++i) x = rungeKuttaStep(rateOf, x, 5e-8);
  }
}

TEST(ThomsonCoilExample, TheMonolithicProjectMakesTheReference) {
  const ExampleRun run = runExample("thomson-coil/monolithic");
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  const results::Table reference = results::load(examplesFolder() / "thomson-coil/monolithic.csv");
  ASSERT_EQ(run.table.time.size(), reference.time.size());
  for (const char* name : {"field.F", "plate.z", "plate.v"})
    for (std::size_t row = 0; row < reference.time.size(); ++row) {
      const double expected = reference.find(name)->numbers[row];
      ASSERT_NEAR(run.of(name)[row], expected, 1e-9 * (1.0 + std::fabs(expected))) << name << " " << row;
    }
}

TEST(ThomsonCoilExample, OrdersAreThoseOfTheDegreeUpToWhatTheTrivialStartAllows) {
  const ExampleStudy study = runStudy("thomson-coil/convergence");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  const std::vector<double> slopes = study.slopes();
  ASSERT_EQ(slopes.size(), 5U) << study.fits;
  showWithin({"schmoll R60", "order-p0", "order p + 1 against the monolithic reference"}, slopes[0], 1.0, 0.2);
  showWithin({"schmoll R60", "order-p1", "order p + 1 against the monolithic reference"}, slopes[1], 2.0, 0.2);
  // The force begins as t^2: held at zero in the first step, it leaves the plate slower by O(H^3) for ever.
  showWithin({"schmoll R60", "order-p3", "reduced by the trivial start, here to 3"}, slopes[3], 3.0, 0.2);
  showWithin({"schmoll R60", "order-p4", "reduced by the trivial start, here to 3"}, slopes[4], 3.0, 0.2);
  showEqual({"schmoll R60", "stable", "no instability: 35 of 35 runs, p = 0..4, H = 1e-6..1e-4 s"},
            static_cast<double>(study.rowsWith(",\"ok\",")), 35.0);
}

TEST(ThomsonCoilExample, AStartWithSmallStepsRestoresTheOrder) {
  const ExampleStudy study = runStudy("thomson-coil/start-up");
  const std::vector<double> slopes = study.slopes();  // trivial and master-slave, p = 2, 3, 4 each
  ASSERT_EQ(slopes.size(), 6U) << study.fits;
  EXPECT_NEAR(slopes[1], 3.0, 0.2);
  EXPECT_NEAR(slopes[4], 4.0, 0.2);
  EXPECT_GT(slopes[5], 4.5);
}

TEST(ThomsonCoilExample, ThePlateCoastsAtTheEndWhateverStepAndDegree) {
  test::Largest largestRest;
  test::Smallest lowest;
  for (const char* step : {"1e-4", "5e-5", "5e-6"})
    for (int degree = 0; degree <= 4; ++degree) {
      const ExampleRun run =
          runExample("thomson-coil/jacobi", {"--step", step, "--set", fmt::format("algorithm.degree={}", degree)});
      EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
      largestRest.see(std::fabs(run.of("field.F").back()) / largestOf(run.of("field.F")));
      lowest.see(smallestOf(run.of("plate.z")));
    }
  showAtMost({"schmoll R60", "force-at-end", "force back to about 0 at 1 ms: at most 0.1 % of its peak"}, largestRest,
             1e-3);
  // It begins 1 mm above the coil, and until the force carries it, it falls by less than g H^2.
  EXPECT_GT(lowest, 1e-3 - 9.81 * 1e-4 * 1e-4);
}

}  // namespace
}  // namespace koppla::test::thomson_coil_test
