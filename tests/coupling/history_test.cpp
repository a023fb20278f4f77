// What the first iterate of a step is taken from, what sums of trajectories hold, and how "all values" begin.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/coupling/predictor.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::coupling::history_test {
namespace {

using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;

TEST(Predictor, ValuesThatKeptStillAndMoveHaveANewBeginning) {
  // Constant, then a line: with the constant part forgotten, the line is found as soon as it has predicted one value.
  Predictor predictor(1, std::nullopt, {});
  const std::vector<double> values{1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0};
  for (std::size_t t = 0; t < values.size(); ++t) {
    predictor.begin(std::vector<double>{static_cast<double>(t)});
    predictor.add(static_cast<double>(t), std::vector<double>{values[t]});
  }
  predictor.begin(std::vector<double>{8.0});
  EXPECT_EQ(predictor.degree(), 1U);
  EXPECT_EQ(predictor.predict(0, 0), 5.0);
}

TEST(Predictor, AfterAClearNothingIsLeftOfItsDegree) {
  // A cubic, then all is cleared and nobody asks for a prediction while 1, 1, 2, 3, 4 come: the same as above.
  Predictor predictor(1, std::nullopt, {});
  for (int t = 1; t <= 8; ++t) predictor.add(t, std::vector<double>{std::pow(t, 3)});
  predictor.begin(std::vector<double>{9.0});
  ASSERT_EQ(predictor.degree(), 3U);
  predictor.clear();
  EXPECT_EQ(predictor.degree(), 0U);
  double t = 8.0;
  for (const double value : {1.0, 1.0, 2.0, 3.0, 4.0}) predictor.add(++t, std::vector<double>{value});
  predictor.begin(std::vector<double>{t + 1.0});
  EXPECT_EQ(predictor.predict(0, 0), 5.0);
}

/// a.y = t, and 100 + t behind a jump at t = 3.5; b passes it on. Keeps what a was first called with in every step.
class Jumping {
 public:
  Jumping() {
    Formula source = gain(0.0);
    source.output = [this](const auto&, double t, const auto& u) {
      if (first_) sent_ = u[0];
      first_ = false;
      return std::vector<double>{t > 3.5 ? 100.0 + t : t};
    };
    system_ = makeSystem({{"a", source}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  }

  System& system() { return system_; }
  void beginStep() { first_ = true; }
  [[nodiscard]] double firstSent() const { return sent_; }

 private:
  System system_;
  bool first_ = true;
  double sent_ = 0.0;
};

TEST(CoupledStep, AfterAnUntestedStepNothingIsExtrapolatedAcrossIt) {
  Jumping jumping;
  const auto cycles = findCycles(jumping.system());
  Network network(jumping.system(), cycles, 1e100);
  const AlgorithmSettings settings{
      .kind = AlgorithmKind::iteratedGaussSeidel, .predictor = 1, .acceleration = {.kind = AcceleratorKind::none}};
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  const auto firstSentIn = [&](double t, bool untested) {
    jumping.beginStep();
    EXPECT_TRUE(step.solve({{t, t + 1.0, false}, {}, untested, false}).converged());
    step.accept(t + 1.0);
    return jumping.firstSent();
  };
  firstSentIn(0.0, false);
  EXPECT_EQ(firstSentIn(1.0, false), 2.0);  // the line through 0 and 1
  EXPECT_EQ(firstSentIn(2.0, false), 3.0);
  firstSentIn(3.0, true);                     // 104 at its end; b, which comes later, knows it
  EXPECT_EQ(firstSentIn(4.0, false), 104.0);  // not 205, on the line through 3 and 104
  EXPECT_EQ(firstSentIn(5.0, false), 106.0);
}

TEST(CoupledStep, TellsSamplesAtOtherDistances) {
  for (const unsigned degree : {0U, 2U}) {
    Formula square = integrator();
    square.output = [](const auto&, double t, const auto&) { return std::vector<double>{t * t}; };
    System system = makeSystem({{"a", square}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    system.order = {0, 1};
    const auto cycles = findCycles(system);
    Network network(system, cycles, 1e100);
    CoupledStep step(network, cycles, {.kind = AlgorithmKind::jacobi, .degree = degree}, false);
    step.begin(0.0);
    for (const double t : {0.0, 1.0}) {
      EXPECT_FALSE(step.solve({{t, t + 1.0, true}, {}}).fault);
      step.accept(t + 1.0);
    }
    const std::vector<double> earlier = step.earlier(2.0, 0.5, 2);
    ASSERT_EQ(earlier.size(), 4U);
    EXPECT_NEAR(earlier[0], degree == 0 ? 4.0 : 2.25, 1e-14);
    EXPECT_NEAR(earlier[2], degree == 0 ? 4.0 : 1.0, 1e-14);
  }
}

/// x' = u with u = 2 t + 3 + t + 5 as the sum of two connections.
TEST(Trajectories, SumsHoldTheOffsetsOfAllTheirConnections) {
  for (const unsigned degree : {0U, 1U}) {
    System system = makeSystem({{"s", test::clockSignal()}, {"t", test::clockSignal()}, {"x", integrator()}},
                               {{"s.y", "x.u", 2.0, 3.0}, {"t.y", "x.u", 1.0, 5.0}});
    const auto cycles = findCycles(system);
    Network network(system, cycles, 1e100);
    const AlgorithmSettings settings{.kind = AlgorithmKind::gaussSeidel, .degree = degree};
    CoupledStep step(network, cycles, settings, false);
    step.begin(0.0);
    for (int n = 0; n < 4; ++n) {
      ASSERT_FALSE(step.solve({{0.25 * n, 0.25 * (n + 1), true}, {}, false, false}).fault);
      step.accept(0.25 * (n + 1));
    }
    core::Values values;
    const subsystem::PortIndex y = *system.members[2].subsystem->describe().find("y");
    system.members[2].subsystem->observe(std::span(&y, 1), values);
    // Held: the values at the ends of the steps, 3 h^2 (1 + 2 + 3 + 4) + 8. Interpolated: a line in every step, of
    // which this member takes the value at the beginning, 3 h^2 (0 + 1 + 2 + 3) + 8.
    EXPECT_NEAR(values.reals.at(0), degree == 0 ? 9.875 : 9.125, 1e-12) << degree;
  }
}

/// The outputs of x = g y + 1, y = x after so many evaluations from y = 0, with a factor on both values.
std::vector<double> iterates(double g, double factor, unsigned evaluations) {
  System system = makeSystem({{"a", gain(g, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  const AlgorithmSettings settings{
      .kind = AlgorithmKind::iteratedGaussSeidel,
      .maxIterations = evaluations,
      .rtol = 1e-12,
      .atol = 1e-12,
      .acceleration = {.kind = AcceleratorKind::constant, .values = Accelerated::all, .factor = factor}};
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  EXPECT_FALSE(step.solve({{0.0, 1.0, false}, {}, false, false}).fault);
  return {network.outputs().begin(), network.outputs().end()};
}

TEST(AllValues, WhatNobodyHasUsedBeforeBeginsUnrelaxed) {
  // x has no value before the first evaluation and is passed on as it came; y begins with 0, from where it is relaxed.
  constexpr double g = -2.0, w = 0.25;
  double x = 0.0, y = 0.0;
  for (unsigned k = 1; k <= 4; ++k) {
    const double answeredX = g * y + 1.0;
    x = k == 1 ? answeredX : x + w * (answeredX - x);
    const double answeredY = x;
    EXPECT_EQ(iterates(g, w, k), (std::vector<double>{answeredX, answeredY})) << k;
    y += w * (answeredY - y);
  }
}

}  // namespace
}  // namespace koppla::coupling::history_test
