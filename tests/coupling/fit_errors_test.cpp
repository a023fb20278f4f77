// What a member loses that gets fits in place of courses, where steps end before they were to or are taken in halves.

#include "koppla/coupling/fit_errors.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::fit_errors_test {
namespace {

using namespace koppla::coupling::scripted;
using subsystem::StepResult;

constexpr double kSlope = 10.0;  // 1/s, of the source until 0.5 s; from there on it is constant
constexpr double kOwn = 0.25;    // s, a step of the source's own choice

/// A source whose line is interpolated by a member that gets means over pieces of `piece` (s; 0: the whole step).
struct Fitted {
  System system{};
  std::vector<Cycle> cycles{{{0}, false}, {{1}, false}};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};

  Fitted(AlgorithmKind kind, double piece) {
    Script source;
    source.ports = {out("y")};
    source.advance = [](const subsystem::Step& asked, auto, std::span<double> y, auto&) {
      const double reached = asked.single ? std::min(asked.t1, asked.t0 + kOwn) : asked.t1;
      y[0] = kSlope * std::min(reached, 0.5);
      return StepResult{subsystem::Status::ok, reached};
    };
    Script consumer;
    consumer.ports = {in("u")};
    consumer.capabilities.inputDerivatives = subsystem::kMaxDegree;
    consumer.capabilities.fitted = {0, piece};
    add(system, "source", std::move(source));
    add(system, "consumer", std::move(consumer));
    koppla::test::connect(system, {{"source.y", "consumer.u"}});
    network.emplace(system, cycles, 1e100);
    step.emplace(*network, cycles, AlgorithmSettings{.kind = kind, .degree = 1}, false);
    step->begin(0.0);
  }
  [[nodiscard]] const ErrorRecord& lost() const { return *step->fitErrors().of(1, 0); }
};

/// The master is asked for 1 s and takes a quarter: one piece of a quarter, over which the line moves by 2.5.
TEST(FitErrors, AreThoseOfTheStepThatAMasterTook) {
  Fitted fitted(AlgorithmKind::masterSlave, kOwn);
  const StepOutcome& outcome = fitted.step->solve({{0.0, 1.0, true}, {}});
  ASSERT_EQ(outcome.reached, kOwn);
  fitted.step->accept(outcome.reached);
  EXPECT_NEAR(fitted.lost().largest(), kSlope * kOwn / 2.0, 1e-12);
  EXPECT_EQ(fitted.lost().whenLargest(), kOwn);
}

/// The line moves by 5 in the first half of the step, and by nothing in the second one.
TEST(FitErrors, AreThoseOfBothHalves) {
  Fitted fitted(AlgorithmKind::gaussSeidel, 0.0);
  ASSERT_FALSE(fitted.step->solve({{0.0, 0.5, false}, {}}).fault);
  fitted.step->acceptHalf(0.5);
  ASSERT_FALSE(fitted.step->solve({{.t0 = 0.5, .t1 = 1.0, .final = false, .returnsBefore = true}, {}}).fault);
  fitted.step->takeBack();
  fitted.step->accept(1.0);
  EXPECT_EQ(fitted.step->fitErrors().steps(), 2U);
  EXPECT_NEAR(fitted.lost().largest(), kSlope * 0.5 / 2.0, 1e-12);
  EXPECT_EQ(fitted.lost().whenLargest(), 0.5);
}

/// The first half of a step that is taken again is none.
TEST(FitErrors, AreNotThoseOfARejectedHalf) {
  Fitted fitted(AlgorithmKind::gaussSeidel, 0.0);
  ASSERT_FALSE(fitted.step->solve({{0.0, 0.5, false}, {}}).fault);
  fitted.step->acceptHalf(0.5);
  fitted.step->takeBack();
  ASSERT_FALSE(fitted.step->solve({{0.0, 0.25, true}, {}}).fault);
  fitted.step->accept(0.25);
  EXPECT_EQ(fitted.step->fitErrors().steps(), 1U);
  EXPECT_NEAR(fitted.lost().largest(), kSlope * 0.25 / 2.0, 1e-12);
}

}  // namespace
}  // namespace koppla::coupling::fit_errors_test
