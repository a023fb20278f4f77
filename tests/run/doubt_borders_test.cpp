// Where doubts about settings begin.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/coupling/free_motion.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/run/doubts.hpp"

#include "fmu_system.hpp"
#include "support/integer_member.hpp"

namespace koppla::run::doubt_borders_test {
namespace {

using coupling::AlgorithmKind;
using stepping::StepControlKind;
using test::gain;
using test::integrator;
using test::makeSystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> doubtsAbout(const coupling::System& system, const Settings& settings) {
  return doubts(system, coupling::findCycles(system), settings);
}

/// Members in a chain, or in a cycle, with these micro steps.
coupling::System withMicroSteps(const std::vector<double>& microSteps, bool cycle = false) {
  std::vector<test::Part> parts;
  std::vector<test::Link> links;
  for (std::size_t i = 0; i < microSteps.size(); ++i) {
    test::Formula formula = integrator();
    formula.capabilities.microStep = microSteps[i];
    formula.capabilities.ownSteps = true;
    parts.push_back({"m" + std::to_string(i), formula});
    if (i > 0) links.push_back({"m" + std::to_string(i - 1) + ".y", "m" + std::to_string(i) + ".u"});
  }
  if (cycle) links.push_back({"m" + std::to_string(microSteps.size() - 1) + ".y", "m0.u"});
  return makeSystem(std::move(parts), links);
}

/// A billionth is rounding.
TEST(DoubtBorders, MicroStepsAreLongerByMoreThanRounding) {
  Settings settings;
  settings.step = 0.5;
  const auto told = [&](double microStep) { return !doubtsAbout(withMicroSteps({microStep}), settings).empty(); };
  EXPECT_FALSE(told(0.5));
  EXPECT_FALSE(told(0.5 * (1.0 + 0.5e-9)));
  EXPECT_TRUE(told(0.5 * (1.0 + 1.5e-9)));
  EXPECT_FALSE(told(0.4));
  settings.algorithm.kind = AlgorithmKind::masterSlave;
  EXPECT_FALSE(told(0.6)) << "the macro step is the master's own";
  settings.algorithm.kind = AlgorithmKind::jacobi;
  settings.step = 10.0;
  settings.stepControl.minStep = 0.5;
  EXPECT_FALSE(told(0.6)) << "fixed steps have no least one";
  settings.stepControl.kind = StepControlKind::predictorCorrector;
  EXPECT_TRUE(told(0.6));
  EXPECT_FALSE(told(0.5));
  settings.stepControl.minStep = 0.0;
  EXPECT_FALSE(told(0.6)) << "nor has this";
}

/// The master is the first one of the order.
TEST(DoubtBorders, TheMasterIsTheFirstOne) {
  Settings settings;
  settings.step = 1.0;
  settings.algorithm.kind = AlgorithmKind::masterSlave;
  for (const bool cycle : {true, false}) {
    EXPECT_THAT(doubtsAbout(withMicroSteps({0.1, 0.05, 0.025}, cycle), settings), IsEmpty());
    EXPECT_THAT(doubtsAbout(withMicroSteps({0.1, 0.1, 0.1}, cycle), settings), IsEmpty());
    EXPECT_THAT(doubtsAbout(withMicroSteps({0.1, 0.2, 0.05}, cycle), settings),
                ElementsAre(HasSubstr("The master m0 has a shorter micro step, 0.1 s, than m1, 0.2 s.")));
    EXPECT_THAT(doubtsAbout(withMicroSteps({0.0, 0.2, 0.05}, cycle), settings), IsEmpty()) << "it is not known";
    Settings other = settings;
    other.algorithm.kind = AlgorithmKind::gaussSeidel;
    EXPECT_THAT(doubtsAbout(withMicroSteps({0.1, 0.2, 0.05}, cycle), other), IsEmpty());
  }
}

/// At 2^20 s instants are 2^-32 s apart, a millionth of 2.33e-4 s.
TEST(DoubtBorders, RoundingOfTimesCountsFromAMillionthOfAStepOn) {
  const auto told = [](double start, double end, double step) {
    Settings settings;
    settings.start = start;
    settings.end = end;
    settings.step = step;
    return doubtsAbout(withMicroSteps({0.0}), settings);
  };
  const double late = std::ldexp(1.0, 20);
  EXPECT_THAT(told(0.0, late, 2.34e-4), IsEmpty());
  EXPECT_THAT(told(0.0, late, 2.32e-4),
              ElementsAre(HasSubstr("At 1.04858e+06 s two instants are 2.3e-10 s apart, which is 1e-06 of the step")));
  EXPECT_THAT(told(-late, 1.0, 2.32e-4), ElementsAre(HasSubstr("two instants")));
  EXPECT_THAT(told(-late, 1.0, 2.34e-4), IsEmpty());
  EXPECT_THAT(told(0.0, late, std::ldexp(1.0, -32) / 1e-6), IsEmpty()) << "a millionth itself is fine";
}

/// Of integers step control tests nothing; of nothing there is nothing to test.
TEST(DoubtBorders, StepControlGrowsToItsLimit) {
  const auto told = [](bool connected, double maxStep) {
    coupling::System integers;
    for (const char* name : {"a", "b"})
      integers.members.push_back({name, std::make_unique<test::IntegerMember>([](auto n, auto) { return n; }), {}});
    if (connected) test::connect(integers, {{"a.out", "b.in"}});
    Settings settings;
    settings.step = 0.1;
    settings.stepControl.kind = StepControlKind::doubleStep;
    settings.stepControl.maxStep = maxStep;
    return doubtsAbout(integers, settings);
  };
  EXPECT_THAT(told(false, 0.5), IsEmpty());
  EXPECT_THAT(told(true, 0.5), ElementsAre(HasSubstr("steps grow to step_control.max_step.")));
  for (const double none : {0.0, std::numeric_limits<double>::infinity()})
    EXPECT_THAT(told(true, none), ElementsAre(HasSubstr("steps grow to whatever the length of the run allows.")))
        << none;
}

TEST(DoubtBorders, WithoutMembersThereIsNoDoubt) {
  Settings settings;
  settings.step = 1e-12;
  settings.end = 1e9;
  EXPECT_THAT(doubtsAbout(coupling::System{}, settings), IsEmpty());
}

// --- Groups ----------------------------------------------------------------------------------------------------------

/// What the constructor of a run says.
std::vector<std::string> saidOf(AlgorithmKind kind, std::vector<coupling::ConvergenceGroup> groups) {
  core::Log log;
  std::vector<std::string> said;
  log.addSink([&](core::Severity, std::string_view, std::string_view text) { said.emplace_back(text); },
              core::Severity::warning);
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = kind;
  settings.algorithm.convergence = std::move(groups);
  const run::Run run(makeSystem({{"a", gain(0.5, 1.0)}, {"b", gain(1.0)}, {"behind", gain(1.0)}},
                                {{"a.y", "b.u"}, {"b.y", "a.u"}, {"b.y", "behind.u"}}),
                     settings, log);
  return said;
}

TEST(DoubtBorders, GroupsTestWhatCyclesExchange) {
  const coupling::ConvergenceGroup loop{.name = "loop", .variables = {"a.y", "b.y"}};
  const coupling::ConvergenceGroup outside{.name = "outside", .variables = {"behind.y"}};
  const coupling::ConvergenceGroup forward{.name = "forward", .variables = {"a.y"}};
  EXPECT_THAT(saidOf(AlgorithmKind::iteratedGaussSeidel, {loop}), IsEmpty());
  EXPECT_THAT(saidOf(AlgorithmKind::iteratedGaussSeidel, {loop, outside}),
              ElementsAre(HasSubstr("The group 'outside' of the convergence test holds no value")));
  EXPECT_THAT(saidOf(AlgorithmKind::jacobi, {loop, outside}), IsEmpty()) << "nothing is iterated";
  EXPECT_THAT(saidOf(AlgorithmKind::iteratedGaussSeidel, {forward}),
              ElementsAre(HasSubstr("nobody tests whether they have settled: b.y.")));
  EXPECT_THAT(saidOf(AlgorithmKind::newton, {forward}), IsEmpty()) << "which tests what flows back";
}

// --- Joints ----------------------------------------------------------------------------------------------------------

/// A joint is told where the free motion grows, or alternates for ever, with the remedy that fits.
TEST(DoubtBorders, UnstableJointsAreTold) {
  using enum coupling::ConstraintMethod;
  int stable = 0;
  int unstable = 0;
  for (const auto method : {baumgarte, weightedMultipliers, stabilisedIndex2})
    for (const double gamma : {0.0, 0.25})
      for (const double accelerationWeight : {0.0, 1.0})
        for (const unsigned degree : {0U, 1U, 2U})
          for (const double relaxation : {1.0, 0.9, 0.7})
            for (const auto kind : {AlgorithmKind::semiImplicit, AlgorithmKind::newton}) {
              coupling::System system = makeSystem({{"j", gain(1.0)}}, {});
              coupling::Constraint joint{.member = 0, .lambda = 0, .mu = 0, .position = 0, .velocity = 0};
              joint.method = method;
              joint.beta = 1.0;
              joint.gamma = gamma;
              joint.accelerationWeight = accelerationWeight;
              system.constraints = {joint};
              Settings settings;
              settings.step = 0.5;
              settings.algorithm.kind = kind;
              settings.algorithm.degree = degree;
              settings.algorithm.semiImplicit.relaxation = relaxation;
              const auto said = doubtsAboutJoints(system, settings);
              const double growth = coupling::growthOfFreeMotion(joint, degree, relaxation, settings.step);
              const bool told = kind == AlgorithmKind::semiImplicit && degree > 0 && growth >= 1.0 - 1e-5;
              ++(told ? unstable : stable);
              SCOPED_TRACE(std::to_string(static_cast<int>(method)) + " " + std::to_string(gamma) + " " +
                           std::to_string(degree) + " " + std::to_string(relaxation));
              if (!told) {
                EXPECT_THAT(said, IsEmpty());
                continue;
              }
              ASSERT_EQ(said.size(), 1U);
              EXPECT_THAT(said[0], HasSubstr("The joint j is unstable with degree = " + std::to_string(degree)));
              EXPECT_THAT(said[0], HasSubstr(growth > 1.0 + 1e-5 ? "times per step" : "alternate from step to step"));
              const bool byRelaxation =
                  relaxation < 1.0 && coupling::growthOfFreeMotion(joint, degree, 1.0, settings.step) < 1.0 - 1e-5;
              const char* remedy = method == stabilisedIndex2      ? "algorithm.relaxation = 0.9 with degree = 1"
                                   : byRelaxation                  ? "Leave algorithm.relaxation out."
                                   : method == weightedMultipliers ? "acceleration_weight = 1 beside velocity_weight"
                                   : gamma > 0.0                   ? "Lengthen beta and gamma"
                                                                   : "Choose degree = 0, or gamma > 0";
              EXPECT_THAT(said[0], HasSubstr(remedy));
            }
  EXPECT_GT(stable, 10);
  EXPECT_GT(unstable, 10);
}

}  // namespace
}  // namespace koppla::run::doubt_borders_test
