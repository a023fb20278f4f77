// What an instance makes of FMUs that do what the standard allows, or nearly.

#include <atomic>

#include "stub_fmu.hpp"

namespace koppla::fmi::test::odd_test {
namespace {

using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct OddInstance : Instance {
  explicit OddInstance(const std::string& way, double x0 = 0.0, double at = 0.0, const Options& options = {})
      : Instance(fmuFile("Odd"), "one", options) {
    set("way", way);
    set("x0", x0);
    set("at", at);
    bind({"u"}, {"y"});
  }
  subsystem::StepResult take(const Step& step) { return system->advance(step, subsystem::held(u), y); }
};

TEST(OddTest, OutputsAreReadAgainAfterInitialisation) {
  OddInstance late("late", -101.0);
  late.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_EQ(late.system->evaluate(0.0, late.u, late.y), Status::ok);
  EXPECT_EQ(late.y[0], 0.0);
  late.system->leaveInitialisation();
  EXPECT_EQ(late.system->readOutputs(late.y), Status::ok);
  EXPECT_EQ(late.y[0], -101.0);
}

TEST(OddTest, AnInputThatCannotBeReadHasTheValueItWasSetToOrItsStartValue) {
  for (const bool set : {false, true}) {
    OddInstance hides("hides");
    if (set) hides.set("u", 7.0);
    hides.system->enterInitialisation({0.0, 1.0, std::nullopt});
    EXPECT_EQ(hides.observe("u"), set ? 7.0 : 0.5);
    EXPECT_THAT(hides.kept.messages("one"), Contains(HasSubstr("The input 'u' cannot be read before the first step")));
    // Others are read in the same call as before, and the FMU goes on.
    core::Values values;
    const std::vector<subsystem::PortIndex> ports{hides.port("x0"), hides.port("u"), hides.port("y")};
    hides.system->observe(ports, values);
    EXPECT_THAT(values.reals, ElementsAre(0.0, set ? 7.0 : 0.5, 0.0));
    hides.system->leaveInitialisation();
    EXPECT_EQ(hides.advance(0.0, 0.1).status, Status::ok);
    EXPECT_EQ(hides.observe("u"), 0.0);  // as it was set in the step
  }
}

/// After initialisation a refusal is one: the value is not the start value any more.
TEST(OddTest, ARefusalLaterIsAFailure) {
  OddInstance hides("hides");
  hides.initialise();
  EXPECT_THAT(messageOf<core::SubsystemError>([&] { hides.observe("u"); }), HasSubstr("fmi2GetReal"));
}

TEST(OddTest, TheStepSizeIsTheNominalOneUnlessTheDifferenceIsChosen) {
  const double t0 = 0.07;
  const double t1 = 0.08;
  ASSERT_NE(t1 - t0, 0.01);
  Step step{t0, t1, true};
  EXPECT_EQ(step.length, t1 - t0);
  step.length = 0.01;
  for (const bool difference : {false, true})
    for (const bool exact : {false, true}) {
      Options options;
      options.nominalStepSize = !difference;
      OddInstance one("exact", 0.0, exact ? t1 - t0 : 0.01, options);
      one.initialise();
      EXPECT_EQ(one.take(step).status, difference == exact ? Status::ok : Status::discard);
    }
}

TEST(OddTest, AnEndAtTheEndOfAStepIsASuccessfulStep) {
  OddInstance one("ends", 0.0, 0.3);
  std::atomic<bool> ending = false;
  subsystem::Experiment experiment{0.0, 1.0, std::nullopt};
  experiment.ending = &ending;
  one.system->enterInitialisation(experiment);
  one.system->leaveInitialisation();
  one.u = {2.0};
  EXPECT_EQ(one.advance(0.0, 0.2).status, Status::ok);
  EXPECT_FALSE(one.system->asksToEnd() || ending);
  EXPECT_EQ(one.system->save(Slot::macroStep), Status::ok);
  const subsystem::StepResult last = one.advance(0.2, 0.3);
  EXPECT_EQ(last.status, Status::ok);
  EXPECT_EQ(last.reached, 0.3);
  EXPECT_DOUBLE_EQ(one.y[0], 0.6);
  EXPECT_TRUE(one.system->asksToEnd() && ending);
  // There is no further step; going back makes it forget.
  const subsystem::StepResult further = one.advance(0.3, 0.4);
  EXPECT_EQ(further.status, Status::discard);
  EXPECT_EQ(further.reached, 0.3);
  EXPECT_EQ(one.system->restore(Slot::macroStep), Status::ok);
  EXPECT_FALSE(one.system->asksToEnd());
  EXPECT_EQ(one.advance(0.2, 0.25).status, Status::ok);
}

TEST(OddTest, AnEndInsideAStepIsADiscardedStepWithTheValuesThere) {
  OddInstance one("ends", 0.0, 0.25);
  one.initialise();
  one.u = {2.0};
  const subsystem::StepResult result = one.advance(0.0, 0.4);
  EXPECT_EQ(result.status, Status::discard);
  EXPECT_EQ(result.reached, 0.25);
  EXPECT_DOUBLE_EQ(one.y[0], 0.5);
  EXPECT_TRUE(one.system->asksToEnd());
  EXPECT_THAT(one.system->failure(), HasSubstr("asks to end"));
}

/// noSetFMUStatePriorToCurrentPoint (FMI 2.0.4, 4.2.2) is about states from before the beginning of the step.
TEST(OddTest, TheFmuIsToldWhetherSomebodyMayReturnToBeforeTheStep) {
  const StubFmu stub;
  Instance one(stub.file);
  one.bind({"u"}, {"y"});
  one.initialise();
  const auto flagOf = [&](bool final, bool returnsBefore) {
    Step step{0.0, 0.5, final};
    step.returnsBefore = returnsBefore;
    EXPECT_EQ(one.system->advance(step, subsystem::held(one.u), one.y).status, Status::ok);
    std::string flag;
    for (const std::string& message : one.kept.messages("one"))
      if (const auto at = message.find("doStep 0.00 0.50 "); at != std::string::npos) flag = message.substr(at + 17, 1);
    return flag;
  };
  EXPECT_EQ(flagOf(true, false), "1");
  EXPECT_EQ(flagOf(false, false), "1");
  EXPECT_EQ(flagOf(false, true), "0");
}

TEST(OddTest, PartsOfAStepBehindTheFirstAreReturnedToFromBefore) {
  const Step repeated{0.0, 1.0, false};
  EXPECT_FALSE(repeated.part(0.0, 0.5, 0.5, true).returnsBefore);
  EXPECT_TRUE(repeated.part(0.5, 1.0, 0.5, false).returnsBefore);
  const Step last{0.0, 1.0, true};
  EXPECT_FALSE(last.part(0.5, 1.0, 0.5, false).returnsBefore);
  Step half{0.5, 1.0, false};
  half.returnsBefore = true;
  EXPECT_TRUE(half.part(0.5, 0.75, 0.25, true).returnsBefore);
}

/// Steps of 0.2 s in two pieces, the second of which may be repeated from before.
class Watched {
 public:
  explicit Watched(const std::string& way, double u) : one(way) {
    one.initialise(0.0, 100.0);
    one.u = {u};
  }
  /// The status of the last one.
  Status steps(int count) {
    Status worst = Status::ok;
    for (int i = 0; i < count && worst == Status::ok; ++i, ++n) {
      const double t = 0.2 * n;
      worst = one.take({t, t + 0.1, false}).status;
      Step second{t + 0.1, t + 0.2, false};
      second.returnsBefore = true;
      if (worst == Status::ok) worst = one.take(second).status;
    }
    return worst;
  }
  OddInstance one;
  int n = 0;
};

/// In its second step there is something to go back to; that the step is accepted is known in the third.
TEST(OddTest, WhoGoesBackByItselfIsFoundInItsSecondStep) {
  for (const char* way : {"returns", "forgets"}) {
    Watched one(way, 1.0);
    EXPECT_EQ(one.steps(2), Status::ok);
    EXPECT_EQ(one.steps(1), Status::error) << way;
    EXPECT_THAT(one.one.system->failure(),
                AllOf(HasSubstr("noSetFMUStatePriorToCurrentPoint"), HasSubstr("goes back by itself")));
  }
}

TEST(OddTest, WhoMovesRightlyIsNotDisturbed) {
  Watched moves("", 1.0);
  for (int i = 1; i <= 50; ++i) {
    ASSERT_EQ(moves.steps(1), Status::ok);
    ASSERT_NEAR(moves.one.y[0], 0.2 * i, 1e-12);
  }
}

TEST(OddTest, WhoIsAtRestIsNotDisturbed) {
  Watched rests("", 0.0);
  EXPECT_EQ(rests.steps(60), Status::ok);
  EXPECT_EQ(rests.one.y[0], 0.0);
  rests.one.u = {1.0};
  EXPECT_EQ(rests.steps(5), Status::ok);
  EXPECT_NEAR(rests.one.y[0], 1.0, 1e-12);
  EXPECT_THAT(rests.one.kept.messages(), Not(Contains(HasSubstr("noSetFMUState"))));
}

/// At rest at first, and found out when it should move.
TEST(OddTest, WhoGoesBackByItselfIsFoundWhenItShouldMove) {
  for (const char* way : {"returns", "forgets"}) {
    Watched one(way, 0.0);
    EXPECT_EQ(one.steps(30), Status::ok);
    one.one.u = {1.0};
    EXPECT_EQ(one.steps(60), Status::error) << way;
  }
}

/// It moved rightly at first: ten steps without a change give it away.
TEST(OddTest, WhoBeginsToGoBackLaterIsFoundAfterTenStepsWithoutAChange) {
  Watched one("returns-later", 1.0);
  EXPECT_EQ(one.steps(20), Status::ok);
  EXPECT_EQ(one.steps(25), Status::error);
}

// --- Going back ------------------------------------------------------------------------------------------------------

/// Steps of 0.125 s, each saved, taken, gone back and taken again with the same input.
class Repeated {
 public:
  explicit Repeated(const std::string& way, double u) : one(way, 1.0) {
    one.initialise(0.0, 100.0);
    one.u = {u};
  }
  Status steps(int count) {
    Status worst = Status::ok;
    for (int i = 0; i < count && worst == Status::ok; ++i, ++n) {
      const Step step{0.125 * n, 0.125 * (n + 1), false};
      worst = one.system->save(Slot::iteration);
      if (worst == Status::ok) worst = one.take(step).status;
      if (worst == Status::ok) worst = one.system->restore(Slot::iteration);
      if (worst == Status::ok) worst = one.take(step).status;
    }
    return worst;
  }
  OddInstance one;
  int n = 0;
};

TEST(OddTest, WhoDoesNotReturnIsFoundInItsFirstStep) {
  Repeated one("stays", 1.0);
  EXPECT_EQ(one.steps(1), Status::error);
  EXPECT_THAT(one.one.system->failure(),
              AllOf(HasSubstr("fmi2SetFMUstate"), HasSubstr("other values of y"), HasSubstr("gauss-seidel")));
}

/// Its outputs do go back, but the repeated step does nothing: it differs by all that it should move. Where that is
/// little beside the value it may be a loose tolerance of the FMU, so it is told.
TEST(OddTest, WhoTakesAStepOnceOnlyIsFound) {
  Repeated one("clock", 1.0);
  EXPECT_EQ(one.steps(1), Status::error);
  EXPECT_THAT(one.one.system->failure(), HasSubstr("other values of y"));
  Repeated little("clock", 1e-3);  // moves by 1.25e-4 of 1
  EXPECT_EQ(little.steps(1), Status::ok);
  EXPECT_THAT(little.one.kept.messages("one"), Contains(HasSubstr("a tenth of what they move")));
}

/// To go back to the first state is right in the first step.
TEST(OddTest, WhoReturnsToAnotherStateIsFound) {
  Repeated one("leaps", 1.0);
  EXPECT_EQ(one.steps(1), Status::ok);
  EXPECT_EQ(one.steps(1), Status::error);
  EXPECT_THAT(one.one.system->failure(), HasSubstr("other values of y"));
}

/// At rest it need not return. It was so in the check behind the 8th saved state, after which 20 evaluations are looked
/// at until one moves: the 13th step does, which is the 25th evaluation.
TEST(OddTest, WhoDoesNotReturnIsFoundAfterARest) {
  Repeated one("stays", 0.0);
  EXPECT_EQ(one.steps(12), Status::ok);
  EXPECT_EQ(one.one.y[0], 1.0);
  one.one.u = {1.0};
  EXPECT_EQ(one.steps(1), Status::error);
}

/// x = 1 + 0.125 n, whatever was repeated in between; a solver that begins anew is off by 1e-4 of that at most.
TEST(OddTest, WhoReturnsIsNotAccused) {
  for (const char* way : {"", "drops", "anew", "caches", "counts", "returns", "forgets"})
    for (const double u : {1.0, 0.0}) {
      Repeated one(way, u);
      ASSERT_EQ(one.steps(40), Status::ok) << way << one.one.system->failure();
      EXPECT_NEAR(one.one.y[0], 1.0 + 5.0 * u, 6e-4) << way;
      if (way != std::string("anew")) {
        EXPECT_EQ(one.one.y[0], 1.0 + 5.0 * u) << way;
      }
    }
}

/// Nobody uses 'calls', which is a count and does not go back: that is told once, and the FMU is used.
TEST(OddTest, AnUnusedOutputThatDoesNotReturnIsTold) {
  Repeated one("counts", 1.0);
  EXPECT_EQ(one.steps(20), Status::ok);
  const auto messages = one.one.kept.messages("one");
  EXPECT_EQ(std::ranges::count_if(messages, [](const std::string& m) { return m.find("calls") != std::string::npos; }),
            1);
}

/// One that is used is a reason to stop.
TEST(OddTest, AUsedOutputThatDoesNotReturnIsFound) {
  OddInstance one("counts");
  one.bind({"u"}, {"calls"});
  one.initialise(0.0, 1.0);
  ASSERT_EQ(one.system->save(Slot::iteration), Status::ok);
  EXPECT_EQ(one.take({0.0, 0.5, false}).status, Status::error);
  EXPECT_THAT(one.system->failure(), HasSubstr("other values of calls"));
}

/// 'calls' cannot be read, and the FMU goes on from a saved state only: the step is taken once, that is told, and
/// nobody is accused. x = 1 + 0.125 n.
TEST(OddTest, WhoseOutputsCannotBeReadIsUsedAllTheSame) {
  Repeated one("secret", 1.0);
  ASSERT_EQ(one.steps(40), Status::ok) << one.one.system->failure();
  EXPECT_EQ(one.one.y[0], 6.0);
  const auto messages = one.one.kept.messages("one");
  EXPECT_EQ(std::ranges::count_if(messages,
                                  [](const std::string& m) { return m.find("cannot be read") != std::string::npos; }),
            1);
}

/// The same where it is watched: 20 steps of 0.2 s.
TEST(OddTest, WhoseOutputsCannotBeReadIsNotDisturbed) {
  Watched one("secret", 1.0);
  ASSERT_EQ(one.steps(20), Status::ok) << one.one.system->failure();
  EXPECT_NEAR(one.one.y[0], 4.0, 1e-12);
}

TEST(OddTest, WhoseOutputsCannotBeReadInARepetitionIsFound) {
  Repeated one("secret-later", 1.0);
  EXPECT_EQ(one.steps(1), Status::error);
  EXPECT_THAT(one.one.system->failure(), AllOf(HasSubstr("fmi2GetReal"), HasSubstr("cannot be read"),
                                               HasSubstr("gauss-seidel"), Not(HasSubstr("It took"))));
}

/// Whichever way a step takes, one in which an input was set with a warning ends with it, and with all of its inputs.
TEST(OddTest, AWarningOfAnInputIsToldOnceAStep) {
  // u = 2 + 3 t: y(1) = 3.5, or 2 where the slope is not set.
  const std::vector<double> coefficients{2.0, 3.0};
  for (const unsigned degree : {0U, 1U}) {
    for (const bool saves : {false, true})
      for (const bool returnsBefore : {false, true}) {
        OddInstance one("warns");
        one.initialise(0.0, 100.0);
        if (saves) {
          ASSERT_EQ(one.system->save(Slot::iteration), Status::ok);
        }
        Step step{0.0, 1.0, false};
        step.returnsBefore = returnsBefore;
        EXPECT_EQ(one.system->advance(step, {coefficients.data(), 1, degree}, one.y).status, Status::warning);
        EXPECT_EQ(one.y[0], degree == 0 ? 2.0 : 3.5) << saves << returnsBefore;
        EXPECT_EQ(one.take({1.0, 2.0, true}).status, Status::warning);
        one.system->terminate();
        EXPECT_THAT(one.kept.messages("one"), Contains("2 calls returned fmi2Warning."));
      }
  }
}

/// It takes slopes and nothing higher: u = 2 + 3 t + t^2 is refused with words, whichever way a step takes, and no step
/// is taken with what was not set.
TEST(OddTest, RefusedDerivativesOfInputsEndTheStep) {
  const std::vector<double> coefficients{2.0, 3.0, 1.0};
  for (const bool final : {true, false}) {
    OddInstance one("");
    one.initialise(0.0, 100.0);
    EXPECT_EQ(one.system->advance({0.0, 1.0, final}, {coefficients.data(), 1, 2}, one.y).status, Status::error);
    EXPECT_THAT(one.system->failure(), HasSubstr("fmi2SetRealInputDerivatives"));
    EXPECT_THAT(one.system->failure(), HasSubstr("It may take lower orders only"));
  }
}

/// Where t0 + h is less than t1 a step that may be repeated is longer by that rounding, so that nobody who takes
/// their sum as its time stands before the next step; a step that is final is as it is meant.
TEST(OddTest, AStepThatMayBeRepeatedReachesItsEnd) {
  const double t0 = 0.1 * 5;
  const double t1 = 0.1 * 6;
  ASSERT_LT(t0 + 0.1, t1);
  for (const bool final : {false, true}) {
    Step step{t0, t1, final};
    step.length = 0.1;
    OddInstance longer("exact", 0.0, t1 - t0);
    longer.initialise();
    EXPECT_EQ(longer.take(step).status, final ? Status::discard : Status::ok);
    // Who takes the nominal step only gets that.
    OddInstance nominal("exact", 0.0, 0.1);
    nominal.initialise();
    EXPECT_EQ(nominal.take(step).status, Status::ok);
    EXPECT_EQ(nominal.take(step).status, Status::ok);
  }
}

}  // namespace
}  // namespace koppla::fmi::test::odd_test
