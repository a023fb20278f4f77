// Overshoot with ports of any type and size: what is passed on and observed belongs to the communication point.

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/overshoot.hpp"

#include "signals.hpp"

namespace koppla::subsystem::test::overshoot_ports_test {
namespace {

using Numbers = std::vector<double>;

/// A parabola for each scalar.
double parabola(double t, PortIndex port, std::size_t element) {
  const auto p = static_cast<double>(port);
  const auto k = static_cast<double>(element);
  return 1.0 + p + 10.0 * k + (p + 1.0) * t + 0.5 * (k + 1.0) * t * t;
}
double slopeOfParabola(double t, PortIndex port, std::size_t element) {
  return static_cast<double>(port) + 1.0 + (static_cast<double>(element) + 1.0) * t;
}

Signals::Script manyPorts() {
  using enum Causality;
  return {.ports = {portOf("b", output), portOf("u", input, 2), portOf("n", input, 1, core::Type::integer),
                    portOf("v", input), portOf("a", output, 2), portOf("k", output, 2, core::Type::integer),
                    portOf("c", output, 3), portOf("l", local), portOf("d", output, 2)},
          .value = parabola,
          .slope = slopeOfParabola};
}

/// The three inputs by name and their order in a binding: v, then u.
Binding mixed(bool slopes) {
  return bindingOf({3, 2, 1}, {6, 5, 4}, slopes);
}

Numbers outputsAt(double t, bool slopes) {
  Numbers values;
  for (const bool slope : {false, true}) {
    if (slope && !slopes) break;
    for (const auto& [port, size] : {std::pair(6, 3), std::pair(4, 2)})
      for (int k = 0; k < size; ++k)
        values.push_back(
            (slope ? slopeOfParabola : parabola)(t, static_cast<PortIndex>(port), static_cast<std::size_t>(k)));
  }
  return values;
}

void expectNear(std::span<const double> found, std::span<const double> expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-11) << i;
}

/// What is observed in this order, behind something that was there before; the local port is the inner one's own.
void expectObserved(Subsystem& system, double t, const Numbers& v, const Numbers& u) {
  core::Values seen;
  seen.reals = {-1.0, -2.0};
  system.observe(std::vector<PortIndex>{8, 3, 5, 0, 6, 2, 7, 1, 4}, seen);
  Numbers expected{-1.0, -2.0, parabola(t, 8, 0), parabola(t, 8, 1)};
  expected.insert(expected.end(), v.begin(), v.end());
  expected.push_back(parabola(t, 0, 0));
  for (std::size_t k = 0; k < 3; ++k) expected.push_back(parabola(t, 6, k));
  expected.push_back(-99.0);
  expected.insert(expected.end(), u.begin(), u.end());
  for (std::size_t k = 0; k < 2; ++k) expected.push_back(parabola(t, 4, k));
  expectNear(seen.reals, expected);
  EXPECT_EQ(seen.integers, (std::vector<std::int32_t>{7, 7, 7}));
}

TEST(OvershootPorts, AllValuesAreThoseOfTheCommunicationPoint) {
  for (const bool slopes : {false, true}) {
    Signals::Script script = manyPorts();
    const auto system = overshoot(std::make_unique<Signals>(script), 0.07, 2);
    const std::size_t count = slopes ? 10 : 5;
    Numbers memory(2 * count, 5.5);  // nobody may write behind the values
    const std::span<double> y = std::span(memory).first(count);
    system->bind(mixed(slopes));
    system->enterInitialisation({2.5, 1e9, {}});
    EXPECT_EQ(system->evaluate(2.5, Numbers{0.5, 0.25, 0.125}, y), Status::ok);
    expectNear(y, outputsAt(2.5, slopes));
    expectObserved(*system, 2.5, {0.5}, {0.25, 0.125});
    system->leaveInitialisation();
    for (int n = 0; n < 6; ++n) {
      const double t0 = 2.5 + 0.1 * n;
      const double t1 = 2.5 + 0.1 * (n + 1);
      const Numbers coefficients{1.0 + n, 2.0, 3.0, 0.5, -0.25, 0.75};
      ASSERT_EQ(system->advance({t0, t1, true}, {coefficients.data(), 3, 1}, y).status, Status::ok);
      expectNear(y, outputsAt(t1, slopes));
      expectObserved(*system, t1, {1.5 + n}, {1.75, 3.75});
    }
    for (std::size_t i = count; i < memory.size(); ++i) EXPECT_EQ(memory[i], 5.5);
  }
}

/// What others change while initialisation ends counts as the sample at the start, for ports that nobody is connected
/// to as well: a line from there to the end of the first micro step.
TEST(OvershootPorts, ReadsAllOutputsAfterInitialisation) {
  for (const bool slopes : {false, true}) {
    Signals::Script script = manyPorts();
    double shift = 0.0;
    script.value = [&](double t, PortIndex port, std::size_t element) { return parabola(t + shift, port, element); };
    script.slope = [&](double t, PortIndex port, std::size_t element) {
      return slopeOfParabola(t + shift, port, element);
    };
    const auto system = overshoot(std::make_unique<Signals>(script), 0.5, 1);
    Numbers y(slopes ? 10 : 5);
    prepare(*system, mixed(slopes), 3, y, 1.0);
    shift = 100.0;
    EXPECT_EQ(system->readOutputs(y), Status::ok);
    expectNear(y, outputsAt(101.0, slopes));
    EXPECT_NEAR(seenAt(*system, {8}).reals.at(1), parabola(101.0, 8, 1), 1e-11);
    const Numbers coefficients(3, 0.0);
    system->advance({1.0, 1.2, true}, {coefficients.data(), 3, 0}, y);  // the inner one is at 1.5 then
    const auto line = [](double begin, double end) { return begin + 0.4 * (end - begin); };
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(y[k], line(parabola(101.0, 6, k), parabola(101.5, 6, k)), 1e-10);
    const core::Values seen = seenAt(*system, {8, 0});
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(seen.reals.at(k), line(parabola(101.0, 8, k), parabola(101.5, 8, k)), 1e-10);
    EXPECT_NEAR(seen.reals.at(2), line(parabola(101.0, 0, 0), parabola(101.5, 0, 0)), 1e-10);
  }
}

/// Without readOutputs() it is what was evaluated.
TEST(OvershootPorts, TheFirstLineBeginsAtTheStart) {
  Signals::Script script = manyPorts();
  const auto system = overshoot(std::make_unique<Signals>(script), 0.5, 1);
  Numbers y(5);
  prepare(*system, mixed(false), 3, y, 1.0);
  const Numbers coefficients(3, 0.0);
  system->advance({1.0, 1.2, true}, {coefficients.data(), 3, 0}, y);
  EXPECT_NEAR(y[1], parabola(1.0, 6, 1) + 0.4 * (parabola(1.5, 6, 1) - parabola(1.0, 6, 1)), 1e-12);
  EXPECT_NEAR(seenAt(*system, {8}).reals.at(1), parabola(1.0, 8, 1) + 0.4 * (parabola(1.5, 8, 1) - parabola(1.0, 8, 1)),
              1e-12);
}

TEST(OvershootPorts, StatesOfBothSlotsAreKeptApart) {
  Signals::Script script = manyPorts();
  const auto system = overshoot(std::make_unique<Signals>(script), 0.07, 2);
  Numbers y(5);
  prepare(*system, mixed(false), 3, y);
  const Numbers coefficients{1.0, 2.0, 3.0};
  const auto step = [&](int n) {
    system->advance({0.1 * n, 0.1 * (n + 1), false}, {coefficients.data(), 3, 0}, y);
    return y;
  };
  system->save(Slot::macroStep);
  const Numbers first = step(0);
  EXPECT_EQ(system->save(Slot::iteration), Status::ok);
  const Numbers second = step(1);
  step(2);
  EXPECT_EQ(system->restore(Slot::iteration), Status::ok);
  EXPECT_EQ(step(1), second);
  EXPECT_EQ(system->restore(Slot::macroStep), Status::ok);
  EXPECT_EQ(seenAt(*system, {3, 1}).reals, (Numbers{0.0, 0.0, 0.0}));
  EXPECT_EQ(step(0), first);
}

}  // namespace
}  // namespace koppla::subsystem::test::overshoot_ports_test
