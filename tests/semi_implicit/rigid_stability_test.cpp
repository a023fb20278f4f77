// Two masses with a rigid link between them: where methods 1, 2 and 3 are stable (Lu, sec. 3.3, figs. 25-27, 37, 42 and
// 43, recomputed), as the step goes to zero and for stiff and damped masses.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_masses.hpp"

namespace koppla::test {
namespace {

constexpr double kStable = 1.0 + 1e-9;  // rounding

RigidLink with(RigidLink link, double H, double c, double d) {
  link.H = H;
  link.masses.c1 = link.masses.c2 = c;
  link.masses.d1 = link.masses.d2 = d;
  return link;
}

bool isStable(const RigidLink& link) {
  return spectralRadius(link) <= kStable;
}

TEST(RigidStability, SpectralRadiiAreThoseOfTheRecursionMatrices) {
  struct Row {
    RigidLink link;
    double radius;
  };
  test::Largest largest;
  for (const Row& row : {Row{baumgarte(0.0, 0.0), 0.99722597}, Row{baumgarte(2e-3, 0.0), 0.99667221},
                         Row{baumgarte(2e-3, 1e-6), 0.99667220}, Row{baumgarte(2e-3, 1e-6, 1), 0.99667222},
                         Row{weightedMultipliers(1.0, 0.0), 0.99667222}, Row{weightedMultipliers(1.0, 1.0), 0.99667221},
                         Row{weightedMultipliers(1.0, 1.0, 1), 0.99667222}, Row{stabilisedIndex2(), 0.99667217}})
    largest.see(std::fabs(spectralRadius(row.link) - row.radius));
  showAtMost({"lu R22", "rigid", "8 radii of methods 1, 2, 3 within 1e-7"}, largest, 1e-7);
}

/// The spectral radius of the relative motion of two free masses, which depends on no step: all eigenvalues but the two
/// of the common motion, which are 1.
double radiusOfFreeMasses(const RigidLink& link) {
  const RigidLink free = with(link, 1.0, 0.0, 0.0);
  core::Log log;
  run::MacroStepRecursion recursion(systemOf(free), settingsOf(free, 1.0), log);
  auto values = core::eigenvalues(recursion.matrix(free.H)).value();
  std::ranges::sort(values, {}, [](const std::complex<double>& value) { return std::abs(value - 1.0); });
  EXPECT_NEAR(std::abs(values[1] - 1.0), 0.0, 1e-6);
  test::Largest largest;
  for (std::size_t i = 2; i < values.size(); ++i) largest.see(std::abs(values[i]));
  return largest;
}

TEST(RigidStability, RadiiAsTheStepGoesToZeroAreThoseOfTheory) {
  struct Row {
    RigidLink link;
    double radius;
    double lastDigit;
  };
  const auto exactly = [](const RigidLink& link, double radius) { return Row{link, radius, 1e-4}; };
  const std::vector<Row> table{exactly(baumgarte(0, 0), 1.0),
                               exactly(baumgarte(0, 0, 1), 2.0 + std::sqrt(3.0)),
                               {baumgarte(0, 0, 2), 5.34, 0.01},
                               exactly(baumgarte(0.5, 0), 0.0),
                               exactly(baumgarte(1, 0), 0.5 / 1.5),
                               exactly(baumgarte(100, 0), 99.5 / 100.5),
                               {baumgarte(1, 0, 1), 1.37, 0.01},
                               {baumgarte(100, 0, 1), 1.003, 0.001},
                               {baumgarte(2, 1), 0.53, 0.01},
                               {baumgarte(200, 1e4), 0.99, 0.01},
                               exactly(weightedMultipliers(1, 0), 0.0),
                               {weightedMultipliers(1, 1), 0.577, 0.001},
                               {weightedMultipliers(0, 1), 0.707, 0.001},
                               {weightedMultipliers(2, 2), 0.632, 0.001},
                               {weightedMultipliers(1, 1, 1), 0.577, 0.001},
                               exactly(weightedMultipliers(1, 0, 1), 2.0),
                               exactly(weightedMultipliers(0, 1, 1), 1.0),
                               {weightedMultipliers(1, 1, 2), 1.13, 0.01},
                               {weightedMultipliers(1.2, 1.2, 2), 0.91, 0.01},
                               {weightedMultipliers(2, 2, 2), 0.589, 0.001},
                               {weightedMultipliers(10, 10, 3), 0.97, 0.01},
                               exactly(stabilisedIndex2(1.0), 0.0),
                               exactly(stabilisedIndex2(0.9), std::sqrt(0.1)),
                               exactly(stabilisedIndex2(0.7), std::sqrt(0.3)),
                               exactly(stabilisedIndex2(1.0, 1), 1.0),
                               {stabilisedIndex2(0.9, 1), 0.50, 0.01},
                               {stabilisedIndex2(0.7, 1), 0.548, 0.001},
                               {stabilisedIndex2(0.7, 2), 0.40, 0.01},
                               {stabilisedIndex2(0.6, 3), 0.56, 0.01}};
  test::Largest units;
  for (const Row& row : table) units.see(std::fabs(radiusOfFreeMasses(row.link) - row.radius) / row.lastDigit);
  showAtMost(
      {"lu R22", "step-to-zero", "29 radii of free relative motion within 1 in the last digit, closed forms 1e-4"},
      units, 1.0);
}

TEST(RigidStability, AsTheStepGoesToZeroParametersHaveTheLimitsOfTheory) {
  // Method 1 with beta = 2 tau, gamma = tau^2, by the degree of the polynomials.
  constexpr std::array kLeastTau{1.0 / (2.0 * 1.7320508075688772), 0.5, 0.768};
  for (const unsigned degree : {1U, 2U, 3U}) {
    const auto radius = [&](double tau) { return radiusOfFreeMasses(baumgarte(2.0 * tau, tau * tau, degree)); };
    EXPECT_LT(radius(1.005 * kLeastTau.at(degree - 1)), 1.0) << degree;
    EXPECT_GT(radius(0.995 * kLeastTau.at(degree - 1)), 1.0) << degree;
  }
  // Method 3 by its relaxation.
  EXPECT_LT(radiusOfFreeMasses(stabilisedIndex2(0.82, 2)), 1.0);
  EXPECT_GT(radiusOfFreeMasses(stabilisedIndex2(0.84, 2)), 1.0);
  EXPECT_LT(radiusOfFreeMasses(stabilisedIndex2(0.69, 3)), 1.0);
  EXPECT_GT(radiusOfFreeMasses(stabilisedIndex2(0.70, 3)), 1.0);
}

TEST(RigidStability, BaumgarteOfIndexOneFailsForStiffMassesAtDegreeZeroOnly) {
  const RigidLink constant = baumgarte(0.2, 1e-2);
  showFigure({"lu R24", "index-1-k0", "tau = 0.1 s, H = 5e-3 s, d = 10: stable at c = 1.0e4, unstable at 1.15e4"},
             fmt::format("radius {:.6f}, {:.6f}", spectralRadius(with(constant, 5e-3, 1.0e4, 10.0)),
                         spectralRadius(with(constant, 5e-3, 1.15e4, 10.0))),
             isStable(with(constant, 5e-3, 1.0e4, 10.0)) && !isStable(with(constant, 5e-3, 1.15e4, 10.0)));
  struct Limit {
    double d, c;
  };
  for (const auto& [d, c] :
       {Limit{0.1, 620.0}, Limit{1.0, 3.5e3}, Limit{10.0, 1.07e4}, Limit{100.0, 1.15e4}, Limit{1000.0, 2.3e4}}) {
    for (double softer = 1.0; softer < 0.93 * c; softer *= 1.1)
      EXPECT_TRUE(isStable(with(constant, 5e-3, softer, d))) << d << " " << softer;
    EXPECT_TRUE(isStable(with(constant, 5e-3, 0.93 * c, d))) << d;
    EXPECT_FALSE(isStable(with(constant, 5e-3, 1.07 * c, d))) << d;
  }
  test::Largest largest;
  for (const double d : {0.1, 1.0, 10.0, 100.0, 1000.0})
    for (double c = 1.0; c <= 1e6; c *= 1.1) largest.see(spectralRadius(with(baumgarte(0.2, 1e-2, 1), 1e-3, c, d)));
  showAtMost({"lu R24", "index-1-k1", "tau = 0.1 s, k = 1, H = 1e-3 s: radius at most 1 for c <= 1e6"}, largest,
             kStable);
}

TEST(RigidStability, IndexTwoAndThreeAreStableUpToTheStiffnessOfTheory) {
  const double resonance = std::acos(-1.0) * std::acos(-1.0) / (5e-3 * 5e-3);  // pi^2 m1 / H^2, 3.95e5 N/m
  for (const double d : {0.1, 1.0}) {
    for (const RigidLink& link : {baumgarte(2e-3, 0.0), weightedMultipliers(1.0, 0.0)}) {
      for (double c = 1.0; c < 0.97 * resonance; c *= 1.1) EXPECT_TRUE(isStable(with(link, 5e-3, c, d))) << c;
      EXPECT_FALSE(isStable(with(link, 5e-3, 1.03 * resonance, d)));
    }
    for (double c = 1.0; c < 1e7; c *= 1.1) EXPECT_TRUE(isStable(with(baumgarte(0.0, 0.0), 5e-3, c, d))) << c;
  }
}

RigidLink byFormulas(RigidLink link) {
  link.settings.sensitivities = coupling::SensitivityKind::formulas;
  return link;
}

TEST(RigidStability, OnlyFormulasForDerivativesFailForLargeDamping) {
  const RigidLink method2 = byFormulas(weightedMultipliers(1.0, 1.0, 1));
  showFigure({"lu R24", "formulas-method-2", "(1,1), k = 1, H = 1e-3 s, c = 1e3: stable at d = 420, unstable at 470"},
             fmt::format("radius {:.6f}, {:.6f}", spectralRadius(with(method2, 1e-3, 1e3, 420.0)),
                         spectralRadius(with(method2, 1e-3, 1e3, 470.0))),
             isStable(with(method2, 1e-3, 1e3, 420.0)) && !isStable(with(method2, 1e-3, 1e3, 470.0)));
  struct Limit {
    const char* figure;
    double tau, d;
  };
  for (const Limit& limit : {Limit{"formulas-0.1", 0.1, 2.7e5}, Limit{"formulas-0.01", 0.01, 3.1e4},
                             Limit{"formulas-0.001", 0.001, 5.5e3}}) {
    const RigidLink method1 = byFormulas(baumgarte(2.0 * limit.tau, limit.tau * limit.tau, 1));
    double d = 10.0;
    while (d < 1e7 && isStable(with(method1, 1e-3, 1e3, d))) d *= d < 0.8 * limit.d ? 1.2 : 1.01;
    showFigure({"lu R24", limit.figure, fmt::format("loses stability at d = {:.2g} within 7 %", limit.d)},
               fmt::format("{:.3g}", d), std::fabs(d / limit.d - 1.0) <= 0.07);
  }
  test::Largest largest;
  for (double d = 10.0; d < 1e7; d *= 1.1)
    for (const RigidLink& link : {weightedMultipliers(1.0, 1.0, 1), baumgarte(0.2, 1e-2, 1), baumgarte(0.02, 1e-4, 1),
                                  baumgarte(2e-3, 1e-6, 1)})
      largest.see(spectralRadius(with(link, 1e-3, 1e3, d)));
  showAtMost({"lu R24", "differences", "with differences the radius is at most 1 for d <= 1e7"}, largest, kStable);
}

TEST(RigidStability, MethodThreeIsStableWhateverTheDamping) {
  test::Largest largest;
  for (double d = 0.1; d < 1e7; d *= 10.0)
    for (double c = 1.0; c < 5e5; c *= 1.1) largest.see(spectralRadius(with(stabilisedIndex2(), 5e-3, c, d)));
  EXPECT_LE(largest, kStable);
}

constexpr TwoMasses kContrast{.m1 = 1.0, .m2 = 10.0, .c1 = 1e5, .c2 = 1e3, .d1 = 3.0, .d2 = 3.0};

TEST(RigidStability, MethodThreeTakesLongStepsWithContrastingEigenfrequencies) {
  struct Row {
    double H, radius;
  };
  test::Largest largest;
  test::Largest deviation;
  for (const Row& row :
       {Row{1e-4, 0.0}, Row{1e-3, 0.99973}, Row{5e-3, 0.99844}, Row{1e-2, 0.99412}, Row{5e-2, 0.94557}}) {
    RigidLink link = stabilisedIndex2();
    link.masses = kContrast;
    link.H = row.H;
    const double radius = spectralRadius(link);
    largest.see(radius);
    if (row.radius > 0.0) deviation.see(std::fabs(radius - row.radius));
  }
  showFigure({"lu R26", "method-3", "radius below 1 for H = 1e-4, 1e-3, 5e-3, 1e-2, 5e-2 s"},
             fmt::format("at most {:.6f}", double(largest)), largest < 1.0);
  showAtMost({"lu R26", "method-3-values", "0.99973, 0.99844, 0.99412, 0.94557 for H from 1e-3 s on"}, deviation, 1e-5);
}

/// The radius of an explicit method that holds the force with which g + mu g', as Euler's method predicts it, vanishes
/// at the end of the step.
double radiusOfSlidingSurface(double mu, double H) {
  const TwoMasses p = kContrast;
  coupling::System system;
  for (const bool first : {true, false})
    system.members.push_back({first ? "first" : "second",
                              solver::integrate(native::oscillatorBody({.m = first ? p.m1 : p.m2,
                                                                        .c = first ? p.c1 : p.c2,
                                                                        .d = first ? p.d1 : p.d2,
                                                                        .x0 = 0.0,
                                                                        .v0 = 100.0}),
                                                {.kind = solver::Kind::exact}),
                              {}});
  Formula surface;
  surface.inputs = {"x1", "v1", "x2", "v2"};
  surface.outputs = {"lambda"};
  surface.output = [=](const std::vector<double>&, double, const std::vector<double>& u) {
    const double g = u[2] - u[0];
    const double rate = u[3] - u[1];
    const double free = (-p.c2 * u[2] - p.d2 * u[3]) / p.m2 - (-p.c1 * u[0] - p.d1 * u[1]) / p.m1;
    const double byForce = -(1.0 / p.m1 + 1.0 / p.m2);
    return std::vector<double>{-(g + (mu + H) * rate + H * mu * free) / (H * mu * byForce)};
  };
  surface.capabilities = {
      .saveRestore = true, .variableStep = true, .evaluatesBetweenSteps = true, .linear = true, .isStatic = true};
  system.members.push_back({"surface", makeSubsystem(surface), {}});
  connect(system, {{"first.x", "surface.x1"},
                   {"first.v", "surface.v1"},
                   {"second.x", "surface.x2"},
                   {"second.v", "surface.v2"},
                   {"surface.lambda", "first.f"},
                   {"surface.lambda", "second.f", -1.0}});
  run::Settings settings;
  settings.step = H;
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  core::Log log;
  return run::MacroStepRecursion(std::move(system), settings, log).spectralRadius(H);
}

TEST(RigidStability, AnExplicitMethodNeedsShortSteps) {
  struct Row {
    double mu, limit;            // s
    double radius, lastDigit;    // at H = 1e-3 s
    double farRadius, farDigit;  // at H = 5e-3 s
  };
  std::string atShort;
  std::string atLong;
  bool stable = true;
  bool unstable = true;
  for (const Row& row : {Row{0.01, 5.7e-4, 1.0005, 1e-4, 1.036, 1e-3}, Row{0.005, 6.4e-4, 1.0004, 1e-4, 1.30, 1e-2},
                         Row{0.001, 9.8e-4, 1.0165, 1e-4, 5.2, 0.1}}) {
    const double shortStep = radiusOfSlidingSurface(row.mu, 5e-4);
    const double longStep = radiusOfSlidingSurface(row.mu, 1e-3);
    const double veryLong = radiusOfSlidingSurface(row.mu, 5e-3);
    stable = stable && shortStep < 1.0;
    unstable = unstable && std::fabs(longStep - row.radius) <= row.lastDigit && longStep > 1.0 &&
               std::fabs(veryLong - row.farRadius) <= row.farDigit;
    atShort += fmt::format("{}{:.5f}", atShort.empty() ? "" : ", ", shortStep);
    atLong += fmt::format("{}{:.4f} and {:.3f}", atLong.empty() ? "" : ", ", longStep, veryLong);
    EXPECT_LT(radiusOfSlidingSurface(row.mu, row.limit - 0.1e-4), 1.0) << row.mu;
    EXPECT_GT(radiusOfSlidingSurface(row.mu, row.limit + 0.1e-4), 1.0) << row.mu;
  }
  showFigure({"lu R26", "explicit-stable", "radius below 1 at H = 5e-4 s for mu_B = 0.01, 0.005, 0.001 s"}, atShort,
             stable);
  showFigure({"lu R26", "explicit-unstable",
              "1.0005 and 1.036, 1.0004 and 1.30, 1.0165 and 5.2 at H = 1e-3 and 5e-3 s, within 1 in the last digit"},
             atLong, unstable);
}

}  // namespace
}  // namespace koppla::test
