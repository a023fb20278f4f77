#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/oscillator_body.hpp"
#include "koppla/native/rod.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

/// Schmoll, sec. 8 and 11.3: solvers that have their own idea of time.
namespace koppla::test::real_solver_test {
namespace {

double quarterDecade(int k) {
  return std::pow(10.0, -0.25 * k);
}

TwoMassCase onOwnGrids(double h1, double h2, double H, unsigned degree) {
  TwoMassCase c;
  c.degree = degree;
  c.H = H;
  c.first.kind = solver::Kind::ode5;
  c.first.microStep = h1;
  c.second.kind = solver::Kind::ode5;
  c.second.microStep = h2;
  c.overshootFirst = h1;
  c.overshootSecond = h2;
  return c;
}

TEST(Overshoot, CostsLittleAndKeepsTheOrder) {
  test::Largest far;   // H >= 7 h
  test::Largest near;  // H = 2..4 h
  test::Largest order;
  for (unsigned p = 1; p <= 4; ++p) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const int k : {17, 18, 20, 22}) {
      const double H = quarterDecade(k);
      TwoMassCase aligned;
      aligned.H = H;
      aligned.degree = p;
      const double right = errorsOf(aligned).global;
      if (right < 5e-9) continue;  // near the floor of rounded times
      const double overshot = errorsOf(onOwnGrids(1.37e-6, 0.93e-6, H, p)).global;
      (k == 22 ? near : far).see(std::fabs(overshot / right - 1.0));
      if (k == 22) continue;
      steps.push_back(H);
      errors.push_back(overshot);
    }
    order.see(std::fabs(slope(steps, errors) - (p + 1.0)));
  }
  showAtMost({"schmoll R22", "far", "error within 15 % of the aligned run, H >= 7 h"}, far, 0.15);
  showAtMost({"schmoll R22", "near", "error within 60 % of the aligned run, H = 2..4 h"}, near, 0.6);
  showAtMost({"schmoll R22", "order", "p + 1 within 0.2"}, order, 0.2);
}

TEST(Overshoot, MicroStepsLongerThanMacroStepsCatchUp) {
  const std::vector<std::pair<int, std::array<double, 6>>> table{
      {19, {2.5e0, 1.8e-2, 4.5e-4, 1.2e-5, 3.4e-7, 1.2e-8}},
      {20, {9.9e-1, 4.2e-3, 5.4e-5, 7.4e-7, 1.0e-8, 1.5e-10}},
      {21, {9.9e-1, 4.4e-3, 3.3e-5, 6.2e-8, 4.7e-9, HUGE_VAL}},
      {22, {9.9e-1, 4.2e-3, 5.4e-5, 1.1e-6, 2.8e-8, 5.3e-9}}};
  test::Largest worst;
  for (const auto& [k, expected] : table)
    for (unsigned p = 0; p <= 5; ++p) {
      const TwoMassErrors errors = errorsOf(onOwnGrids(1e-5, 1e-5, quarterDecade(k), p));
      SCOPED_TRACE(fmt::format("p = {}, H = {:.3g}: {:.3g}", p, quarterDecade(k), errors.global));
      if (std::isinf(expected[p])) {
        EXPECT_TRUE(errors.unstable());
        continue;
      }
      const double deviation = std::fabs(errors.global / expected[p] - 1.0);
      EXPECT_LE(deviation, 0.2);
      worst.see(deviation);
    }
  showAtMost({"schmoll R23", "table-11.3", "within 20 %; p = 5 unstable only at H = 5.6e-6 s"}, worst, 0.2);
}

TEST(Overshoot, HitsOnMacroTimesAreTies) {
  showFigure({"schmoll R25", "tie", "1.4e-10 to 1.6e-10 at h = H = 1e-5 s, p = 5"},
             fmt::format("{:.3g}", errorsOf(onOwnGrids(1e-5, 1e-5, 1e-5, 5)).global),
             std::fabs(errorsOf(onOwnGrids(1e-5, 1e-5, 1e-5, 5)).global - 1.5e-10) < 0.15e-10);
}

/// To the two digits that the note prints.
double inTwoDigits(double value) {
  return std::stod(fmt::format("{:.1e}", value));
}

TEST(Solvers, TheirErrorBoundsTheCouplingError) {
  const auto with = [](solver::Kind kind, double H, int microSteps) {
    TwoMassCase c;
    c.degree = 5;
    c.H = H;
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = kind;
      settings->microStep = H / microSteps;
    }
    return errorsOf(c);
  };
  // The coupling error of degree 5 lies below 2e-7 in all of them. Micro steps below 1e-6 s that land on macro times:
  // the floor falls with their square.
  test::Smallest least;
  test::Largest most;
  for (const auto& [k, microSteps] : {std::pair{18, 32}, {20, 10}, {22, 4}}) {
    const double floor = with(solver::Kind::ode2, quarterDecade(k), microSteps).global;
    least.see(inTwoDigits(floor));
    most.see(inTwoDigits(floor));
  }
  showFigure({"schmoll R40", "ode2", "floor 8e-6 to 1.3e-5, in two digits, at H = 3.16e-5, 1e-5 and 3.16e-6 s"},
             fmt::format("{:.2g} to {:.2g}", double(least), double(most)), least >= 8.0e-6 && most <= 1.3e-5);
  test::Largest global, local;
  for (const auto& [k, microSteps] : {std::pair{20, 10}, {22, 4}}) {
    const TwoMassErrors fine = with(solver::Kind::ode5, quarterDecade(k), microSteps);
    global.see(fine.global);
    local.see(fine.local);
  }
  showAtMost({"schmoll R40", "ode5-global", "at most 1e-9 at H = 1e-5 and 3.16e-6 s"}, global, 1e-9);
  showAtMost({"schmoll R40", "ode5-local", "at most 1e-11 at H = 1e-5 and 3.16e-6 s"}, local, 1e-11);
}

TEST(Solvers, AVariableStepSolverPaysForHeldInputs) {
  // The split and order that are stable with held inputs too; CVODE goes on across macro points and meets their jumps.
  std::array<std::uint64_t, 3> microSteps{};
  for (unsigned p = 0; p <= 2; ++p) {
    TwoMassCase c;
    c.degree = p;
    c.H = 1e-4;
    c.end = 0.1;
    c.split = Split::displacementDisplacement;
    c.algorithm = coupling::AlgorithmKind::gaussSeidel;
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = solver::Kind::cvodeAdams;
      settings->rtol = 1e-4;
      settings->atol = 1e-6;
      settings->restart = false;
    }
    const TwoMassErrors errors = errorsOf(c);
    for (const auto& member : errors.statistics.members) microSteps[p] += member.effort.microSteps;
  }
  showFigure({"schmoll R63", "micro-steps", "p = 0 takes at least 1.5 times those of p = 1 and 2"},
             fmt::format("{}, {}, {}", microSteps[0], microSteps[1], microSteps[2]),
             static_cast<double>(microSteps[0]) > 1.5 * static_cast<double>(std::max(microSteps[1], microSteps[2])));
}

/// The two-mass oscillator of table 3.1 with a rod of two finite elements as its second half.
coupling::System rodSystem(const TwoMassCase& c) {
  native::Rod settings;
  settings.displacements = {c.parameters.x20};
  coupling::System system;
  system.members.push_back(
      {"s1", solver::integrate(native::oscillatorBody(native::firstBody(c.parameters)), c.first), {}});
  system.members.push_back({"s2", solver::integrate(native::rod(settings), c.second), {}});
  connect(system, {{"s1.x", "s2.w"}, {"s1.v", "s2.v"}, {"s2.f", "s1.f"}});
  if (c.startUp == coupling::StartUp::analytic) knowPast(system, c.parameters);
  return system;
}

/// Sec. 14.7: Jacobi with ODE5; largest deviation of the errors of x1, v1 and F.
double worstOfRod(const std::function<coupling::System(const TwoMassCase&)>& make, coupling::StartUp startUp, double H,
                  const std::vector<std::pair<unsigned, double>>& table) {
  test::Largest worst;
  for (const auto& [p, expected] : table) {
    TwoMassCase c;
    c.parameters = native::schmollTable31();
    c.end = 0.05;
    c.degree = p;
    c.H = H;
    c.startUp = startUp;
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = solver::Kind::ode5;
      settings->microStep = 1e-6;
    }
    const double error = errorsOf(c, make(c)).global;
    EXPECT_NEAR(error / expected, 1.0, 0.2) << p << ": " << error;
    worst.see(std::fabs(error / expected - 1.0));
  }
  return worst;
}

TEST(Rod, ItsFiniteElementModelHasTheErrorsOfTheNote) {
  using coupling::StartUp;
  const std::vector<std::pair<unsigned, double>> analytic{{0, 3.6e-1}, {1, 1.1e-2}, {2, 5.1e-4},
                                                          {3, 3.1e-5}, {4, 2.1e-6}, {5, 1.5e-7}};
  const std::vector<std::pair<unsigned, double>> trivial{{2, 6.1e-4}, {3, 3.4e-4}, {4, 3.8e-4}, {5, 3.0e-4}};
  const std::vector<std::pair<unsigned, double>> fine{{2, 2.4e-7}, {3, 2.4e-7}, {4, 2.4e-7}, {5, 2.4e-7}};
  for (const auto& [name, make] :
       std::vector<std::pair<std::string, std::function<coupling::System(const TwoMassCase&)>>>{
           {"rod", rodSystem}, {"analogue", twoMassSystem}}) {
    showAtMost({"schmoll R44", name + "-analytic", "sec. 14.7 within 20 %, analytic start, H = 1e-4 s, p = 0..5"},
               worstOfRod(make, StartUp::analytic, 1e-4, analytic), 0.2);
    showAtMost({"schmoll R44", name + "-trivial", "sec. 14.7 within 20 %, trivial start, H = 1e-4 s, p = 2..5"},
               worstOfRod(make, StartUp::trivial, 1e-4, trivial), 0.2);
    showAtMost({"schmoll R44", name + "-trivial-fine", "2.4e-7 within 20 %, trivial start, H = 3.16e-6 s, p = 2..5"},
               worstOfRod(make, StartUp::trivial, quarterDecade(22), fine), 0.2);
  }
}

}  // namespace
}  // namespace koppla::test::real_solver_test
