#include <cmath>

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::Formula;
using test::makeSystem;

/// Two members that hear of each other and give 1 + t^degree whatever they hear.
System polynomialLoop(unsigned degree) {
  const Formula power{
      .inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [degree](const auto&, double t, const auto&) {
        return std::vector<double>{1.0 + std::pow(t, degree)};
      }};
  return makeSystem({{"a", power}, {"b", power}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

/// Evaluations in the last of eight steps.
std::uint64_t evaluationsInLastStep(unsigned degree, const AlgorithmSettings& settings) {
  System system = polynomialLoop(degree);
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  network.outputs()[0] = network.outputs()[1] = 1.0 + std::pow(0.0, degree);
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  std::uint64_t before = 0;
  for (unsigned n = 0; n < 8; ++n) {
    before = step.iteratedCycles()[0]->evaluations;
    EXPECT_TRUE(step.solve({{n * 1.0, n + 1.0, false}, {}}).converged());
    step.accept(n + 1.0);
  }
  return step.iteratedCycles()[0]->evaluations - before;
}

TEST(Predictor, APolynomialOfItsDegreeNeedsNoSecondEvaluation) {
  for (const unsigned waveform : {1U, 3U})
    for (unsigned degree = 0; degree <= 4; ++degree) {
      AlgorithmSettings settings{
          .kind = AlgorithmKind::iteratedJacobi, .degree = 1, .waveform = waveform, .rtol = 1e-9, .atol = 1e-9};
      settings.predictor = degree;
      EXPECT_EQ(evaluationsInLastStep(degree, settings), 1U) << degree;
      if (degree == 0) continue;
      settings.predictor = degree - 1;
      EXPECT_EQ(evaluationsInLastStep(degree, settings), 2U) << degree;
    }
}

TEST(Predictor, WithoutOneTheDegreeOfTheCouplingPredicts) {
  for (const unsigned waveform : {1U, 3U}) {
    AlgorithmSettings settings{
        .kind = AlgorithmKind::iteratedJacobi, .degree = 3, .waveform = waveform, .rtol = 1e-9, .atol = 1e-9};
    settings.acceleration.kind = AcceleratorKind::none;
    EXPECT_EQ(evaluationsInLastStep(3, settings), 1U);
    EXPECT_EQ(evaluationsInLastStep(4, settings), 2U);
  }
}

TEST(Predictor, NewtonBeginsWithAParabola) {
  const AlgorithmSettings settings{.kind = AlgorithmKind::newton, .rtol = 1e-9, .atol = 1e-9};
  EXPECT_EQ(evaluationsInLastStep(2, settings), 1U);
  EXPECT_EQ(evaluationsInLastStep(3, settings), 2U);
}

}  // namespace
}  // namespace koppla::coupling
