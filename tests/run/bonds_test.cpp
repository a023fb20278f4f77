// The energy that coupling creates, per bond of power. A mass of 1 kg on a spring of 9 N/m: v' = F, F' = -9 v, so that
// the energy v^2 / 2 + F^2 / 18 changes by what coupling creates and by nothing else.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::bonds_test {
namespace {

using coupling::AlgorithmKind;

constexpr double kStep = 0.01;  // s; a master takes one micro step

/// Ports in these units.
class InUnits final : public subsystem::detail::Wrapper {
 public:
  InUnits(std::unique_ptr<Subsystem> inner, const std::string& input, const std::string& output)
      : Wrapper(std::move(inner)) {
    for (subsystem::Port& port : description().ports) {
      if (port.causality == subsystem::Causality::input) port.unit = input;
      if (port.causality == subsystem::Causality::output) port.unit = output;
    }
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
};

/// x' = rate u, y = x, solved exactly.
std::unique_ptr<subsystem::Subsystem> integral(double rate, double start, const std::string& inputUnit,
                                               const std::string& outputUnit) {
  return std::make_unique<InUnits>(
      solver::integrate(
          native::linearStateSpace(
              {.inputs = {"u"}, .outputs = {"y"}, .A = {{0.0}}, .B = {{rate}}, .C = {{1.0}}, .x0 = {start}}),
          {.kind = solver::Kind::exact, .microStep = kStep}),
      inputUnit, outputUnit);
}

struct Units {
  std::string force = "N";
  std::string velocity = "m/s";
};

/// The spring tells what pulls at the mass, or (sign = -1) its own tension.
coupling::System massOnSpring(double sign = 1.0, const Units& units = {}) {
  coupling::System system;
  system.members.push_back({"mass", integral(1.0, 1.0, units.force, units.velocity), {}});
  system.members.push_back({"spring", integral(-9.0 * sign, 0.0, units.velocity, units.force), {}});
  test::connect(system, {{"mass.y", "spring.u"}, {"spring.y", "mass.u", sign}});
  system.order = {0, 1};
  return system;
}

struct Told {
  Statistics statistics;
  double gained = 0.0;  ///< J
};

Told simulated(coupling::System system, const Settings& settings) {
  core::Log log;
  Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  const double v = std::get<double>(run.value("mass.y"));
  const double F = std::get<double>(run.value("spring.y"));
  return {run.statistics(), 0.5 * v * v + F * F / 18.0 - 0.5};
}

Settings settingsOf(AlgorithmKind kind, unsigned degree) {
  Settings settings;
  settings.end = 3.0;
  settings.step = kStep;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  return settings;
}

/// Of held inputs it is exact, since the sums are those of straight lines.
TEST(Bonds, TellTheEnergyThatHeldInputsCreate) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel})
    for (const double sign : {1.0, -1.0}) {
      Settings settings = settingsOf(kind, 0);
      settings.algorithm.rtol = 1e-12;
      const Told told = simulated(massOnSpring(sign), settings);
      ASSERT_EQ(told.statistics.bonds.size(), 1U);
      const BondStatistics& bond = told.statistics.bonds[0];
      EXPECT_EQ(bond.effort, "spring.y -> mass.u");
      EXPECT_EQ(bond.flow, "mass.y -> spring.u");
      EXPECT_NEAR(bond.created / told.gained, 1.0, 1e-6) << static_cast<int>(kind) << " " << sign;
    }
}

TEST(Bonds, TellTheEnergyThatExtrapolationCreates) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::masterSlave})
    for (const unsigned degree : {1U, 2U}) {
      const Told told = simulated(massOnSpring(), settingsOf(kind, degree));
      ASSERT_EQ(told.statistics.bonds.size(), 1U);
      EXPECT_NEAR(told.statistics.bonds[0].created / told.gained, 1.0, 0.2) << static_cast<int>(kind) << " " << degree;
    }
}

/// The power is that of v = cos 3 t and F = -3 sin 3 t: 3/2 |sin 6 t|, in the mean 3 / pi.
TEST(Bonds, TellTheEnergyThatIsExchanged) {
  Settings settings = settingsOf(AlgorithmKind::gaussSeidel, 2);
  settings.end = std::acos(-1.0);  // three periods
  settings.step = settings.end / 3000.0;
  const Told told = simulated(massOnSpring(), settings);
  ASSERT_EQ(told.statistics.bonds.size(), 1U);
  EXPECT_NEAR(told.statistics.bonds[0].exchanged, 3.0, 1e-3);
}

/// Later looks stand for the steps between them.
TEST(Bonds, TellTheEnergyOfLongRunsFromASampleOfSteps) {
  Settings settings = settingsOf(AlgorithmKind::jacobi, 0);
  settings.step = 1e-4;  // 30000 steps, of which one in ten is looked at
  const Told told = simulated(massOnSpring(), settings);
  ASSERT_EQ(told.statistics.bonds.size(), 1U);
  EXPECT_NEAR(told.statistics.bonds[0].created / told.gained, 1.0, 0.02);
}

TEST(Bonds, AreFoundByTheUsualUnits) {
  const double held = simulated(massOnSpring(), settingsOf(AlgorithmKind::jacobi, 0)).statistics.bonds.at(0).created;
  const auto created = [](const Units& units) {
    const Told told = simulated(massOnSpring(1.0, units), settingsOf(AlgorithmKind::jacobi, 0));
    return told.statistics.bonds.empty() ? 0.0 : told.statistics.bonds[0].created;
  };
  EXPECT_DOUBLE_EQ(created({"V", "A"}), held);
  EXPECT_DOUBLE_EQ(created({"N.m", "rad/s"}), held);
  EXPECT_DOUBLE_EQ(created({"Pa", "m3/s"}), held);
  EXPECT_NEAR(created({"bar", "l/s"}), 100.0 * held, 1e-10 * held);
  EXPECT_EQ(created({"N", "m"}), 0.0) << "no power";
  EXPECT_EQ(created({"N", "A"}), 0.0) << "two domains";
  EXPECT_EQ(created({"", ""}), 0.0);
}

/// Two forces and one velocity: nobody knows which of them act there.
TEST(Bonds, AreNoneWhereEffortsAndFlowsAreNotAsMany) {
  coupling::System system = massOnSpring();
  system.connections.push_back(system.connections.back());
  system.connections.back().scale = 0.5;
  EXPECT_TRUE(simulated(std::move(system), settingsOf(AlgorithmKind::jacobi, 0)).statistics.bonds.empty());
}

}  // namespace
}  // namespace koppla::run::bonds_test
