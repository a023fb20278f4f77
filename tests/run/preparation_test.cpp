// What becomes of a system and its settings before a run: members that take no polynomials, steps that do not divide
// the interval, and what is said of loops.

#include "koppla/run/preparation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "state_member.hpp"

namespace koppla::run::preparation_test {
namespace {

using coupling::AlgorithmKind;
using test::gain;
using test::integrator;
using test::makeSystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Lines of a log with their severity.
struct Said {
  Said() {
    log.addSink(
        [this](core::Severity severity, std::string_view, std::string_view text) {
          lines.push_back(std::string(core::word(severity)) + ": " + std::string(text));
        },
        core::Severity::info);
  }
  core::Log log;
  std::vector<std::string> lines;
};

coupling::Constraint joint() {
  return {.member = 0, .lambda = 0, .mu = 0, .position = 0, .velocity = 0};
}

// --- Tested steps ----------------------------------------------------------------------------------------------------

Settings tested(stepping::StepControlKind kind, AlgorithmKind algorithm = AlgorithmKind::jacobi) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = algorithm;
  settings.stepControl.kind = kind;
  return settings;
}

coupling::System takes(unsigned derivatives, bool saves, bool feedThrough = true) {
  test::Formula formula = gain(1.0);
  formula.feedThrough = feedThrough;
  formula.capabilities.inputDerivatives = derivatives;
  formula.capabilities.saveRestore = saves;
  return makeSystem({{"a", formula}}, {{"a.y", "a.u"}});
}

/// A tolerance for what inputs are off by needs more than held inputs, where members follow more.
TEST(Preparation, StepsThatKeepTheCouplingErrorHaveLinesBetweenPoints) {
  const auto degree = [](const coupling::System& system, const Settings& settings) {
    Said said;
    const unsigned made = withTestedSteps(settings, system, said.log).algorithm.degree;
    if (made == 0 && settings.stepControl.keepsCouplingError() && settings.stepControl.leastDegree > 0) {
      EXPECT_THAT(said.lines, ElementsAre(HasSubstr("info: inputs are held inside steps (algorithm.degree = 0), "
                                                    "because a takes values only, cannot save its state")));
    } else {
      EXPECT_THAT(said.lines, IsEmpty());
    }
    return made;
  };
  for (const auto kind : {stepping::StepControlKind::doubleStep, stepping::StepControlKind::predictorCorrector}) {
    Settings settings = tested(kind);
    EXPECT_EQ(degree(takes(1, false), settings), 1U);
    EXPECT_EQ(degree(takes(0, true), settings), 1U) << "it gets means";
    EXPECT_EQ(degree(takes(0, false, false), settings), 1U) << "the same, and no output needs more";
    EXPECT_EQ(degree(takes(0, false), settings), 0U);
    settings.algorithm.degree = 3;
    EXPECT_EQ(degree(takes(1, true), settings), 3U);
    settings.algorithm.degree = 0;
    settings.stepControl.leastDegree = 0;
    EXPECT_EQ(degree(takes(1, true), settings), 0U) << "it was chosen";
  }
  EXPECT_EQ(degree(takes(1, true), tested(stepping::StepControlKind::fixed)), 0U);
  EXPECT_EQ(degree(takes(1, true), tested(stepping::StepControlKind::convergence, AlgorithmKind::newton)), 0U);
  Settings ofSource = tested(stepping::StepControlKind::doubleStep);
  ofSource.stepControl.estimate = stepping::Estimate::nicolai;
  EXPECT_EQ(degree(takes(1, true), ofSource), 0U);
}

/// Members that are wrapped after it was decided may take more; whoever has wrapped them went by the decision.
TEST(Preparation, TheDegreeOfTestedStepsIsDecidedOnce) {
  Said said;
  const Settings held = withTestedSteps(tested(stepping::StepControlKind::doubleStep), takes(0, false), said.log);
  ASSERT_EQ(held.algorithm.degree, 0U);
  said.lines.clear();
  EXPECT_EQ(withTestedSteps(held, takes(1, true), said.log).algorithm.degree, 0U);
  EXPECT_THAT(said.lines, IsEmpty()) << "told once";
}

/// What an iteration leaves open must not count as an error of the step.
TEST(Preparation, IterationsInTestedStepsGoOnToATenth) {
  Said said;
  Settings settings = tested(stepping::StepControlKind::doubleStep, AlgorithmKind::newton);
  settings.algorithm.rtol = settings.stepControl.rtol = 1e-3;
  settings.stepControl.atol = 1e-2;
  const Settings made = withTestedSteps(settings, takes(1, true), said.log);
  EXPECT_DOUBLE_EQ(made.algorithm.rtol, 1e-4);
  EXPECT_DOUBLE_EQ(made.algorithm.atol.value(), 1e-3);
  settings.algorithm.rtol = 1e-9;
  settings.algorithm.atol = 1e-8;
  const Settings tight = withTestedSteps(settings, takes(1, true), said.log);
  EXPECT_EQ(tight.algorithm.rtol, 1e-9);
  EXPECT_EQ(tight.algorithm.atol, 1e-8);
  settings.stepControl.atol.reset();
  settings.algorithm.atol.reset();
  EXPECT_FALSE(withTestedSteps(settings, takes(1, true), said.log).algorithm.atol) << "by size, as rtol says";
}

/// Groups of values are iterated to tolerances of their own.
TEST(Preparation, GroupsInTestedStepsGoOnToATenth) {
  Said said;
  Settings settings = tested(stepping::StepControlKind::doubleStep, AlgorithmKind::iteratedGaussSeidel);
  settings.stepControl.rtol = 1e-3;
  settings.algorithm.convergence = {{.name = "loose", .variables = {}, .tolerance = {1e-2, 1.0}},
                                    {.name = "tight", .variables = {}, .tolerance = {1e-9, {}}}};
  const auto tolerances = [&] {
    std::vector<std::pair<double, std::optional<double>>> made;
    for (const coupling::ConvergenceGroup& group :
         withTestedSteps(settings, takes(1, true), said.log).algorithm.convergence)
      made.emplace_back(group.tolerance.rtol, group.tolerance.atol);
    return made;
  };
  EXPECT_THAT(tolerances(),
              ElementsAre(std::pair(0.1 * 1e-3, std::optional(1.0)), std::pair(1e-9, std::optional<double>())))
      << "absolute ones have no counterpart";
  settings.stepControl.atol = 1e-2;
  EXPECT_THAT(tolerances(), ElementsAre(std::pair(0.1 * 1e-3, std::optional(0.1 * 1e-2)),
                                        std::pair(1e-9, std::optional(0.1 * 1e-2))));
  settings.stepControl.kind = stepping::StepControlKind::convergence;
  EXPECT_EQ(tolerances().front(), std::pair(1e-2, std::optional(1.0))) << "no error is tested";
}

// --- Whole steps -----------------------------------------------------------------------------------------------------

/// With joints all steps have one length, the longest that is not longer than the given one.
TEST(Preparation, StepsWithJointsDivideTheInterval) {
  const auto stepOf = [](double start, double end, double step, bool joints = true,
                         stepping::StepControlKind control = stepping::StepControlKind::fixed) {
    coupling::System system = makeSystem({{"a", gain(1.0)}}, {});
    if (joints) system.constraints = {joint()};
    Settings settings;
    settings.start = start;
    settings.end = end;
    settings.step = step;
    settings.stepControl.kind = control;
    Said said;
    const double made = withWholeSteps(settings, system, said.log).step;
    if (made == step) {
      EXPECT_THAT(said.lines, IsEmpty());
    } else {
      EXPECT_THAT(said.lines, ElementsAre(AllOf(HasSubstr("info: the step of "), HasSubstr("does not divide"))));
    }
    return made;
  };
  EXPECT_EQ(stepOf(0.0, 1.0, 0.3), 0.25);
  EXPECT_EQ(stepOf(2.0, 3.0, 0.3), 0.25);
  EXPECT_EQ(stepOf(-1.0, 1.0, 0.3), 2.0 / 7.0);
  EXPECT_EQ(stepOf(0.0, 1.0, 0.25), 0.25);
  EXPECT_EQ(stepOf(0.0, 1.0, 0.1), 0.1);
  EXPECT_EQ(stepOf(0.0, 1.0, 5.0), 1.0);
  EXPECT_EQ(stepOf(0.0, 1.0, 0.1 * (1.0 + 5e-8)), 0.1 * (1.0 + 5e-8)) << "rounding, to a millionth of a step";
  EXPECT_EQ(stepOf(0.0, 1.0, 0.1 * (1.0 + 2e-7)), 0.1);
  EXPECT_EQ(stepOf(0.0, 1.0, 0.3, false), 0.3) << "no joints";
  EXPECT_EQ(stepOf(0.0, 1.0, 0.3, true, stepping::StepControlKind::convergence), 0.3) << "which is refused";
  EXPECT_EQ(stepOf(0.0, 1.0, 0.0), 0.0);
  EXPECT_EQ(stepOf(0.0, 1.0, -0.3), -0.3);
  EXPECT_EQ(stepOf(1.0, 0.0, 0.3), 0.3) << "there is no interval";
}

// --- Polynomials -----------------------------------------------------------------------------------------------------

/// Who takes polynomials of a lower degree gets fits over each macro step; whoever takes enough, or is static, stays.
TEST(Preparation, MembersThatTakeLowerDegreesGetFits) {
  for (const unsigned taken : {0U, 1U, 2U})
    for (const bool isStatic : {false, true})
      for (const bool joints : {false, true}) {
        test::Formula formula = integrator();
        formula.capabilities.inputDerivatives = taken;
        formula.capabilities.isStatic = isStatic;
        coupling::System system = makeSystem({{"a", formula}, {"b", integrator()}}, {{"b.y", "a.u"}});
        system.members[1].subsystem = test_support::make(
            {.states = {0.0}, .step = [](const auto& x, double, const auto&) { return x; }, .degree = 5});
        if (joints) system.constraints = {joint()};
        const auto* const before = system.members[0].subsystem.get();
        const auto* const other = system.members[1].subsystem.get();
        Said said;
        const coupling::System made = fitted(std::move(system), 2, said.log);
        const bool changes = taken < 2 && !isStatic;
        EXPECT_EQ(made.members[0].subsystem.get() != before, changes) << taken;
        EXPECT_EQ(made.members[1].subsystem.get(), other);
        if (!changes) {
          EXPECT_THAT(said.lines, IsEmpty());
          continue;
        }
        EXPECT_GE(made.members[0].subsystem->describe().capabilities.inputDerivatives, 2U);
        EXPECT_THAT(said.lines, ElementsAre(std::string(joints ? "warning" : "info") + ": a takes inputs of degree " +
                                            std::to_string(taken) +
                                            ", not 2: it gets their best fit over each macro step, and the coupling is "
                                            "of order 2, not 3. Give it a micro_step to follow "
                                            "them more closely."));
      }
}

/// Outputs of such a member that depend on a connected input at the same instant are late, which is told with names.
TEST(Preparation, LateOutputsOfMembersThatTakeValuesOnlyAreTold) {
  test::Formula two = gain(1.0);
  two.inputs = {"u", "v"};
  two.outputs = {"y", "z"};
  const auto told = [&](const std::vector<test::Link>& links, unsigned taken) {
    test::Formula formula = two;
    formula.capabilities.inputDerivatives = taken;
    coupling::System system = makeSystem({{"a", formula}, {"b", integrator()}, {"c", gain(1.0)}}, links);
    Said said;
    (void)fitted(std::move(system), 3, said.log);
    return said.lines;
  };
  EXPECT_THAT(told({{"b.y", "a.u"}}, 0),
              Contains(AllOf(HasSubstr("warning: a takes values of inputs only and cannot save its state"),
                             HasSubstr("at the same instant: a.y, a.z. With algorithm.degree = 3"))));
  EXPECT_THAT(told({{"b.y", "a.u"}}, 1), Not(Contains(HasSubstr("a takes values of inputs only"))));
  EXPECT_THAT(told({{"a.y", "b.u"}}, 0), Not(Contains(HasSubstr("warning")))) << "nobody is connected to its inputs";
}

// --- Loops -----------------------------------------------------------------------------------------------------------

std::vector<std::string> said(coupling::System system, Settings settings) {
  Said heard;
  settings.step = 0.1;
  run::Run run(std::move(system), std::move(settings), heard.log);
  EXPECT_TRUE(run.initialise().ok());
  return heard.lines;
}

coupling::System loop(double growth) {
  return makeSystem({{"a", gain(growth, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

/// A loop that was solved is told; with an explicit algorithm its growth as well, unless it has none.
TEST(Preparation, LoopsThatWereSolvedAreTold) {
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::newton;
  EXPECT_THAT(said(loop(0.5), settings), ElementsAre(HasSubstr("info: solved the algebraic loop a.y, b.y; ")));
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  EXPECT_THAT(said(loop(0.5), settings), IsEmpty()) << "it is left to the first step";
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  EXPECT_THAT(said(loop(0.0), settings), IsEmpty()) << "nothing comes round";
  EXPECT_THAT(said(loop(0.25), settings), ElementsAre(HasSubstr("so they are late by some steps. Choose")));
}

}  // namespace
}  // namespace koppla::run::preparation_test
