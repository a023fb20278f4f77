#include "koppla/subsystem/subdivided.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "wrapped.hpp"

namespace koppla::subsystem::test {
namespace {

/// x' = -x + u from 0, exact for held u; y = x.
koppla::test::Formula lag() {
  koppla::test::Formula formula = koppla::test::integrator();
  formula.step = [](auto& x, double, double h, const auto& u) { x[0] = u[0] + (x[0] - u[0]) * std::exp(-h); };
  return formula;
}

/// Error at t = 1 in x' = -x + t^2, whose solution is t^2 - 2 t + 2 - 2 e^-t.
double lagError(double microStep) {
  Rig rig(subdivide(makeSubsystem(lag()), microStep));
  rig.step(0.0, 1.0, {0.0, 0.0, 1.0});
  return std::fabs(rig.y[0] - (1.0 - 2.0 * std::exp(-1.0)));
}

TEST(Subdivided, TheMeanIsOfSecondOrder) {
  EXPECT_NEAR(std::log2(lagError(0.1) / lagError(0.05)), 2.0, 0.1);
}

TEST(Subdivided, QuadraturesOfPolynomialsAreExact) {
  Rig rig(subdivide(makeSubsystem(koppla::test::integrator()), 0.3));
  rig.step(1.0, 2.0, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  EXPECT_NEAR(rig.y[0], 6.0, 1e-13);
  EXPECT_EQ(rig.system->effort().microSteps, 4U);
}

TEST(Subdivided, WithoutAMicroStepTheStepStaysWhole) {
  Rig rig(subdivide(makeSubsystem(koppla::test::integrator()), 0.0));
  EXPECT_EQ(rig.step(1.0, 3.0, {1.0, 2.0}).reached, 3.0);
  EXPECT_DOUBLE_EQ(rig.y[0], 4.0);
  EXPECT_EQ(rig.system->effort().microSteps, 1U);
  EXPECT_FALSE(rig.system->describe().capabilities.ownSteps);
}

TEST(Subdivided, TakesSingleMicroSteps) {
  Rig rig(subdivide(makeSubsystem(koppla::test::integrator()), 0.5));
  ASSERT_TRUE(rig.system->describe().capabilities.ownSteps);
  EXPECT_EQ(rig.step(1.0, 2.2, {0.0, 1.2}, true).reached, 1.5);
  EXPECT_DOUBLE_EQ(rig.y[0], 0.125);
  EXPECT_EQ(rig.step(2.0, 2.2, {0.0}, true).reached, 2.2);
}

TEST(Subdivided, SaysWhatItCanDo) {
  koppla::test::Formula rigid = koppla::test::integrator();
  rigid.capabilities = {};
  const std::unique_ptr<Subsystem> wrapped = subdivide(makeSubsystem(rigid), 0.25);
  const Capabilities& capabilities = wrapped->describe().capabilities;
  EXPECT_EQ(capabilities.inputDerivatives, kMaxDegree);
  EXPECT_EQ(capabilities.microStep, 0.25);
  EXPECT_FALSE(capabilities.saveRestore);
  EXPECT_FALSE(capabilities.ownSteps);
  EXPECT_EQ(wrapped->describe().find("y"), 1U);
  EXPECT_THROW(subdivide(makeSubsystem(rigid), -1.0), core::InputError);
}

TEST(Subdivided, ADiscardInsideSaysHowFarItCame) {
  Rig rig(subdivide(std::make_unique<Grudging>(makeSubsystem(koppla::test::integrator()), 3), 0.25));
  const StepResult result = rig.step(1.0, 2.0, {1.0});
  EXPECT_EQ(result.status, Status::discard);
  EXPECT_EQ(result.reached, 1.5);
  EXPECT_EQ(rig.system->failure(), "Not this one.");
}

/// Who repeats the step goes back to before all micro steps but the first; their length is a part of the one that is
/// meant, 0.03 s, not of 0.33 - 0.3.
TEST(Subdivided, MicroStepsAreTheirNominalLengthAndSayWhoMayReturn) {
  for (const bool final : {false, true}) {
    std::vector<Step> heard;
    Rig rig(subdivide(std::make_unique<Listening>(makeSubsystem(koppla::test::integrator()), heard), 0.01));
    const double zero = 0.0;
    Step step{0.3, 0.33, final};
    ASSERT_NE(step.length, 0.03);
    step.length = 0.03;
    rig.system->advance(step, {&zero, 1, 0}, rig.y);
    ASSERT_EQ(heard.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(heard[k].length, 0.01);
      EXPECT_EQ(heard[k].final, final);
      EXPECT_EQ(heard[k].returnsBefore, k > 0 && !final);
    }
  }
}

}  // namespace
}  // namespace koppla::subsystem::test
