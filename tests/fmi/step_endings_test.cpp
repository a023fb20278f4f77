// Where and how a step of an FMU ends: discarded ones, ends that it asks for, phases, and trials of a longer step.

#include <atomic>
#include <cmath>
#include <limits>

#include "played_fmu.hpp"
#include "stub_fmu.hpp"

namespace koppla::fmi::test::step_endings_test {
namespace {

using fmi2::Status;
using subsystem::Slot;
using subsystem::Step;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The last successful time counts where it is answered well and lies in the step.
TEST(StepEndings, TheLastSuccessfulTimeIsThatOfADiscardedStep) {
  struct Row {
    double reached;
    Status answer;
    double expected;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Row& row : {Row{0.75, Status::ok, 0.75}, Row{0.75, Status::warning, 0.5}, Row{0.75, Status::error, 0.5},
                         Row{0.25, Status::ok, 0.5}, Row{0.5, Status::ok, 0.5}, Row{1.0, Status::ok, 1.0},
                         Row{1.25, Status::ok, 1.0}, Row{nan, Status::ok, 0.5}}) {
    PlayedFmu fmu;
    TypedInstance one(fmu.file);
    one.bindAll({"u"}, {"y"});
    one.initialise();
    fmu.player.reached = row.reached;
    fmu.player.answer = [&](const std::string& call) {
      return call == "doStep" ? Status::discard : call == "getRealStatus" ? row.answer : Status::ok;
    };
    const subsystem::StepResult result = one.take({0.5, 1.0, true});
    EXPECT_EQ(result.status, subsystem::Status::discard);
    EXPECT_EQ(result.reached, row.expected) << row.reached;
    EXPECT_FALSE(one.system->asksToEnd());
    EXPECT_THAT(one.system->failure(), Not(HasSubstr("asks to end")));
  }
}

/// An FMU asks to end where it says so, well. Its end is that of the step within a billionth of it.
TEST(StepEndings, AnEndIsThatOfTheStepWithinRounding) {
  struct Row {
    double before;  ///< the end of the step, s
    bool over;
    Status answer;
    subsystem::Status expected;
    bool asks;
  };
  for (const Row& row : {Row{0.0, true, Status::ok, subsystem::Status::ok, true},
                         Row{0.4e-9, true, Status::ok, subsystem::Status::ok, true},
                         Row{0.6e-9, true, Status::ok, subsystem::Status::discard, true},
                         Row{0.1, true, Status::ok, subsystem::Status::discard, true},
                         Row{0.0, true, Status::warning, subsystem::Status::discard, false},
                         Row{0.0, true, Status::error, subsystem::Status::discard, false},
                         Row{0.0, false, Status::ok, subsystem::Status::discard, false}}) {
    PlayedFmu fmu;
    TypedInstance one(fmu.file);
    one.bindAll({"u"}, {"y"});
    std::atomic<bool> ending = false;
    subsystem::Experiment experiment{0.0, 10.0, std::nullopt};
    experiment.ending = &ending;
    one.system->enterInitialisation(experiment);
    one.system->leaveInitialisation();
    fmu.player.values.reals[1] = 7.0;
    fmu.player.reached = 1.0 - row.before;
    fmu.player.over = row.over;
    fmu.player.answer = [&](const std::string& call) {
      return call == "doStep" ? Status::discard : call == "getBooleanStatus" ? row.answer : Status::ok;
    };
    const subsystem::StepResult result = one.take({0.5, 1.0, true});
    EXPECT_EQ(result.status, row.expected) << row.before;
    EXPECT_EQ(result.reached, row.expected == subsystem::Status::ok ? 1.0 : 1.0 - row.before);
    EXPECT_EQ(one.system->asksToEnd(), row.asks);
    EXPECT_EQ(ending, row.asks);
    EXPECT_EQ(one.y[0], row.asks ? 7.0 : -1.0) << "values hold where it ended";
  }
}

TEST(StepEndings, ValuesThatCannotBeReadWhereItEndsFailTheStep) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  fmu.player.reached = 0.75;
  fmu.player.over = true;
  fmu.player.answer = [&](const std::string& call) {
    return call == "doStep" ? Status::discard : call == "getReal" ? Status::discard : Status::ok;
  };
  const subsystem::StepResult result = one.take({0.5, 1.0, true});
  EXPECT_EQ(result.status, subsystem::Status::discard);
  EXPECT_EQ(result.reached, 0.75);
  EXPECT_THAT(one.system->failure(), HasSubstr("fmi2GetReal(t = 0.75 s) returned fmi2Discard"));
}

// --- Phases ----------------------------------------------------------------------------------------------------------

TEST(StepEndings, NothingIsSetOrSteppedOutOfItsPhase) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  EXPECT_EQ(one.take({0.0, 0.5, true}).status, subsystem::Status::error);
  EXPECT_THAT(one.system->failure(), HasSubstr("before initialisation or after the end"));
  EXPECT_EQ(one.system->evaluate(0.0, one.u, one.y), subsystem::Status::error);
  EXPECT_EQ(one.system->save(Slot::iteration), subsystem::Status::error);
  EXPECT_THAT(one.system->failure(), HasSubstr("There is no state to save."));
  EXPECT_EQ(one.system->initialiseAgain(), subsystem::Status::error) << "it has not been initialised";
  one.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_THROW(one.set("u", 1.0), core::InternalError);
  one.system->leaveInitialisation();
  EXPECT_THROW(one.set("u", 1.0), core::InternalError);
  EXPECT_EQ(fmu.player.steps.size(), 0U);
  one.system->terminate();
  EXPECT_EQ(one.take({0.0, 0.5, true}).status, subsystem::Status::error);
  EXPECT_EQ(one.system->save(Slot::iteration), subsystem::Status::error);
  EXPECT_EQ(fmu.player.steps.size(), 0U);
}

/// From the start again, with the values that were set, in any phase but after a fatal call.
TEST(StepEndings, InitialisationCanBeRepeatedWithWhatWasSet) {
  PlayedFmu fmu(described(variable("p", 1, "parameter", "Real", "start=\"1\"") +
                          variable("q", 2, "parameter", "Integer", "start=\"1\"") + variable("y", 3, "output")));
  TypedInstance one(fmu.file);
  one.set("p", 5.0);
  one.set("q", std::int32_t{6});
  one.bindAll({}, {"y"});
  one.initialise();
  fmu.player.calls.clear();
  fmu.player.values = {};
  EXPECT_EQ(one.system->initialiseAgain(), subsystem::Status::ok);
  EXPECT_THAT(fmu.player.calls,
              ElementsAre("reset", "setReal", "setInteger", "setupExperiment", "enterInitializationMode"));
  EXPECT_EQ(fmu.player.values.reals[1], 5.0);
  EXPECT_EQ(fmu.player.values.integers[2], 6);
  const auto answered = [&](const std::string& which, Status answer) {
    fmu.player.answer = [=](const std::string& call) { return call == which ? answer : Status::ok; };
    return one.system->initialiseAgain();
  };
  EXPECT_EQ(answered("reset", Status::warning), subsystem::Status::ok);
  EXPECT_EQ(answered("reset", Status::error), subsystem::Status::error);
  EXPECT_EQ(answered("setReal", Status::error), subsystem::Status::error);
  EXPECT_THAT(one.system->failure(), HasSubstr("fmi2SetReal(p = 5) returned fmi2Error"));
  EXPECT_EQ(answered("reset", Status::fatal), subsystem::Status::fatal);
  fmu.player.answer = [](const auto&) { return Status::ok; };
  fmu.player.calls.clear();
  EXPECT_EQ(one.system->initialiseAgain(), subsystem::Status::fatal);
  EXPECT_THAT(fmu.player.calls, IsEmpty());
}

TEST(StepEndings, WithoutResetInitialisationCannotBeRepeated) {
  const StubFmu stub;  // has none
  Instance one(stub.file);
  one.bind({"u"}, {"y"});
  one.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_EQ(one.system->initialiseAgain(), subsystem::Status::error);
  EXPECT_THAT(one.system->failure(), HasSubstr("cannot be initialised again"));
}

// --- Steps that may be repeated --------------------------------------------------------------------------------------

const Step kRounded = [] {  // 0.5 + 0.1 < 0.6 as they are made here
  Step step{0.1 * 5, 0.1 * 6, false};
  step.length = 0.1;
  return step;
}();
const double kReaching = [] {
  const double h = kRounded.t1 - kRounded.t0;
  return kRounded.t0 + h < kRounded.t1 ? std::nextafter(h, HUGE_VAL) : h;
}();

/// The longer step is tried once; who takes it gets it from then on.
TEST(StepEndings, AStepThatReachesItsEndIsTriedOnce) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  fmu.player.calls.clear();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(one.take(kRounded).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.count("getFMUstate"), 1U);
  EXPECT_EQ(fmu.player.count("setFMUstate"), 0U);
  ASSERT_EQ(fmu.player.steps.size(), 3U);
  for (const Player::Step& step : fmu.player.steps) EXPECT_EQ(step.h, kReaching);
}

/// Who takes the meant length only gets that, with a check of the next step that may be repeated, since the states that
/// it saves may be older than the step.
TEST(StepEndings, WhoTakesTheMeantStepOnlyGetsThat) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  const auto onlyMeant = [&](const std::string& call) {
    return call == "doStep" && fmu.player.steps.back().h == kReaching ? Status::discard : Status::ok;
  };
  fmu.player.answer = onlyMeant;
  ASSERT_EQ(one.take(kRounded).status, subsystem::Status::ok);
  ASSERT_EQ(fmu.player.steps.size(), 2U);
  EXPECT_EQ(fmu.player.steps[0].h, kReaching);
  EXPECT_EQ(fmu.player.steps[1].h, 0.1);
  ASSERT_EQ(one.take({0.1 * 4, 0.1 * 5, false}).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.steps.size(), 3U) << "begins before the doubt";
  ASSERT_EQ(one.take({0.1 * 6, 0.1 * 7, false}).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.steps.size(), 5U) << "is checked";
  ASSERT_EQ(one.take(kRounded).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.steps.back().h, 0.1);
}

/// Who takes neither had another reason: the longer one is tried again.
TEST(StepEndings, WhoTakesNeitherIsAskedAgain) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  fmu.player.answer = [&](const std::string& call) { return call == "doStep" ? Status::discard : Status::ok; };
  EXPECT_EQ(one.take(kRounded).status, subsystem::Status::discard);
  EXPECT_EQ(fmu.player.steps.size(), 2U);
  EXPECT_THAT(one.system->failure(), HasSubstr("returned fmi2Discard"));
  fmu.player.answer = [](const auto&) { return Status::ok; };
  fmu.player.steps.clear();
  EXPECT_EQ(one.take(kRounded).status, subsystem::Status::ok);
  EXPECT_THAT(fmu.player.steps, ElementsAre(Player::Step{kRounded.t0, kReaching, true}));
}

TEST(StepEndings, TrialsOfALongerStepThatFailEndIt) {
  struct Row {
    std::string call;
    std::size_t nth;
    Status answer;
    subsystem::Status expected;
    std::size_t steps;
  };
  for (const Row& row : {Row{"getFMUstate", 1, Status::warning, subsystem::Status::ok, 2},
                         Row{"getFMUstate", 1, Status::discard, subsystem::Status::discard, 0},
                         Row{"setFMUstate", 1, Status::warning, subsystem::Status::ok, 2},
                         Row{"setFMUstate", 1, Status::discard, subsystem::Status::discard, 1},
                         Row{"doStep", 1, Status::warning, subsystem::Status::warning, 1},
                         Row{"doStep", 1, Status::fatal, subsystem::Status::fatal, 1},
                         Row{"doStep", 2, Status::error, subsystem::Status::error, 2}}) {
    SCOPED_TRACE(row.call + " " + std::to_string(static_cast<int>(row.answer)));
    PlayedFmu fmu;
    TypedInstance one(fmu.file);
    one.bindAll({"u"}, {"y"});
    one.initialise();
    Player& player = fmu.player;
    player.calls.clear();
    player.answer = [&](const std::string& call) {
      if (call == row.call && player.count(call) == row.nth) return row.answer;
      return call == "doStep" && player.count(call) == 1 ? Status::discard : Status::ok;
    };
    EXPECT_EQ(one.take(kRounded).status, row.expected) << one.system->failure();
    EXPECT_EQ(player.steps.size(), row.steps);
    player.answer = [](const auto&) { return Status::ok; };
  }
}

}  // namespace
}  // namespace koppla::fmi::test::step_endings_test
