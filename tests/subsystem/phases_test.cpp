#include "koppla/subsystem/phases.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "wrapped.hpp"

namespace koppla::subsystem::test {
namespace phases_test {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// The angle t (rad), as its arc tangent tells it, beside t itself; the input is added to the angle.
std::unique_ptr<Subsystem> clockHand() {
  koppla::test::Formula formula;
  formula.inputs = {"u"};
  formula.outputs = {"t", "phi"};
  formula.feedThrough = true;
  formula.output = [](const auto&, double t, const auto& u) {
    return std::vector<double>{t, std::atan2(std::sin(t + u[0]), std::cos(t + u[0]))};
  };
  return koppla::test::makeSubsystem(std::move(formula));
}

std::unique_ptr<Subsystem> unwrappedHand() {
  auto hand = clockHand();
  const PortIndex phi = *hand->describe().find("phi");
  return unwrapPhases(std::move(hand), {phi});
}

TEST(Phases, TheNearestBranchIsAtMostHalfATurnAway) {
  EXPECT_EQ(onNearestBranch(0.3, 0.1, kTurn), 0.3);  // bit by bit
  EXPECT_DOUBLE_EQ(onNearestBranch(-3.0, 3.0, kTurn), kTurn - 3.0);
  EXPECT_DOUBLE_EQ(onNearestBranch(10.0, -725.0, 360.0), -710.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(onNearestBranch(nan, 1.0, kTurn)));
  EXPECT_EQ(onNearestBranch(0.3, nan, kTurn), 0.3);
}

TEST(Phases, ATurnIsKnownInUnitsOfAnglesOnly) {
  EXPECT_DOUBLE_EQ(turnOf("rad").value(), kTurn);
  EXPECT_DOUBLE_EQ(turnOf("").value(), kTurn);
  EXPECT_EQ(turnOf("deg").value(), 360.0);
  EXPECT_FALSE(turnOf("m").has_value());
}

TEST(Phases, AnAngleGoesOnBeyondATurn) {
  Rig rig(unwrappedHand());
  for (int i = 0; i < 40; ++i) {
    const double t = 0.5 * (i + 1);
    rig.step(t - 0.5, t, {0.0});
    EXPECT_DOUBLE_EQ(rig.y[0], t);
    EXPECT_NEAR(rig.y[1], t, 1e-13);
    core::Values observed;
    const std::vector<PortIndex> all{1, 2};
    rig.system->observe(all, observed);
    EXPECT_NEAR(observed.reals.at(1), t, 1e-13) << "as recorded";
  }
}

TEST(Phases, AReturnedStepIsNearWhatTheCallerPutBack) {
  Rig rig(unwrappedHand());
  rig.step(0.0, 3.0, {0.0});
  rig.system->save(Slot::iteration);
  const std::vector<double> before = rig.y;
  rig.step(3.0, 6.0, {0.0});
  rig.step(6.0, 9.0, {0.0});
  EXPECT_NEAR(rig.y[1], 9.0, 1e-13);
  rig.system->restore(Slot::iteration);
  rig.y = before;
  rig.step(3.0, 3.5, {0.0});
  EXPECT_NEAR(rig.y[1], 3.5, 1e-13);
}

TEST(Phases, OtherUnitsAreRefused) {
  struct Metres final : detail::Wrapper {
    explicit Metres(std::unique_ptr<Subsystem> inner) : Wrapper(std::move(inner)) { description().ports[2].unit = "m"; }
    StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
      return inner().advance(step, u, y);
    }
  };
  EXPECT_THROW(unwrapPhases(std::make_unique<Metres>(clockHand()), {2}), core::InputError);
}

}  // namespace
}  // namespace phases_test
}  // namespace koppla::subsystem::test
