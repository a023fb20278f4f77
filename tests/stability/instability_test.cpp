#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"
#include "veiled.hpp"

// A run beyond the limit of its coupling is stopped, or warned about, before its values have lost all sense; one below
// it is left alone.

namespace koppla::test::instability_test {
namespace {

using coupling::AlgorithmKind;

struct Ended {
  run::Outcome outcome;
  std::vector<std::string> warnings;
  std::vector<double> values;  ///< at the end, in the order of names
};

Ended simulate(coupling::System system, const run::Settings& settings, const std::vector<std::string>& names) {
  Ended ended;
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { ended.warnings.emplace_back(message); },
              core::Severity::warning);
  run::Run run(std::move(system), settings, log);
  ended.outcome = run.initialise();
  if (ended.outcome.ok()) ended.outcome = run.simulate();
  for (const std::string& name : names) ended.values.push_back(std::fabs(std::get<double>(run.value(name))));
  return ended;
}

/// A coupled model whose values are of the size of 1 by nature.
struct Model {
  std::string name;
  std::function<coupling::System()> make;
  std::vector<std::string> values;
  run::Settings settings{};
};

std::unique_ptr<subsystem::Subsystem> exact(native::LinearStateSpace model, double microStep = 0.0) {
  return solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact, .microStep = microStep});
}

/// Two heat capacities (1 J/K) with a conductance of 4 W/K between them, in the second one: temperature there, heat
/// flow back. The second one loses 1 W/K to the ground.
coupling::System heatBodies() {
  coupling::System system;
  system.members.push_back({"first",
                            exact({.inputs = {"flow"},
                                   .outputs = {"T"},
                                   .A = {{-0.1}},
                                   .B = {{1.0}},
                                   .C = {{1.0}},
                                   .D = {{0.0}},
                                   .x0 = {1.0}}),
                            {}});
  system.members.push_back({"second",
                            exact({.inputs = {"T"},
                                   .outputs = {"flow"},
                                   .A = {{-5.0}},
                                   .B = {{4.0}},
                                   .C = {{4.0}},
                                   .D = {{-4.0}},
                                   .x0 = {0.5}}),
                            {}});
  connect(system, {{"first.T", "second.T"}, {"second.flow", "first.flow"}});
  return system;
}

/// A capacitor (1 F) and a coil (1 H, 0.1 Ohm): voltage there, current back.
coupling::System circuit(double microStep = 0.0) {
  coupling::System system;
  system.members.push_back(
      {"capacitor",
       exact({.inputs = {"i"}, .outputs = {"v"}, .A = {{0.0}}, .B = {{-1.0}}, .C = {{1.0}}, .D = {{0.0}}, .x0 = {1.0}},
             microStep),
       {}});
  system.members.push_back(
      {"coil",
       exact({.inputs = {"v"}, .outputs = {"i"}, .A = {{-0.1}}, .B = {{1.0}}, .C = {{1.0}}, .D = {{0.0}}, .x0 = {0.0}},
             microStep),
       {}});
  connect(system, {{"capacitor.v", "coil.v"}, {"coil.i", "capacitor.i"}});
  return system;
}

/// A motor (inertia 1, controlled), a shaft (stiffness 9, damping 0.2) and a load (inertia 2, friction 0.1): speeds
/// into the shaft, its torque back to both.
coupling::System driveTrain() {
  coupling::System system;
  const auto inertia = [](double J, double friction, double start) {
    return exact({.inputs = {"torque"},
                  .outputs = {"speed"},
                  .A = {{-friction / J}},
                  .B = {{1.0 / J}},
                  .C = {{1.0}},
                  .D = {{0.0}},
                  .x0 = {start}});
  };
  system.members.push_back({"motor", inertia(1.0, 0.5, 1.0), {}});
  system.members.push_back({"shaft",
                            exact({.inputs = {"a", "b"},
                                   .outputs = {"torque"},
                                   .A = {{0.0}},
                                   .B = {{1.0, -1.0}},
                                   .C = {{9.0}},
                                   .D = {{0.2, -0.2}},
                                   .x0 = {0.0}}),
                            {}});
  system.members.push_back({"load", inertia(2.0, 0.1, 0.0), {}});
  connect(system, {{"motor.speed", "shaft.a"},
                   {"load.speed", "shaft.b"},
                   {"shaft.torque", "motor.torque", -1.0},
                   {"shaft.torque", "load.torque"}});
  return system;
}

coupling::System unrepeatable(coupling::System system) {
  return veiled(std::move(system), [](subsystem::Capabilities& can) { can.saveRestore = false; });
}

/// The smallest unstable step and what a disturbance is multiplied by in a step of `factor` times that length.
struct Limit {
  double step;
  double growth;
};

Limit limitOf(const Model& model, double factor) {
  core::Log log;
  run::MacroStepRecursion recursion(model.make(), model.settings, log);
  const auto critical = recursion.criticalStep({1e-4, 10.0});
  if (!critical) throw std::runtime_error(model.name + " has no limit");
  return {*critical, recursion.spectralRadius(factor * *critical)};
}

run::Settings settingsOf(AlgorithmKind kind, unsigned degree) {
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.algorithm.rtol = 1e-9;
  return settings;
}

run::Settings withSteps(run::Settings settings, double step, double steps) {
  settings.step = step;
  settings.end = settings.start + step * std::ceil(steps);
  return settings;
}

void expectStopped(const Ended& ended, const std::string& what) {
  EXPECT_EQ(ended.outcome.kind, run::OutcomeKind::unstable) << what << ": " << ended.outcome.message;
  for (const double value : ended.values) EXPECT_LT(value, 1e6) << what;
}

void expectWarned(const Ended& ended, const std::string& what) {
  EXPECT_TRUE(ended.outcome.ok()) << what << ": " << ended.outcome.message;
  ASSERT_EQ(ended.warnings.size(), 1U) << what;
  EXPECT_NE(ended.warnings.front().find("The coupling may be unstable"), std::string::npos) << ended.warnings.front();
}

void expectSilence(const Ended& ended, const std::string& what) {
  EXPECT_TRUE(ended.outcome.ok()) << what << ": " << ended.outcome.message;
  EXPECT_TRUE(ended.warnings.empty()) << what << ": " << ended.warnings.front();
}

/// Steps in which a disturbance of that growth per step becomes 10^decades.
double stepsFor(double growth, double decades) {
  return decades * std::log(10.0) / std::log(growth);
}

// Limits: Schmoll notes, 10.3, force and displacement, table 2.1.
struct Row {
  AlgorithmKind kind;
  bool secondFirst;
  std::vector<double> limits;  ///< s, degree 0 to 5
};
const std::vector<Row> kTable21{
    {AlgorithmKind::jacobi, false, {1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4}},
    {AlgorithmKind::gaussSeidel, false, {1.5616e-5, 3.7083e-4, 7.6626e-4, 8.7161e-4, 7.7857e-4, 5.4276e-4}},
    {AlgorithmKind::gaussSeidel, true, {1.5616e-5, 2.9079e-4, 6.3531e-4, 6.5875e-4, 5.0248e-4, 3.4136e-4}}};

Model twoMass(const Row& row, unsigned degree) {
  const TwoMassCase c{.degree = degree, .algorithm = row.kind, .secondFirst = row.secondFirst};
  Model model{fmt::format("{} {} p = {}", static_cast<int>(row.kind), row.secondFirst, degree),
              [c] { return twoMassSystem(c); },
              {"s1.x", "s2.x"},
              settingsOf(row.kind, degree)};
  model.settings.algorithm.startUp = coupling::StartUp::analytic;
  return model;
}

/// How far beyond its limit a run is looked at: held inputs make values grow too slowly just above it.
double factorOf(unsigned degree) {
  return degree == 0 ? 3.0 : 1.1;
}

double stepsBeyond(const Model& model, double step) {
  core::Log log;
  run::MacroStepRecursion recursion(model.make(), model.settings, log);
  return stepsFor(recursion.spectralRadius(step), 9.0);
}

TEST(Instability, StopsTheTwoMassOscillatorBeyondItsLimits) {
  for (const Row& row : kTable21)
    for (unsigned degree = 0; degree <= 5; ++degree) {
      const Model model = twoMass(row, degree);
      const double step = factorOf(degree) * row.limits.at(degree);
      const Ended ended =
          simulate(model.make(), withSteps(model.settings, step, stepsBeyond(model, step)), model.values);
      expectStopped(ended, model.name);
    }
}

TEST(Instability, IsToldWhereTheTwoMassOscillatorCannotGoBack) {
  for (const Row& row : kTable21)
    for (unsigned degree = 0; degree <= 5; ++degree) {
      const Model model = twoMass(row, degree);
      const double step = factorOf(degree) * row.limits.at(degree);
      run::Settings settings = withSteps(model.settings, step, stepsBeyond(model, step));
      settings.explosionLimit = 1e200;
      expectWarned(simulate(unrepeatable(model.make()), settings, {}), model.name);
    }
}

TEST(Instability, LeavesTheTwoMassOscillatorAloneBelowItsLimits) {
  for (const Row& row : kTable21)
    for (unsigned degree = 0; degree <= 5; ++degree) {
      const Model model = twoMass(row, degree);
      const run::Settings settings = withSteps(model.settings, 0.9 * row.limits.at(degree), 2e4);
      expectSilence(simulate(model.make(), settings, {}), model.name);
      expectSilence(simulate(unrepeatable(model.make()), settings, {}), model.name);
    }
}

/// Explicit coupling of three models, and implicit coupling of two: that is unstable with high degrees, however well it
/// converges.
std::vector<Model> ownModels() {
  std::vector<Model> models;
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton, AlgorithmKind::semiImplicit})
    for (const unsigned degree : {2U, 3U}) {
      const std::string way = fmt::format(" {} p = {}", static_cast<int>(kind), degree);
      models.push_back(
          {"circuit" + way, [] { return circuit(); }, {"capacitor.v", "coil.i"}, settingsOf(kind, degree)});
      models.push_back({"drive" + way, driveTrain, {"motor.speed", "load.speed"}, settingsOf(kind, degree)});
    }
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (unsigned degree = 0; degree <= 3; ++degree) {
      const std::string way = fmt::format(" {} p = {}", static_cast<int>(kind), degree);
      models.push_back({"heat" + way, heatBodies, {"first.T"}, settingsOf(kind, degree)});
      models.push_back(
          {"circuit" + way, [] { return circuit(); }, {"capacitor.v", "coil.i"}, settingsOf(kind, degree)});
      models.push_back({"drive" + way, driveTrain, {"motor.speed", "load.speed"}, settingsOf(kind, degree)});
    }
  return models;
}

// A start of full order leaves little for an instability to grow from.
constexpr double kDecades = 12.0;

TEST(Instability, StopsOtherModelsBeyondTheirLimits) {
  for (const Model& model : ownModels()) {
    const auto [critical, growth] = limitOf(model, 1.1);
    const Ended ended =
        simulate(model.make(), withSteps(model.settings, 1.1 * critical, stepsFor(growth, kDecades)), model.values);
    expectStopped(ended, model.name);
  }
}

/// Half of such a step may be unstable as well, and grow as fast.
TEST(Instability, StopsOtherModelsFarBeyondTheirLimits) {
  for (const Model& model : ownModels())
    for (const double factor : {1.5, 2.0, 3.0, 4.5}) {
      if (model.settings.algorithm.iterates()) continue;
      const auto [critical, growth] = limitOf(model, factor);
      if (growth < 1.01) continue;  // held inputs make values grow too slowly
      const Ended ended = simulate(
          model.make(), withSteps(model.settings, factor * critical, stepsFor(growth, kDecades) + 10.0), model.values);
      EXPECT_EQ(ended.outcome.kind, run::OutcomeKind::unstable)
          << model.name << ", " << factor << " times the limit: " << ended.outcome.message;
    }
}

TEST(Instability, IsToldOfOtherModelsThatCannotGoBack) {
  for (const Model& model : ownModels()) {
    if (model.settings.algorithm.iterates()) continue;
    const auto [critical, growth] = limitOf(model, 1.1);
    const Ended ended =
        simulate(unrepeatable(model.make()), withSteps(model.settings, 1.1 * critical, stepsFor(growth, kDecades)), {});
    expectWarned(ended, model.name);
  }
}

TEST(Instability, LeavesOtherModelsAloneBelowTheirLimits) {
  for (const Model& model : ownModels()) {
    const double critical = limitOf(model, 1.0).step;
    const run::Settings settings = withSteps(model.settings, 0.9 * critical, 2e4);
    expectSilence(simulate(model.make(), settings, {}), model.name);
    if (!model.settings.algorithm.iterates())
      expectSilence(simulate(unrepeatable(model.make()), settings, {}), model.name);
  }
}

/// Nobody can tell a master how long its steps are to be.
TEST(Instability, IsToldWhereAMasterChoosesTheStep) {
  Model model{"circuit", [] { return circuit(); }, {}, settingsOf(AlgorithmKind::gaussSeidel, 1)};
  const auto [critical, growth] = limitOf(model, 1.1);
  const double step = 1.1 * critical;
  model.settings.algorithm.kind = AlgorithmKind::masterSlave;
  expectWarned(simulate(circuit(step), withSteps(model.settings, step, stepsFor(growth, 9.0)), {}), "master and slave");
}

}  // namespace
}  // namespace koppla::test::instability_test
