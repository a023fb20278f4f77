// examples/feed-through: algebraic loops and all types.

#include <cmath>

#include <gtest/gtest.h>

#include "example_run.hpp"

namespace koppla::test::feed_through_test {
namespace {

TEST(FeedThroughExamples, TheLoopIsSolvedAtTheStartAndInEveryStep) {
  const ExampleRun run = runExample("feed-through/loop");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_NEAR(run.of("sum.y").front(), 1.0 / 6.0, 1e-12);
  for (std::size_t i = 0; i < run.table.time.size(); ++i)
    EXPECT_NEAR(run.of("sum.y")[i], (1.0 - std::exp(-run.table.time[i]) / 2.0) / 3.0, 1e-6) << run.table.time[i];
}

TEST(FeedThroughExamples, WithoutIterationTheLoopDoublesItsErrorEveryStep) {
  const ExampleRun run = runExample("feed-through/loop", {"--set", "algorithm.kind=gauss-seidel", "--end", "50",
                                                          "--set", "simulation.on_instability=ignore"});
  EXPECT_EQ(run.command.exitCode, 5);
  EXPECT_EQ(run.statistics.at("outcome"), "exploded");
  const std::vector<double>& y = run.of("sum.y");
  for (std::size_t i = 101; i < 201; ++i) EXPECT_NEAR(y[i] / y[i - 1], -2.0, 1e-6);
}

TEST(FeedThroughExamples, ThatIsNoticedBeforeAnyValueIsPlotted) {
  const ExampleRun run = runExample("feed-through/loop", {"--set", "algorithm.kind=gauss-seidel"});
  EXPECT_EQ(run.command.exitCode, 5);
  EXPECT_EQ(run.statistics.at("outcome"), "unstable");
  for (const char* part : {"'sum.y', which goes to 'feedback.u'", "algorithm.kind = \"iterated-gauss-seidel\""})
    EXPECT_NE(run.command.errors.find(part), std::string::npos) << run.command.errors;
  // From 1/6 at the start the error doubles in every step: 400 times that is reached within 14 steps.
  EXPECT_LE(run.table.time.back(), 1.4 + 1e-9);
}

TEST(FeedThroughExamples, PlainSweepsDoNotConvergeOnAGainOfTwo) {
  const ExampleRun run = runExample(
      "feed-through/loop", {"--set", "algorithm.kind=iterated-gauss-seidel", "--set", "acceleration.kind=none"});
  EXPECT_NE(run.command.exitCode, 0);
}

TEST(FeedThroughExamples, TheCosineStartsAtItsFixedPoint) {
  const ExampleRun run = runExample("feed-through/cosine");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_NEAR(run.of("cosine.y").front(), 0.7390851332151607, 1e-13);
  EXPECT_NEAR(run.of("cosine.y").back(), 0.7390851332151607, 1e-5);
}

TEST(FeedThroughExamples, EveryTypeArrives) {
  const ExampleRun run = runExample("feed-through/types");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_EQ(run.command.errors, "");
  EXPECT_EQ(run.of("second.realOut"), (std::vector<double>{6.0, 6.0, 6.0}));  // 2 * 2.5 + 1
  EXPECT_EQ(run.of("second.discreteOut").front(), -1.0);
  EXPECT_EQ(run.of("second.integerOut").front(), 42.0);
  EXPECT_EQ(run.of("second.booleanOut").front(), 1.0);
  EXPECT_EQ(run.of("second.enumerationOut").front(), 7.0);
  EXPECT_EQ(run.table.find("second.stringOut")->texts.front(), "a, \"b\"");
  EXPECT_EQ(run.of("second.bus.signal[2]").front(), 20.0);
  EXPECT_DOUBLE_EQ(run.of("second.'length, in metres'").front(), 1.5);
}

}  // namespace
}  // namespace koppla::test::feed_through_test
