#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/subdivided.hpp"

#include "fmu_system.hpp"
#include "support/figure.hpp"

namespace koppla::run {
namespace {

using coupling::AlgorithmKind;
using stepping::StepControlKind;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;

coupling::System loop(bool canRestore) {
  Formula stubborn = integrator();
  stubborn.capabilities.saveRestore = canRestore;
  stubborn.capabilities.variableStep = canRestore;
  return makeSystem({{"plant", stubborn}, {"controller", gain(-1.0)}},
                    {{"plant.y", "controller.u"}, {"controller.y", "plant.u"}});
}

std::string refusal(coupling::System system, const Settings& settings) {
  core::Log log;
  try {
    const Run run(std::move(system), settings, log);
    return "";
  } catch (const core::InputError& error) {
    return error.what();
  }
}

Settings iterating(AlgorithmKind kind) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = kind;
  return settings;
}

TEST(Capabilities, IterationWithoutRollbackIsRefusedBeforeTheRunWithWhatRemains) {
  int refused = 0;
  const AlgorithmKind kinds[] = {AlgorithmKind::iteratedJacobi, AlgorithmKind::iteratedGaussSeidel,
                                 AlgorithmKind::newton};
  for (const AlgorithmKind kind : kinds) {
    const std::string text = refusal(loop(false), iterating(kind));
    EXPECT_NE(text.find("cannot restore a saved state: plant."), std::string::npos) << text;
    EXPECT_NE(text.find("jacobi, gauss-seidel"), std::string::npos) << text;
    if (!text.empty()) ++refused;
  }
  test::showEqual({"nicolai N6", "iteration-refused", "each of 3 iterating algorithms refused"}, refused, 3);
  EXPECT_EQ(refusal(loop(true), iterating(AlgorithmKind::newton)), "");
  EXPECT_EQ(refusal(loop(false), iterating(AlgorithmKind::gaussSeidel)), "");
}

TEST(Capabilities, AnFmuThatCannotRestoreIsRefusedByName) {
  core::Log log;
  const std::string text =
      refusal(test::fmuSystem({{"lag", "NoRestore"}, {"g", "Gain"}}, {{"lag.y", "g.u"}, {"g.y", "lag.u"}}, log),
              iterating(AlgorithmKind::newton));
  test::showFigure({"nicolai N6", "fmu-refused", "an error that names the subsystem"},
                   text.empty() ? "no error" : "names lag", text.find(": lag.") != std::string::npos);
}

TEST(Capabilities, AMemberOutsideTheCyclesNeedsNoRollback) {
  Formula source = test::clockSignal();
  source.capabilities = {};
  EXPECT_EQ(refusal(makeSystem({{"source", source}, {"a", gain(1)}, {"b", integrator()}},
                               {{"source.y", "a.u"}, {"a.y", "b.u"}}),
                    iterating(AlgorithmKind::newton)),
            "");
}

TEST(Capabilities, AdaptedStepsNeedRollbackOfEverybody) {
  Settings settings = iterating(AlgorithmKind::gaussSeidel);
  settings.stepControl.kind = StepControlKind::doubleStep;
  const std::string text = refusal(loop(false), settings);
  test::showFigure({"nicolai N6", "rollback-refused", "an error before the run"}, text.empty() ? "no error" : "refused",
                   text.find("plant") != std::string::npos && text.find("fixed") != std::string::npos);
}

TEST(Capabilities, AShorterLastStepIsRefusedWhereAMemberTakesOneLengthOnly) {
  Settings settings = iterating(AlgorithmKind::gaussSeidel);
  settings.step = 0.3;
  EXPECT_NE(refusal(loop(false), settings).find("plant"), std::string::npos);
  settings.step = 0.25;
  EXPECT_EQ(refusal(loop(false), settings), "");
}

TEST(Capabilities, AMasterNeedsStepsOfItsOwn) {
  for (const bool onlyToStart : {false, true}) {
    Settings settings;
    settings.step = 0.1;
    settings.algorithm.kind = onlyToStart ? AlgorithmKind::jacobi : AlgorithmKind::masterSlave;
    settings.algorithm.startUp = coupling::StartUp::masterSlave;
    settings.algorithm.degree = 1;
    const std::string text = refusal(loop(true), settings);
    EXPECT_NE(text.find("The master cannot take steps of its own choice: "), std::string::npos) << text;
    EXPECT_NE(text.find("restart = false"), std::string::npos) << text;
  }
}

TEST(Capabilities, AMicroStepThatTimesCannotTellApartIsRefused) {
  for (const double microStep : {1e-16, 1e-22, 1e-320}) {
    coupling::System system;
    system.members.push_back({"x", subsystem::subdivide(test::makeSubsystem(test::integrator()), microStep), {}});
    Settings settings;
    settings.step = 0.1;
    const std::string words = refusal(std::move(system), settings);
    EXPECT_NE(words.find("The micro step of x, " + core::text(microStep) + " s, is lost"), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace koppla::run
