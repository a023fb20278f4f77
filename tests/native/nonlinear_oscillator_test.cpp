// Schmoll 4.3: the oscillator with the static spring, and its reference; figures of the note for m = 1 kg.

#include "koppla/native/nonlinear_oscillator.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/nonlinear_oscillator_solution.hpp"

#include "model_access.hpp"
#include "runge_kutta.hpp"
#include "support/extremes.hpp"

namespace koppla::native {
namespace {

std::array<double, 3> valuesAt(const ExactSolution& solution, double t) {
  std::array<double, 3> y{};
  solution.values(t, y);
  return y;
}

/// x and v at t by the models themselves.
std::vector<double> motionAt(double t, int steps) {
  const auto body = nonlinearOscillator();
  const auto spring = hardeningSpring();
  const auto coupled = [&](double time, const std::vector<double>& x) {
    return test::derivativesOf(*body, x, test::outputsOf(*spring, {}, x), time);
  };
  return test::integrated(coupled, test::startOf(*body), t, steps);
}

TEST(NonlinearOscillator, HasTheForcesOfTheSource) {
  const auto body = nonlinearOscillator();
  EXPECT_EQ(test::startOf(*body), (std::vector{2.0, -100.0}));
  EXPECT_EQ(test::derivativesOf(*body, {2.0, -100.0}, {7.0}), (std::vector{-100.0, -16e5 + 5.0 + 7.0}));
  EXPECT_EQ(test::derivativesOf(*body, {-2.0, 100.0}, {7.0}), (std::vector{100.0, 16e5 - 5.0 + 7.0}));
  EXPECT_EQ(body->describe().markers.at(0).name, "point");
}

TEST(HardeningSpring, HasTheForceOfTheSource) {
  const auto spring = hardeningSpring();
  EXPECT_DOUBLE_EQ(test::outputsOf(*spring, {}, {0.5, 200.0})[0], -1e5 * (std::exp(1.5) - 1.0) - 80.0);
  EXPECT_DOUBLE_EQ(test::outputsOf(*spring, {}, {-0.5, -200.0})[0], 1e5 * (std::exp(1.5) - 1.0) + 80.0);
  EXPECT_EQ(test::outputsOf(*spring, {}, {0.0, 0.0})[0], 0.0);
}

TEST(NonlinearOscillatorSolution, HasTheCheckValuesOfTheNote) {
  const auto solution = nonlinearOscillatorSolution();
  EXPECT_EQ(solution->names(), (std::vector<std::string>{"x", "v", "f"}));
  const auto early = valuesAt(*solution, 0.0025), late = valuesAt(*solution, 0.05);
  EXPECT_NEAR(early[0], 0.567580249799, 1e-12);
  EXPECT_NEAR(early[1], -3830.677351611, 1e-9);
  EXPECT_NEAR(late[0], 1.051364086957, 1e-12);
  EXPECT_NEAR(late[1], 522.541102409, 1e-9);
  EXPECT_NEAR(late[2], -2.244603e6, 1.0);
}

TEST(NonlinearOscillatorSolution, CrossesZeroWhereTheNoteDoes) {
  const auto solution = nonlinearOscillatorSolution();
  const auto position = [&](double t) { return valuesAt(*solution, t)[0]; };
  for (const double crossing : {0.4773e-3, 1.5155e-3, 2.6491e-3})
    EXPECT_LT(position(crossing - 0.5e-7) * position(crossing + 0.5e-7), 0.0) << crossing;
  int crossings = 0;
  test::Largest fastest;
  constexpr int kSamples = 50000;
  for (int i = 0; i < kSamples; ++i) {
    if (position(0.05 * i / kSamples) * position(0.05 * (i + 1) / kSamples) < 0.0) ++crossings;
    fastest.see(std::fabs(valuesAt(*solution, 0.05 * i / kSamples)[1]));
  }
  EXPECT_EQ(crossings, 28);
  EXPECT_NEAR(fastest, 5000.6, 0.05);
}

TEST(NonlinearOscillatorSolution, IsTheMotionOfTheModels) {
  const auto solution = nonlinearOscillatorSolution();
  for (const double t : {0.0025, -1e-4}) {
    const auto motion = motionAt(t, 20000);
    const auto exact = valuesAt(*solution, t);
    EXPECT_NEAR(motion[0], exact[0], 1e-9) << t;
    EXPECT_NEAR(motion[1], exact[1], 1e-5) << t;
    EXPECT_NEAR(test::outputsOf(*hardeningSpring(), {}, {exact[0], exact[1]})[0], exact[2], 1e-8 * std::fabs(exact[2]));
  }
}

/// Without the terms that are not linear in time the motion is known.
TEST(NonlinearOscillatorSolution, HoldsWithoutForces) {
  SprungOscillator free;
  free.body.c = free.body.d = free.spring.c = free.spring.d = 0.0;
  EXPECT_NEAR(valuesAt(*nonlinearOscillatorSolution(free), 0.5)[0], 2.0 - 50.0, 1e-13);
  SprungOscillator resting;
  resting.body.x0 = resting.body.v0 = 0.0;
  EXPECT_EQ(valuesAt(*nonlinearOscillatorSolution(resting), 10.0), (std::array{0.0, 0.0, 0.0}));
}

TEST(NonlinearOscillatorSolution, RefusesWhatHasNoMotion) {
  SprungOscillator massless;
  massless.body.m = 0.0;
  EXPECT_EQ(test::inputError([&] { nonlinearOscillatorSolution(massless); }),
            "nonlinear-oscillator: parameter 'm' is 0 kg. It must be greater than zero.");
  // Traced back, damping drives the motion: with 1e-5 v^3 alone the speed becomes infinite 1/(2e-5 v^2) earlier.
  EXPECT_TRUE(test::inputError([&] {
                valuesAt(*nonlinearOscillatorSolution(), -0.1);
              }).starts_with("Exact solution: the motion becomes infinite at t = -0.00"));
}

}  // namespace
}  // namespace koppla::native
