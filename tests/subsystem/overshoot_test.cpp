#include "koppla/subsystem/overshoot.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "support/figure.hpp"
#include "wrapped.hpp"

namespace koppla::subsystem::test {
namespace {

double power(double t, unsigned degree) {
  return std::pow(t - 0.5, degree);
}

std::unique_ptr<Subsystem> powerSignal(unsigned degree) {
  koppla::test::Formula formula = koppla::test::clockSignal();
  formula.output = [degree](const auto&, double t, const auto&) { return std::vector<double>{power(t, degree)}; };
  return makeSubsystem(std::move(formula));
}

Past pastOf(unsigned degree) {
  return [degree](double t, std::span<double> y) { y[0] = power(t, degree); };
}

TEST(Overshoot, ReproducesPolynomialsOfItsDegree) {
  for (unsigned degree = 0; degree <= kMaxDegree; ++degree)
    for (const double h : {0.03, 0.1, 0.25}) {  // shorter than, equal to and longer than the macro step
      Rig rig(overshoot(powerSignal(degree), h, degree, pastOf(degree)));
      for (int n = 0; n < 20; ++n) {
        const StepResult result = rig.step(0.1 * n, 0.1 * (n + 1));
        ASSERT_EQ(result.status, Status::ok);
        ASSERT_EQ(result.reached, 0.1 * (n + 1));
        EXPECT_NEAR(rig.y[0], power(0.1 * (n + 1), degree), 1e-12) << degree << " " << h;
      }
    }
}

TEST(Overshoot, WithoutAPastTheDegreeGrowsWithTheSamples) {
  Rig rig(overshoot(powerSignal(2), 0.25, 2));
  rig.step(0.0, 0.1);  // a line through t = 0 and 0.25
  EXPECT_NEAR(rig.y[0], 0.25 + 0.1 / 0.25 * (0.0625 - 0.25), 1e-14);
  rig.step(0.1, 0.3);  // a parabola through t = 0, 0.25 and 0.5
  EXPECT_NEAR(rig.y[0], power(0.3, 2), 1e-14);
}

TEST(Overshoot, KeepsToTheGridOfTheInnerSolver) {
  std::vector<double> ends;
  koppla::test::Formula formula = koppla::test::clockSignal();
  formula.step = [&ends](auto&, double t1, double, const auto&) { ends.push_back(t1); };
  Rig rig(overshoot(makeSubsystem(formula), 0.25, 1));
  for (int n = 0; n < 10; ++n) rig.step(0.1 * n, 0.1 * (n + 1));
  EXPECT_EQ(ends, (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(rig.system->effort().microSteps, 4U);
}

TEST(Overshoot, FollowsTheTrajectoryBeyondTheStep) {
  // x' = 2 t: macro steps of 1 s get 2 n + 2 s, micro steps of 0.7 s the means of that, so x = t^2 at their ends.
  Rig rig(overshoot(makeSubsystem(koppla::test::integrator()), 0.7, 2,
                    [](double t, std::span<double> y) { y[0] = t * t; }));
  for (int n = 0; n < 10; ++n) {
    rig.step(n, n + 1, {2.0 * n, 2.0});
    EXPECT_NEAR(rig.y[0], (n + 1.0) * (n + 1.0), 1e-11);
  }
}

TEST(Overshoot, ValuesOfDiscardedMicroStepsNeverLeave) {
  const auto lag = [] {
    koppla::test::Formula formula = koppla::test::integrator(1.0, 1.0);
    formula.step = [](auto& x, double, double h, const auto& u) { x[0] += h * (u[0] - x[0]); };
    return makeSubsystem(std::move(formula));
  };
  Rig willing(overshoot(lag(), 0.07, 3));
  Rig grudging(overshoot(std::make_unique<Grudging>(lag(), 3), 0.07, 3));
  double equal = 0.0;
  for (int n = 0; n < 100; ++n) {
    const std::vector<double> u{std::sin(n), 0.3, -0.1};
    ASSERT_EQ(willing.step(0.1 * n, 0.1 * (n + 1), u).status, Status::ok);
    ASSERT_EQ(grudging.step(0.1 * n, 0.1 * (n + 1), u).status, Status::ok);
    ASSERT_EQ(willing.y, grudging.y) << n;  // bit by bit
    ++equal;
  }
  koppla::test::showEqual(
      {"schmoll R24", "exchange", "100 of 100 exchanges bitwise equal with every third step rejected"}, equal, 100.0);
  EXPECT_EQ(grudging.system->effort().microSteps, willing.system->effort().microSteps);
  EXPECT_EQ(willing.system->effort().rejectedMicroSteps, 0U);
  EXPECT_NEAR(static_cast<double>(grudging.system->effort().rejectedMicroSteps), 143.0 / 2.0, 1.0);
}

TEST(Overshoot, OutputsThatNobodyIsConnectedToAreThoseOfTheCommunicationPoint) {
  // Two outputs of t^2, one bound and one only observed; micro steps of 0.07 s never hit multiples of 0.1 s.
  koppla::test::Formula squares{
      .inputs = {}, .outputs = {"bound", "other"}, .states = {}, .output = [](const auto&, double t, const auto&) {
        return std::vector<double>{t * t, t * t};
      }};
  auto system = overshoot(makeSubsystem(std::move(squares)), 0.07, 2);
  Binding binding;
  binding.outputs = {0};
  system->bind(std::move(binding));
  system->enterInitialisation({0.0, 1.0, {}});
  std::vector<double> y(1);
  system->evaluate(0.0, {}, y);
  system->leaveInitialisation();
  const std::vector<PortIndex> both{0, 1};
  for (int n = 0; n < 10; ++n) {
    ASSERT_EQ(system->advance({0.1 * n, 0.1 * (n + 1), true}, {}, y).status, Status::ok);
    core::Values seen;
    system->observe(both, seen);
    if (n < 2) continue;  // quadratic interpolation needs three micro steps
    EXPECT_NEAR(seen.reals[0], 0.01 * (n + 1) * (n + 1), 1e-12);
    EXPECT_NEAR(seen.reals[1], 0.01 * (n + 1) * (n + 1), 1e-12);
  }
}

TEST(Overshoot, TheInnerOneIsToldThatItGoesBeyondTheEnd) {
  struct Told final : detail::Wrapper {
    using Wrapper::Wrapper;
    void enterInitialisation(const Experiment& experiment) override {
      end = experiment.end;
      Wrapper::enterInitialisation(experiment);
    }
    StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
      return inner().advance(step, u, y);
    }
    double end = 0.0;
  };
  auto inner = std::make_unique<Told>(makeSubsystem(koppla::test::integrator()));
  const Told* const told = inner.get();
  const auto system = overshoot(std::move(inner), 0.25, 1);
  system->bind({});
  system->enterInitialisation({0.0, 1.0, {}});
  EXPECT_EQ(told->end, 1.25);
}

TEST(Overshoot, GivesUpOnASubsystemThatAlwaysDiscards) {
  Rig rig(overshoot(std::make_unique<Grudging>(powerSignal(1), 1), 0.1, 1));
  const StepResult result = rig.step(0.0, 0.3);
  EXPECT_EQ(result.status, Status::discard);
  EXPECT_EQ(result.reached, 0.0);
}

TEST(Overshoot, RepeatsARestoredStepBitByBit) {
  Rig rig(overshoot(makeSubsystem(koppla::test::integrator()), 0.07, 3));
  ASSERT_TRUE(rig.system->describe().capabilities.saveRestore);
  for (int n = 0; n < 20; ++n) {
    const double t = 0.1 * n;
    ASSERT_EQ(rig.system->save(Slot::macroStep), Status::ok);
    rig.step(t, t + 0.1, {1.0 + n, 0.5});
    const std::vector<double> once = rig.y;
    rig.step(t + 0.1, t + 0.4, {-3.0, 0.5});
    ASSERT_EQ(rig.system->restore(Slot::macroStep), Status::ok);
    rig.step(t, t + 0.1, {1.0 + n, 0.5});
    ASSERT_EQ(rig.y, once);
  }
}

TEST(Overshoot, ObservesTheCommunicationPoint) {
  Rig rig(overshoot(makeSubsystem(koppla::test::integrator()), 1.0, 1));
  rig.step(0.0, 0.25, {4.0});  // the inner one is at t = 1 already
  core::Values seen;
  const std::vector<PortIndex> ports{1, 0};
  rig.system->observe(ports, seen);
  EXPECT_EQ(seen.reals, (std::vector<double>{1.0, 4.0}));
}

TEST(Overshoot, SaysWhatItCanDo) {
  koppla::test::Formula rigid = koppla::test::integrator();
  rigid.capabilities = {.evaluatesBetweenSteps = true};
  const std::unique_ptr<Subsystem> wrapped = overshoot(makeSubsystem(rigid), 0.5, 1);
  const Capabilities& capabilities = wrapped->describe().capabilities;
  EXPECT_FALSE(capabilities.saveRestore);
  EXPECT_TRUE(capabilities.variableStep);
  EXPECT_FALSE(capabilities.evaluatesBetweenSteps);
  EXPECT_EQ(capabilities.inputDerivatives, kMaxDegree);
  EXPECT_EQ(capabilities.microStep, 0.5);
  EXPECT_THROW(overshoot(makeSubsystem(rigid), 0.0, 1), core::InputError);
  EXPECT_THROW(overshoot(makeSubsystem(rigid), 0.5, 6), core::InputError);
}

TEST(Overshoot, MicroStepsAreTheirNominalLengthAndSayWhoMayReturn) {
  for (const bool final : {false, true}) {
    std::vector<Step> heard;
    Rig rig(overshoot(std::make_unique<Listening>(makeSubsystem(koppla::test::integrator()), heard), 0.01, 1));
    const double zero = 0.0;
    rig.system->advance({0.0, 0.06, true}, {&zero, 1, 0}, rig.y);
    heard.clear();
    rig.system->advance({0.06, 0.09, final}, {&zero, 1, 0}, rig.y);
    ASSERT_EQ(heard.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(heard[k].length, 0.01);
      EXPECT_EQ(heard[k].returnsBefore, k > 0 && !final);
    }
  }
}

/// The sample at the start is what the inner one has after initialisation.
TEST(Overshoot, BeginsWithWhatOutputsAreAfterInitialisation) {
  class Late final : public detail::Wrapper {
   public:
    using Wrapper::Wrapper;
    StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
      return inner().advance(step, u, y);
    }
    Status readOutputs(std::span<double> y) override {
      y[0] = -101.0;
      return Status::ok;
    }
  };
  Rig rig(overshoot(std::make_unique<Late>(makeSubsystem(koppla::test::integrator())), 1.0, 1));
  EXPECT_EQ(rig.system->readOutputs(rig.y), Status::ok);
  EXPECT_EQ(rig.y[0], -101.0);
  rig.step(0.0, 0.5, {0.0});  // halfway to 0, where the inner one is at t = 1
  EXPECT_EQ(rig.y[0], -50.5);
}

}  // namespace
}  // namespace koppla::subsystem::test
