// Ports come in any order: here outputs are the first.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/solver/attach.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/solver/static_function.hpp"

#include "block.hpp"
#include "rig.hpp"
#include "support/allocations.hpp"

namespace koppla::solver::test::port_order_test {
namespace {

using subsystem::Causality;
using subsystem::PortIndex;
using Vector = std::vector<double>;

/// Output y = 3 u + 1 (port 0), input u (port 1), no states.
std::unique_ptr<Block> gain() {
  auto block = std::make_unique<Block>("gain");
  block->port("y", Causality::output)
      .port("u", Causality::input)
      .needs(0, {1})
      .from(
          {}, [](double, auto, auto, auto) {}, [](double, auto, auto u, auto y) { y[0] = 3.0 * u[0] + 1.0; });
  return block;
}

TEST(PortOrder, AStaticFunctionFindsAnOutputThatComesFirst) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  instances.push_back(integrate(gain(), with(Kind::ode1)));
  StaticFunction function("gain", std::move(instances), {1}, StaticSettings{});
  function.begin({0.0, 1.0, {}});
  const std::span<const double> y = function.values(0.0, Vector{2.0});
  ASSERT_EQ(y.size(), 1U);
  EXPECT_EQ(y[0], 7.0);
}

TEST(PortOrder, AJointModelEvaluatesAnOutputThatComesFirst) {
  std::vector<JoinedPart> parts;
  parts.push_back({"a", gain()});
  parts.push_back({"b", gain()});
  const auto model = join(std::move(parts), {{1, 0, 0, 1}});
  // a.y, a.u, b.y, b.u
  Vector y(3);
  model->outputs(0.0, {}, Vector{2.0}, y);
  EXPECT_EQ(y, (Vector{22.0, 7.0, 7.0}));
  for (const PortIndex output : {0U, 1U, 2U})
    EXPECT_EQ(model->describe().dependenciesOf(output), std::vector<PortIndex>{3}) << output;
}

/// Acceleration (port 0), position, velocity, force: the first output sees the force at once.
TEST(PortOrder, AForceLawIsSeenByAnOutputThatComesFirst) {
  auto body = std::make_unique<Block>("body");
  body->port("a", Causality::output)
      .port("w", Causality::output)
      .port("v", Causality::output)
      .port("force", Causality::input)
      .needs(0, {3})
      .needs(1, {})
      .needs(2, {})
      .from(
          {0.0, 0.0},
          [](double, auto x, auto u, auto dx) {
            dx[0] = x[1];
            dx[1] = u[0] / 2.0;
          },
          [](double, auto x, auto u, auto y) {
            y[0] = u[0] / 2.0;
            y[1] = x[0];
            y[2] = x[1];
          });
  const auto attached = attach(std::move(body), {"tip", 1, 2, 3, {}, {}}, Side::first,
                               std::make_shared<subsystem::SpringDamper>(10.0, 1.0), "s");
  Vector y(4);
  attached->outputs(0.0, Vector{0.5, 0.25}, Vector{4.0, 2.0, 1.0}, y);
  const double own = 10.0 * 1.5 + 0.75;
  EXPECT_EQ(y, (Vector{(4.0 + own) / 2.0, 0.5, 0.25, -own}));
}

TEST(PortOrder, AnInputThatComesLastHasItsStartValue) {
  const auto system = integrate(gain(), with(Kind::ode1));
  subsystem::Binding binding;
  binding.outputs = {0};
  system->bind(std::move(binding));
  system->enterInitialisation({0.0, 1.0, {}});
  Vector y(1);
  system->evaluate(0.0, {}, y);
  EXPECT_EQ(y[0], 1.75);
}

/// Propagators of the last four lengths and degrees are kept: only a new one costs an exponential, which allocates.
TEST(ExactPropagators, OfTheLastFourLengthsAreKept) {
  Rig rig(equations(oscillator({2.0, 8.0, 0.4, 1.0, 0.0})), with(Kind::exact));
  double t = 0.0;
  const auto allocationsOf = [&](const std::vector<double>& lengths, std::size_t degree) {
    const std::vector<double> u(degree + 1, 0.5);
    const std::size_t before = koppla::test::allocations();
    for (const double length : lengths) {
      rig.step(t, t + length, u);
      t += length;
    }
    return koppla::test::allocations() - before;
  };
  const std::vector<double> four{0.5, 0.25, 0.125, 1.0}, five{0.5, 0.25, 0.125, 1.0, 2.0};
  EXPECT_GT(allocationsOf(four, 0), 0U);
  EXPECT_EQ(allocationsOf(four, 0), 0U);
  EXPECT_EQ(allocationsOf({1.0, 0.125, 0.125, 0.25, 0.5}, 0), 0U) << "in any order";
  EXPECT_GT(allocationsOf({0.5}, 1), 0U) << "another degree";
  EXPECT_EQ(allocationsOf({0.5}, 1), 0U);
  allocationsOf(five, 2);
  EXPECT_GT(allocationsOf({0.5}, 2), 0U) << "the oldest is given up";
  EXPECT_EQ(allocationsOf({2.0, 1.0, 0.125}, 2), 0U);
}

}  // namespace
}  // namespace koppla::solver::test::port_order_test
