// examples/elastic-tube. Counts and the state at the end are those of the benchmark; the settings in divergent/ must
// end as explosions, because a run that exploded can pass relative tests.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/figure.hpp"
#include "support/matches.hpp"

namespace koppla::test::elastic_tube_test {
namespace {

double normOfPressure(const ExampleRun& run) {
  double sum = 0.0;
  for (int i = 1; i <= 101; ++i) sum += std::pow(run.of(fmt::format("flow.p[{}]", i)).back(), 2);
  return std::sqrt(sum);
}

/// At 1 s; element k + 1 is node k.
void expectState(const ExampleRun& run, double ofNorm, double ofPressure, double ofArea) {
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  ASSERT_NEAR(run.table.time.back(), 1.0, 1e-12);
  EXPECT_NEAR(normOfPressure(run), 1610.113, ofNorm);
  EXPECT_NEAR(run.of("flow.p[1]").back(), -1.3858, ofPressure);
  EXPECT_NEAR(run.of("flow.p[51]").back(), -222.8517, ofPressure);
  EXPECT_NEAR(run.of("flow.p[101]").back(), -26.5051, ofPressure);
  EXPECT_NEAR(run.of("wall.a[51]").back(), 0.9753203, ofArea);
}

void expectStateAtLooseTolerance(const ExampleRun& run) {
  expectState(run, 1.0, 0.05, 1e-5);
}

TEST(ElasticTubeExamples, NeedsNoSetting) {
  const ExampleRun run = runExample("elastic-tube/default");
  expectStateAtLooseTolerance(run);
  EXPECT_EQ(run.statistics.at("cycles").at(0).at("suspicious"), 0);
  const bool there = run.command.exitCode == 0 && std::fabs(normOfPressure(run) - 1610.113) <= 1.0;
  showFigure({"public P1", "no-setting-example", "at most 600 iterations, |p| = 1610.113 within 1"},
             fmt::format("{}, {:.3f}", run.evaluations(), normOfPressure(run)), there && run.evaluations() <= 600);
}

TEST(ElasticTubeExamples, PublishedSettingsNeedThePublishedIterations) {
  const ExampleRun reuse = runExample("elastic-tube/iqn-ils");
  expectStateAtLooseTolerance(reuse);
  EXPECT_NEAR(reuse.evaluations(), 859, 15);
  const ExampleRun noReuse = runExample("elastic-tube/no-reuse");
  expectStateAtLooseTolerance(noReuse);
  EXPECT_EQ(noReuse.evaluations(), 2115);
  const ExampleRun constant = runExample("elastic-tube/constant");
  expectStateAtLooseTolerance(constant);
  EXPECT_EQ(constant.evaluations(), 31292);
}

TEST(ElasticTubeExamples, ATightToleranceGivesTheReference) {
  expectState(runExample("elastic-tube/tight"), 1e-3, 1e-3, 1e-7);
}

TEST(ElasticTubeExamples, DivergentSettingsEndAsExplosions) {
  const std::string sentence =
      "in the step from ([0-9.]+) s to ([0-9.]+) s, in iteration [0-9]+: '(flow\\.p|wall\\.a)'";
  int exploded = 0;
  for (const char* name : {"aitken", "adaptive", "iqn-ils", "filter"}) {
    const ExampleRun run = runExample(std::string("elastic-tube/divergent/") + name);
    EXPECT_EQ(run.command.exitCode, 5) << name << "\n" << run.command.errors;
    EXPECT_EQ(run.statistics.at("outcome"), "exploded") << name;
    const auto places = matches(run.command.errors, sentence);
    const bool named = !places.empty();
    EXPECT_TRUE(named) << name << "\n" << run.command.errors;
    EXPECT_LT(run.table.time.back(), 1.0) << name;
    if (run.command.exitCode == 5 && named) ++exploded;
    if (named && std::string(name) == "adaptive") {
      EXPECT_EQ(places[0][1], "0") << run.command.errors;
    }
  }
  showFigure({"public P1", "divergent", "exit code 5 with place, time and iteration in 4 of 4 projects"},
             fmt::format("{} of 4", exploded), exploded == 4);
}

}  // namespace
}  // namespace koppla::test::elastic_tube_test
