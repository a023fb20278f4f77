#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/run/run.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run {

/// A static analysis: one step whose iteration begins at the start values.
inline Settings staticAnalysis(coupling::AlgorithmKind kind, const coupling::AccelerationSettings& acceleration,
                               std::vector<std::string> variables, double tolerance = 1e-6) {
  Settings settings;
  settings.step = 1.0;
  settings.algorithm.kind = kind;
  settings.algorithm.maxIterations = 1000;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.acceleration = acceleration;
  settings.algorithm.test = coupling::ConvergenceTest::residual;  // by which the source counts
  settings.algorithm.convergence = {{"results", std::move(variables), {}, {tolerance, 0.0}, coupling::Norm::max}};
  return settings;
}

inline Statistics statisticsOf(coupling::System system, const Settings& settings) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return run.statistics();
}

/// y = (g1 u1 + 1, g2 u2 + 1) in a loop with a program that passes both on.
inline coupling::System twoGains(double g1, double g2) {
  const test::Formula gains{.inputs = {"u1", "u2"},
                            .outputs = {"y1", "y2"},
                            .states = {},
                            .output = [g1, g2](const auto&, double, const auto& u) {
                              return std::vector<double>{g1 * u[0] + 1.0, g2 * u[1] + 1.0};
                            }};
  const test::Formula same{
      .inputs = {"u1", "u2"}, .outputs = {"y1", "y2"}, .states = {}, .output = [](const auto&, double, const auto& u) {
        return u;
      }};
  return test::makeSystem(
      {{"gains", gains}, {"same", same}},
      {{"gains.y1", "same.u1"}, {"gains.y2", "same.u2"}, {"same.y1", "gains.u1"}, {"same.y2", "gains.u2"}});
}

}  // namespace koppla::run
