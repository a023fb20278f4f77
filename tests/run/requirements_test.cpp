// What is refused before a run begins, at the borders of what is not.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/predictor.hpp"
#include "koppla/run/capabilities.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::requirements_test {
namespace {

using coupling::AlgorithmKind;
using koppla::test::Formula;
using koppla::test::integrator;
using koppla::test::makeSystem;
using stepping::StepControlKind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const coupling::System& system, const Settings& settings) {
  try {
    requireCapabilities(system, coupling::findCycles(system), settings);
    return "";
  } catch (const core::InputError& error) {
    return error.what();
  }
}

Settings of(AlgorithmKind kind) {
  Settings settings;
  settings.step = 0.25;
  settings.algorithm.kind = kind;
  return settings;
}

Formula can(const std::function<void(subsystem::Capabilities&)>& change) {
  Formula formula = integrator();
  change(formula.capabilities);
  return formula;
}

const auto kAll = [](subsystem::Capabilities&) {};
const auto kNoStates = [](subsystem::Capabilities& c) { c.saveRestore = false; };
const auto kOneLength = [](subsystem::Capabilities& c) { c.variableStep = false; };

/// a and b in a cycle, c behind it.
coupling::System three(const std::function<void(subsystem::Capabilities&)>& a,
                       const std::function<void(subsystem::Capabilities&)>& b,
                       const std::function<void(subsystem::Capabilities&)>& c) {
  return makeSystem({{"a", can(a)}, {"b", can(b)}, {"c", can(c)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}, {"b.y", "c.u"}});
}

TEST(Requirements, ARunHasALengthAndAStep) {
  const coupling::System system = three(kAll, kAll, kAll);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto interval = [&](double start, double end, double step) {
    Settings settings = of(AlgorithmKind::jacobi);
    settings.start = start;
    settings.end = end;
    settings.step = step;
    return refusal(system, settings);
  };
  EXPECT_EQ(interval(-1.0, 1.0, 0.5), "");
  EXPECT_EQ(interval(0.0, 1e-3, 0.5), "");
  for (const auto& [start, end] : {std::pair(1.0, 1.0), std::pair(1.0, 0.5), std::pair(-inf, 1.0), std::pair(0.0, inf),
                                   std::pair(nan, 1.0), std::pair(0.0, nan)})
    EXPECT_THAT(interval(start, end, 0.5), HasSubstr("has no length")) << start << " " << end;
  for (const double step : {0.0, -0.5, inf, nan})
    EXPECT_THAT(interval(0.0, 1.0, step), HasSubstr("is no step")) << step;
}

/// Iterated cycles go back; everybody does where steps are repeated. All who cannot are named.
TEST(Requirements, WhoMustGoBackIsNamed) {
  const std::string cycles = "these subsystems in cycles cannot restore a saved state: ";
  EXPECT_EQ(refusal(three(kAll, kAll, kNoStates), of(AlgorithmKind::newton)), "");
  EXPECT_THAT(refusal(three(kNoStates, kAll, kNoStates), of(AlgorithmKind::newton)), HasSubstr(cycles + "a."));
  EXPECT_THAT(refusal(three(kNoStates, kNoStates, kNoStates), of(AlgorithmKind::iteratedJacobi)),
              AllOf(HasSubstr(cycles + "a, b."), Not(HasSubstr("Rigid joints"))));
  EXPECT_EQ(refusal(three(kNoStates, kNoStates, kNoStates), of(AlgorithmKind::gaussSeidel)), "");
  Settings shorten = of(AlgorithmKind::jacobi);
  shorten.onDiscard = OnDiscard::shorten;
  EXPECT_THAT(
      refusal(three(kAll, kNoStates, kNoStates), shorten),
      AllOf(
          HasSubstr("on_discard = \"shorten\" repeats steps, but these subsystems cannot restore a saved state: b, c."),
          HasSubstr("What remains: on_discard"), Not(HasSubstr("of one length"))));
  EXPECT_THAT(refusal(three(kAll, kAll, kOneLength), shorten),
              HasSubstr("with other lengths, but these subsystems take steps of one length only: c."));
  for (const StepControlKind kind : {StepControlKind::doubleStep, StepControlKind::convergence}) {
    Settings controlled = of(AlgorithmKind::jacobi);
    controlled.stepControl.kind = kind;
    EXPECT_THAT(refusal(three(kNoStates, kAll, kOneLength), controlled),
                AllOf(HasSubstr("Step control repeats steps, but these subsystems cannot restore a saved state: a."),
                      HasSubstr("take steps of one length only: c."), HasSubstr("Step control that remains: fixed")));
    EXPECT_EQ(refusal(three(kAll, kAll, kAll), controlled), "");
  }
}

TEST(Requirements, WhoTakesOneLengthOnlyIsNamed) {
  Settings predicted = of(AlgorithmKind::jacobi);
  predicted.stepControl.kind = StepControlKind::predictorCorrector;
  EXPECT_THAT(
      refusal(three(kNoStates, kOneLength, kOneLength), predicted),
      HasSubstr("Step control chooses steps of different lengths, but these subsystems take steps of one length "
                "only: b, c."));
  const auto own = [](subsystem::Capabilities& c) { c.ownSteps = true; };
  EXPECT_THAT(refusal(three(own, kOneLength, kAll), of(AlgorithmKind::masterSlave)),
              HasSubstr("The master chooses steps of different lengths, but these subsystems take steps of one length "
                        "only: b."));
  EXPECT_EQ(refusal(three(own, kAll, kAll), of(AlgorithmKind::masterSlave)), "");
  // A last step that is shorter is one of another length; rounding is none.
  Settings settings = of(AlgorithmKind::jacobi);
  settings.step = 0.3;
  EXPECT_THAT(refusal(three(kAll, kOneLength, kAll), settings),
              AllOf(HasSubstr("does not divide the interval, so the last step would have 0.1"), HasSubstr("only: b.")));
  EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "");
  settings.step = 0.1;
  EXPECT_EQ(refusal(three(kAll, kOneLength, kAll), settings), "");
  settings.start = 2.0;
  settings.end = 3.0;
  EXPECT_EQ(refusal(three(kAll, kOneLength, kAll), settings), "");
  settings.step = 0.25;
  settings.end = 3.0 - 1.5e-6 * settings.step;  // a last step that is shorter by more than a millionth
  EXPECT_THAT(refusal(three(kAll, kOneLength, kAll), settings), HasSubstr("does not divide"));
  settings.end = 3.0 - 0.75e-6 * settings.step;
  EXPECT_EQ(refusal(three(kAll, kOneLength, kAll), settings), "");
}

/// The first of the order is the master: of the first cycle, and in it the first one.
TEST(Requirements, TheFirstIsTheMaster) {
  const auto own = [](subsystem::Capabilities& c) { c.ownSteps = true; };
  for (const bool starts : {false, true}) {
    Settings settings = of(starts ? AlgorithmKind::gaussSeidel : AlgorithmKind::masterSlave);
    settings.algorithm.startUp = starts ? coupling::StartUp::masterSlave : coupling::StartUp::trivial;
    settings.algorithm.degree = 1;
    EXPECT_EQ(refusal(three(own, kAll, kAll), settings), "");
    EXPECT_THAT(refusal(three(kAll, own, own), settings),
                HasSubstr("The master cannot take steps of its own choice: a."));
    EXPECT_THAT(refusal(three(kAll, kAll, own), settings), HasSubstr("its own choice: a."));
    EXPECT_EQ(refusal(coupling::System{}, settings), "") << "nobody needs a master";
    if (!starts) continue;
    settings.algorithm.degree = 0;
    EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "") << "there is nothing to start";
    settings.algorithm.degree = 1;
    settings.algorithm.startUp = coupling::StartUp::trivial;
    EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "");
  }
}

TEST(Requirements, WaveformsAreIteratedPlainly) {
  const coupling::System system = three(kAll, kAll, kAll);
  const auto waveform = [&](AlgorithmKind kind, unsigned samples) {
    Settings settings = of(kind);
    settings.algorithm.waveform = samples;
    return refusal(system, settings);
  };
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton,
                                   AlgorithmKind::iteratedJacobi, AlgorithmKind::iteratedGaussSeidel}) {
    const bool plain = kind == AlgorithmKind::iteratedJacobi || kind == AlgorithmKind::iteratedGaussSeidel;
    EXPECT_EQ(waveform(kind, 1), "");
    for (const unsigned samples : {2U, 3U})
      EXPECT_EQ(waveform(kind, samples).find("is found by plain iteration only") == std::string::npos, plain);
    EXPECT_THAT(waveform(kind, 0), HasSubstr("no sample of the values has no end"));
  }
  const auto predicted = [&](unsigned degree) {
    Settings settings = of(AlgorithmKind::newton);
    settings.algorithm.predictor = degree;
    return refusal(system, settings);
  };
  constexpr unsigned kMost = coupling::Predictor::kHighest;
  EXPECT_EQ(predicted(0), "");
  EXPECT_EQ(predicted(kMost), "");
  EXPECT_THAT(predicted(kMost + 1), HasSubstr("is not supported"));
}

TEST(Requirements, SlopesAreForExplicitAlgorithms) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton, AlgorithmKind::iteratedGaussSeidel}) {
    Settings settings = of(kind);
    EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "");
    settings.algorithm.samples = coupling::Samples::valuesAndSlopes;
    EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings).find("an iteration sends values only") != std::string::npos,
              settings.algorithm.iterates());
  }
}

/// Formulas for derivatives over a step are those of members that tell them, or are static.
TEST(Requirements, FormulasNeedMembersThatTellThem) {
  const auto tells = [](subsystem::Capabilities& c) { c.stepDerivatives = true; };
  const auto isStatic = [](subsystem::Capabilities& c) { c.isStatic = true; };
  Settings settings = of(AlgorithmKind::semiImplicit);
  EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "");
  settings.algorithm.semiImplicit.sensitivities = coupling::SensitivityKind::formulas;
  EXPECT_THAT(refusal(three(kAll, kAll, kAll), settings), HasSubstr("not for these subsystems: a, b."));
  EXPECT_THAT(refusal(three(tells, kAll, kAll), settings), HasSubstr("not for these subsystems: b."));
  EXPECT_THAT(refusal(three(kAll, isStatic, kAll), settings), HasSubstr("not for these subsystems: a."));
  EXPECT_EQ(refusal(three(tells, isStatic, kAll), settings), "");
  settings.algorithm.kind = AlgorithmKind::newton;
  EXPECT_EQ(refusal(three(kAll, kAll, kAll), settings), "") << "nobody asks for formulas";
}

/// Times up to 1 s are told apart by 4 * 2^-52 of that, 8.88e-16 s.
TEST(Requirements, MicroStepsAreMoreThanRounding) {
  const auto micro = [](double step, double start, double end) {
    Settings settings = of(AlgorithmKind::jacobi);
    settings.start = start;
    settings.end = end;
    const auto small = [step](subsystem::Capabilities& c) { c.microStep = step; };
    return refusal(three(kAll, small, kAll), settings);
  };
  const double resolution = 4.0 * std::numeric_limits<double>::epsilon();
  EXPECT_EQ(micro(0.0, 0.0, 1.0), "");
  EXPECT_EQ(micro(resolution, 0.0, 1.0), "");
  EXPECT_EQ(micro(1.5 * resolution, 0.0, 1.0), "");
  EXPECT_THAT(micro(std::nextafter(resolution, 0.0), 0.0, 1.0), HasSubstr("The micro step of b, "));
  EXPECT_THAT(micro(1.5 * resolution, -1000.0, 1.0), HasSubstr("is lost in the rounding of times as large as 1000 s"));
  EXPECT_THAT(micro(1.5 * resolution, 0.0, 1000.0), HasSubstr("is lost"));
}

// --- Joints ----------------------------------------------------------------------------------------------------------

coupling::Constraint joint(coupling::MemberIndex member, double velocityWeight = 1.0, double accelerationWeight = 0.0) {
  coupling::Constraint constraint{.member = member, .lambda = 0, .mu = 0, .position = 0, .velocity = 0};
  constraint.method = coupling::ConstraintMethod::weightedMultipliers;
  constraint.velocityWeight = velocityWeight;
  constraint.accelerationWeight = accelerationWeight;
  return constraint;
}

TEST(Requirements, JointsAreForSemiImplicitCouplingWithOneStep) {
  coupling::System system = three(kAll, kAll, kAll);
  system.constraints = {joint(0), joint(2)};
  EXPECT_EQ(refusal(system, of(AlgorithmKind::semiImplicit)), "");
  EXPECT_THAT(refusal(system, of(AlgorithmKind::jacobi)), HasSubstr("which no subsystem computes: a, c."));
  EXPECT_THAT(refusal(system, of(AlgorithmKind::newton)), HasSubstr("which no subsystem computes: a, c."));
  EXPECT_EQ(refusal(three(kAll, kAll, kAll), of(AlgorithmKind::jacobi)), "");
  Settings adapted = of(AlgorithmKind::semiImplicit);
  adapted.stepControl.kind = StepControlKind::convergence;
  EXPECT_THAT(refusal(system, adapted), HasSubstr("Rigid joints need steps of one length"));
  EXPECT_EQ(refusal(three(kAll, kAll, kAll), adapted), "");
  Settings shorten = of(AlgorithmKind::semiImplicit);
  shorten.onDiscard = OnDiscard::shorten;
  EXPECT_THAT(refusal(system, shorten), HasSubstr("Rigid joints need steps of one length"));
  coupling::System forgetful = three(kNoStates, kAll, kAll);
  forgetful.constraints = {joint(2)};
  EXPECT_THAT(refusal(forgetful, of(AlgorithmKind::semiImplicit)),
              AllOf(HasSubstr("cannot restore a saved state: a."), HasSubstr("Rigid joints need repeated steps")));
}

TEST(Requirements, RepeatedCorrectionsAreNotRelaxed) {
  const auto corrected = [](bool iterate, double relaxation) {
    Settings settings = of(AlgorithmKind::semiImplicit);
    settings.algorithm.semiImplicit.iterate = iterate;
    settings.algorithm.semiImplicit.relaxation = relaxation;
    return refusal(three(kAll, kAll, kAll), settings);
  };
  EXPECT_EQ(corrected(true, 1.0), "");
  EXPECT_EQ(corrected(false, 0.9), "");
  EXPECT_THAT(corrected(true, 0.9), HasSubstr("Corrections that are relaxed do not converge"));
  EXPECT_THAT(corrected(true, 0.999), HasSubstr("Corrections that are relaxed do not converge"));
}

/// Joints of one cycle that are weighted share their weights.
TEST(Requirements, WeightsOfACycleAreEqual) {
  const auto weighted = [](std::vector<coupling::Constraint> joints) {
    coupling::System system = three(kAll, kAll, kAll);
    system.constraints = std::move(joints);
    return refusal(system, of(AlgorithmKind::semiImplicit));
  };
  EXPECT_EQ(weighted({joint(0, 0.5, 0.25), joint(1, 0.5, 0.25)}), "");
  EXPECT_THAT(weighted({joint(0, 0.5, 0.25), joint(1, 0.5, 0.5)}),
              HasSubstr("The joints a and b have different weights"));
  EXPECT_THAT(weighted({joint(1, 0.5, 0.25), joint(0, 1.0, 0.25)}),
              HasSubstr("The joints b and a have different weights"));
  EXPECT_EQ(weighted({joint(0, 0.5, 0.25), joint(2, 1.0, 0.5)}), "") << "of another cycle";
  coupling::Constraint other = joint(1, 1.0, 0.5);
  other.method = coupling::ConstraintMethod::baumgarte;
  EXPECT_EQ(weighted({joint(0, 0.5, 0.25), other}), "") << "of another method";
  EXPECT_EQ(weighted({other, joint(0, 0.5, 0.25)}), "");
}

}  // namespace
}  // namespace koppla::run::requirements_test
