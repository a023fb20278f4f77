// An FMU that is told that somebody may return to before a step must compute as without: when that is looked at, and
// what is a difference.

#include <array>
#include <cmath>

#include "played_fmu.hpp"

namespace koppla::fmi::test::return_watch_test {
namespace {

using fmi2::Status;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
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
    // Ten steps without a change from step 30 on, or from step 41 on: the change falls into step 40, the eleventh. The
    // look before it goes as far, so that it is no reason for another one.
    EXPECT_THAT(one.repeated, discretely ? ElementsAre(2, 40, 51) : ElementsAre(2, 40, 50));
  }
}

/// One output, a clock, moves from the beginning. Whether the others are right is known when they move: another look in
/// the step after their first movement. Where that says nothing, since they have come to rest by then, none of their
/// movements counts before twice as many steps.
TEST(ReturnWatch, EachOutputIsLookedAtOnceItMoves) {
  Watched one;
  Player& player = one.fmu.player;
  player.step = [&](const Player::Step& step) {
    player.values.reals[kRest] = step.t + step.h;
    if (step.t >= 10.0) player.values.reals[kReal] += step.h;
    if (step.t == 20.0 || step.t == 24.0 || step.t == 45.0) player.values.reals[kOther] += 1.0;
  };
  ASSERT_EQ(one.steps(100), subsystem::Status::ok);
  // Two steps behind the one in which it begins. One moves from step 20 on, and is right; the other one in steps 40, 48
  // and 90 only. The look in 42 tells nothing of it; 48 + 1 < 2 (40 + 1) <= 90 + 1.
  EXPECT_THAT(one.repeated, ElementsAre(2, 22, 42, 92));
}

/// A look that judges one output is no reason to ignore the first movement of the next one, whatever their type.
TEST(ReturnWatch, LooksThatTellSomethingAreFollowedByOthersAtOnce) {
  Watched one;
  Player& player = one.fmu.player;
  player.step = [&](const Player::Step& step) {
    player.values.reals[kRest] = step.t + step.h;
    if (step.t >= 10.0) player.values.reals[kReal] += step.h;
    if (step.t >= 11.25) player.values.integers[kInteger] += 1;
    if (step.t >= 12.5 && std::fmod(step.t, 0.5) == 0.0) player.values.booleans[kBoolean] ^= 1;
    if (step.t >= 13.75) player.values.reals[kOther] -= step.h;
  };
  ASSERT_EQ(one.steps(100), subsystem::Status::ok);
  // Two steps behind those in which they move first: 20, 22, 25 and 27.
  EXPECT_THAT(one.repeated, ElementsAre(2, 22, 24, 27, 29));
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

/// An output y after the step before the one that is looked at, after that one, and after another call; told that
/// somebody may return, it is `first` more after one such call, and `second` more after two.
struct Course {
  double before;
  double after;
  double next;
  double first = 0.0;
  double second = 0.0;
};

subsystem::Status of(const Course& course, unsigned output = kReal) {
  Watched one;
  Player& player = one.fmu.player;
  int told = 0;  // calls in a row: one in a step, two in a trial
  player.restore = [&](const Player::Values& saved) {
    player.values = saved;
    told = 0;
  };
  player.step = [&](const Player::Step& step) {
    told = step.noReturn ? 0 : told + 1;
    const double t1 = step.t + step.h;
    player.values.reals[output] = (t1 <= 0.5   ? course.before
                                   : t1 <= 1.0 ? course.after
                                               : course.next) +
                                  (told == 1   ? course.first
                                   : told == 2 ? course.second
                                               : 0.0);
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
    const auto by = [output](double first, double second) { return of({20.0, 30.0, 40.0, first, second}, output); };
    EXPECT_EQ(by(0.0, 0.0), subsystem::Status::ok) << output;
    EXPECT_EQ(by(1.0, 0.0), subsystem::Status::ok);
    EXPECT_EQ(by(0.0, -1.0), subsystem::Status::ok);
    EXPECT_EQ(by(1.5, 0.0), subsystem::Status::error) << output;
    EXPECT_EQ(by(0.0, 1.5), subsystem::Status::error) << output;
    EXPECT_EQ(by(0.0, -15.0), subsystem::Status::error) << output;
  }
}

/// The movement is that of the trial or that of the step before, which is more where an extremum is passed.
TEST(ReturnWatch, TheLargerOfTwoMovementsCounts) {
  for (const auto& [before, after, next] : {std::array{20.0, 20.0, 30.0}, std::array{20.0, 30.0, 30.0},
                                            std::array{30.0, 20.0, 15.0}, std::array{25.0, 20.0, 30.0}}) {
    SCOPED_TRACE(before);
    EXPECT_EQ(of({before, after, next, 0.0, -1.0}), subsystem::Status::ok) << "a tenth of 10";
    EXPECT_EQ(of({before, after, next, 0.0, -1.5}), subsystem::Status::error);
  }
}

/// Where neither is much, a millionth of the value may be a solver's looseness.
TEST(ReturnWatch, LooseSolversAreNotAccused) {
  for (const double y : {1e6, -1e6}) {
    EXPECT_EQ(of({y, y, y, 0.0, 0.999}), subsystem::Status::ok);
    EXPECT_EQ(of({y, y, y, 0.999, 0.0}), subsystem::Status::ok);
    EXPECT_EQ(of({y, y, y, 0.0, 1.001}), subsystem::Status::error);
    EXPECT_EQ(of({y, y, y, 1.001, 0.0}), subsystem::Status::error);
    EXPECT_EQ(of({y, y + 5.0, y + 5.0, 0.0, 0.999}), subsystem::Status::ok) << "a tenth of 5 is less";
  }
}

/// Each output is measured by itself: what others move by, and of which type they are, hides nothing.
TEST(ReturnWatch, WhoGoesBackBesideLargerMovementsIsFound) {
  for (const std::string beside : {"clock", "integer", "boolean", "calls", "nothing"}) {
    Watched one;
    Player& player = one.fmu.player;
    double kept = 0.0;
    int calls = 0;
    player.step = [&](const Player::Step& step) {
      if (beside == "clock") player.values.reals[kOther] += 1000.0 * step.h;
      if (beside == "integer") player.values.integers[kInteger] += 1;
      if (beside == "boolean") player.values.booleans[kBoolean] ^= 1;
      if (beside == "calls") player.values.integers[kInteger] = ++calls;  // no part of what is restored
      if (!step.noReturn) player.values.reals[kReal] = kept;
      kept = player.values.reals[kReal];
      player.values.reals[kReal] += step.h;
    };
    EXPECT_EQ(one.steps(2), subsystem::Status::ok) << beside;
    EXPECT_EQ(one.steps(1), subsystem::Status::error) << beside;
  }
}

/// A hundredth of a millionth of the value in a call is less than solvers may differ by: nothing is known of that
/// output before it moves by more.
TEST(ReturnWatch, WhoMovedTooLittleToBeJudgedIsFoundLater) {
  Watched one;
  Player& player = one.fmu.player;
  player.values.reals[kReal] = 1000.0;
  double kept = 1000.0;
  player.step = [&](const Player::Step& step) {
    player.values.reals[kOther] += step.h;
    if (!step.noReturn) player.values.reals[kReal] = kept;
    kept = player.values.reals[kReal];
    player.values.reals[kReal] += step.t >= 10.0 ? step.h : 1e-5;
  };
  EXPECT_EQ(one.steps(20), subsystem::Status::ok) << one.one.system->failure();
  // In step 20 it begins to move by more; 17, 33: what moves and is not judged is looked at twice as late each time.
  EXPECT_EQ(one.steps(40), subsystem::Status::error);
  EXPECT_EQ(one.n, 34);
  EXPECT_THAT(one.repeated, ElementsAre(2, 3, 5, 9, 17, 33));
}

/// Clocks, counts, what moves slowly, what passes an extremum or is at rest, by a solver that is off by a ten-millionth
/// of the values when it was told that somebody may return.
TEST(ReturnWatch, WhoIsRightIsNotAccused) {
  for (int extremum = 0; extremum <= 40; ++extremum) {  // from 0 to 2 s
    Watched one;
    Player& player = one.fmu.player;
    int calls = 0;
    player.step = [&](const Player::Step& step) {
      const double t1 = step.t + step.h;
      const double loose = step.noReturn ? 1.0 : 1.0 + 1e-7;
      const double fromExtremum = t1 - 0.05 * extremum;
      player.values.reals[kReal] = loose * (5.0 - fromExtremum * fromExtremum);
      ++calls;  // which are not restored
      player.values.reals[kOther] = extremum % 2 == 0 ? 1000.0 * t1 : calls;
      player.values.reals[kRest] = loose * (7.0 + (extremum % 3 == 0 ? 1e-8 * t1 : 0.0));
      player.values.integers[kInteger] = extremum % 4 == 0 ? player.values.integers[kInteger] + 1 : calls;
      player.values.booleans[kBoolean] ^= 1;
    };
    EXPECT_EQ(one.steps(40), subsystem::Status::ok) << extremum << one.one.system->failure();
    EXPECT_THAT(one.repeated, Contains(2));
  }
}

/// Who does not repeat itself within a hundredth of the difference when it is told the same as before says nothing
/// about what it was told.
TEST(ReturnWatch, WhoDoesNotRepeatItselfIsNotAccused) {
  for (const double noise : {0.05, 0.1}) {
    Watched one;
    Player& player = one.fmu.player;
    player.step = [&](const Player::Step& step) {
      // In the trial of step 2: 4 calls of the steps that count come before it. A hundredth of 5 + noise.
      const bool trial = player.steps.size() == 5;
      player.values.reals[kReal] = 40.0 * step.t + 10.0 + (trial ? noise : 0.0) + (step.noReturn ? 0.0 : 5.0);
    };
    EXPECT_EQ(one.steps(3), noise > 0.06 ? subsystem::Status::ok : subsystem::Status::error) << noise;
  }
}

/// Nor does it tell that it is right: it is looked at again until it does.
TEST(ReturnWatch, WhoDoesNotRepeatItselfIsLookedAtAgain) {
  for (const double noise : {2.0, 2.5}) {
    Watched one;
    Player& player = one.fmu.player;
    player.step = [&](const Player::Step& step) {
      const bool trial = player.steps.size() > 4 && player.steps.size() <= 8;
      player.values.reals[kReal] = 40.0 * step.t + 10.0 + (trial ? noise : 0.0);
    };
    ASSERT_EQ(one.steps(10), subsystem::Status::ok);
    // A tenth of the movement of 20 in the step before.
    EXPECT_THAT(one.repeated, noise > 2.0 ? ElementsAreArray({2, 3}) : ElementsAreArray({2}));
  }
}

/// Integers and booleans that differ are no rounding.
TEST(ReturnWatch, DiscreteOutputsThatDifferAreFound) {
  for (const auto& [integer, which] : {std::pair{true, 1}, {true, 2}, {false, 1}, {false, 2}}) {
    Watched one;
    Player& player = one.fmu.player;
    int told = 0;  // calls in a row: one in a step, two in a trial
    player.restore = [&](const Player::Values& saved) {
      player.values = saved;
      told = 0;
    };
    player.step = [&](const Player::Step& step) {
      told = step.noReturn ? 0 : told + 1;
      player.values.reals[kReal] += step.h;
      (integer ? player.values.integers[kInteger] : player.values.booleans[kBoolean]) = told == which ? 1 : 0;
    };
    EXPECT_EQ(one.steps(3), subsystem::Status::error) << integer << which;
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

/// Final steps are none of its business; once a state is saved it knows again what is a repetition.
TEST(ReturnWatch, AfterFinalStepsRepeatedStepsCountOnceAgain) {
  Watched one;
  ASSERT_EQ(one.steps(1), subsystem::Status::ok);
  for (int i = 1; i < 6; ++i) ASSERT_EQ(one.one.take({0.5 * i, 0.5 * (i + 1), true}).status, subsystem::Status::ok);
  ASSERT_EQ(one.one.system->save(subsystem::Slot::macroStep), subsystem::Status::ok);
  subsystem::Step second{3.25, 3.5, false};
  second.returnsBefore = true;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(one.one.system->restore(subsystem::Slot::macroStep), subsystem::Status::ok);
    ASSERT_EQ(one.one.take({3.0, 3.25, false}).status, subsystem::Status::ok);
    ASSERT_EQ(one.one.take(second).status, subsystem::Status::ok);
  }
  one.n = 7;
  ASSERT_EQ(one.steps(3), subsystem::Status::ok);
  EXPECT_THAT(one.repeated, ElementsAre(7, 9));
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
  // Nothing is known of how far they moved in the step before they can be read; in the next one there is.
  Watched late;
  late.one.bindAll({}, {});
  late.fmu.player.step = [&](const Player::Step& step) { late.fmu.player.values.reals[kReal] += step.h; };
  late.fmu.player.answer = [&](const std::string& call) {
    return call == "getReal" && late.n == 1 ? Status::error : Status::ok;
  };
  EXPECT_EQ(late.steps(10), subsystem::Status::ok) << late.one.system->failure();
  EXPECT_THAT(late.repeated, ElementsAre(4));
  Watched never;
  never.one.bindAll({}, {});
  never.fmu.player.answer = [](const std::string& call) { return call == "getReal" ? Status::error : Status::ok; };
  EXPECT_EQ(never.steps(30), subsystem::Status::ok) << never.one.system->failure();
  EXPECT_THAT(never.repeated, IsEmpty());
}

}  // namespace
}  // namespace koppla::fmi::test::return_watch_test
