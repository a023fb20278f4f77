#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/zero_stability.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

// The loop that an acceleration closes when it is passed on (Schmoll 3.3.2.2): notes, 4.5.

namespace koppla::test {
namespace {

using coupling::AlgorithmKind;

/// Gains (node mass over the body's mass) up to which the loop is zero-stable, degree 0..5.
constexpr std::array<double, 6> kJacobiThresholds{1.0, 0.154701, 0.0316057, 0.00693147, 0.00157499, 0.000366478};
double gaussSeidelThreshold(unsigned p) {
  return 1.0 / (std::exp2(p + 1) - 1.0);
}
double thresholdOf(AlgorithmKind kind, unsigned p) {
  return kind == AlgorithmKind::jacobi ? kJacobiThresholds.at(p) : gaussSeidelThreshold(p);
}

/// Table 3.1 with a mass at the coupled end of the link, and the acceleration passed on beside position and velocity.
run::MacroStepRecursion loop(AlgorithmKind kind, unsigned degree, double gain) {
  const solver::IntegratorSettings exact{.kind = solver::Kind::exact};
  native::OscillatorBody body = native::firstBody(native::schmollTable31());
  body.acceleration = true;
  native::OscillatorWithLink link = native::secondWithLink(native::schmollTable31());
  link.nodeInertia = true;
  link.nodeMass = gain * body.m;
  coupling::System system;
  system.members.push_back({"body", solver::integrate(native::oscillatorBody(body), exact), {}});
  system.members.push_back({"link", solver::integrate(native::oscillatorWithLink(link), exact), {}});
  connect(system, {{"body.x", "link.x1"}, {"body.v", "link.v1"}, {"body.a", "link.a1"}, {"link.f", "body.f"}});
  system.order = {0, 1};
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  core::Log log;
  return {std::move(system), settings, log};
}

/// Gain 0.5, p = 1..5.
void showRadii(AlgorithmKind kind, const std::string& figure, const std::array<double, 5>& expected) {
  test::Largest largest;
  for (unsigned p = 1; p <= 5; ++p) {
    auto recursion = loop(kind, p, 0.5);
    for (const double H : {1e-4, 1e-5, 1e-6})
      largest.see(std::fabs(recursion.spectralRadius(H) / expected.at(p - 1) - 1.0));
  }
  showAtMost({"schmoll R6", figure, "gain 0.5, p = 1..5, H = 1e-4, 1e-5, 1e-6 s: deviation at most 1 %"}, largest,
             0.01);
}

TEST(FeedThrough, OnBothSidesGrowsAtEveryStepLength) {
  showRadii(AlgorithmKind::jacobi, "spectral-radius-jacobi", {1.59, 2.49, 3.39, 4.30, 5.20});
  showRadii(AlgorithmKind::gaussSeidel, "spectral-radius-gauss-seidel", {1.37, 2.26, 3.16, 4.07, 4.98});
}

TEST(FeedThrough, OnBothSidesIsStableBelowTheThresholdGainOnly) {
  test::Largest below;
  test::Smallest above;
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (unsigned p = 0; p <= 5; ++p)
      for (const double H : {1e-5, 1e-6}) {
        below.see(loop(kind, p, 0.9 * thresholdOf(kind, p)).spectralRadius(H));
        above.see(loop(kind, p, 1.05 * thresholdOf(kind, p)).spectralRadius(H));
      }
  showFigure({"schmoll R6", "recursion-thresholds",
              "H <= 1e-5 s: radius below 1 at 0.9 times the threshold, above 1 at 1.05 times"},
             fmt::format("at most {:.7f}, at least {:.7f}", double(below), double(above)), below < 1.0 && above > 1.0);
}

/// Values that go round the loop in two steps (Jacobi: the body's and the link's share alternate) or in one.
double growth(AlgorithmKind kind, unsigned degree, double gain) {
  if (kind == AlgorithmKind::gaussSeidel) return coupling::growthPerStep(std::array{-gain}, degree);
  return coupling::growthPerStep(std::array{0.0, 1.0, -gain, 0.0}, degree);
}

TEST(FeedThrough, GrowsPerStepFromTheThresholdGainOn) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (unsigned p = 0; p <= 5; ++p) {
      constexpr double kDigits = 1e-4;
      EXPECT_LT(growth(kind, p, (1.0 - kDigits) * thresholdOf(kind, p)), 1.0) << "degree " << p;
      EXPECT_GT(growth(kind, p, (1.0 + kDigits) * thresholdOf(kind, p)), 1.0) << "degree " << p;
    }
}

}  // namespace
}  // namespace koppla::test
