// The BDF integrator of our own: orders, errors that follow the tolerance, renewal of the Jacobian, and how it compares
// with CVODE's.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::solver::test {
namespace {

using koppla::test::showFigure;
using subsystem::Effort;

IntegratorSettings bdf(double tolerance) {
  IntegratorSettings settings = with(Kind::bdf);
  settings.atol = settings.rtol = tolerance;
  return settings;
}

/// x' = -(x - cos t) - sin t with x(0) = 1: x = cos t. Smooth, and stiff with a large lambda.
Model followsCosine(double lambda) {
  Model model;
  model.outputs = {"x"};
  model.x0 = {1.0};
  model.f = [lambda](double t, auto x, auto, auto dx) { dx[0] = -lambda * (x[0] - std::cos(t)) - std::sin(t); };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  return model;
}

TEST(Bdf, EqualStepsHaveTheOrderThatIsAskedFor) {
  for (unsigned order = 1; order <= 5; ++order) {
    const auto error = [order](double h) {
      IntegratorSettings settings = with(Kind::bdfFixed, h);
      settings.order = order;
      Rig rig(equations(followsCosine(1.0)), settings);
      EXPECT_EQ(rig.step(0.0, 2.0).status, subsystem::Status::ok);
      return std::fabs(rig.y[0] - std::cos(2.0));
    };
    EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), order, 0.15) << order;
  }
}

/// The two-mass oscillator of Schmoll with what its BDF did at one tolerance.
struct Errors {
  double local;   ///< root mean square over the steps of (2.35), from the exact solution through the last step
  double global;  ///< root mean square error of x1 over that of x1
  Effort effort;
};

double weighted(const std::vector<double>& right, const std::vector<double>& found) {
  double sum = 0.0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double share = (right[i] - found[i]) / (1.0 + std::fmax(std::fabs(right[i]), std::fabs(found[i])));
    sum += share * share;
  }
  return sum / static_cast<double>(right.size());
}

Errors twoMassErrors(IntegratorSettings settings) {
  settings.microStep = 1e-3;
  settings.restart = false;
  constexpr double kEnd = 1.0;  // s
  Rig rig(equations(twoMasses()), settings);
  Rig exactly(equations(twoMasses()), with(Kind::exact)), through(equations(twoMasses()), with(Kind::exact));
  double local = 0.0, squares = 0.0, size = 0.0;
  std::uint64_t steps = 0;
  std::vector<double> before = exactly.system->states();
  for (double t = 0.0; t < kEnd; ++steps) {
    const double next = rig.step(t, kEnd, {}, true).reached;
    through.system->setStates(before);
    through.step(t, next);
    exactly.step(t, next);
    before = rig.system->states();
    local += weighted(through.system->states(), before);
    squares += std::pow(rig.y[0] - exactly.y[0], 2);
    size += std::pow(exactly.y[0], 2);
    t = next;
  }
  return {std::sqrt(local / static_cast<double>(steps)), std::sqrt(squares / size), rig.system->effort()};
}

TEST(Bdf, LocalErrorsFollowTheToleranceAndGlobalOnesLieDecadesAbove) {
  koppla::test::Largest most, farthest;
  koppla::test::Smallest least, nearest;
  int compared = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    const Errors errors = twoMassErrors(bdf(tolerance));
    least.see(errors.local / tolerance);
    most.see(errors.local / tolerance);
    if (errors.global > 0.5) continue;  // the phase is lost
    ++compared;
    nearest.see(errors.global / errors.local);
    farthest.see(errors.global / errors.local);
  }
  showFigure({"schmoll R41", "local", "local WRMSE over tol within a decade around 1, tol = 1e-4 ... 1e-8"},
             fmt::format("{:.2g} to {:.2g}", double(least), double(most)), least > 0.1 && most < 10.0);
  showFigure({"schmoll R41", "global", "global error of x1 1 to 3 decades above the local error, tol = 1e-5 ... 1e-8"},
             fmt::format("factors {:.2g} to {:.2g} at {} tolerances", double(nearest), double(farthest), compared),
             compared >= 4 && nearest > 10.0 && farthest < 1000.0);
}

TEST(Bdf, ComparesWithCvode) {
  for (const double tolerance : {1e-5, 1e-7}) {
    IntegratorSettings other = bdf(tolerance);
    other.kind = Kind::cvodeBdf;
    const Errors own = twoMassErrors(bdf(tolerance));
    const Errors cvode = twoMassErrors(other);
    const double steps = static_cast<double>(own.effort.microSteps) / static_cast<double>(cvode.effort.microSteps);
    showFigure({"schmoll R41", fmt::format("cvode-{:g}", tolerance),
                "steps within a factor of 2 of CVODE's, error not above 3 times CVODE's"},
               fmt::format("steps {:.2f}, error {:.2f}", steps, own.global / cvode.global),
               steps > 0.5 && steps < 2.0 && own.global < 3.0 * cvode.global);
  }
}

TEST(Bdf, StiffModesCostNoSteps) {
  const auto stepsWith = [](double lambda) {
    Rig rig(equations(followsCosine(lambda)), bdf(1e-6));
    EXPECT_EQ(rig.step(0.0, 10.0).status, subsystem::Status::ok);
    EXPECT_NEAR(rig.y[0], std::cos(10.0), 1e-4);
    return rig.system->effort().microSteps;
  };
  EXPECT_LT(stepsWith(1e8), 2 * stepsWith(1.0));
}

/// The first steps have no past to predict from; they must not be worse than the others.
TEST(Bdf, AGivenOrderStartsSafelyOnStiffProblemsAndAtRest) {
  for (const unsigned order : {1U, 2U, 3U, 4U, 5U})
    for (const double first : {0.0, 0.1}) {
      IntegratorSettings settings = bdf(1e-6);
      settings.order = order;
      settings.firstMicroStep = first;  // far too long for an explicit step
      Rig rig(equations(followsCosine(1e4)), settings);
      EXPECT_EQ(rig.step(0.0, 1.0).status, subsystem::Status::ok) << rig.system->failure();
      EXPECT_NEAR(rig.y[0], std::cos(1.0), 1e-5) << order << " " << first;

      // At rest until t = 0.3, then towards 0.01 with 10 rad/s.
      Model pushed;
      pushed.outputs = {"x"};
      pushed.x0 = {0.0, 0.0};
      pushed.f = [](double t, auto x, auto, auto dx) {
        dx[0] = x[1];
        dx[1] = -100.0 * x[0] + (t < 0.3 ? 0.0 : 1.0);
      };
      pushed.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
      settings.rtol = 1e-8;
      settings.atol = 1e-10;
      Rig rest(equations(pushed), settings);
      for (int n = 0; n < 20; ++n) rest.step(0.1 * n, 0.1 * (n + 1));
      EXPECT_NEAR(rest.y[0], 0.01 * (1.0 - std::cos(17.0)), 1e-5) << order << " " << first;
    }
}

TEST(Bdf, EqualStepsStartStablyAndWithTheirOrder) {
  for (const unsigned order : {1U, 2U, 3U, 4U, 5U}) {
    IntegratorSettings settings = with(Kind::bdfFixed, 0.01);
    settings.order = order;
    Model stiff = followsCosine(1e4);
    stiff.x0 = {2.0};  // off the slow solution
    Rig rig(equations(stiff), settings);
    for (int n = 0; n < 10; ++n) {
      EXPECT_EQ(rig.step(0.1 * n, 0.1 * (n + 1)).status, subsystem::Status::ok);
      EXPECT_NEAR(rig.y[0], std::cos(0.1 * (n + 1)), 0.02) << order << " " << n;
    }
  }
}

TEST(Bdf, RenewsItsJacobianAsThePatternSays) {
  const auto effortWith = [](std::vector<bool> renewal) {
    IntegratorSettings settings = bdf(1e-8);
    settings.newtonTolerance = 1e-4;
    settings.renewal = std::move(renewal);
    Rig rig(equations(twoMasses()), settings);
    EXPECT_EQ(rig.step(0.0, 0.1).status, subsystem::Status::ok);
    return rig.system->effort();
  };
  const Effort always = effortWith({true});
  EXPECT_EQ(always.jacobians, always.correctorIterations);
  const Effort first = effortWith({true, false, false, false, false, false, false, false, false, false});
  EXPECT_EQ(first.jacobians, first.microSteps + first.rejectedMicroSteps);
  const Effort kept = effortWith({});
  EXPECT_LT(4 * kept.jacobians, first.jacobians);
  showFigure({"schmoll R41", "renewal", "T: one Jacobian an iteration, T:F:...:F: one an attempt, auto: far fewer"},
             fmt::format("{} of {}, {} of {}, {} of {}", always.jacobians, always.correctorIterations, first.jacobians,
                         first.microSteps + first.rejectedMicroSteps, kept.jacobians,
                         kept.microSteps + kept.rejectedMicroSteps),
             always.jacobians == always.correctorIterations &&
                 first.jacobians == first.microSteps + first.rejectedMicroSteps &&
                 4 * kept.jacobians < first.jacobians);
}

TEST(Bdf, GoesOnAcrossMacroPoints) {
  const auto stepsWith = [](bool restart) {
    IntegratorSettings settings = bdf(1e-8);
    settings.restart = restart;
    Rig rig(equations(followsCosine(1.0)), settings);
    for (int k = 0; k < 100; ++k) rig.step(0.1 * k, 0.1 * (k + 1));
    EXPECT_NEAR(rig.y[0], std::cos(10.0), 1e-5);
    return rig.system->effort().microSteps;
  };
  EXPECT_LT(3 * stepsWith(false), stepsWith(true));
}

/// Where the right-hand side cannot be evaluated, a shorter step may still get along.
TEST(Bdf, ShortensStepsThatLeaveTheDomain) {
  Model model;  // x = (1 - t)^2 would end at t = 1; we stop before
  model.outputs = {"x"};
  model.x0 = {1.0};
  model.f = [](double, auto x, auto, auto dx) {
    if (x[0] < 0.0) throw std::domain_error("a negative root");
    dx[0] = -2.0 * std::sqrt(x[0]);
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  IntegratorSettings settings = bdf(1e-6);
  settings.firstMicroStep = 0.9;  // its predictor is far below zero
  Rig rig(equations(model), settings);
  EXPECT_EQ(rig.step(0.0, 0.95).status, subsystem::Status::ok) << rig.system->failure();
  EXPECT_NEAR(rig.y[0], 0.0025, 1e-4);
  settings.order = 4;  // whose first steps are explicit ones, in which a stage lies below zero
  Rig given(equations(model), settings);
  EXPECT_EQ(given.step(0.0, 0.95).status, subsystem::Status::ok) << given.system->failure();
  EXPECT_NEAR(given.y[0], 0.0025, 1e-4);
  EXPECT_EQ(rig.step(0.95, 1.5).status, subsystem::Status::error);
  EXPECT_NE(rig.system->failure().find("a negative root"), std::string::npos) << rig.system->failure();
}

TEST(Bdf, RefusesWhatMakesNoSense) {
  IntegratorSettings settings = bdf(1e-6);
  settings.order = 6;
  EXPECT_THROW(integrate(equations(followsCosine(1.0)), settings), core::InputError);
  settings = bdf(1e-6);
  settings.newtonTolerance = 1e-30;
  EXPECT_THROW(integrate(equations(followsCosine(1.0)), settings), core::InputError);
}

}  // namespace
}  // namespace koppla::solver::test
