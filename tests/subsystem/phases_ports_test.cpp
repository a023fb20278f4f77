// Unwrapped phases among ports of any type and size.

#include <numbers>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/phases.hpp"

#include "signals.hpp"

namespace koppla::subsystem::test::phases_ports_test {
namespace {

using Numbers = std::vector<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

/// The angle before it is wrapped, in the unit of its port: port 0 in deg, the others in rad.
double angle(double t, PortIndex port, std::size_t element) {
  const double radians = (static_cast<double>(port) + 1.0) * t + 0.5 * static_cast<double>(element);
  return port == 0 ? 180.0 / std::numbers::pi * radians : radians;
}

double value(double t, PortIndex port, std::size_t element) {
  if (port == 2 || port == 6) return 100.0 * static_cast<double>(port) + 20.0 * t;  // no phase
  return std::remainder(angle(t, port, element), port == 0 ? 360.0 : kTurn);
}

Signals::Script hands() {
  using enum Causality;
  return {.ports = {portOf("degrees", output, 1, core::Type::real, "deg"), portOf("u", input),
                    portOf("path", output, 2, core::Type::real, "rad"), portOf("count", output, 1, core::Type::integer),
                    portOf("pair", output, 2, core::Type::real, "rad"), portOf("single", output, 1),
                    portOf("other", output, 1)},
          .value = value};
}

std::unique_ptr<Subsystem> unwrapped(Signals::Script& script) {
  return unwrapPhases(std::make_unique<Signals>(script), {5, 0, 4});
}

TEST(PhasesAmongPorts, EveryElementOfEachPhaseGoesOnBeyondATurn) {
  Signals::Script script = hands();
  const auto system = unwrapped(script);
  Numbers y(7);
  prepare(*system, bindingOf({1}, {2, 3, 4, 0, 6, 5}), 1, y);
  const double zero = 0.0;
  for (int n = 0; n < 30; ++n) {
    const double t = 0.3 * (n + 1);
    system->advance({0.3 * n, t, true}, {&zero, 1, 0}, y);
    const Numbers expected{value(t, 2, 0), value(t, 2, 1), angle(t, 4, 0), angle(t, 4, 1),
                           angle(t, 0, 0), value(t, 6, 0), angle(t, 5, 0)};
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-9) << t << " " << i;
    // As recorded: behind what is there already, in another order.
    core::Values seen;
    seen.reals = {0.1, 0.2};
    system->observe(std::vector<PortIndex>{6, 4, 3, 1, 5, 2, 0}, seen);
    const Numbers observed{0.1,
                           0.2,
                           value(t, 6, 0),
                           angle(t, 4, 0),
                           angle(t, 4, 1),
                           -99.0,
                           angle(t, 5, 0),
                           value(t, 2, 0),
                           value(t, 2, 1),
                           angle(t, 0, 0)};
    ASSERT_EQ(seen.reals.size(), observed.size());
    for (std::size_t i = 0; i < observed.size(); ++i) EXPECT_NEAR(seen.reals[i], observed[i], 1e-9) << t << " " << i;
    EXPECT_EQ(seen.integers.size(), 1U);
  }
}

TEST(PhasesAmongPorts, OutputsAfterInitialisationAreNearWhatWasThere) {
  Signals::Script script = hands();
  const auto system = unwrapped(script);
  Numbers y(1);
  prepare(*system, bindingOf({1}, {5}), 1, y, 0.25);
  EXPECT_NEAR(y[0], 1.5, 1e-12);
  y[0] = 1.5 + 3.0 * kTurn;
  system->readOutputs(y);
  EXPECT_NEAR(y[0], 1.5 + 3.0 * kTurn, 1e-12);
}

TEST(PhasesAmongPorts, BeforeAnythingWasPassedOnTheBranchIsThatNearestToZero) {
  Signals::Script script = hands();
  script.value = [](double, PortIndex, std::size_t) { return -2.5; };
  const auto system = unwrapped(script);
  system->bind(bindingOf({1}, {5}));
  EXPECT_EQ(seenAt(*system, {5}).reals, Numbers{-2.5});
}

TEST(PhasesAmongPorts, PortsCanBeBoundAgain) {
  Signals::Script script = hands();
  const auto system = unwrapped(script);
  Numbers y(7);
  prepare(*system, bindingOf({1}, {2, 3, 4, 0, 6, 5}), 1, y);
  Numbers one(1);
  prepare(*system, bindingOf({1}, {6}), 1, one, 50.0);
  EXPECT_EQ(one[0], value(50.0, 6, 0));
}

TEST(PhasesAmongPorts, WhatIsNoAngleIsRefused) {
  Signals::Script script = hands();
  script.ports[2].unit = "m";
  for (const PortIndex port : {2U, 3U})  // a length, a number
    EXPECT_THROW(unwrapPhases(std::make_unique<Signals>(script), {5, port}), core::InputError) << port;
  EXPECT_NO_THROW(unwrapped(script));
}

/// Who leaps from branch to branch is not linear.
TEST(PhasesAmongPorts, AreNotLinear) {
  Signals::Script script = hands();
  script.capabilities.linear = true;
  EXPECT_FALSE(unwrapped(script)->describe().capabilities.linear);
}

}  // namespace
}  // namespace koppla::subsystem::test::phases_ports_test
