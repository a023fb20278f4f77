#include <cmath>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace koppla::solver::test {
namespace {

IntegratorSettings tight(Kind kind, bool restart = true) {
  IntegratorSettings settings = with(kind);
  settings.rtol = 1e-10;
  settings.atol = 1e-12;
  settings.restart = restart;
  return settings;
}

constexpr Oscillator kOscillator{1.0, 4.0, 0.2, 1.0, 0.0};

TEST(Cvode, FollowsTheExactSolution) {
  for (const Kind kind : {Kind::cvodeAdams, Kind::cvodeBdf})
    for (const bool restart : {true, false}) {
      Rig rig(equations(oscillator(kOscillator)), tight(kind, restart));
      for (int k = 0; k < 50; ++k) {
        ASSERT_EQ(rig.step(0.1 * k, 0.1 * (k + 1), {0.0}).reached, 0.1 * (k + 1));
        EXPECT_NEAR(rig.y[0], freeMotion(kOscillator, 0.1 * (k + 1)).first, 1e-7) << word(kind) << restart;
      }
    }
}

TEST(Cvode, NeverLooksBeyondTheEndOfTheStep) {
  double latest = 0.0;
  Model model;
  model.outputs = {"x"};
  model.x0 = {0.0};
  model.f = [&latest](double t, auto, auto, auto dx) {
    latest = std::fmax(latest, t);
    dx[0] = 1.0;
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  for (const bool restart : {true, false}) {
    latest = 0.0;
    Rig rig(equations(model), tight(Kind::cvodeAdams, restart));
    for (int k = 0; k < 20; ++k) {
      rig.step(0.3 * k, 0.3 * (k + 1));
      EXPECT_LE(latest, 0.3 * (k + 1) * (1.0 + 1e-14));
      EXPECT_NEAR(rig.y[0], 0.3 * (k + 1), 1e-9);
    }
  }
}

TEST(Cvode, GoingOnAcrossMacroPointsSavesSteps) {
  Rig anew(equations(oscillator(kOscillator)), tight(Kind::cvodeBdf, true));
  Rig on(equations(oscillator(kOscillator)), tight(Kind::cvodeBdf, false));
  for (int k = 0; k < 100; ++k) {
    anew.step(0.01 * k, 0.01 * (k + 1), {0.0});
    on.step(0.01 * k, 0.01 * (k + 1), {0.0});
  }
  EXPECT_LT(3 * on.system->effort().microSteps, anew.system->effort().microSteps);
  EXPECT_TRUE(anew.system->describe().capabilities.saveRestore);
  EXPECT_TRUE(anew.system->describe().capabilities.states);
  EXPECT_FALSE(on.system->describe().capabilities.saveRestore);
  EXPECT_FALSE(on.system->describe().capabilities.states);
}

TEST(Cvode, StiffModelsNeedFewBdfSteps) {
  // x' = -1e6 (x - cos t), from x(0) = 1; after 10 s x = cos t + 1e-6 sin t + O(1e-12). Explicit steps would be limited
  // to 2e-6 s: five million of them.
  Model model;
  model.outputs = {"x"};
  model.x0 = {1.0};
  model.f = [](double t, auto x, auto, auto dx) { dx[0] = -1e6 * (x[0] - std::cos(t)); };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  IntegratorSettings settings = with(Kind::cvodeBdf);
  settings.rtol = 1e-8;
  Rig rig(equations(model), settings);
  rig.step(0.0, 10.0);
  EXPECT_NEAR(rig.y[0], std::cos(10.0) + 1e-6 * std::sin(10.0), 1e-6);
  EXPECT_LT(rig.system->effort().microSteps, 10'000U);
  EXPECT_GT(rig.system->effort().jacobians, 0U);
}

TEST(Cvode, CountsRightHandSidesAsTheModelDoes) {
  std::uint64_t calls = 0;
  Model model;
  model.outputs = {"x"};
  model.x0 = {1.0};
  model.f = [&calls](double, auto x, auto, auto dx) {
    ++calls;
    dx[0] = -x[0];
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  for (const bool restart : {true, false}) {
    calls = 0;
    Rig rig(equations(model), tight(Kind::cvodeBdf, restart));
    for (int k = 0; k < 10; ++k) rig.step(k, k + 1);
    EXPECT_EQ(rig.system->effort().rightHandSides, calls);
  }
}

TEST(Cvode, KeepsToTheLongestStep) {
  Rig rig(equations(linearModel({}, {"x"}, {{0.0}, {}, {1.0}, {}}, {1.0})), with(Kind::cvodeAdams, 0.01));
  rig.step(0.0, 1.0);
  EXPECT_GE(rig.system->effort().microSteps, 100U);
}

}  // namespace
}  // namespace koppla::solver::test
