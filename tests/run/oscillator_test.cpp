// Two equal masses (m = 1 kg, each on a spring c = 1 N/m to the ground) and a link (4 N/m) between them. In phase the
// link is idle: x1 = x2 = cos t. In opposite phase x1 = -x2 = cos(3 t), since (c + 2 * 4) / m = 9 rad2/s2.

#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run {
namespace {

using coupling::AlgorithmKind;

double finalX1(AlgorithmKind kind, double step, double x2Start) {
  core::Log log;
  Settings settings;
  settings.end = 2.0;
  settings.step = step;
  settings.algorithm.kind = kind;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-10;
  Run run(
      test::fmuSystem({{"mass1", "OscillatorMass", {{"m", 1.0}, {"c", 1.0}, {"d", 0.0}, {"x0", 1.0}, {"v0", 0.0}}},
                       {"link", "OscillatorLink", {{"c", 4.0}, {"d", 0.0}}},
                       {"mass2", "OscillatorMass", {{"m", 1.0}, {"c", 1.0}, {"d", 0.0}, {"x0", x2Start}, {"v0", 0.0}}}},
                      {{"mass1.x", "link.x1"},
                       {"mass1.v", "link.v1"},
                       {"mass2.x", "link.x2"},
                       {"mass2.v", "link.v2"},
                       {"link.F", "mass1.F"},
                       {"link.F2", "mass2.F"}},
                      log),
      settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return std::get<double>(run.value("mass1.x"));
}

TEST(Oscillator, InPhaseTheSolutionIsExactForAnyStep) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton})
    EXPECT_NEAR(finalX1(kind, 0.1, 1.0), std::cos(2.0), 1e-12);
}

TEST(Oscillator, InOppositePhaseTheErrorOfHeldForcesIsOfFirstOrder) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton}) {
    const auto error = [kind](double step) { return std::fabs(finalX1(kind, step, -1.0) - std::cos(6.0)); };
    EXPECT_NEAR(std::log2(error(1e-3) / error(1e-3 / 4)) / 2.0, 1.0, 0.1) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace koppla::run
