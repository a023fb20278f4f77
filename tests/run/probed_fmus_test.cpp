// FMUs of an oscillator and the same members in C++: one recursion, by probes and by its matrix.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/two_mass_oscillator.hpp"
#include "koppla/run/probed_recursion.hpp"
#include "koppla/solver/integrate.hpp"

#include "fmu_system.hpp"

namespace koppla::test::probed_fmus_test {
namespace {

using coupling::AlgorithmKind;

constexpr native::TwoMassOscillator kWhole{
    .m1 = 1.0, .m2 = 2.0, .c1 = 1.0, .c2 = 3.0, .ck = 4.0, .d1 = 0.1, .d2 = 0.0, .dk = 0.05};

coupling::System asFmus(core::Log& log) {
  return fmuSystem({{"mass", "OscillatorMass", {{"m", kWhole.m1}, {"c", kWhole.c1}, {"d", kWhole.d1}}},
                    {"half",
                     "OscillatorHalf",
                     {{"m", kWhole.m2}, {"c2", kWhole.c2}, {"d2", kWhole.d2}, {"c", kWhole.ck}, {"d", kWhole.dk}}}},
                   {{"mass.x", "half.x"}, {"mass.v", "half.v"}, {"half.F", "mass.F"}}, log);
}

coupling::System inCpp() {
  const solver::IntegratorSettings exact{.kind = solver::Kind::exact};
  coupling::System system;
  system.members.push_back({"mass", solver::integrate(native::oscillatorBody(native::firstBody(kWhole)), exact), {}});
  system.members.push_back(
      {"half", solver::integrate(native::oscillatorWithLink(native::secondWithLink(kWhole)), exact), {}});
  connect(system, {{"mass.x", "half.x1"}, {"mass.v", "half.v1"}, {"half.f", "mass.f"}});
  return system;
}

TEST(ProbedFmus, HaveTheRadiusOfTheirMatrix) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton})
    for (const unsigned degree : {0U, 1U, 2U})
      for (const double H : {0.02, 0.1, 0.5}) {
        run::Settings settings;
        settings.algorithm.kind = kind;
        settings.algorithm.degree = degree;
        settings.step = H;
        core::Log log;
        const double exact = run::MacroStepRecursion(inCpp(), settings, log).spectralRadius(H);
        run::ProbedRecursion probes(asFmus(log), settings, log);
        const std::string what = fmt::format("kind {} degree {} H {}", static_cast<int>(kind), degree, H);
        EXPECT_NEAR(probes.spectralRadius(H).value - 1.0, exact - 1.0, 0.01 * std::fabs(exact - 1.0)) << what;
      }
}

/// Steps far below the periods show beginnings of motions only: too little to know, never a wrong verdict.
TEST(ProbedFmus, AreNotCalledUnstableBelowTheirLimit) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton})
    for (const unsigned degree : {0U, 1U}) {
      run::Settings settings;
      settings.algorithm.kind = kind;
      settings.algorithm.degree = degree;
      core::Log log;
      run::MacroStepRecursion matrix(inCpp(), settings, log);
      run::ProbedRecursion probes(asFmus(log), settings, log);
      for (double H = 1e-6; H < 1.0; H *= 2.5) {
        const std::string what = fmt::format("kind {} degree {} H {}", static_cast<int>(kind), degree, H);
        const run::ProbedRadius radius = probes.spectralRadius(H);
        EXPECT_TRUE(probes.isStable(radius) || !matrix.isStable(H)) << what;
        EXPECT_TRUE(!probes.isCertain(radius) || probes.isStable(radius) == matrix.isStable(H)) << what;
      }
    }
}

/// Linear members have the same recursion wherever a run is.
TEST(ProbedFmus, CanBeLookedAtInARun) {
  run::Settings settings;
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  settings.algorithm.degree = 1;
  settings.step = 0.1;
  core::Log log;
  const double exact = run::MacroStepRecursion(inCpp(), settings, log).spectralRadius(0.1);
  run::ProbedRecursion probes(asFmus(log), settings, log, {.at = 2.0});
  EXPECT_NEAR(probes.instant(), 2.0, 1e-12);
  EXPECT_NEAR(probes.spectralRadius(0.1).value - 1.0, exact - 1.0, 0.01 * std::fabs(exact - 1.0));
}

}  // namespace
}  // namespace koppla::test::probed_fmus_test
