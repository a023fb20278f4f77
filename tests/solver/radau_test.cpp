#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::solver::test {
namespace {

using koppla::test::showAtMost;
using subsystem::Slot;
using subsystem::Status;

constexpr auto kStates = [](double, auto x, auto, auto y) { std::copy(x.begin(), x.end(), y.begin()); };

IntegratorSettings tolerating(double tolerance, Kind kind = Kind::radau) {
  IntegratorSettings settings = with(kind);
  settings.rtol = tolerance;
  settings.atol = tolerance;
  return settings;
}

/// x' = -2 t x^2 from 1: x = 1 / (1 + t^2).
Model bell() {
  Model model;
  model.outputs = {"x"};
  model.x0 = {1.0};
  model.f = [](double t, auto x, auto, auto dx) { dx[0] = -2.0 * t * x[0] * x[0]; };
  model.g = kStates;
  return model;
}

/// Van der Pol's equation with eps = 1e-6, time scaled. Reference at 2 s: F. Mazzia, C. Magherini, Test Set for Initial
/// Value Problem Solvers, problem VDPOL.
Model vanDerPol() {
  Model model;
  model.outputs = {"x", "v"};
  model.x0 = {2.0, 0.0};
  model.f = [](double, auto x, auto, auto dx) {
    dx[0] = x[1];
    dx[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
  };
  model.g = kStates;
  return model;
}

TEST(RadauFixed, IsOfFifthOrder) {
  const auto error = [](double h) {
    Rig rig(equations(bell()), with(Kind::radauFixed, h));
    rig.step(0.0, 2.0);
    EXPECT_EQ(rig.system->effort().microSteps, static_cast<std::uint64_t>(std::lround(2.0 / h)));
    return std::fabs(rig.y[0] - 0.2);
  };
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 5.0, 0.25);
  EXPECT_NEAR(std::log2(error(0.05) / error(0.025)), 5.0, 0.25);
}

TEST(RadauFixed, TakesOneStepPerMacroStepByDefault) {
  // x' = -z x, H = 1: the approximation of Pade, two over three.
  for (const double z : {0.3, 4.0, 1e3}) {
    Rig rig(equations(linearModel({}, {"x"}, {{-z}, {}, {1.0}, {}}, {1.0})), with(Kind::radauFixed));
    rig.step(0.0, 1.0);
    const double exact = (1.0 - 0.4 * z + z * z / 20.0) / (1.0 + 0.6 * z + 0.15 * z * z + z * z * z / 60.0);
    EXPECT_NEAR(rig.y[0], exact, 1e-14);
    EXPECT_EQ(rig.system->effort().microSteps, 1U);
  }
}

TEST(RadauFixed, SolvesItsStagesToRoundingWhateverTheTolerances) {
  IntegratorSettings loose = with(Kind::radauFixed, 0.25);
  loose.atol = loose.rtol = 1e-2;
  IntegratorSettings tight = with(Kind::radauFixed, 0.25);
  tight.atol = tight.rtol = 1e-12;
  Rig first(equations(bell()), loose), second(equations(bell()), tight);
  first.step(0.0, 2.0);
  second.step(0.0, 2.0);
  EXPECT_NEAR(first.y[0], second.y[0], 4.0 * std::numeric_limits<double>::epsilon());
}

TEST(RadauFixed, IntegratesInputsUpToTheFourthPowerExactly) {
  // x' = u = 1 + 2 s + ... + 5 s^4 over 0.5 s: x = 0.5 (1 + 1 + 1 + 1 + 1).
  Rig rig(equations(linearModel({"u"}, {"x"}, {{0.0}, {1.0}, {1.0}, {0.0}}, {0.0})), with(Kind::radauFixed));
  rig.step(3.0, 3.5, {1.0, 2.0, 3.0});
  EXPECT_NEAR(rig.y[0], 1.5, 1e-15);
  rig.step(3.5, 4.0, {1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_NEAR(rig.y[0], 4.0, 1e-14);
}

TEST(Radau, ObeysItsTolerance) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    for (const double H : {0.02, 2.0}) {
      Rig rig(equations(bell()), tolerating(tolerance));
      for (int k = 0; k < std::lround(2.0 / H); ++k) ASSERT_EQ(rig.step(k * H, (k + 1) * H).status, Status::ok);
      EXPECT_NEAR(rig.y[0], 0.2, tolerance) << H;
    }
  constexpr Oscillator kOscillator{1.0, 4.0, 0.2, 1.0, 0.0};
  Rig rig(equations(oscillator(kOscillator)), tolerating(1e-10));
  rig.step(0.0, 5.0, {0.0});
  EXPECT_NEAR(rig.y[0], freeMotion(kOscillator, 5.0).first, 1e-10);
  EXPECT_NEAR(rig.y[1], freeMotion(kOscillator, 5.0).second, 2e-10);
}

TEST(Radau, FollowsInputsOfSecondDegree) {
  // x' = u - x^2 with u = 1 + 2 t + t^2: x = 1 + t.
  Model model = bell();
  model.inputs = {"u"};
  model.f = [](double, auto x, auto u, auto dx) { dx[0] = 1.0 + u[0] - x[0] * x[0]; };
  for (const Kind kind : {Kind::radau, Kind::radauFixed}) {
    Rig rig(equations(model), tolerating(1e-9, kind));
    rig.step(0.0, 0.5, {1.0, 1.0, 0.25});
    EXPECT_NEAR(rig.y[0], 1.5, 1e-9);
    rig.step(0.5, 2.5, {2.25, 6.0, 4.0});
    EXPECT_NEAR(rig.y[0], 3.5, 1e-9);
  }
}

TEST(Radau, VanDerPolsStiffEquationEndsAtTheReference) {
  Rig rig(equations(vanDerPol()), tolerating(1e-8));
  ASSERT_EQ(rig.step(0.0, 2.0).status, Status::ok) << rig.system->failure();
  EXPECT_NEAR(rig.y[0], 1.706167732170483, 1e-8);
  EXPECT_NEAR(rig.y[1], -0.8928097010247975, 1e-8);
  EXPECT_LT(rig.system->effort().microSteps, 5000U);
}

TEST(Radau, StiffnessCostsNeitherStepsNorAccuracy) {
  // Prothero and Robinson: x' = -k (x - cos t) - sin t from 1 has the solution cos t, whatever k.
  for (const double tolerance : {1e-6, 1e-10}) {
    std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
    for (const double k : {1e2, 1e6, 1e10}) {
      Model model = bell();
      model.f = [k](double t, auto x, auto, auto dx) { dx[0] = -k * (x[0] - std::cos(t)) - std::sin(t); };
      Rig rig(equations(model), tolerating(tolerance));
      rig.step(0.0, 10.0);
      EXPECT_NEAR(rig.y[0], std::cos(10.0), 5.0 * tolerance) << k;
      EXPECT_LE(rig.system->effort().microSteps, before) << k;
      before = rig.system->effort().microSteps;
    }
  }
}

TEST(Radau, DoesNotFollowWhatItDamps) {
  // x' = -1e10 (x - u): at every macro point u jumps by one and x is there after some 1e-10 s.
  Model model = bell();
  model.inputs = {"u"};
  model.f = [](double, auto x, auto u, auto dx) { dx[0] = -1e10 * (x[0] - u[0]); };
  Rig rig(equations(model), tolerating(1e-6));
  for (int k = 0; k < 100; ++k) {
    rig.step(0.01 * k, 0.01 * (k + 1), {2.0 + k});
    EXPECT_NEAR(rig.y[0], 2.0 + k, 1e-6 * (3.0 + k));
  }
  EXPECT_LT(rig.system->effort().microSteps + rig.system->effort().rejectedMicroSteps, 100U * 8U);
}

TEST(Radau, BearsAStiffSupport) {
  // 1 kg on 1e8 N/m and 1e5 N s/m: roots of s^2 + 1e5 s + 1e8.
  const double slow = -2e8 / (1e5 + std::sqrt(1e10 - 4e8));
  const double fast = 1e8 / slow;
  Rig rig(equations(oscillator({1.0, 1e8, 1e5, 1e-3, 0.0})), tolerating(1e-10));
  for (int k = 1; k <= 10; ++k) {
    const double t = 1e-3 * k;
    ASSERT_EQ(rig.step(t - 1e-3, t, {0.0}).status, Status::ok);
    EXPECT_NEAR(rig.y[0], 1e-3 * (fast * std::exp(slow * t) - slow * std::exp(fast * t)) / (fast - slow), 1e-10);
  }
  // A force that rises by 1e6 N/s moves it by F/c, lagging d/c = 1 ms behind.
  for (int k = 1; k <= 100; ++k) rig.step(0.01 * k, 0.01 * (k + 1), {1e4 * (k - 1), 1e4});
  EXPECT_NEAR(rig.y[0], (1e6 - 1e3) / 1e8, 1e-9);
}

TEST(Radau, RepeatsStepsOfNonlinearModelsBitByBit) {
  for (const Kind kind : {Kind::radau, Kind::radauFixed}) {
    Rig rig(equations(vanDerPol()), with(kind, 1e-3));
    rig.step(0.0, 0.1);
    rig.system->save(Slot::macroStep);
    rig.step(0.1, 0.15);
    const std::vector<double> once = rig.system->states();
    rig.step(0.15, 0.2);
    rig.system->restore(Slot::macroStep);
    rig.step(0.1, 0.12);
    rig.system->restore(Slot::macroStep);
    rig.step(0.1, 0.15);
    EXPECT_EQ(rig.system->states(), once) << word(kind);
  }
}

TEST(Radau, KeepsToTheLongestStep) {
  Rig rig(equations(linearModel({}, {"x"}, {{0.0}, {}, {1.0}, {}}, {1.0})), with(Kind::radau, 0.01));
  rig.step(0.0, 1.0);
  EXPECT_EQ(rig.system->effort().microSteps, 100U);
  Rig free(equations(linearModel({}, {"x"}, {{0.0}, {}, {1.0}, {}}, {1.0})), with(Kind::radau));
  free.step(0.0, 1.0);
  EXPECT_EQ(free.system->effort().microSteps, 1U);
}

TEST(Radau, NamesTheDerivativeThatIsNotFinite) {
  Model model = vanDerPol();
  model.f = [](double t, auto, auto, auto dx) {
    dx[0] = 1.0;
    dx[1] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  };
  Rig rig(equations(model), with(Kind::radau));
  EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
  EXPECT_EQ(
      rig.system->failure().find("Radau failed: the derivative of state 2 of 2 is not a finite number (at t = 0."), 0U)
      << rig.system->failure();
  EXPECT_NEAR(rig.system->states()[0], 2.5, 1e-9);  // it goes as far as there is a solution
}

TEST(RadauFixed, SaysThatItsIterationFailed) {
  // x' = 1 + x^2: x = tan t has no value at 3 s, and the stages of so long a step no real solution.
  Model model = bell();
  model.x0 = {0.0};
  model.f = [](double, auto x, auto, auto dx) { dx[0] = 1.0 + x[0] * x[0]; };
  Rig rig(equations(model), with(Kind::radauFixed));
  EXPECT_EQ(rig.step(0.0, 30.0).status, Status::error);
  EXPECT_NE(rig.system->failure().find("shorter micro step"), std::string::npos) << rig.system->failure();
}

// Algebraic equations.

/// x' = -z, 0 = z - x^2, 0 = w^3 - x: x = 1 / (1 + t).
Model indexOne() {
  Model model;
  model.outputs = {"x", "z", "w"};
  model.x0 = {1.0, 1.0, 1.0};
  model.f = [](double, auto x, auto, auto dx) {
    dx[0] = -x[1];
    dx[1] = x[1] - x[0] * x[0];
    dx[2] = x[2] * x[2] * x[2] - x[0];
  };
  model.g = kStates;
  model.algebraic = 2;
  return model;
}

TEST(RadauAlgebraic, SolvesEquationsOfIndexOne) {
  for (const Kind kind : {Kind::radau, Kind::radauFixed}) {
    IntegratorSettings settings = tolerating(1e-8, kind);
    settings.microStep = kind == Kind::radau ? 0.0 : 0.02;
    Rig rig(equations(indexOne()), settings);
    for (int k = 0; k < 10; ++k) ASSERT_EQ(rig.step(0.1 * k, 0.1 * (k + 1)).status, Status::ok);
    EXPECT_NEAR(rig.y[0], 0.5, 1e-8);
    EXPECT_NEAR(rig.y[1], 0.25, 1e-8);
    EXPECT_NEAR(rig.y[2], std::cbrt(0.5), 1e-8);
  }
}

/// A pendulum in the plane in Cartesian coordinates, stabilised form of index 2 (C. W. Gear, B. Leimkuhler, G. K.
/// Gupta, J. Comput. Appl. Math. 12 (1985); Schmoll (3.1)), with g = (q^T q - L^2) / 2 and its Jacobian G = q^T:
///   q' = v + G^T mu,   m v' = F + G^T lambda,   0 = g,   0 = G v
struct Pendulum {
  static constexpr double kMass = 2.0;       // kg
  static constexpr double kLength = 1.0;     // m
  static constexpr double kGravity = 9.81;   // m/s^2
  static constexpr double kAmplitude = 1.0;  // rad
  static constexpr double kTolerance = 1e-8;

  /// s, by the complete elliptic integral of the first kind.
  static double period() {
    return 4.0 * std::sqrt(kLength / kGravity) * std::comp_ellint_1(std::sin(kAmplitude / 2.0));
  }

  static Model model() {
    Model model;
    model.outputs = {"x", "y", "vx", "vy", "lambda", "mu"};
    const double height = -kLength * std::cos(kAmplitude);
    model.x0 = {kLength * std::sin(kAmplitude), height, 0.0, 0.0, kMass * kGravity * height / (kLength * kLength), 0.0};
    model.f = [](double, auto x, auto, auto dx) {
      dx[0] = x[2] + x[0] * x[5];
      dx[1] = x[3] + x[1] * x[5];
      dx[2] = x[0] * x[4] / kMass;
      dx[3] = x[1] * x[4] / kMass - kGravity;
      dx[4] = (x[0] * x[0] + x[1] * x[1] - kLength * kLength) / 2.0;
      dx[5] = x[0] * x[2] + x[1] * x[3];
    };
    model.g = kStates;
    model.algebraic = 2;
    return model;
  }

  koppla::test::Largest position;  ///< largest violations over the run, m^2 and m^2/s
  koppla::test::Largest velocity;
  double periodError = 0.0;  ///< relative

  /// 4 3/4 periods, 10.1 s, in 100 macro steps: at the end it hangs down and is at its fastest.
  explicit Pendulum(const IntegratorSettings& settings) {
    Rig rig(equations(model()), settings);
    const double H = 4.75 * period() / 100.0;
    for (int k = 0; k < 100; ++k) {
      EXPECT_EQ(rig.step(k * H, (k + 1) * H).status, Status::ok) << rig.system->failure();
      position.see(std::fabs(rig.y[0] * rig.y[0] + rig.y[1] * rig.y[1] - kLength * kLength) / 2.0);
      velocity.see(std::fabs(rig.y[0] * rig.y[2] + rig.y[1] * rig.y[3]));
    }
    const double late = std::atan2(rig.y[0], -rig.y[1]) * kLength / std::hypot(rig.y[2], rig.y[3]);
    periodError = std::fabs(late) / (4.75 * period());
    EXPECT_NEAR(std::hypot(rig.y[2], rig.y[3]), 2.0 * std::sqrt(kGravity * kLength) * std::sin(kAmplitude / 2.0), 1e-6);
    // The rod bears the weight and the centrifugal force; multipliers of index 2 are of third order only.
    const double centrifugal = 4.0 * kMass * kGravity * std::pow(std::sin(kAmplitude / 2.0), 2) / kLength;
    EXPECT_NEAR(rig.y[4], -(kMass * kGravity / kLength + centrifugal), 1e-4);
    EXPECT_NEAR(rig.y[5], 0.0, 1e-4);
  }
};

TEST(RadauAlgebraic, ConstraintsOfAPendulumHoldToTheTolerance) {
  const Pendulum run(tolerating(Pendulum::kTolerance));
  showAtMost({"schmoll R43", "position", "position constraint of a pendulum over 10 s, tolerance 1e-8"}, run.position,
             Pendulum::kTolerance);
  showAtMost({"schmoll R43", "velocity", "velocity constraint of a pendulum over 10 s, tolerance 1e-8"}, run.velocity,
             Pendulum::kTolerance);
  showAtMost({"schmoll R43", "period", "period of a pendulum against the elliptic integral, relative"}, run.periodError,
             1e-7);
}

TEST(RadauAlgebraic, FixedStepsHoldConstraintsToRounding) {
  const Pendulum run(with(Kind::radauFixed, 0.01));
  EXPECT_LE(run.position, 1e-14);
  EXPECT_LE(run.velocity, 1e-13);
  EXPECT_LE(run.periodError, 1e-7);
}

TEST(RadauAlgebraic, OtherIntegratorsAreRefused) {
  for (const Kind kind : kKinds) {
    if (kind == Kind::radau || kind == Kind::radauFixed) continue;
    try {
      integrate(equations(Pendulum::model()), with(kind));
      ADD_FAILURE() << word(kind);
    } catch (const core::InputError& error) {
      EXPECT_NE(std::string(error.what()).find("Take radau"), std::string::npos) << error.what();
    }
  }
}

TEST(RadauAlgebraic, NeitherRatesNorSensitivitiesOfAStepAreOffered) {
  const auto constrained = integrate(equations(indexOne()), with(Kind::radau));
  const auto free = integrate(equations(bell()), with(Kind::radau));
  EXPECT_EQ(constrained->describe().capabilities.outputDerivatives, 0U);
  EXPECT_EQ(free->describe().capabilities.outputDerivatives, 1U);
  EXPECT_FALSE(constrained->describe().capabilities.stepDerivatives);
  EXPECT_TRUE(free->describe().capabilities.stepDerivatives);
}

}  // namespace
}  // namespace koppla::solver::test
