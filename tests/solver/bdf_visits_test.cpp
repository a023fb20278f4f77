// What BDF announces to equations that linearise a part of themselves, where it begins anew, and how it fails.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "block.hpp"
#include "rig.hpp"

namespace koppla::solver::test::bdf_visits_test {
namespace {

using subsystem::Causality;
using subsystem::Status;
using Vector = std::vector<double>;

IntegratorSettings bdf(double tolerance) {
  IntegratorSettings settings = with(Kind::bdf);
  settings.atol = settings.rtol = tolerance;
  return settings;
}

/// x' = f(t, x) without inputs; the outputs are the states.
std::unique_ptr<Block> block(Vector start,
                             const std::function<void(double, std::span<const double>, std::span<double>)>& f) {
  auto made = std::make_unique<Block>("block");
  made->port("x", Causality::output, start.size())
      .from(
          std::move(start), [f](double t, auto x, auto, auto dx) { f(t, x, dx); },
          [](double, auto x, auto, auto y) { std::ranges::copy(x, y.begin()); });
  return made;
}

std::unique_ptr<Block> decay() {
  return block({1.0, 2.0}, [](double t, auto x, auto dx) {
    dx[0] = -3.0 * x[0] * x[0] + std::cos(t);
    dx[1] = x[0] - 2.0 * x[1];
  });
}

/// Of single steps, with the states behind the names of the ports.
struct Observed {
  Block* model;
  std::unique_ptr<subsystem::Subsystem> system;
  Vector y;

  Observed(std::unique_ptr<Block> made, const IntegratorSettings& settings) : model(made.get()) {
    y.resize(made->stateCount());
    system = integrate(std::move(made), settings);
    subsystem::Binding binding;
    binding.outputs = {0};
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 10.0, {}});
    system->evaluate(0.0, {}, y);
    system->leaveInitialisation();
    model->visits.clear();
  }
  subsystem::StepResult step(double t0, double t1, bool single = false) {
    return system->advance({t0, t1, false, single}, {}, y);
  }
};

TEST(BdfVisits, AnnounceEveryStage) {
  for (const bool renews : {false, true}) {
    IntegratorSettings settings = bdf(1e-5);
    if (renews) settings.renewal = {true, false};
    settings.newtonTolerance = 1e-5;
    Observed run(decay(), settings);
    double t = 0.0;
    for (int k = 0; k < 20; ++k) {
      const Vector before = run.y;
      run.model->visits.clear();
      const std::uint64_t iterations = run.system->effort().correctorIterations;
      const std::uint64_t rejected = run.system->effort().rejectedMicroSteps;
      const double reached = run.step(t, 5.0, true).reached;
      auto& visits = run.model->visits;
      if (k == 0) {
        ASSERT_EQ(visits.front().at, Visit::started);
        EXPECT_EQ(visits.front().t, 0.0);
        EXPECT_EQ(visits.front().x, before);
        visits.erase(visits.begin());
      }
      if (run.system->effort().rejectedMicroSteps == rejected) {
        ASSERT_EQ(visits.size(), run.system->effort().correctorIterations - iterations + 2);
        EXPECT_EQ(visits.front().at, Visit::predicted);
        EXPECT_EQ(visits[1].x, visits[0].x) << "the iteration begins at the predictor";
        for (const auto& visit : visits) EXPECT_EQ(visit.t, reached);
        for (std::size_t i = 1; i + 1 < visits.size(); ++i) {
          const bool renewal = visits[i].at == Visit::renewal;
          EXPECT_TRUE(renewal || visits[i].at == Visit::iterate);
          if (renews) {
            EXPECT_EQ(renewal, i % 2 == 1) << i;
          }
        }
      }
      EXPECT_EQ(visits.back().at, Visit::accepted);
      EXPECT_EQ(visits.back().t, reached);
      EXPECT_EQ(visits.back().x, run.y);
      t = reached;
    }
  }
}

/// With a given order and first step the start is explicit: it is announced where it ends.
TEST(BdfVisits, AnnounceTheEndOfTheStart) {
  IntegratorSettings settings = bdf(1e-4);
  settings.order = 3;
  settings.firstMicroStep = 1e-3;
  Observed run(decay(), settings);
  double t = 0.0;
  for (int k = 1; k <= 3; ++k) {
    t = run.step(t, 5.0, true).reached;
    EXPECT_NEAR(t, 1e-3 * k, 1e-15);
    EXPECT_EQ(run.model->visits.size(), k == 3 ? 1U : 0U);
  }
  EXPECT_EQ(run.model->visits[0].at, Visit::started);
  EXPECT_EQ(run.model->visits[0].t, t);
  EXPECT_EQ(run.model->visits[0].x, run.y);
}

/// Time that does not go on from its own, states that were set, and `restart`: a start each.
TEST(BdfVisits, BeginAnewWhereThePastIsNotTheirs) {
  const auto starts = [](const Observed& run) {
    return std::ranges::count(run.model->visits, Visit::started, &Block::Visited::at);
  };
  for (const bool restart : {false, true}) {
    IntegratorSettings settings = bdf(1e-4);
    settings.restart = restart;
    Observed run(decay(), settings);
    run.step(0.0, 1.0);
    EXPECT_EQ(starts(run), 1);
    run.step(1.0, 2.0);
    EXPECT_EQ(starts(run), restart ? 2 : 1);
    run.step(2.0 + 1e-15, 3.0);
    EXPECT_EQ(starts(run), restart ? 3 : 1) << "rounding of time";
    run.step(3.5, 4.0);
    EXPECT_EQ(starts(run), restart ? 4 : 2);
    EXPECT_EQ(run.step(4.0, 4.0).status, Status::ok);
    EXPECT_EQ(starts(run), restart ? 4 : 2) << "a step without length is none";
    run.system->setStates(run.system->states());
    run.step(4.0, 5.0);
    EXPECT_EQ(starts(run), restart ? 5 : 3);
  }
}

std::string failureOf(std::unique_ptr<Block> model, const IntegratorSettings& settings, double end = 1.0) {
  Observed run(std::move(model), settings);
  const subsystem::StepResult result = run.step(0.0, end);
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.reached, 0.0);
  return run.system->failure();
}

/// From 1/2 s on it rises so steeply that it is never small against its own tolerance.
std::unique_ptr<Block> wall() {
  return block({0.0}, [](double t, auto, auto dx) { dx[0] = t < 0.5 ? 0.0 : 1e300; });
}

TEST(BdfFailures, SayThatNoStepIsShortEnough) {
  const std::string failure = failureOf(wall(), bdf(1e-6));
  EXPECT_EQ(failure.find("bdf failed: no step is short enough for the tolerances; looser ones may help (at t = 0."), 0U)
      << failure;
}

TEST(BdfFailures, SayThatTheShortestStepIsTooLong) {
  IntegratorSettings settings = bdf(1e-6);
  settings.minMicroStep = 0.01;
  Observed run(wall(), settings);
  EXPECT_EQ(run.step(0.0, 1.0).status, Status::error);
  const std::string failure = run.system->failure();
  EXPECT_EQ(failure.find("bdf failed: the tolerances need steps below min_micro_step; a smaller one, or looser "
                         "tolerances, may help (at t = 0."),
            0U)
      << failure;
  EXPECT_LT(run.system->effort().rejectedMicroSteps, 10U) << "0.5 s to 0.01 s by halves or fifths";
}

TEST(BdfFailures, NameTheDerivativeThatIsNoNumber) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t state = 0; state < 2; ++state) {
      const auto f = [=](double t, auto, auto dx) {
        dx[0] = dx[1] = 1.0;
        if (t > 0.5) dx[state] = bad;
      };
      const std::string failure = failureOf(block({0.0, 0.0}, f), bdf(1e-6));
      EXPECT_EQ(failure.find("bdf failed: the derivative of state " + std::to_string(state + 1) +
                             " of 2 is not a finite number (at t = 0."),
                0U)
          << failure;
    }
}

/// x = h f(x) has no solution where f turns round at 0.
TEST(BdfFailures, SayThatTheIterationDoesNotConverge) {
  const auto model = [](double from) {
    return block({0.0}, [from](double t, auto x, auto dx) { dx[0] = t < from ? 0.0 : x[0] >= 0.0 ? -1e12 : 1e12; });
  };
  EXPECT_EQ(
      failureOf(model(0.0), bdf(1e-9))
          .find("bdf failed: the corrector iteration does not converge in any step that is not too short (at t = "),
      0U);
  EXPECT_EQ(failureOf(model(0.55), with(Kind::bdfFixed, 0.1)),
            "bdf-fixed failed: the corrector iteration did not converge; a shorter micro step may help (at t = 0.5 s)");
}

/// x = (1 - 10 t)^2, of which an explicit step that is too long makes a negative number.
TEST(BdfFailures, AStartThatLeavesTheDomainIsMadeInShorterSteps) {
  const auto root = [](double, auto x, auto dx) {
    if (x[0] < 0.0) throw std::domain_error("a negative root");
    dx[0] = -20.0 * std::sqrt(x[0]);
  };
  IntegratorSettings settings = bdf(1e-6);
  settings.order = 3;
  settings.firstMicroStep = 0.09;
  Observed run(block({1.0}, root), settings);
  ASSERT_EQ(run.step(0.0, 0.09).status, Status::ok) << run.system->failure();
  EXPECT_NEAR(run.y[0], 0.01, 1e-3);
  EXPECT_GT(run.system->effort().rejectedMicroSteps, 0U);
  // Where no step gets along the words are those of the model.
  const auto never = [](double, auto, auto) { throw std::domain_error("never"); };
  EXPECT_EQ(failureOf(block({1.0}, never), settings), "The model failed in the step that began at t = 0 s: never");
}

/// The first steps of equal ones are those of radau-fixed, and so are their failures.
TEST(BdfFailures, OfEqualStepsAreThoseOfTheStart) {
  const auto nothing = [](double, auto, auto dx) { dx[0] = std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(failureOf(block({0.0}, nothing), with(Kind::bdfFixed, 0.1)),
            "Radau failed: the derivative of state 1 of 1 is not a finite number (at t = 0 s)");
  const auto turning = [](double, auto x, auto dx) { dx[0] = x[0] >= 0.0 ? -1.0 : 1.0; };
  EXPECT_EQ(failureOf(block({0.0}, turning), with(Kind::bdfFixed, 0.1)),
            "Radau failed: the iteration for the stages did not converge; a shorter micro step may help (at t = 0 s)");
}

/// A failure is not told twice, and the step can be tried again.
TEST(BdfFailures, AreForgottenInTheNextStep) {
  bool broken = true;
  const auto f = [&broken](double t, auto, auto dx) {
    if (broken) throw std::domain_error("not now");
    dx[0] = t < 0.5 ? 0.0 : 1e300;
  };
  Observed run(block({0.0}, f), bdf(1e-6));
  EXPECT_EQ(run.step(0.0, 0.25).status, Status::error);
  EXPECT_EQ(run.system->failure(), "The model failed in the step that began at t = 0 s: not now");
  broken = false;
  EXPECT_EQ(run.step(0.0, 0.25).status, Status::ok);
  EXPECT_EQ(run.step(0.25, 1.0).status, Status::error);
  EXPECT_EQ(run.system->failure().find("bdf failed: no step is short enough"), 0U) << run.system->failure();
}

/// A start after a failure is like any other: its steps may grow at once.
TEST(BdfFailures, AreNothingToTheNextStart) {
  for (const std::optional<unsigned> order : {std::optional<unsigned>(), std::optional<unsigned>(3)}) {
    IntegratorSettings settings = bdf(1e-5);
    settings.order = order;
    bool broken = true;
    const auto f = [&broken](double t, auto x, auto dx) {
      dx[0] = broken && t > 0.5 ? 1e300 : -x[0] * x[0] + std::cos(t);
    };
    Observed failed(block({1.0}, f), settings);
    EXPECT_EQ(failed.step(0.0, 1.0).status, Status::error);
    EXPECT_GT(failed.system->effort().rejectedMicroSteps, 0U);
    broken = false;
    Observed fresh(block({1.0}, f), settings);
    failed.system->setStates(Vector{1.0});
    const std::uint64_t before = failed.system->effort().microSteps;
    double t = 2.0, other = 2.0;
    for (int k = 0; k < 12; ++k) {
      t = failed.step(t, 9.0, true).reached;
      other = fresh.step(other, 9.0, true).reached;
      EXPECT_EQ(t, other) << k;
      EXPECT_EQ(failed.y, fresh.y) << k;
    }
    EXPECT_EQ(failed.system->effort().microSteps - before, fresh.system->effort().microSteps);
  }
}

}  // namespace
}  // namespace koppla::solver::test::bdf_visits_test
