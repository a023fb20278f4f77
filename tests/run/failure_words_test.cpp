// What a run says of a step that it gives up: how far the iteration came, and what to do next.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "support/integer_member.hpp"

namespace koppla::run::failure_words_test {
namespace {

using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

using ::testing::StartsWith;

Outcome simulate(coupling::System system, const Settings& settings) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  return outcome;
}

Settings iterated(AlgorithmKind kind = AlgorithmKind::iteratedGaussSeidel,
                  AcceleratorKind acceleration = AcceleratorKind::none) {
  Settings settings;
  settings.step = 0.5;
  settings.algorithm.kind = kind;
  settings.algorithm.acceleration.kind = acceleration;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.maxIterations = 5;
  settings.algorithm.predictor = 0;
  settings.algorithm.norm = coupling::Norm::max;
  settings.algorithm.rtol = 0.0;
  settings.algorithm.atol = 1e-3;
  return settings;
}

/// y = f(u) passed back, before it one that has nothing to do with it.
coupling::System loop(std::function<double(double)> f) {
  Formula formula = gain(1.0);
  formula.output = [f](const auto&, double, const auto& u) { return std::vector<double>{f(u[0])}; };
  return makeSystem({{"alone", test::clockSignal()}, {"f", formula}, {"same", gain(1.0)}},
                    {{"f.y", "same.u"}, {"same.y", "f.u"}});
}

/// u = k u + 1 from 0: the n-th change is k^(n-1), which is measured in thousandths.
TEST(FailureWords, TellTheChangeAndItsCourse) {
  struct Row {
    double k;
    std::string words;
  };
  for (const Row& row : {Row{0.5, "the weighted change is 62.5, allowed is 1 (monotone-convergent, K = 0.5)"},
                         Row{-0.5, "the weighted change is 62.5, allowed is 1 (alternating-convergent, K = -0.5)"},
                         Row{2.0, "the weighted change is 1.6e+04, allowed is 1 (monotone-growing, K = 2)"},
                         Row{-2.0, "the weighted change is 1.6e+04, allowed is 1 (alternating-divergent, K = -2)"}}) {
    const Outcome outcome = simulate(loop([&](double u) { return row.k * u + 1.0; }), iterated());
    EXPECT_EQ(outcome.kind, OutcomeKind::notConverged);
    EXPECT_THAT(outcome.message, AllOf(StartsWith("The step from 0 s to 0.5 s of the cycle f, same did not converge: "
                                                  "after 5 iterations "),
                                       HasSubstr(row.words)))
        << row.k;
  }
  // Just beyond what is allowed: the change of 1.5 never settles.
  Settings settings = iterated();
  settings.algorithm.atol = 1.0;
  EXPECT_THAT(simulate(loop([](double u) { return 1.5 - u; }), settings).message,
              HasSubstr("the weighted change is 1.5, allowed is 1 (alternating-divergent, K = -1)"));
}

/// Integers have no size: they are still the same, or they are not.
TEST(FailureWords, TellOfDiscreteValuesThatChange) {
  coupling::System system;
  for (const char* name : {"a", "b"})
    system.members.push_back({name, std::make_unique<test::IntegerMember>([](auto, auto in) { return 1 - in; }), {}});
  system.members.push_back({"c", std::make_unique<test::IntegerMember>([](auto, auto in) { return in; }), {}});
  for (coupling::Member& member : system.members) {
    class Fed final : public subsystem::detail::Wrapper {
     public:
      explicit Fed(std::unique_ptr<Subsystem> inner) : Wrapper(std::move(inner)) { description().dependencies.clear(); }
      subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u,
                                    std::span<double> y) override {
        return inner().advance(step, u, y);
      }
    };
    member.subsystem = std::make_unique<Fed>(std::move(member.subsystem));
  }
  system.members.erase(system.members.begin() + 1);
  test::connect(system, {{"a.out", "c.in"}, {"c.out", "a.in"}});
  const Outcome outcome = simulate(std::move(system), iterated());
  EXPECT_EQ(outcome.kind, OutcomeKind::notConverged);
  EXPECT_THAT(outcome.message, HasSubstr("discrete values still change after 5 iterations"));
}

/// What was not chosen yet is proposed.
TEST(FailureWords, ProposeWhatWasNotChosen) {
  const auto relay = [] { return loop([](double u) { return u > 0.0 ? -1.0 : 1.0; }); };
  const std::string rest =
      ", shorten the step, adapt it with step_control.kind = \"convergence\", or set algorithm.without_convergence = "
      "\"accept\" to go on with a warning.";
  EXPECT_THAT(simulate(relay(), iterated()).message,
              EndsWith("Choose acceleration.kind = \"auto\" or algorithm.kind = \"newton\", raise "
                       "algorithm.max_iterations" +
                       rest));
  EXPECT_THAT(simulate(relay(), iterated(AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::automatic)).message,
              EndsWith(" Choose algorithm.kind = \"newton\", raise algorithm.max_iterations" + rest));
  EXPECT_THAT(simulate(relay(), iterated(AlgorithmKind::newton)).message,
              EndsWith(" Raise algorithm.max_iterations" + rest));
  Settings controlled = iterated();
  controlled.stepControl.kind = stepping::StepControlKind::convergence;
  controlled.stepControl.minStep = controlled.stepControl.maxStep = 0.5;
  EXPECT_THAT(simulate(relay(), controlled).message,
              EndsWith("Lower step_control.min_step, or set step_control.untested_below to get across a jump."));
}

TEST(FailureWords, OfAnExplosionProposeWhatWasNotChosen) {
  const auto square = [] { return loop([](double u) { return 3.0 + 2.0 * u * u; }); };  // has no solution
  Settings settings = iterated();
  settings.algorithm.maxIterations = 1000;
  EXPECT_THAT(simulate(square(), settings).message,
              AllOf(HasSubstr("The iteration of the cycle f, same exploded in the step from 0 s to 0.5 s"),
                    HasSubstr("Choose acceleration.kind = \"auto\", or change the step.")));
}

/// A master whose own step has no length is named, whoever comes after it.
TEST(FailureWords, NameTheMasterThatIsStuck) {
  class Stuck final : public subsystem::detail::Wrapper {
   public:
    explicit Stuck(std::unique_ptr<Subsystem> inner) : Wrapper(std::move(inner)) {
      description().capabilities.ownSteps = true;
    }
    subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory /*u*/,
                                  std::span<double> /*y*/) override {
      return {subsystem::Status::ok, step.single ? step.t0 : step.t1};
    }
  };
  coupling::System system = makeSystem({{"first", integrator()}, {"second", integrator()}}, {{"first.y", "second.u"}});
  system.members[0].subsystem = std::make_unique<Stuck>(std::move(system.members[0].subsystem));
  Settings settings;
  settings.step = 0.5;
  settings.algorithm.kind = AlgorithmKind::masterSlave;
  const Outcome outcome = simulate(std::move(system), settings);
  EXPECT_EQ(outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_THAT(outcome.message, StartsWith("The master 'first' takes a step of no length at 0 s."));
}

/// Explicit algorithms need not be told to iterate where they do.
TEST(FailureWords, OfBrokenValuesProposeAnIterationOrNone) {
  for (const bool iterates : {false, true}) {
    Formula growing = integrator();
    growing.states = {1.0};
    growing.step = [](auto& x, double t1, double, const auto&) { x[0] = std::pow(10.0, 4.0 * t1); };
    Settings settings = iterated(iterates ? AlgorithmKind::newton : AlgorithmKind::jacobi);
    settings.explosionLimit = 50.0;
    settings.step = 0.25;
    const Outcome outcome =
        simulate(makeSystem({{"x", growing}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}), settings);
    EXPECT_EQ(outcome.kind, OutcomeKind::exploded);
    EXPECT_THAT(outcome.message,
                HasSubstr("The output 'x.y' exploded to 100 (simulation.explosion_limit is 50) in the step that began "
                          "at 0.25 s. Shorten the step" +
                          std::string(iterates ? ", or look at the inputs" : " or choose an iterating algorithm")));
  }
}

/// What would be refused is not proposed: iterations where nobody can go back or nothing goes round, Newton's method
/// inside waveforms, step control where steps have one length.
TEST(FailureWords, ProposeNothingThatWouldBeRefused) {
  Formula growing = integrator();
  growing.step = [](auto& x, double t1, double, const auto&) { x[0] = std::pow(10.0, 4.0 * t1); };
  Settings explicitly = iterated(AlgorithmKind::jacobi);
  explicitly.explosionLimit = 50.0;
  const std::string proposed = "choose an iterating algorithm";
  EXPECT_THAT(simulate(makeSystem({{"x", growing}, {"g", gain(1.0)}}, {{"x.y", "g.u"}}), explicitly).message,
              Not(HasSubstr(proposed)));
  growing.capabilities.saveRestore = false;
  EXPECT_THAT(
      simulate(makeSystem({{"x", growing}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}), explicitly).message,
      Not(HasSubstr(proposed)));

  const auto doubling = [](double u) { return 2.0 * u + 1.0; };
  Settings settings = iterated();
  EXPECT_THAT(simulate(loop(doubling), settings).message,
              AllOf(HasSubstr("algorithm.kind = \"newton\""), HasSubstr("step_control.kind = \"convergence\"")));
  settings.algorithm.waveform = 2;
  EXPECT_THAT(simulate(loop(doubling), settings).message,
              AllOf(HasSubstr("acceleration.kind = \"auto\""), Not(HasSubstr("newton"))));
  settings.algorithm.waveform = 1;
  coupling::System oneLength = loop(doubling);
  Formula fixed = test::clockSignal();
  fixed.capabilities.variableStep = false;
  oneLength.members[0].subsystem = test::makeSubsystem(fixed);
  EXPECT_THAT(simulate(std::move(oneLength), settings).message, Not(HasSubstr("step_control")));
}

}  // namespace
}  // namespace koppla::run::failure_words_test
