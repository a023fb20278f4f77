// A force law on a body whose ports are more than the marker's: places of scalars, dependencies, mistakes.

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/attach.hpp"

#include "block.hpp"

namespace koppla::solver::test::attach_ports_test {
namespace {

using subsystem::Causality;
using subsystem::Dependencies;
using subsystem::Marker;
using subsystem::PortIndex;
using subsystem::SpringDamper;
using Vector = std::vector<double>;

/// Ports: 0 input heat of two, 1 output gauge of two, 2 input force, 3 output v, 4 parameter, 5 output w, 6 integer.
/// States (w, v) with v' = (force + heat1 - 2 heat2 - 3 w - 4 v) / 2; gauge = (force / 2 + heat2, w + v).
const Marker kMarker{"tip", 5, 3, 2, {}, {}};

LinearForm bodyForm() {
  return {{0.0, 1.0, -1.5, -2.0},
          {0.0, 0.0, 0.0, 0.5, -1.0, 0.5},
          {0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0},
          {0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
}

std::unique_ptr<Block> body(bool linear = true) {
  auto block = std::make_unique<Block>("body");
  block->port("heat", Causality::input, 2)
      .port("gauge", Causality::output, 2)
      .port("force", Causality::input)
      .port("v", Causality::output)
      .port("k", Causality::parameter)
      .port("w", Causality::output)
      .port("n", Causality::parameter, 1, core::Type::integer)
      .needs(1, {0, 2})
      .needs(3, {})
      .needs(5, {})
      .from(
          {0.25, -0.5},
          [](double, auto x, auto u, auto dx) {
            dx[0] = x[1];
            dx[1] = (u[2] + u[0] - 2.0 * u[1] - 3.0 * x[0] - 4.0 * x[1]) / 2.0;
          },
          [](double, auto x, auto u, auto y) {
            y[0] = u[2] / 2.0 + u[1];
            y[1] = x[0] + x[1];
            y[2] = x[1];
            y[3] = x[0];
          });
  if (linear) block->linearAs(bodyForm());
  return block;
}

/// Neither odd nor symmetric.
class Skew final : public subsystem::ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double rate) const override {
    return 10.0 * distance + distance * distance + 3.0 * rate - rate * rate;
  }
};

std::shared_ptr<const subsystem::ForceLaw> spring() {
  return std::make_shared<SpringDamper>(7.0, 1.25);
}

TEST(AttachPorts, FindTheirScalarsAmongTheOthers) {
  for (const Side side : {Side::first, Side::second}) {
    const auto attached = attach(body(false), kMarker, side, std::make_shared<Skew>(), "rope");
    const Vector x{0.25, -0.5}, u{1.0, 2.0, 3.0, 0.75, 0.125};  // heat, force, position, velocity
    const double d = 0.75 - 0.25, r = 0.125 + 0.5;
    const double own =
        side == Side::first ? 10.0 * d + d * d + 3.0 * r - r * r : -(-10.0 * d + d * d - 3.0 * r - r * r);
    Vector dx(2), y(5);
    attached->derivatives(0.0, x, u, dx);
    attached->outputs(0.0, x, u, y);
    EXPECT_DOUBLE_EQ(dx[0], -0.5);
    EXPECT_DOUBLE_EQ(dx[1], (3.0 + own + 1.0 - 4.0 - 0.75 + 2.0) / 2.0);
    EXPECT_DOUBLE_EQ(y[0], (3.0 + own) / 2.0 + 2.0) << "the force feeds through";
    EXPECT_DOUBLE_EQ(y[1], -0.25);
    EXPECT_DOUBLE_EQ(y[2], -0.5);
    EXPECT_DOUBLE_EQ(y[3], 0.25);
    EXPECT_DOUBLE_EQ(y[4], -own);
    EXPECT_EQ(attached->stateCount(), 2U);
    Vector start(2);
    attached->initialStates(start);
    EXPECT_EQ(start, (Vector{0.25, -0.5}));
  }
}

TEST(AttachPorts, ASpringMakesMatricesOfMatrices) {
  const auto attached = attach(body(), kMarker, Side::first, spring(), "rope");
  ASSERT_TRUE(attached->isLinear());
  const LinearForm form = attached->linear();
  ASSERT_EQ(form.a.size(), 4U);
  ASSERT_EQ(form.b.size(), 10U);
  ASSERT_EQ(form.c.size(), 10U);
  ASSERT_EQ(form.d.size(), 25U);
  const auto plain = attach(body(false), kMarker, Side::first, spring(), "rope");
  EXPECT_FALSE(plain->isLinear());
  EXPECT_TRUE(plain->linear().a.empty());
  const Vector x{0.3, -0.7}, u{1.1, -0.4, 2.5, 0.9, -1.3};
  Vector dx(2), y(5);
  plain->derivatives(0.0, x, u, dx);
  plain->outputs(0.0, x, u, y);
  const auto row = [&](const Vector& ofStates, const Vector& ofInputs, std::size_t i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 2; ++j) sum += ofStates[2 * i + j] * x[j];
    for (std::size_t j = 0; j < 5; ++j) sum += ofInputs[5 * i + j] * u[j];
    return sum;
  };
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(row(form.a, form.b, i), dx[i], 1e-14) << i;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(row(form.c, form.d, i), y[i], 1e-14) << i;
  EXPECT_FALSE(attach(body(), kMarker, Side::first, std::make_shared<Skew>(), "rope")->isLinear());
}

TEST(AttachPorts, AddPortsBehindThoseOfTheBody) {
  const auto attached = attach(body(), kMarker, Side::first, spring(), "rope");
  const auto& ports = attached->describe().ports;
  ASSERT_EQ(ports.size(), 10U);
  struct Row {
    const char* name;
    Causality causality;
    const char* unit;
    const char* description;
  };
  const std::vector<Row> rows{{"rope.position", Causality::input, "m", "position of the partner's point"},
                              {"rope.velocity", Causality::input, "m/s", "velocity of the partner's point"},
                              {"rope.force", Causality::output, "N", "force on the partner's point"}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const subsystem::Port& port = ports[7 + i];
    EXPECT_EQ(port.name, rows[i].name);
    EXPECT_EQ(port.causality, rows[i].causality);
    EXPECT_EQ(port.unit, rows[i].unit);
    EXPECT_EQ(port.description, rows[i].description);
    EXPECT_EQ(port.settable, rows[i].causality == Causality::input);
    EXPECT_EQ(attached->describe().find(rows[i].name), 7 + i);
  }
  // What saw the force sees the partner through it.
  EXPECT_EQ(attached->describe().dependenciesOf(1), Dependencies(std::vector<PortIndex>{0, 2, 7, 8}));
  EXPECT_EQ(attached->describe().dependenciesOf(3), Dependencies(std::vector<PortIndex>{}));
  EXPECT_EQ(attached->describe().dependenciesOf(9), Dependencies(std::vector<PortIndex>{7, 8}));
}

TEST(AttachPorts, TheForceDependsOnWhatTheMotionDependsOn) {
  const auto dependencies = [](const std::optional<std::vector<PortIndex>>& position,
                               const std::optional<std::vector<PortIndex>>& velocity) {
    auto made = body(false);
    if (position) made->needs(5, *position);
    if (velocity) made->needs(3, *velocity);
    return attach(std::move(made), kMarker, Side::first, spring(), "rope")->describe().dependenciesOf(9);
  };
  EXPECT_EQ(dependencies(std::vector<PortIndex>{0}, std::vector<PortIndex>{0}),
            Dependencies(std::vector<PortIndex>{0, 7, 8}))
      << "once";
  EXPECT_EQ(dependencies(std::vector<PortIndex>{}, std::vector<PortIndex>{0}),
            Dependencies(std::vector<PortIndex>{0, 7, 8}));
}

/// Before the first step nothing may be declared, of the motion or of what sees the force.
TEST(AttachPorts, WhatIsNotDeclaredStaysSo) {
  for (const PortIndex motion : {3U, 5U}) {
    auto made = body(false);
    made->initially(motion, std::nullopt).initially(1, std::nullopt);
    const auto attached = attach(std::move(made), kMarker, Side::first, spring(), "rope");
    EXPECT_EQ(attached->describe().initialDependenciesOf(9), std::nullopt);
    EXPECT_EQ(attached->describe().initialDependenciesOf(1), std::nullopt);
    EXPECT_EQ(attached->describe().dependenciesOf(9), Dependencies(std::vector<PortIndex>{7, 8}));
  }
  auto made = body(false);
  made->initially(1, std::vector<PortIndex>{2}).initially(5, std::vector<PortIndex>{0});
  const auto attached = attach(std::move(made), kMarker, Side::first, spring(), "rope");
  EXPECT_EQ(attached->describe().initialDependenciesOf(1), Dependencies(std::vector<PortIndex>{2, 7, 8}));
  EXPECT_EQ(attached->describe().initialDependenciesOf(9), Dependencies(std::vector<PortIndex>{0, 7, 8}));
}

TEST(AttachPorts, PassOnParametersAndValues) {
  auto made = body();
  Block* const inside = made.get();
  const auto attached = attach(std::move(made), kMarker, Side::first, spring(), "rope");
  attached->set(4, std::vector<core::Value>{2.5});
  attached->set(7, std::vector<core::Value>{1.5});  // a start value of the partner's position is nothing to the body
  EXPECT_EQ(inside->events, std::vector<std::string>{"set k 2.5"});
  EXPECT_EQ(attached->parameter(4), core::Value(4.5));
}

std::string refusal(const Marker& marker, const std::string& name = "rope") {
  auto made = body();
  made->port("rope2.velocity", Causality::input)
      .port("vector", Causality::output, 2)
      .port("whole", Causality::output, 1, core::Type::integer);
  made->needs(8, {}).needs(9, {});
  made->from({0.0, 0.0}, {}, {});
  try {
    attach(std::move(made), marker, Side::first, spring(), name);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(AttachPorts, MistakesAreNamed) {
  EXPECT_EQ(refusal(kMarker), "");
  EXPECT_EQ(refusal(kMarker, "rope2"),
            "The model body has a port rope2.velocity already. Give the force law another name.");
  EXPECT_EQ(refusal({"tip", 8, 3, 2, {}, {}}),
            "The port vector of the marker tip is not a real scalar. A force law acts along one line.");
  EXPECT_EQ(refusal({"tip", 5, 9, 2, {}, {}}),
            "The port whole of the marker tip is not a real scalar. A force law acts along one line.");
  EXPECT_EQ(refusal({"tip", 5, 3, 0, {}, {}}),
            "The port heat of the marker tip is not a real scalar. A force law acts along one line.");
}

}  // namespace
}  // namespace koppla::solver::test::attach_ports_test
