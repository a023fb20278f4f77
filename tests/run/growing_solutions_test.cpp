// Solutions that grow by orders of magnitude because the model wants it, coupled in steps that are short enough: nobody
// is to call them unstable.

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/native/expressions.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::growing_solutions_test {
namespace {

using coupling::AlgorithmKind;
using native::ExpressionModel;

/// A plant with these states and the input u, and a law that gives u from the states (and t).
struct Growing {
  std::string name;
  std::vector<ExpressionModel::State> states;
  std::string law;
  double step;         ///< s
  double end;          ///< s
  double least = 1e3;  ///< the first state grows by this, from its first value that is not 0

  friend std::ostream& operator<<(std::ostream& out, const Growing& growing) { return out << growing.name; }
};

const std::vector<Growing> kGrowing{
    {"UnstablePlant", {{"x", 1.0, "x + u"}}, "-0.1*x", 1e-2, 12.0},
    {"UnstablePlantBesideRounding", {{"x", 1e-13, "x + u"}}, "-0.1*x", 1e-2, 30.0},
    {"FallingPendulum", {{"x", 1e-6, "v"}, {"v", 0.0, "9*x + u"}}, "-0.1*v", 1e-3, 5.0},
    {"Resonance", {{"x", 0.0, "v"}, {"v", 0.0, "-x + sin(t) + u"}}, "-1e-4*v", 1e-2, 500.0},
    {"NegativeDamping", {{"x", 1.0, "v"}, {"v", 0.0, "-x + u"}}, "0.2*v", 1e-3, 80.0},
    {"Flutter",
     {{"x", 1.0, "v"}, {"v", 0.0, "-x + u"}, {"y", 0.0, "w"}, {"w", 0.0, "-y - 0.3*x"}},
     "0.3*y",
     1e-3,
     60.0},
    {"ParametricResonance", {{"x", 1.0, "v"}, {"v", 0.0, "-(1 + 0.4*cos(2*t))*x + u"}}, "-0.02*v", 1e-3, 100.0},
    {"Chaos", {{"x", 1e-6, "10*(u - x)"}, {"y", 0.0, "x*(28 - z) - y"}, {"z", 0.0, "x*y - 2.7*z"}}, "y", 1e-3, 40.0},
    {"Jump", {{"x", 1e-3, "10*((t < 1 ? 1e-3 : 1e3) - x) + u"}}, "-x", 1e-3, 3.0},
    {"StepResponseFromRest", {{"x", 0.0, "v"}, {"v", 0.0, "-100*x - 2*v + (t < 0.5 ? 0 : 1e6) + u"}}, "-x", 1e-3, 5.0},
    {"ZeroForLong", {{"x", 0.0, "v"}, {"v", 0.0, "-x + (t < 50 ? 0 : 1) + u"}}, "-0.1*v", 1e-2, 60.0},
    {"RestingForLong", {{"x", 1e-9, "(t < 50 ? 0 : 1) + u"}}, "-1e-3*x", 1e-2, 100.0},
    {"Ramp", {{"x", 0.0, "1 + u"}}, "-1e-6*x", 1e-2, 100.0},
    {"ThroughZero", {{"x", 1e-6, "v"}, {"v", 1.0, "-x + u"}}, "-0.01*v", 1e-2, 50.0},
    {"FifthPower",
     {{"x", 0.0, "a"}, {"a", 0.0, "b"}, {"b", 0.0, "c"}, {"c", 0.0, "d"}, {"d", 0.0, "1 + u"}},
     "-1e-9*x",
     1e-2,
     10.0},
    {"ContactFromFlight",
     {{"f", 1e-3, "(u - f)/1e-3"}, {"x", 1.0, "v"}, {"v", 0.0, "-9.81 + f"}},
     "x < 0 ? -1e4*x - 20*v : 0",
     1e-5,
     1.0},
    {"Bouncing", {{"v", 0.0, "-9.81 + u"}, {"x", 1.0, "v"}}, "x < 0 ? -1e5*x : 0", 1e-5, 3.0, 1e2},
    {"LogisticGrowth", {{"x", 1e-6, "x*(1 - x) + u"}}, "-0.01*x", 1e-2, 30.0},
    {"VanDerPol", {{"x", 1e-5, "v"}, {"v", 0.0, "(1 - x*x)*v - x + u"}}, "-0.01*x", 1e-3, 40.0},
    {"RunawayInFiniteTime", {{"x", 1e-2, "x*x + u"}}, "-1e-6*x", 1e-3, 99.98},
    {"TransientOfShear", {{"x", 1e-3, "-x + 1000*y"}, {"y", 1.0, "-1.1*y + u"}}, "-1e-5*x", 1e-3, 10.0, 1e2},
    {"CaughtInTime", {{"x", 1e-3, "x + u"}}, "t < 10 ? 0 : -3*x", 1e-3, 20.0, 1e2},
    {"ChargedByPulses", {{"x", 1e-4, "(sin(t) > 0.9 ? 100 : 0) - 0.1*x + u"}}, "-0.1*x", 1e-3, 30.0},
};

coupling::System systemOf(const Growing& growing) {
  ExpressionModel plant;
  plant.states = growing.states;
  plant.inputs = {{.name = "u"}};
  ExpressionModel law;
  law.outputs = {{.name = "u", .formula = growing.law}};
  std::vector<test::Link> links{{"law.u", "plant.u"}};
  for (const ExpressionModel::State& state : growing.states) {
    plant.outputs.push_back({.name = state.name, .formula = state.name});
    // What no formula needs would close the cycle by name only.
    law.inputs.push_back({.name = state.name, .start = state.start});
    links.push_back({"plant." + state.name, "law." + state.name});
  }
  // Static functions are evaluated by the coupling; a member with a state is one that is stepped.
  law.states = {{"time", 0.0, "1"}};
  const solver::IntegratorSettings integrator{.kind = solver::Kind::ode4};
  coupling::System system;
  system.members.push_back({"plant", solver::integrate(native::expressions(plant), integrator), {}});
  system.members.push_back({"law", solver::integrate(native::expressions(law), integrator), {}});
  test::connect(system, links);
  return system;
}

struct Way {
  AlgorithmKind kind;
  unsigned degree;
};

struct Ended {
  Outcome outcome;
  std::vector<std::string> warnings;
  double largest = 0.0;
  double first = 0.0;
};

Ended simulate(const Growing& growing, Way way) {
  Ended ended;
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { ended.warnings.emplace_back(message); },
              core::Severity::warning);
  Settings settings;
  settings.end = growing.end;
  settings.step = growing.step;
  settings.algorithm.kind = way.kind;
  settings.algorithm.degree = way.degree;
  Run run(systemOf(growing), settings, log);
  ended.outcome = run.initialise();
  for (bool goesOn = ended.outcome.ok(); goesOn; goesOn = ended.outcome.ok() && !run.finished()) {
    const double x = std::fabs(std::get<double>(run.value("plant." + growing.states.front().name)));
    if (ended.first == 0.0) ended.first = x;
    ended.largest = std::fmax(ended.largest, x);
    ended.outcome = run.step();
  }
  return ended;
}

class GrowingSolutions : public testing::TestWithParam<Growing> {};

TEST_P(GrowingSolutions, AreNotCalledUnstable) {
  for (const Way way : {Way{AlgorithmKind::jacobi, 0}, Way{AlgorithmKind::jacobi, 1},
                        Way{AlgorithmKind::gaussSeidel, 2}, Way{AlgorithmKind::iteratedGaussSeidel, 1}}) {
    const Ended ended = simulate(GetParam(), way);
    EXPECT_TRUE(ended.outcome.ok()) << ended.outcome.message;
    EXPECT_TRUE(ended.warnings.empty()) << ended.warnings.front();
    EXPECT_GT(ended.largest, GetParam().least * ended.first) << "it does not grow enough to prove anything";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, GrowingSolutions, testing::ValuesIn(kGrowing),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace koppla::run::growing_solutions_test
