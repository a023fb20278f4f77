// Several models as one: what is wired, what is left open, what is refused.

#include "koppla/solver/join.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"

namespace koppla::solver::test {
namespace {

using subsystem::Causality;

/// y = k u + b without states.
Model gain(double k, double b = 0.0) {
  Model model;
  model.inputs = {"u"};
  model.outputs = {"y"};
  model.g = [k, b](double, auto, auto u, auto y) { y[0] = k * u[0] + b; };
  model.f = [](double, auto, auto, auto) {};
  return model;
}

struct Named {
  std::string name;
  std::unique_ptr<Equations> equations;
};

/// A connection "part.port" to "part.port".
struct Named2 {
  std::string from, to;
  double scale = 1.0;
  double offset = 0.0;
};

std::unique_ptr<Equations> joined(std::vector<Named> named, const std::vector<Named2>& connections) {
  std::vector<JoinedPart> parts;
  for (Named& part : named) parts.push_back({part.name, std::move(part.equations)});
  const auto find = [&](const std::string& name) {
    for (std::size_t p = 0; p < parts.size(); ++p)
      if (name.starts_with(parts[p].name + "."))
        return std::pair(p, *std::get<0>(parts[p].model)->describe().find(name.substr(parts[p].name.size() + 1)));
    throw std::runtime_error(name);
  };
  std::vector<Wire> wires;
  for (const Named2& connection : connections) {
    const auto [fromPart, from] = find(connection.from);
    const auto [toPart, to] = find(connection.to);
    wires.push_back({fromPart, from, toPart, to, connection.scale, connection.offset});
  }
  return join(std::move(parts), std::move(wires));
}

std::unique_ptr<Equations> body(const Oscillator& data) {
  return equations(oscillator(data));
}

/// Two masses with a spring of stiffness k between them, as forces of two gains on positions.
TEST(Join, TwoBodiesWithASpringBetweenMoveAsOneModel) {
  constexpr double k = 3.0;
  const auto make = [] {
    std::vector<Named> parts;
    parts.push_back({"a", body({1.0, 2.0, 0.0, 1.0, 0.0})});
    parts.push_back({"b", body({1.0, 2.0, 0.0, -1.0, 0.0})});
    return joined(std::move(parts),
                  {{"a.w", "a.force", -k}, {"b.w", "a.force", k}, {"a.w", "b.force", k}, {"b.w", "b.force", -k}});
  };
  // Moving against each other, each sees its own spring and twice the one between them.
  const double omega = std::sqrt(2.0 + 2.0 * k);
  for (const Kind kind : {Kind::exact, Kind::ode5, Kind::cvodeBdf, Kind::bdf, Kind::radau}) {
    IntegratorSettings settings = with(kind, kind == Kind::ode5 ? 1e-3 : 0.0);
    settings.atol = settings.rtol = 1e-10;
    auto system = integrate(make(), settings);
    const auto a = *system->describe().find("a.w");
    const auto force = *system->describe().find("a.force");
    EXPECT_EQ(system->describe().ports[force].causality, Causality::output) << "a wired input is to be seen";
    system->bind({{}, {a, force}, {}, {}});
    system->enterInitialisation({0.0, 1.0, {}});
    std::vector<double> y(2);
    system->evaluate(0.0, {}, y);
    EXPECT_DOUBLE_EQ(y[1], -2.0 * k);
    system->leaveInitialisation();
    system->advance({0.0, 1.0, true}, {}, y);
    EXPECT_NEAR(y[0], std::cos(omega), 1e-7) << word(kind);
    EXPECT_NEAR(y[1], -2.0 * k * std::cos(omega), 1e-6) << word(kind);
  }
}

TEST(Join, OutputsFollowEachOtherInOneEvaluation) {
  std::vector<Named> parts;  // in the wrong order
  parts.push_back({"c", equations(gain(3.0))});
  parts.push_back({"b", equations(gain(2.0, 1.0))});
  parts.push_back({"a", equations(oscillator({1.0, 1.0, 0.0, 0.5, 0.0}))});
  Rig rig(joined(std::move(parts), {{"a.w", "b.u", 10.0, 0.25}, {"b.y", "c.u"}}), with(Kind::ode4));
  const auto& description = rig.system->describe();
  std::map<std::string, double> value;
  std::size_t i = 0;
  for (const subsystem::Port& port : description.ports)
    if (port.causality == Causality::output) value[port.name] = rig.y[i++];
  EXPECT_DOUBLE_EQ(value["b.u"], 5.25);
  EXPECT_DOUBLE_EQ(value["b.y"], 11.5);
  EXPECT_DOUBLE_EQ(value["c.y"], 34.5);
}

TEST(Join, OpenInputsStayInputsAndFeedThroughIsKept) {
  std::vector<Named> parts;
  parts.push_back({"a", equations(gain(2.0))});
  parts.push_back({"b", equations(gain(3.0))});
  const auto model = joined(std::move(parts), {{"a.y", "b.u"}});
  const auto& description = model->describe();
  const auto open = *description.find("a.u");
  EXPECT_EQ(description.ports[open].causality, Causality::input);
  EXPECT_TRUE(description.feedsThrough(open, *description.find("b.y")));
  std::vector<double> y(3);
  model->outputs(0.0, {}, std::vector<double>{5.0}, y);
  EXPECT_THAT(y, testing::UnorderedElementsAre(10.0, 10.0, 30.0));
}

TEST(Join, ACircleAtOneInstantIsRefusedByName) {
  std::vector<Named> parts;
  parts.push_back({"a", equations(gain(0.5))});
  parts.push_back({"b", equations(gain(0.5))});
  try {
    joined(std::move(parts), {{"a.y", "b.u"}, {"b.y", "a.u"}});
    FAIL();
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("b.y <- a.y <- b.y"));
  }
}

TEST(Join, ParametersBelongToTheirParts) {
  std::vector<Named> parts;
  parts.push_back({"a", equations(gain(0.5))});
  parts.push_back({"b", equations(gain(0.5))});
  const auto model = joined(std::move(parts), {{"a.y", "b.u"}});
  const std::vector<core::Value> nine{9.0};
  model->set(*model->describe().find("b.p"), nine);
  EXPECT_EQ(std::get<double>(model->parameter(*model->describe().find("b.p"))), 9.0);
  EXPECT_EQ(std::get<double>(model->parameter(*model->describe().find("a.p"))), 7.0);
}

TEST(Join, AlgebraicEquationsAreRefused) {
  Model dae = gain(1.0);
  dae.x0 = {0.0};
  dae.algebraic = 1;
  std::vector<Named> parts;
  parts.push_back({"a", equations(dae)});
  EXPECT_THROW(joined(std::move(parts), {}), core::InputError);
}

}  // namespace
}  // namespace koppla::solver::test
