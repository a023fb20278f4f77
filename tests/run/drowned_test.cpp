// Which values are said to be hidden by the absolute tolerance: by what was accepted, not by the start.

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::drowned_test {
namespace {

using test::Formula;
using test::gain;
using test::makeSystem;

/// Warnings of ten steps in which a.y = b.y = start + slope t, with an absolute tolerance of 1e-6.
std::string warningsOf(double start, double slope) {
  Formula ramp = gain(0.0);
  ramp.output = [start, slope](const auto&, double t, const auto&) { return std::vector<double>{start + slope * t}; };
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = coupling::AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.atol = 1e-6;
  core::Log log;
  std::string warnings;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { warnings += message; },
              core::Severity::warning);
  run::Run run(makeSystem({{"a", ramp}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  run.end();
  return warnings;
}

bool saysDrowned(const std::string& warnings) {
  return warnings.find("the absolute tolerance hides their errors") != std::string::npos;
}

TEST(Drowned, WhatGrowsBeyondTheToleranceIsNot) {
  EXPECT_FALSE(saysDrowned(warningsOf(1e-9, 1.0)));
}

TEST(Drowned, WhatBeginsWithZeroAndStaysBelowTheToleranceIs) {
  EXPECT_TRUE(saysDrowned(warningsOf(0.0, 1e-9)));
}

TEST(Drowned, WhatIsZeroAllTheTimeIsNot) {
  EXPECT_FALSE(saysDrowned(warningsOf(0.0, 0.0)));
}

}  // namespace
}  // namespace koppla::run::drowned_test
