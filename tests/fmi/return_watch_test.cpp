// An FMU that is told that somebody may return to before a step must compute as without: when that is looked at, and
// what is a difference.

#include <functional>

#include "played_fmu.hpp"

namespace koppla::fmi::test::return_watch_test {
namespace {

using fmi2::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr unsigned kReal = 1, kOther = 2, kInteger = 3, kBoolean = 4, kRest = 5;

/// Macro steps of 0.5 s, each in two calls, to the second of which somebody may return from before.
class Watched {
 public:
  explicit Watched(double end = 1e9) : one(fmu.file) {
    one.bindAll({}, {"y"});
    one.initialise(0.0, end);
  }
  /// The status that ends them, or ok.
  subsystem::Status steps(int count) {
    subsystem::Status status = subsystem::Status::ok;
    for (int i = 0; i < count && status == subsystem::Status::ok; ++i, ++n) {
      const std::size_t before = fmu.player.steps.size();
      const double t = 0.5 * n;
      status = one.take({t, t + 0.25, false}).status;
      subsystem::Step second{t + 0.25, t + 0.5, false};
      second.returnsBefore = true;
      if (status == subsystem::Status::ok) status = one.take(second).status;
      if (fmu.player.steps.size() > before + 2) repeated.push_back(n);
    }
    return status;
  }

  PlayedFmu fmu{described(variable("y", kReal, "output") + variable("z", kOther, "output") +
                              variable("i", kInteger, "output", "Integer") +
                              variable("b", kBoolean, "output", "Boolean") + variable("rest", kRest, "output"),
                          outputsDepending({{1, ""}, {2, ""}, {3, ""}, {4, ""}, {5, ""}}))};
  TypedInstance one;
  int n = 0;                  ///< macro steps so far
  std::vector<int> repeated;  ///< macro steps in which calls were repeated, those of the step before
};

/// The second step is looked at in the third (number 2): twice two calls, first told as before, then freely, from the
/// beginning of the call that is looked at. Who moves is looked at once.
TEST(ReturnWatch, WhoMovesIsLookedAtOnce) {
  Watched one;
  Player& player = one.fmu.player;
  player.step = [&](const Player::Step& step) { player.values.reals[kReal] += step.h; };
  ASSERT_EQ(one.steps(2), subsystem::Status::ok);
  player.steps.clear();
  ASSERT_EQ(one.steps(1), subsystem::Status::ok);
  using Step = Player::Step;
  EXPECT_THAT(player.steps, ElementsAre(Step{0.75, 0.25, false}, Step{1.0, 0.25, false}, Step{0.75, 0.25, true},
                                        Step{1.0, 0.25, true}, Step{1.0, 0.25, true}, Step{1.25, 0.25, false}));
  ASSERT_EQ(one.steps(100), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(2));
  EXPECT_DOUBLE_EQ(one.one.y[0], 0.5 * one.n);
}

/// At rest it is looked at in steps 2, 4, 8, ... times as late each time, and after 10, 20, 40, ... steps at rest, of
/// which the first cannot be known to be one. Known in the step that follows.
TEST(ReturnWatch, WhoRestsIsLookedAtEverMoreSeldom) {
  Watched one;
  ASSERT_EQ(one.steps(100), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(2, 4, 8, 11, 21, 41, 81));
}

/// It moved until step 30: ten steps later it is looked at again. A change begins the count anew.
TEST(ReturnWatch, WhoComesToRestIsLookedAtAfterTenSteps) {
  for (const bool discretely : {false, true}) {
    Watched one;
    Player& player = one.fmu.player;
    player.step = [&](const Player::Step& step) {
      if (step.t < 15.0) player.values.reals[kReal] += step.h;
      if (step.t >= 20.0 && step.t < 20.25 && discretely) player.values.integers[kInteger] = 5;
    };
    ASSERT_EQ(one.steps(60), subsystem::Status::ok);
    // Ten steps without a change from step 30 on, or from step 41 on: the change falls into step 40, the eleventh.
    EXPECT_THAT(one.repeated, discretely ? ElementsAre(2, 40, 51) : ElementsAre(2, 40, 50));
  }
}

/// One output, a clock, moves from the beginning. Whether the others are right is known when they move: another look in
/// the step after their first movement; not again before twice as many steps where they have come to rest by then.
TEST(ReturnWatch, EachOutputIsLookedAtOnceItMoves) {
  Watched one;
  Player& player = one.fmu.player;
  player.step = [&](const Player::Step& step) {
    player.values.reals[kRest] = step.t + step.h;
    if (step.t >= 10.0) player.values.reals[kReal] += step.h;
    if (step.t == 20.0 || step.t == 24.0 || step.t == 45.0) player.values.reals[kOther] += 1.0;
  };
  ASSERT_EQ(one.steps(100), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(2, 22, 50));
}

/// Beside such a clock the first movement of what goes back by itself is enough.
TEST(ReturnWatch, WhoGoesBackByItselfBesideAClockIsFound) {
  Watched one;
  Player& player = one.fmu.player;
  double kept = 0.0;
  player.step = [&](const Player::Step& step) {
    player.values.reals[kRest] = step.t + step.h;
    if (!step.noReturn) player.values.reals[kReal] = kept;
    kept = player.values.reals[kReal];
    if (step.t >= 10.0) player.values.reals[kReal] += step.h;
  };
  EXPECT_EQ(one.steps(100), subsystem::Status::error);
  EXPECT_LE(one.n, 23);
}

/// No call may lead beyond the end, where the FMU need not be able to go: both trial calls are as long as the one that
/// is looked at.
TEST(ReturnWatch, NoTrialLeadsBeyondTheEnd) {
  Watched reaches(1.25);
  EXPECT_EQ(reaches.steps(3), subsystem::Status::ok);
  EXPECT_THAT(reaches.repeated, ElementsAre(2));
  Watched beyond(1.2);
  EXPECT_EQ(beyond.steps(3), subsystem::Status::ok);
  EXPECT_THAT(beyond.repeated, IsEmpty());
}

/// How an FMU moves freely from x: by 10 a call; told that somebody may return, `first` and `second` more.
subsystem::Status deviating(double first, double second, const std::function<void(Player&, double)>& put) {
  Watched one;
  Player& player = one.fmu.player;
  int told = 0;  // calls in a row: one in a step, two in a trial
  player.restore = [&](const Player::Values& saved) {
    player.values = saved;
    told = 0;
  };
  player.step = [&](const Player::Step& step) {
    told = step.noReturn ? 0 : told + 1;
    put(player, 40.0 * step.t + 10.0 + (told == 1 ? first : told == 2 ? second : 0.0));
  };
  const subsystem::Status status = one.steps(3);
  if (status == subsystem::Status::error) {
    EXPECT_THAT(one.one.system->failure(),
                AllOf(HasSubstr("noSetFMUStatePriorToCurrentPoint = fmi2False), fmi2DoStep goes back by itself"),
                      HasSubstr("the step from 0.75 s to 1 s and another one")));
  }
  return status;
}

/// Differences of more than a tenth of the movement, in either call.
TEST(ReturnWatch, DifferencesOfMoreThanATenthOfTheMovementAreFound) {
  for (const unsigned output : {kReal, kOther, kRest}) {
    const auto put = [output](Player& player, double x) { player.values.reals[output] = x; };
    EXPECT_EQ(deviating(0.0, 0.0, put), subsystem::Status::ok) << output;
    EXPECT_EQ(deviating(1.0, 0.0, put), subsystem::Status::ok);
    EXPECT_EQ(deviating(0.0, -1.0, put), subsystem::Status::ok);
    EXPECT_EQ(deviating(1.5, 0.0, put), subsystem::Status::error) << output;
    EXPECT_EQ(deviating(0.0, 1.5, put), subsystem::Status::error) << output;
    EXPECT_EQ(deviating(0.0, -15.0, put), subsystem::Status::error) << output;
  }
}

/// Who does not repeat itself when it is told the same as before says nothing about what it was told.
TEST(ReturnWatch, WhoDoesNotRepeatItselfIsNotAccused) {
  for (const double noise : {0.5, 1.0, 1.5}) {
    Watched one;
    Player& player = one.fmu.player;
    player.step = [&](const Player::Step& step) {
      // In the trial of step 2: 4 calls of the steps that count come before it.
      const bool trial = player.steps.size() == 5;
      player.values.reals[kReal] = 40.0 * step.t + 10.0 + (trial ? noise : 0.0) + (step.noReturn ? 0.0 : 5.0);
    };
    EXPECT_EQ(one.steps(3), noise > 1.0 ? subsystem::Status::ok : subsystem::Status::error) << noise;
  }
}

/// Integers and booleans that differ are no rounding.
TEST(ReturnWatch, DiscreteOutputsThatDifferAreFound) {
  for (const bool integer : {true, false}) {
    Watched one;
    Player& player = one.fmu.player;
    int told = 0;
    player.restore = [&](const Player::Values& saved) {
      player.values = saved;
      told = 0;
    };
    player.step = [&](const Player::Step& step) {
      told = step.noReturn ? 0 : told + 1;
      player.values.reals[kReal] += step.h;
      (integer ? player.values.integers[kInteger] : player.values.booleans[kBoolean]) = told == 2 ? 1 : 0;
    };
    EXPECT_EQ(one.steps(3), subsystem::Status::error) << integer;
  }
}

/// A step that is repeated from its beginning is no further step.
TEST(ReturnWatch, RepeatedStepsCountOnce) {
  Watched one;
  ASSERT_EQ(one.steps(1), subsystem::Status::ok);
  subsystem::Step second{0.75, 1.0, false};
  second.returnsBefore = true;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(one.one.take({0.5, 0.75, false}).status, subsystem::Status::ok);
    ASSERT_EQ(one.one.take(second).status, subsystem::Status::ok);
  }
  EXPECT_EQ(one.fmu.player.steps.size(), 2U + 10U);
  one.n = 2;
  ASSERT_EQ(one.steps(3), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(2, 4));
}

/// Steps to which nobody returns from before are not among those that are counted.
TEST(ReturnWatch, OnlyStepsThatAreToldSoCount) {
  Watched one;
  ASSERT_EQ(one.steps(1), subsystem::Status::ok);
  for (int i = 1; i < 20; ++i) ASSERT_EQ(one.one.take({0.5 * i, 0.5 * (i + 1), false}).status, subsystem::Status::ok);
  EXPECT_EQ(one.fmu.player.steps.size(), 2U + 19U);
  one.n = 20;
  ASSERT_EQ(one.steps(3), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(21));
}

/// Calls that fail while it is looked at: where the FMU can be put back it goes on, and nothing is concluded.
TEST(ReturnWatch, ATrialThatFailsConcludesNothing) {
  // In step 2: getFMUstate (end), setFMUstate, doStep, getReal, doStep, getReal, setFMUstate, ... as often,
  // setFMUstate.
  struct Row {
    std::string call;
    std::size_t nth;
    Status answer;
    subsystem::Status expected;
  };
  const std::vector<Row> rows{{"getFMUstate", 1, Status::warning, subsystem::Status::ok},
                              {"getFMUstate", 1, Status::discard, subsystem::Status::discard},
                              {"getFMUstate", 1, Status::error, subsystem::Status::error},
                              {"setFMUstate", 1, Status::warning, subsystem::Status::ok},
                              {"setFMUstate", 1, Status::discard, subsystem::Status::ok},
                              {"setFMUstate", 1, Status::error, subsystem::Status::ok},
                              {"doStep", 1, Status::discard, subsystem::Status::ok},
                              {"doStep", 1, Status::error, subsystem::Status::ok},
                              {"doStep", 1, Status::fatal, subsystem::Status::fatal},
                              {"doStep", 2, Status::error, subsystem::Status::ok},
                              {"doStep", 3, Status::error, subsystem::Status::ok},
                              {"doStep", 4, Status::error, subsystem::Status::ok},
                              {"getReal", 2, Status::error, subsystem::Status::ok},
                              {"getReal", 3, Status::error, subsystem::Status::ok},
                              {"setFMUstate", 3, Status::warning, subsystem::Status::ok},
                              {"setFMUstate", 3, Status::discard, subsystem::Status::discard},
                              {"setFMUstate", 3, Status::error, subsystem::Status::error}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.call + " " + std::to_string(row.nth) + " " + std::to_string(static_cast<int>(row.answer)));
    Watched one;
    Player& player = one.fmu.player;
    player.step = [&](const Player::Step& step) { player.values.reals[kReal] += step.h; };
    ASSERT_EQ(one.steps(2), subsystem::Status::ok);
    player.calls.clear();
    player.answer = [&](const std::string& call) {
      return call == row.call && player.count(call) == row.nth ? row.answer : Status::ok;
    };
    const subsystem::Status status = one.steps(1);
    EXPECT_EQ(status, row.expected) << one.one.system->failure();
    if (status == subsystem::Status::ok) {
      EXPECT_DOUBLE_EQ(one.one.y[0], 1.5) << "it goes on from where it was";
    }
    player.answer = [](const auto&) { return Status::ok; };
  }
}

/// What could be read once can be read: a refusal later is a failure. Before that it is none.
TEST(ReturnWatch, OutputsThatCannotBeReadAnyMoreAreAFailure) {
  for (const bool fatal : {false, true}) {
    Watched one;
    ASSERT_EQ(one.steps(1), subsystem::Status::ok);
    ASSERT_EQ(one.one.take({0.5, 0.75, false}).status, subsystem::Status::ok);  // here they are read
    subsystem::Step second{0.75, 1.0, false};
    second.returnsBefore = true;
    ASSERT_EQ(one.one.take(second).status, subsystem::Status::ok);
    one.fmu.player.answer = [&](const std::string& call) {
      return call != "getReal" ? Status::ok : fatal ? Status::fatal : Status::error;
    };
    EXPECT_EQ(one.one.take({1.0, 1.25, false}).status, fatal ? subsystem::Status::fatal : subsystem::Status::error);
    EXPECT_THAT(one.one.system->failure(), HasSubstr("Its outputs cannot be read, and could after the step before."));
    one.fmu.player.answer = [](const auto&) { return Status::ok; };
  }
  Watched never;
  never.one.bindAll({}, {});
  never.fmu.player.answer = [](const std::string& call) { return call == "getReal" ? Status::error : Status::ok; };
  EXPECT_EQ(never.steps(30), subsystem::Status::ok) << never.one.system->failure();
  EXPECT_THAT(never.repeated, IsEmpty());
}

}  // namespace
}  // namespace koppla::fmi::test::return_watch_test
