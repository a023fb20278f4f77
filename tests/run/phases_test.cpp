// The exhaust tract, whose rotors' moments are exchanged as amplitudes and phases and relaxed from zero (Jung, sec. 4.6
// and 9.5 of the notes).

#include "koppla/subsystem/phases.hpp"

#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/run/run.hpp"
#include "koppla/subsystem/subdivided.hpp"

#include "support/exhaust.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::run::phases_test {
namespace {

using test::Exhaust;

std::vector<std::string> names(std::string_view amplitude, std::string_view phase) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < Exhaust::kValues; ++i) {
    result.push_back(fmt::format("{}{}", amplitude, i));
    result.push_back(fmt::format("{}{}", phase, i));
  }
  return result;
}

enum class Phases { asAnswered, unwrapped };

/// Errors of the rotations, iteration by iteration, of one step from zero moments.
std::vector<double> errorsOf(Phases phases, unsigned iterations) {
  static const Exhaust exhaust;
  static const Exhaust::Field exact = exhaust.coupledRotations();
  const auto errors = std::make_shared<std::vector<double>>();
  const test::Formula structure{.inputs = names("m", "psi"),
                                .outputs = names("a", "phi"),
                                .states = {},
                                .output = [errors](const auto&, double t, const auto& moments) {
                                  const auto rotations = exhaust.structure(test::fromAmplitudeAndPhase(moments));
                                  if (t > 0.0) errors->push_back(test::meanError(rotations, exact));
                                  return test::amplitudeAndPhase(rotations);
                                }};
  const test::Formula rotors{.inputs = names("a", "phi"),
                             .outputs = names("m", "psi"),
                             .states = {},
                             .output = [](const auto&, double, const auto& rotations) {
                               return test::amplitudeAndPhase(exhaust.rotor(test::fromAmplitudeAndPhase(rotations)));
                             }};
  std::vector<test::Link> links;
  for (const std::string& name : structure.outputs) links.push_back({"structure." + name, "rotors." + name});
  for (const std::string& name : rotors.outputs) links.push_back({"rotors." + name, "structure." + name});
  coupling::System system = test::makeSystem({{"structure", structure}, {"rotors", rotors}}, links);
  if (phases == Phases::unwrapped) {
    std::unique_ptr<subsystem::Subsystem>& inner = system.members[1].subsystem;
    std::vector<subsystem::PortIndex> angles;
    for (std::size_t i = 0; i < Exhaust::kValues; ++i)
      angles.push_back(inner->describe().find(fmt::format("psi{}", i)).value());
    inner = subsystem::unwrapPhases(std::move(inner), std::move(angles));
  }
  Settings settings;
  settings.end = settings.step = 1.0;
  settings.algorithm.kind = coupling::AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::adaptive;  // L/NL(1,a)
  settings.algorithm.maxIterations = iterations;
  settings.algorithm.withoutConvergence = coupling::WithoutConvergence::accept;
  settings.algorithm.rtol = 0.0;
  settings.algorithm.atol = 1e-300;
  settings.algorithm.explosionGrowth = 0.0;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  run.simulate();
  return *errors;
}

TEST(Phases, ExhaustTractConvergesFromZeroMoments) {
  const std::vector<double> errors = errorsOf(Phases::unwrapped, 50);
  EXPECT_EQ(errors.size(), 50U);
  test::showAtMost({"jung 24", "run-unwrapped", "amplitude and phase, unwrapped by the run, to 1e-3 in at most 13"},
                   test::iterationsTo(1e-3, errors), 13.0);
  EXPECT_LE(errors.back(), 1e-6);
}

TEST(Phases, WithoutUnwrappingTheExhaustTractDoesNotConverge) {
  EXPECT_GT(test::iterationsTo(1e-3, errorsOf(Phases::asAnswered, 50)), 49.0);
}

TEST(Phases, SamplesInsideTheStepFollowAngleOfMoreThanHalfATurn) {
  // 0.9 turns a second in steps of 1 s with three samples, in a loop that takes several iterations.
  constexpr double kSpeed = 0.9 * 2.0 * std::numbers::pi;  // rad/s
  const test::Formula hand{
      .inputs = {"u"}, .outputs = {"phi"}, .states = {}, .output = [](const auto&, double t, const auto& u) {
        const double angle = kSpeed * t + u[0];
        return std::vector<double>{std::atan2(std::sin(angle), std::cos(angle))};
      }};
  coupling::System system = test::makeSystem({{"hand", hand}, {"spring", test::gain(-0.1)}},
                                             {{"hand.phi", "spring.u"}, {"spring.y", "hand.u"}});
  std::unique_ptr<subsystem::Subsystem>& inner = system.members[0].subsystem;
  const subsystem::PortIndex phi = inner->describe().find("phi").value();
  inner = subsystem::unwrapPhases(subsystem::subdivide(std::move(inner), 0.0), {phi});
  system.members[1].subsystem = subsystem::subdivide(std::move(system.members[1].subsystem), 0.0);
  Settings settings;
  settings.step = 1.0;
  settings.end = 4.0;
  settings.algorithm.kind = coupling::AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
  settings.algorithm.degree = 1;
  settings.algorithm.waveform = 3;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-10;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_GE(run.statistics().cycles.at(0).evaluations, 8U);
  const double angle = std::get<double>(run.value("hand.phi"));
  EXPECT_GT(angle, 0.8 * kSpeed * settings.end);  // phi = speed t - 0.1 phi, with u a mean over the last piece
  EXPECT_LT(angle, kSpeed * settings.end);
}

}  // namespace
}  // namespace koppla::run::phases_test
