// Once a run is going, its macro steps allocate nothing, whether they are iterated or not.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/allocations.hpp"

namespace koppla::run::step_path_test {
namespace {

using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using stepping::StepControlKind;

constexpr double kStep = 0.01;  // s

/// Predator and prey: several iterations a step, and a prediction that is never exact.
coupling::System lotkaVolterra(core::Log& log) {
  return test::fmuSystem({{"prey", "LotkaVolterraPrey"}, {"predator", "LotkaVolterraPredator"}},
                         {{"prey.x", "predator.x"}, {"predator.y", "prey.y"}}, log);
}

/// A loop of one real, one integer and one string too long for its object.
coupling::System discreteLoop(core::Log& log) {
  const core::Value text = std::string("a string longer than those kept inside");
  return test::fmuSystem({{"a", "FeedThrough", {{"stringIn", text}}}, {"b", "FeedThrough", {{"stringIn", text}}}},
                         {{"a.realOut", "b.realIn"},
                          {"b.realOut", "a.realIn"},
                          {"a.integerOut", "b.integerIn"},
                          {"b.integerOut", "a.integerIn"},
                          {"a.stringOut", "b.stringIn"},
                          {"b.stringOut", "a.stringIn"}},
                         log);
}

Settings settingsOf(AlgorithmKind kind) {
  Settings settings;
  settings.end = 20.0;
  settings.step = kStep;
  settings.algorithm.kind = kind;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-10;
  settings.algorithm.predictor = 0;  // so that every step has something to iterate
  return settings;
}

struct Count {
  std::size_t allocations = 0;
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;  ///< of the first cycle
};

/// Of the second half of a run; what is kept for reuse is there by then.
Count countOf(coupling::System system, const Settings& settings, core::Log& log) {
  Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate(settings.end / 2);
  const std::size_t before = test::allocations();
  const Statistics half = run.statistics();
  const std::size_t ofStatistics = test::allocations() - before;
  if (outcome.ok()) outcome = run.simulate();
  const std::size_t all = test::allocations() - before - ofStatistics;
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  const Statistics whole = run.statistics();
  Count count{all, whole.acceptedSteps - half.acceptedSteps};
  if (!whole.cycles.empty()) count.evaluations = whole.cycles[0].evaluations - half.cycles[0].evaluations;
  return count;
}

void expectNone(const Settings& settings, const std::string& what) {
  core::Log log;
  const Count count = countOf(lotkaVolterra(log), settings, log);
  EXPECT_GE(count.steps, 500U) << what;
  if (settings.algorithm.iterates()) {
    EXPECT_GT(count.evaluations, count.steps) << what;
  }
  EXPECT_EQ(count.allocations, 0U) << what;
}

TEST(StepPath, ExplicitStepsAllocateNothing) {
  expectNone(settingsOf(AlgorithmKind::jacobi), "jacobi");
  expectNone(settingsOf(AlgorithmKind::gaussSeidel), "gauss-seidel");
}

TEST(StepPath, IteratedGaussSeidelAllocatesNothing) {
  expectNone(settingsOf(AlgorithmKind::iteratedGaussSeidel), "auto");
  for (const AcceleratorKind kind : {AcceleratorKind::none, AcceleratorKind::aitken}) {
    Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
    settings.algorithm.acceleration.kind = kind;
    expectNone(settings, "acceleration " + std::to_string(static_cast<int>(kind)));
    settings.algorithm.acceleration.values = coupling::Accelerated::all;
    expectNone(settings, "all accelerated, " + std::to_string(static_cast<int>(kind)));
  }
}

TEST(StepPath, IteratedJacobiAllocatesNothing) {
  expectNone(settingsOf(AlgorithmKind::iteratedJacobi), "auto");
  Settings settings = settingsOf(AlgorithmKind::iteratedJacobi);
  settings.algorithm.acceleration.kind = AcceleratorKind::none;
  expectNone(settings, "none");
}

TEST(StepPath, NewtonsMethodAllocatesNothing) {
  expectNone(settingsOf(AlgorithmKind::newton), "newton");
}

TEST(StepPath, WaveformsAllocateNothing) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.waveform = 3;
  settings.algorithm.degree = 1;
  expectNone(settings, "waveform");
}

TEST(StepPath, RepeatedStepsAllocateNothing) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.stepControl.kind = StepControlKind::convergence;
  settings.stepControl.maxStep = kStep;
  expectNone(settings, "convergence");
}

TEST(StepPath, DiscreteValuesAllocateNothing) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
    core::Log log;
    const Count count = countOf(discreteLoop(log), settingsOf(kind), log);
    EXPECT_EQ(count.steps, 1000U);
    EXPECT_EQ(count.allocations, 0U) << static_cast<int>(kind);
  }
}

TEST(StepPath, AllocationsAreCounted) {
  const std::size_t before = test::allocations();
  const std::vector<double> vector(1);
  EXPECT_GT(test::allocations(), before) << vector.size();
}

}  // namespace
}  // namespace koppla::run::step_path_test
