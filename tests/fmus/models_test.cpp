// Our FMUs against their equations.

#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "loaded_fmu.hpp"

namespace koppla::fmus {
namespace {

TEST(Math003, SwitchesOnTheGridPoints) {
  const LoadedFmu fmu("Math003Part1");
  const Instance it(fmu);
  it.start();
  for (int i = 0; i < 100; ++i) {
    const double t = i * 0.1;
    ASSERT_EQ(it.step(t, (i + 1) * 0.1 - t), fmi2OK);
    const int now = i + 1;
    EXPECT_EQ(it.real("x1"), (now >= 10 && now < 20) || now >= 50 ? 1 : 0) << now;
    EXPECT_EQ(it.real("x2"), (now >= 30 && now < 40) || now >= 60 ? 1 : 0) << now;
  }
}

TEST(Math003, ControllerAndIntegratorFollowTheirFormulas) {
  const LoadedFmu controllers("Math003Part2");
  const LoadedFmu integrators("Math003Part3");
  const Instance controller(controllers);
  const Instance integrator(integrators);
  controller.start();
  integrator.start();
  const auto x3 = [&](double x1, double x2, double x4) {
    controller.set("x1", x1);
    controller.set("x2", x2);
    controller.set("x4", x4);
    return controller.real("x3");
  };
  EXPECT_EQ(x3(1, 0, 2.4), 3);
  EXPECT_EQ(x3(1 - 1e-6, 1e-6, 2.4), 3);
  EXPECT_EQ(x3(1, 0, 2.5), 0);
  EXPECT_EQ(x3(1, 1, 0), 0);
  EXPECT_EQ(x3(0, 1, -2.4), -3);
  EXPECT_EQ(x3(0, 1, -2.5), 0);
  EXPECT_EQ(x3(0, 0, 0), 0);
  integrator.set("x3", 3.0);
  EXPECT_EQ(integrator.real("x4"), 0);
  integrator.step(0, 0.25);
  EXPECT_EQ(integrator.real("x4"), 1.5);
}

// x(h) from the roots of m s^2 + d s + c = 0, an independent way to the same motion.
double free(double m, double c, double d, double x0, double v0, double h) {
  using C = std::complex<double>;
  const C root = std::sqrt(C(d * d - 4 * m * c));
  const C s1 = (-d + root) / (2 * m);
  const C s2 = (-d - root) / (2 * m);
  if (std::abs(s1 - s2) < 1e-12) return ((x0 + (v0 - s1 * x0) * h) * std::exp(s1 * h)).real();
  const C a = (v0 - s2 * x0) / (s1 - s2);
  return (a * std::exp(s1 * h) + (x0 - a) * std::exp(s2 * h)).real();
}

TEST(OscillatorMass, MovesExactlyForEveryDamping) {
  const LoadedFmu fmu("OscillatorMass");
  const double m = 2;
  const double F = 3;
  for (const double c : {0.0, 8.0}) {
    for (const double d : {0.0, 0.4, 8.0, 8.0000001, 20.0, 4000.0}) {
      for (const double h : {1e-4, 0.1, 5.0}) {
        const Instance it(fmu);
        it.set("m", m);
        it.set("c", c);
        it.set("d", d);
        it.set("x0", 0.7);
        it.set("v0", -0.3);
        it.start();
        EXPECT_EQ(it.real("x"), 0.7);
        it.set("F", F);
        ASSERT_EQ(it.step(0, h), fmi2OK);
        double exact = F / c + free(m, c, d, 0.7 - F / c, -0.3, h);
        if (c == 0 && d == 0) exact = 0.7 - 0.3 * h + F / m * h * h / 2;
        if (c == 0 && d > 0) exact = 0.7 + F / d * h - (-0.3 - F / d) * m / d * std::expm1(-d / m * h);
        EXPECT_NEAR(it.real("x"), exact, 1e-9) << c << " " << d << " " << h;
      }
    }
  }
}

TEST(OscillatorHalf, IsMassAndLinkInOne) {
  const LoadedFmu halves("OscillatorHalf");
  const LoadedFmu masses("OscillatorMass");
  const Instance half(halves);
  half.set("d", 0.2);
  half.set("x0", 0.5);
  const Instance mass(masses);  // the same equation: its own spring takes the link's stiffness
  mass.set("c", 2.0);
  mass.set("d", 0.2);
  mass.set("x0", 0.5);
  half.start();
  mass.start();
  half.set("x", 1.0);
  half.set("v", -1.0);
  EXPECT_DOUBLE_EQ(half.real("F"), (0.5 - 1) + 0.2 * (0 + 1));
  mass.set("F", 1.0 - 0.2);
  half.step(0, 0.3);
  mass.step(0, 0.3);
  EXPECT_DOUBLE_EQ(half.real("x2"), mass.real("x"));
  EXPECT_DOUBLE_EQ(half.real("v2"), mass.real("v"));
}

TEST(JointMass, MovesExactlyUnderPolynomialsOfForceAndProjection) {
  const LoadedFmu fmu("JointMass");
  const double m = 2;
  const double c = 30;
  const double d = 4;
  const double h = 0.4;
  const Instance it(fmu);
  for (const auto& [name, value] : {std::pair{"m", m}, {"c", c}, {"d", d}, {"x0", 0.7}, {"v0", -0.3}})
    it.set(name, value);
  it.start();
  it.set("F", 3.0);
  it.set("w", 0.2);
  const std::array references{it.reference("F"), it.reference("F"), it.reference("w"), it.reference("w")};
  const std::array orders{1, 2, 1, 2};
  const std::array derivatives{-5.0, 8.0, 1.5, -2.5};
  using References = const fmi2ValueReference*;
  ASSERT_EQ(
      (it.call<References, std::size_t, const int*, const double*>(
          "fmi2SetRealInputDerivatives", references.data(), references.size(), orders.data(), derivatives.data())),
      fmi2OK);
  ASSERT_EQ(it.step(0, h), fmi2OK);
  // The classical Runge-Kutta method in short steps knows nothing of closed forms.
  const auto force = [](double t) { return 3.0 - 5.0 * t + 4.0 * t * t; };
  const auto rates = [&](double t, double x, double v) {
    return std::array{v + 0.2 + 1.5 * t - 1.25 * t * t, (force(t) - c * x - d * v) / m};
  };
  double x = 0.7;
  double v = -0.3;
  const int steps = 1000;
  const double k = h / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * k;
    const auto a = rates(t, x, v);
    const auto b = rates(t + k / 2, x + k / 2 * a[0], v + k / 2 * a[1]);
    const auto e = rates(t + k / 2, x + k / 2 * b[0], v + k / 2 * b[1]);
    const auto f = rates(t + k, x + k * e[0], v + k * e[1]);
    x += k / 6 * (a[0] + 2 * b[0] + 2 * e[0] + f[0]);
    v += k / 6 * (a[1] + 2 * b[1] + 2 * e[1] + f[1]);
  }
  EXPECT_NEAR(it.real("x"), x, 1e-11);
  EXPECT_NEAR(it.real("v"), v, 1e-11);
  EXPECT_NEAR(it.real("a"), (force(h) - c * x - d * v) / m, 1e-9);
}

TEST(HardeningSpring, IsAFunctionOfItsInputsWhileItIsInitialised) {
  const LoadedFmu fmu("HardeningSpring");
  const Instance it(fmu);
  ASSERT_EQ(it.setUp(), fmi2OK);
  ASSERT_EQ(it.enter(), fmi2OK);
  const auto force = [&](double x, double v) {
    it.set("x", x);
    it.set("v", v);
    return it.real("f");
  };
  EXPECT_DOUBLE_EQ(force(2, -100), -1e5 * (std::exp(6.0) - 1) + 10);  // at the start of Schmoll's oscillator
  EXPECT_DOUBLE_EQ(force(-2, 100), 1e5 * (std::exp(6.0) - 1) - 10);
  EXPECT_EQ(force(0, 0), 0);
  EXPECT_DOUBLE_EQ(force(2, -100), -1e5 * (std::exp(6.0) - 1) + 10);
}

TEST(HardeningSpring, HasTheDerivativesOfItsForce) {
  const LoadedFmu fmu("HardeningSpring");
  const Instance it(fmu);
  ASSERT_EQ(it.setUp(), fmi2OK);
  ASSERT_EQ(it.enter(), fmi2OK);
  it.set("x", -1.5);
  it.set("v", 3000.0);
  const auto derivative = [&](const char* known) {
    const fmi2ValueReference f = it.reference("f");
    const fmi2ValueReference by = it.reference(known);
    const double direction = 1;
    double result = 0;
    EXPECT_EQ((it.call<const fmi2ValueReference*, std::size_t, const fmi2ValueReference*, std::size_t, const double*,
                       double*>("fmi2GetDirectionalDerivative", &f, 1, &by, 1, &direction, &result)),
              fmi2OK);
    return result;
  };
  for (const char* known : {"x", "v", "c", "alpha", "d"}) {
    const double at = it.real(known);
    const double step = 1e-5 * std::abs(at);
    const double slope = derivative(known);
    it.set(known, at + step);
    const double above = it.real("f");
    it.set(known, at - step);
    EXPECT_NEAR(slope, (above - it.real("f")) / (2 * step), 1e-6 * std::abs(slope)) << known;
    it.set(known, at);
  }
}

TEST(InterpolatingLag, IsExactForARamp) {
  const LoadedFmu fmu("InterpolatingLag");
  const Instance it(fmu);
  it.set("T", 0.5);
  it.start();
  const fmi2ValueReference u = it.reference("u");
  const fmi2ValueReference y = it.reference("y");
  const int order = 1;
  const double slope = 2;
  using References = const fmi2ValueReference*;
  ASSERT_EQ((it.call<References, std::size_t, const int*, const double*>("fmi2SetRealInputDerivatives", &u, 1, &order,
                                                                         &slope)),
            fmi2OK);
  it.step(0, 1);
  const double exact = 2 * (1 - 0.5) + 2 * 0.5 * std::exp(-2.0);
  EXPECT_NEAR(it.real("y"), exact, 1e-14);
  double derivative = 0;
  ASSERT_EQ((it.call<References, std::size_t, const int*, double*>("fmi2GetRealOutputDerivatives", &y, 1, &order,
                                                                   &derivative)),
            fmi2OK);
  EXPECT_NEAR(derivative, (2 - exact) / 0.5, 1e-13);
}

TEST(LotkaVolterra, StepsAreExactForHeldInputs) {
  const LoadedFmu preys("LotkaVolterraPrey");
  const LoadedFmu predators("LotkaVolterraPredator");
  const Instance prey(preys);
  const Instance predator(predators);
  prey.start();
  predator.start();
  prey.set("y", 0.5);
  predator.set("x", 4.0);
  prey.step(0, 0.1);
  predator.step(0, 0.1);
  EXPECT_DOUBLE_EQ(prey.real("x"), 2 * std::exp((1.5 - 0.5) * 0.1));
  EXPECT_DOUBLE_EQ(predator.real("y"), std::exp(-(1 - 0.3 * 4) * 0.1));
}

}  // namespace
}  // namespace koppla::fmus
