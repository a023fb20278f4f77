// Rejected steps of the BDF of Schmoll's note, 15.5, and repeated steps around a static subsystem.

#include <gtest/gtest.h>

#include "koppla/solver/static_function.hpp"

#include "coupled.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::test::repetition_test {
namespace {

/// Accepted steps of the nonlinear oscillator: lengths (s), and how often each was tried before in vain.
struct Step {
  double length;
  std::uint64_t rejected;
};

std::vector<Step> stepsOf(unsigned order, double tolerance) {
  constexpr double kEnd = 0.05;  // s
  const auto system = oscillatorWithSpring(StaticCoupling::predictor, noteBdf(order, tolerance));
  subsystem::Binding binding;
  binding.outputs = {*system->describe().find("body.x")};
  system->bind(binding);
  system->enterInitialisation({0.0, kEnd, {}});
  std::vector<double> y(1);
  system->evaluate(0.0, {}, y);
  system->leaveInitialisation();
  std::vector<Step> steps;
  std::uint64_t rejected = 0;
  for (double t = 0.0; t < kEnd;) {
    const subsystem::StepResult result = system->advance({t, kEnd, true, true}, {}, y);
    EXPECT_EQ(result.status, subsystem::Status::ok);
    if (result.status != subsystem::Status::ok) break;
    steps.push_back({result.reached - t, system->effort().rejectedMicroSteps - rejected});
    rejected += steps.back().rejected;
    t = result.reached;
  }
  return steps;
}

std::uint64_t repeatedIn(const std::vector<Step>& steps) {
  std::uint64_t sum = 0;
  for (const Step& step : steps) sum += step.rejected;
  return sum;
}

/// The note: "upper clamp 1 after a rejection", 2 else. The step that ends the run is cut.
TEST(NoteBdf, DoesNotGrowRightAfterARejection) {
  for (const unsigned order : {2U, 3U, 4U}) {
    const std::vector<Step> steps = stepsOf(order, 1e-5);
    ASSERT_GT(repeatedIn(steps), 50U);
    for (std::size_t n = order; n + 2 < steps.size(); ++n) {
      const double most = steps[n].rejected > 0 ? 1.0 : 2.0;
      // Lengths are differences of times of about 0.05 s.
      ASSERT_LE(steps[n + 1].length, most * steps[n].length + 1e-16) << order << ": step " << n;
    }
  }
}

/// Accepted and repeated steps of full and P; the note calls them reproducible to 1 %.
TEST(NoteBdf, RepeatsAsManyStepsAsTheNote) {
  struct Row {
    double tolerance;
    double accepted, repeated;
  };
  for (const Row& row : {Row{1e-5, 1583, 399}, Row{1e-6, 2514, 460}, Row{1e-7, 3942, 482}, Row{1e-8, 6188, 456}}) {
    const std::vector<Step> steps = stepsOf(4, row.tolerance);
    EXPECT_NEAR(static_cast<double>(steps.size()), row.accepted, 0.01 * row.accepted) << row.tolerance;
    EXPECT_NEAR(static_cast<double>(repeatedIn(steps)), row.repeated, 0.05 * row.repeated) << row.tolerance;
  }
}

/// y = u, with its evaluations counted.
std::unique_ptr<subsystem::Subsystem> counted(const std::shared_ptr<int>& evaluations) {
  Formula formula;
  formula.inputs = {"u"};
  formula.outputs = {"y"};
  formula.output = [evaluations](const auto&, double, const auto& u) {
    ++*evaluations;
    return u;
  };
  return makeSubsystem(std::move(formula));
}

TEST(StaticFunction, IsCalledAnewAfterARestore) {
  // What was computed before belongs to a state that has been left: a repeated step makes the calls of the first one.
  const auto evaluations = std::make_shared<int>(0);
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  instances.push_back(counted(evaluations));
  const subsystem::PortIndex u = *instances.front()->describe().find("u");
  solver::StaticFunction function("part", std::move(instances), {u}, {.coupling = StaticCoupling::full});
  function.begin({0.0, 1.0, {}});
  const std::vector<double> at{2.0};
  function.save(subsystem::Slot::macroStep);
  const auto evaluationsOfValues = [&] {
    const int before = *evaluations;
    function.values(0.0, at);
    return *evaluations - before;
  };
  EXPECT_EQ(evaluationsOfValues(), 1);
  EXPECT_EQ(evaluationsOfValues(), 0);
  function.restore(subsystem::Slot::macroStep);
  EXPECT_EQ(evaluationsOfValues(), 1);
  EXPECT_EQ(function.calls(), 2U);
}

}  // namespace
}  // namespace koppla::test::repetition_test
