#include <gtest/gtest.h>

#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using test::mistakes;
using test::ProblemList;
using test::warnings;

/// A project whose first lines are the given sections.
Reading withSections(const std::string& sections) {
  return parse(sections + "\n[[subsystems]]\nname = \"a\"\nfmu = \"a.fmu\"\n", "loop.toml");
}

/// The same with sound times in the first line.
Reading withAlgorithm(const std::string& sections) {
  return withSections("format = 1\nsimulation = { end = 10, step = 0.1 }\n" + sections);
}

TEST(Settings, TimesMustMakeARun) {
  EXPECT_EQ(mistakes(withSections("format = 1\n[simulation]\nstart = 5\nend = 5\nstep = 0.1\n")),
            ProblemList{"4:7 The end, 5 s, is not after the start, 5 s. Choose a later end."});
  EXPECT_EQ(mistakes(withSections("format = 1\n[simulation]\nend = 1\nstep = 2\n")),
            ProblemList{"4:8 The step, 2 s, is longer than the whole run, 1 s. Choose a shorter step or a later end."});
  EXPECT_EQ(mistakes(withSections("format = 1\n[simulation]\nend = inf\nstep = 0\nexplosion_limit = -1\n")),
            (ProblemList{"3:7 'end' in [simulation] is inf; it must be finite.",
                         "4:8 'step' in [simulation] is 0; it must be above 0.",
                         "5:19 'explosion_limit' in [simulation] is -1; it must be above 0."}));
  EXPECT_EQ(mistakes(withSections("format = 1\n[simulation]\nend = 1\nstep = 1\n")), ProblemList{});
}

TEST(Settings, IncrementsOfSingleVariablesArePositiveAndForProbes) {
  const auto with = [](const std::string& lines) {
    return withAlgorithm("[algorithm]\nkind = \"semi-implicit\"\n" + lines);
  };
  const Reading sound = with("increments = {\"a.y\" = 1e-3, \"a.z*\" = 1.5}\n");
  EXPECT_EQ(mistakes(sound), ProblemList{});
  const auto& increments = sound.project.settings.algorithm.semiImplicit.increments;
  ASSERT_EQ(increments.size(), 2U);
  EXPECT_EQ(increments[0].variables, "a.y");
  EXPECT_EQ(increments[1].number, 1.5);
  EXPECT_EQ(mistakes(with("increments = {\"a.y\" = 0.0}\n")),
            ProblemList{"5:14 The increment of 'a.y' is 0; it must be positive."});
  EXPECT_EQ(warnings(with("sensitivities = \"formulas\"\nincrements = {\"a.y\" = 0.5}\n")),
            ProblemList{"6:1 'increments' in [algorithm] has no effect: formulas probe nothing."});
}

TEST(Settings, FactorsOfFieldsLieBetweenZeroAndTwo) {
  const auto accelerated = [](const std::string& lines) {
    return withAlgorithm("algorithm.kind = \"iterated-gauss-seidel\"\n[acceleration]\n" + lines);
  };
  const Reading sound = accelerated("kind = \"constant\"\nfactors = {\"a.y\" = 0.5, \"a.z*\" = 1.5}\n");
  EXPECT_EQ(mistakes(sound), ProblemList{});
  const auto& fields = sound.project.settings.algorithm.acceleration.fieldFactors;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].variables, "a.y");
  EXPECT_EQ(fields[1].number, 1.5);
  EXPECT_EQ(
      mistakes(accelerated("kind = \"constant\"\nfactors = {\"a.y\" = 2.0}\n")),
      ProblemList{"6:11 The factor of 'a.y' is 2; it must be above 0 and below 2. Beyond 2 no iteration converges "
                  "(Jung, eq. 2.7)."});
  EXPECT_EQ(mistakes(accelerated("kind = \"constant\"\nfactors = {\"a.y\" = 0.0}\n")),
            ProblemList{"6:11 The factor of 'a.y' is 0; it must be above 0 and below 2."});
  EXPECT_EQ(warnings(accelerated("kind = \"aitken\"\nfactors = {\"a.y\" = 0.5}\n")),
            ProblemList{"6:1 'factors' in [acceleration] has no effect: the acceleration 'aitken' does not use it."});
}

TEST(Settings, TolerancesMustBeReachable) {
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nrtol = 0\natol = 0.0\n")),
            ProblemList{"6:8 rtol and atol are both 0; no iteration or test can meet that. Make at least one of them "
                        "positive."});
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nrtol = -1e-3\natol = 0\n")),
            ProblemList{"5:8 'rtol' in [algorithm] is -0.001; it must be at least 0."});
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nrtol = 0\natol = 1e-6\n")), ProblemList{});
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nrtol = 0\n")),
            ProblemList{"5:8 rtol is 0, and there is no atol; no iteration or test can meet that. Make at least one of "
                        "them positive."});
}

TEST(Settings, DoubleStepInheritsTolerances) {
  const Reading reading = withAlgorithm(
      "[algorithm]\nkind = \"jacobi\"\nrtol = 1e-2\natol = 1e-3\n[step_control]\nkind = \"double-step\"\natol = "
      "1e-4\n");
  EXPECT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  EXPECT_EQ(reading.project.settings.stepControl.rtol, 1e-2);
  EXPECT_EQ(reading.project.settings.stepControl.atol, 1e-4);
}

TEST(Settings, WarnsOfOptionsWithoutEffect) {
  const Reading reading = withAlgorithm(R"([algorithm]
kind = "jacobi"
max_iterations = 5
norm = "rms"
without_convergence = "stop"
[step_control]
max_step = 0.2
shrink = 3
)");
  EXPECT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(
      warnings(reading),
      (ProblemList{"5:1 'max_iterations' in [algorithm] has no effect: the algorithm 'jacobi' does not iterate.",
                   "6:1 'norm' in [algorithm] has no effect: the algorithm 'jacobi' does not iterate.",
                   "7:1 'without_convergence' in [algorithm] has no effect: the algorithm 'jacobi' does not iterate.",
                   "9:1 'max_step' in [step_control] has no effect: the step control 'fixed' keeps the step.",
                   "10:1 'shrink' in [step_control] has no effect: the step control 'fixed' keeps the step."}));
}

TEST(Settings, WarnsOfOptionsOfTheOtherStepControl) {
  EXPECT_EQ(
      warnings(withAlgorithm("[step_control]\nkind = \"double-step\"\nshrink = 3\n")),
      ProblemList{"5:1 'shrink' in [step_control] has no effect: the step control 'double-step' chooses the factor "
                  "itself."});
  EXPECT_EQ(
      warnings(withAlgorithm("algorithm.kind = \"newton\"\n[step_control]\nkind = \"convergence\"\nrtol = 1e-3\n")),
      ProblemList{"6:1 'rtol' in [step_control] has no effect: the step control 'convergence' uses the tolerances "
                  "of [algorithm]."});
}

TEST(Settings, ConvergenceControlNeedsAnIteration) {
  EXPECT_EQ(
      mistakes(withAlgorithm("[step_control]\nkind = \"convergence\"\n")),
      ProblemList{"4:8 Step control by convergence needs an algorithm that iterates; 'gauss-seidel' does not. Choose "
                  "an iterated algorithm, or kind = \"double-step\", \"predictor-corrector\" or \"fixed\"."});
}

TEST(Settings, StepLimitsMustHoldTheFirstStep) {
  const auto limits = [](const std::string& lines) {
    return mistakes(withAlgorithm("[step_control]\nkind = \"double-step\"\n" + lines));
  };
  EXPECT_EQ(limits("min_step = 0.3\nmax_step = 0.2\n"),
            ProblemList{"5:12 min_step, 0.3 s, is longer than max_step, 0.2 s."});
  EXPECT_EQ(limits("max_step = 0.05\n"), ProblemList{"5:12 The first step, 0.1 s, is longer than max_step, 0.05 s. "
                                                     "Shorten step in [simulation] or raise max_step."});
  EXPECT_EQ(limits("min_step = 0.2\n"), ProblemList{"5:12 The first step, 0.1 s, is shorter than min_step, 0.2 s. "
                                                    "Lengthen step in [simulation] or lower min_step."});
  EXPECT_EQ(limits("grow = 0.9\nmin_step = -1\n"),
            (ProblemList{"5:8 'grow' in [step_control] is 0.9; it must be at least 1.",
                         "6:12 'min_step' in [step_control] is -1; it must be at least 0."}));
  EXPECT_EQ(limits("min_step = 0.1\nmax_step = 0.1\n"), ProblemList{});
}

TEST(Settings, ShrinkMustShrink) {
  EXPECT_EQ(
      mistakes(withAlgorithm("algorithm.kind = \"newton\"\n[step_control]\nkind = \"convergence\"\nshrink = 1\n")),
      ProblemList{"6:10 'shrink' in [step_control] is 1; it must be above 1."});
}

TEST(Settings, CountsAreWholeNumbers) {
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nmax_iterations = 2.0\n")),
            ProblemList{"5:18 'max_iterations' in [algorithm] is the real 2; expected is a whole number."});
  EXPECT_EQ(mistakes(withAlgorithm("[algorithm]\nkind = \"newton\"\nmax_iterations = 9999999999\n")),
            ProblemList{"5:18 'max_iterations' in [algorithm] is 9999999999; it must be at most 2147483647."});
}

}  // namespace
}  // namespace koppla::project
