// What an instance makes of an FMU that answers otherwise when a step is repeated from a restored state: which output
// it was, and whether that is a proof, a doubt, or the looseness of a solver.

#include <algorithm>
#include <array>

#include "played_fmu.hpp"

namespace koppla::fmi::test::restore_check_test {
namespace {

using fmi2::Status;
using subsystem::Slot;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// y of one output: before the step, after the first and after the second one, restored, and after the third one.
struct Course {
  double y0;
  double y1;
  double y2;
  double restored;
  double y3;
};

enum class Verdict { nothing, told, stopped };

/// Three real outputs, all of them connected or none.
constexpr unsigned kFirstReal = 10;
const std::vector<std::string> kReals{"first", "second", "third"};

std::string threeReals() {
  std::string text;
  for (unsigned i = 0; i < 3; ++i) text += variable(kReals[i], kFirstReal + i, "output");
  return text;
}

/// One step from 0 to 0.5 s that is checked, in which the output `which` takes a course and others are 7.
struct Checked {
  Checked(const Course& course, std::size_t which, bool connected) : one(fmu.file) {
    Player& player = fmu.player;
    for (unsigned i = 0; i < 3; ++i) player.values.reals[kFirstReal + i] = 7.0;
    double& y = player.values.reals[kFirstReal + static_cast<unsigned>(which)];
    y = course.y0;
    player.step = [&player, &y, course](const Player::Step&) {
      y = std::array{course.y1, course.y2, course.y3}.at(player.steps.size() - 1);
    };
    player.restore = [&y, course](const Player::Values&) { y = course.restored; };
    one.bindAll({}, connected ? kReals : std::vector<std::string>{});
    one.initialise();
    EXPECT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
    status = one.take({0.0, 0.5, false}).status;
    for (const KeptLog::Line& line : one.kept.lines)
      if (line.severity == core::Severity::warning) warning += line.message;
  }
  [[nodiscard]] Verdict verdict() const {
    if (status == subsystem::Status::error) return Verdict::stopped;
    EXPECT_EQ(status, subsystem::Status::ok);
    return warning.empty() ? Verdict::nothing : Verdict::told;
  }

  PlayedFmu fmu{described(threeReals(), outputsDepending({{1, ""}, {2, ""}, {3, ""}}))};
  TypedInstance one;
  subsystem::Status status = subsystem::Status::ok;
  std::string warning;
};

Verdict of(const Course& course) {
  return Checked(course, 0, true).verdict();
}

/// Differences within a billionth of the values are rounding.
TEST(RestoreCheck, RoundingIsNoDifference) {
  EXPECT_EQ(of({1e9, 1e9, 1e9 + 0.5, 1e9, 1e9 + 0.5}), Verdict::nothing);
  EXPECT_EQ(of({0.0, 0.0, 0.0, 0.0, 0.0}), Verdict::nothing);
}

/// Who does not go back goes on in every repetition, by the same amount within a factor of 2: whatever the size, that
/// is no looseness. Here 0.25 of 1024 at rest.
TEST(RestoreCheck, WhoGoesOnByAsMuchIsProven) {
  const auto third = [](double y3) { return of({1024.0, 1024.0, 1024.25, 1024.0, y3}); };
  EXPECT_EQ(third(1024.5), Verdict::stopped);
  EXPECT_EQ(third(1024.75), Verdict::stopped) << "twice as much";
  EXPECT_EQ(third(1024.751), Verdict::told) << "more than that";
  EXPECT_EQ(third(1025.125), Verdict::told) << "3.5 times";
  EXPECT_EQ(third(1024.375), Verdict::stopped) << "half";
  EXPECT_EQ(third(1024.374), Verdict::told) << "less than that";
  EXPECT_EQ(third(1024.3), Verdict::told) << "a fifth";
  EXPECT_EQ(third(1024.25), Verdict::told) << "the same answer again";
  EXPECT_EQ(third(1024.0), Verdict::told) << "back";
}

/// Where the restored output is not that of before, a difference of more than a hundredth of the movement is proof.
TEST(RestoreCheck, WhoStandsElsewhereIsProven) {
  const auto second = [](double y2, double restored) { return of({0.0, 100.0, y2, restored, y2}); };
  EXPECT_EQ(second(101.001, 1.0), Verdict::stopped);
  EXPECT_EQ(second(101.0, 1.0), Verdict::nothing) << "a hundredth";
  EXPECT_EQ(second(98.999, 1.0), Verdict::stopped);
  EXPECT_EQ(second(105.0, 0.0), Verdict::nothing) << "restored, and looser than that";
  // The movement counts, not where it leads to: from 50 to 100 s it is half as much.
  EXPECT_EQ(of({50.0, 100.0, 100.501, 51.0, 100.501}), Verdict::stopped);
  EXPECT_EQ(of({-100.0, 100.0, 101.5, 51.0, 101.5}), Verdict::nothing);
}

/// Solvers that begin anew answer otherwise by their tolerance: a tenth of the movement, or a millionth of the value,
/// is not even told. Beyond a thousandth of the value there is no such tolerance.
TEST(RestoreCheck, LooseSolversAreNotAccused) {
  const auto moving = [](double y2) { return of({0.0, 100.0, y2, 0.0, y2}); };
  EXPECT_EQ(moving(110.0), Verdict::nothing) << "a tenth";
  EXPECT_EQ(moving(110.5), Verdict::stopped);
  EXPECT_EQ(moving(90.0), Verdict::nothing);
  EXPECT_EQ(moving(89.5), Verdict::stopped);
  const auto resting = [](double y, double y2) { return of({y, y, y2, y, y2}); };
  EXPECT_EQ(resting(1e6, 999'999.0), Verdict::nothing) << "a millionth";
  EXPECT_EQ(resting(1e6, 999'998.5), Verdict::told);
  EXPECT_EQ(resting(-1e6, -999'998.5), Verdict::told);
  EXPECT_EQ(resting(1000.0, 999.0), Verdict::told) << "a thousandth";
  EXPECT_EQ(resting(1000.0, 998.5), Verdict::stopped);
  EXPECT_EQ(resting(0.0, 1e-300), Verdict::stopped) << "what was 0 has no size";
}

/// Whoever is connected to it would compute with wrong values; others need not be stopped, and small doubts of theirs
/// are not even told.
TEST(RestoreCheck, OnlyWhatIsUsedStopsTheRun) {
  const Course proven{0.0, 100.0, 200.0, 100.0, 300.0};
  const Course doubtful{1000.0, 1000.0, 999.0, 1000.0, 999.0};
  for (std::size_t which = 0; which < 3; ++which) {
    const Checked used(proven, which, true);
    EXPECT_EQ(used.verdict(), Verdict::stopped);
    EXPECT_THAT(used.one.system->failure(),
                HasSubstr("the step from 0 s with h = 0.5 s, repeated from there with the same inputs, gives other "
                          "values of " +
                          kReals[which] + ". Whatever repeats steps would compute"));
    const Checked unused(proven, which, false);
    EXPECT_EQ(unused.verdict(), Verdict::told);
    EXPECT_THAT(unused.warning, HasSubstr("other values of " + kReals[which] + ". Nobody uses them"));
    const Checked doubted(doubtful, which, true);
    EXPECT_EQ(doubted.verdict(), Verdict::told);
    EXPECT_THAT(doubted.warning, AllOf(HasSubstr("gives values of " + kReals[which] + " that differ by more than a "),
                                       Not(HasSubstr("Nobody uses them"))));
    EXPECT_EQ(Checked(doubtful, which, false).verdict(), Verdict::nothing);
  }
}

/// Of other types than reals every difference counts, in the first value as in the last.
TEST(RestoreCheck, DifferencesOfEveryTypeAreFound) {
  const std::string variables = variable("u", 1, "input", "Integer", "start=\"0\"") +
                                variable("i1", 2, "output", "Integer") + variable("r", 3, "output") +
                                variable("e", 4, "output", "Enumeration") + variable("i2", 5, "output", "Integer") +
                                variable("b1", 6, "output", "Boolean") + variable("b2", 7, "output", "Boolean") +
                                variable("s", 8, "output", "String");
  for (const std::string which : {"i1", "e", "i2", "b1", "b2", "r", "none"}) {
    PlayedFmu fmu(described(variables));
    TypedInstance one(fmu.file);
    one.bindAll({"u"}, {"b2", "b1", "i2", "e", "r", "i1", "s"});
    one.initialise();
    Player::Values& v = fmu.player.values;
    fmu.player.step = [&](const Player::Step&) {
      const auto count = static_cast<int>(fmu.player.steps.size());
      if (which == "i1") v.integers[2] = count;
      if (which == "r") v.reals[3] = count;
      if (which == "e") v.integers[4] = count;
      if (which == "i2") v.integers[5] = count;
      if (which == "b1") v.booleans[6] = count % 2;
      if (which == "b2") v.booleans[7] = count % 2;
    };
    ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
    const subsystem::Status status = one.take({0.0, 0.5, false}).status;
    EXPECT_EQ(status, which == "none" ? subsystem::Status::ok : subsystem::Status::error) << which;
    if (which != "none") {
      EXPECT_THAT(one.system->failure(), HasSubstr("gives other values of " + which + ".")) << which;
    }
  }
}

/// Twice where it is due, and a third time only where there is a difference; after a final step nobody returns.
TEST(RestoreCheck, StepsAreRepeatedOnlyWhereSomebodyMayReturn) {
  PlayedFmu fmu(described(variable("u", 1, "input", "Integer", "start=\"0\"") + variable("y", 2, "output")));
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  std::size_t before = 0;
  const auto steps = [&](const subsystem::Step& step) {
    EXPECT_EQ(one.take(step).status, subsystem::Status::ok);
    return fmu.player.steps.size() - std::exchange(before, fmu.player.steps.size());
  };
  EXPECT_EQ(steps({0.0, 0.5, false}), 1U) << "nothing was saved";
  ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
  EXPECT_EQ(steps({0.5, 1.0, true}), 1U) << "final";
  EXPECT_EQ(steps({1.0, 1.5, false}), 2U) << "still due";
  EXPECT_EQ(steps({1.5, 2.0, false}), 1U);
  ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
  EXPECT_EQ(steps({2.0, 2.5, false}), 2U) << "the second state";
  ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
  EXPECT_EQ(steps({2.5, 3.0, false}), 1U) << "the third one";
  ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
  subsystem::Step second{3.0, 3.5, false};
  second.returnsBefore = true;
  EXPECT_EQ(steps(second), 1U) << "the fourth one, before a step to which it is not told that nobody returns";
  EXPECT_EQ(fmu.player.steps.back(), (Player::Step{3.0, 0.5, false}));
  EXPECT_EQ(steps({3.5, 4.0, false}), 2U) << "which is checked later";
  for (const Player::Step& step : fmu.player.steps) EXPECT_TRUE(step.noReturn || step.t == 3.0);
}

/// It is at rest in the steps behind the first, second and fourth state; the fifth is the one in which it moves.
TEST(RestoreCheck, WhatRestsIsLookedAtAgainWhenItMoves) {
  PlayedFmu fmu(described(variable("y", 1, "output")));
  fmu.player.step = [&](const Player::Step& step) {
    if (step.t >= 2.0) fmu.player.values.reals[1] += step.h;
  };
  fmu.player.restore = [](const Player::Values&) {};
  TypedInstance one(fmu.file);
  one.bindAll({}, {"y"});
  one.initialise();
  for (int n = 0; n < 5; ++n) {
    ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
    EXPECT_EQ(one.take({0.5 * n, 0.5 * n + 0.5, false}).status,
              n < 4 ? subsystem::Status::ok : subsystem::Status::error);
  }
  EXPECT_EQ(fmu.player.steps.size(), 2U + 2U + 1U + 2U + 3U);
  EXPECT_THAT(one.system->failure(), HasSubstr("gives other values of y."));
}

/// Before the n-th call of it a state was saved, and is not gone back to.
class Evaluated {
 public:
  explicit Evaluated(std::vector<std::string> connected) : one(fmu.file) {
    fmu.player.values.reals = {{1, 1.0}, {2, 1.0}};
    one.bindAll({}, connected);
    one.initialise();
  }
  subsystem::Status next() {
    EXPECT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
    fmu.player.calls.clear();
    ++n;
    return one.take({0.5 * n, 0.5 * n + 0.5, false}).status;
  }
  [[nodiscard]] std::size_t steps() const { return fmu.player.count("doStep"); }
  [[nodiscard]] std::size_t readings() const { return fmu.player.count("getReal"); }

  PlayedFmu fmu{described(variable("y", 1, "output") + variable("z", 2, "output"))};
  TypedInstance one;
  int n = 0;
};

/// Looking takes longer than a step of a small FMU: behind the check in the 32nd evaluation it waits for 20 more.
TEST(RestoreCheck, WhatRestsIsLookedAtInTwentyFurtherEvaluations) {
  Evaluated rests({"y"});
  while (rests.n < 64) {
    ASSERT_EQ(rests.next(), subsystem::Status::ok);
    if (rests.n < 32) continue;
    const bool checked = rests.n == 32 || rests.n == 64;
    EXPECT_EQ(rests.steps(), checked ? 2U : 1U) << rests.n;
    // Before and after the step, after its repetition, and for those who use it.
    EXPECT_EQ(rests.readings(), checked ? 4U : rests.n <= 52 ? 3U : 1U) << rests.n;
  }
  for (const int first : {52, 53}) {
    Evaluated stays({"y"});
    stays.fmu.player.step = [&](const Player::Step&) {
      if (stays.n >= first) stays.fmu.player.values.reals[1] += 1.0;
    };
    stays.fmu.player.restore = [](const Player::Values&) {};
    while (stays.next() == subsystem::Status::ok && stays.n < 100) {
    }
    EXPECT_EQ(stays.n, first == 52 ? 52 : 64);
  }
}

/// Outputs that nobody uses, and rounding, are no movement: it does not return, moves from the fifth evaluation on, and
/// was at rest in the fourth, which is checked.
TEST(RestoreCheck, OnlyWhatIsUsedMovesAndByMoreThanRounding) {
  for (const std::string beside : {"nothing", "clock", "rounding"}) {
    Evaluated one({"y"});
    Player::Values& values = one.fmu.player.values;
    double level = 1.0;
    one.fmu.player.step = [&](const Player::Step& step) {
      if (one.n >= 5) level += step.h;
      if (beside == "clock") values.reals[2] = step.t + step.h;
      values.reals[1] = beside == "rounding" && one.fmu.player.steps.size() % 2 == 0 ? level + 1e-15 : level;
    };
    one.fmu.player.restore = [&](const Player::Values& saved) { values.reals[2] = saved.reals.at(2); };
    while (one.next() == subsystem::Status::ok && one.n < 100) {
    }
    EXPECT_EQ(one.n, 5) << beside;
    EXPECT_THAT(one.one.system->failure(), HasSubstr("gives other values of y."));
  }
}

/// Where nobody uses any, they all count.
TEST(RestoreCheck, WhereNothingIsUsedAllOutputsMove) {
  Evaluated one({});
  one.fmu.player.step = [&](const Player::Step& step) {
    if (one.n >= 5) one.fmu.player.values.reals[2] += step.h;
  };
  one.fmu.player.restore = [](const Player::Values&) {};
  const auto told = [&] {
    return std::ranges::any_of(one.one.kept.messages("one"),
                               [](const auto& m) { return m.find("other values of z") < m.size(); });
  };
  while (!told() && one.n < 100) ASSERT_EQ(one.next(), subsystem::Status::ok);
  EXPECT_EQ(one.n, 5);
}

/// It is at rest and waited for. What takes no step of another length than 0.1 s is told one behind which its clock
/// stands before the next step: from there on that counts, and not whether it moves.
TEST(RestoreCheck, AReasonToCheckIsNoReasonToWait) {
  const double t0 = 0.1 * 5;
  const double t1 = 0.1 * 6;
  ASSERT_LT(t0 + 0.1, t1);
  Evaluated one({"y"});
  Player& player = one.fmu.player;
  ASSERT_EQ(one.next(), subsystem::Status::ok);
  ASSERT_EQ(one.steps(), 2U);
  player.answer = [&](const std::string& call) {
    return call == "doStep" && player.steps.back().h != 0.1 ? Status::discard : Status::ok;
  };
  const auto steps = [&](double from, double to) {
    player.calls.clear();
    subsystem::Step step{from, to, false};
    step.length = 0.1;
    EXPECT_EQ(one.one.take(step).status, subsystem::Status::ok);
    return one.steps();
  };
  EXPECT_EQ(steps(0.4, t0), 1U) << "it waits";
  EXPECT_EQ(steps(t0, t1), 2U) << "the longer one and that of 0.1 s";
  EXPECT_EQ(steps(t1, 0.1 * 7), 2U) << "the repetition";
  EXPECT_EQ(steps(0.1 * 7, 0.1 * 8), 1U);
}

/// A call that goes wrong on the way ends the step as it says; a warning ends nothing.
TEST(RestoreCheck, FailuresOnTheWayEndTheStep) {
  struct Row {
    std::string call;
    std::size_t nth;  ///< from 1, in the checked step
    Status answer;
    subsystem::Status expected;
    std::string words;
  };
  // Calls of a checked step of which the answers differ: getFMUstate, getReal, doStep, getReal, setFMUstate, doStep,
  // getReal, setFMUstate, getReal, setFMUstate, doStep, getReal.
  const std::vector<Row> rows{
      {"getFMUstate", 1, Status::warning, subsystem::Status::error, "other values"},
      {"getFMUstate", 1, Status::discard, subsystem::Status::discard, "fmi2GetFMUstate returned fmi2Discard"},
      {"getFMUstate", 1, Status::error, subsystem::Status::error, "fmi2GetFMUstate returned fmi2Error"},
      {"getFMUstate", 1, Status::fatal, subsystem::Status::fatal, "fmi2GetFMUstate returned fmi2Fatal"},
      {"doStep", 1, Status::discard, subsystem::Status::discard, "fmi2DoStep(t = 0 s, h = 0.5 s) returned fmi2Discard"},
      {"setFMUstate", 1, Status::warning, subsystem::Status::error, "other values"},
      {"setFMUstate", 1, Status::discard, subsystem::Status::discard, "fmi2SetFMUstate returned fmi2Discard"},
      {"setFMUstate", 1, Status::fatal, subsystem::Status::fatal, "fmi2SetFMUstate returned fmi2Fatal"},
      {"doStep", 2, Status::discard, subsystem::Status::error,
       "It took the step from 0 s with h = 0.5 s, and not when"},
      {"doStep", 2, Status::fatal, subsystem::Status::fatal, "It took the step from 0 s"},
      {"getReal", 3, Status::error, subsystem::Status::error, "Its outputs cannot be read: they could after the step"},
      {"getReal", 3, Status::fatal, subsystem::Status::fatal, "Its outputs cannot be read: they could after the step"},
      {"setFMUstate", 2, Status::discard, subsystem::Status::discard, "fmi2SetFMUstate returned fmi2Discard"},
      {"getReal", 4, Status::error, subsystem::Status::error, "cannot be read after fmi2SetFMUstate"},
      {"getReal", 4, Status::fatal, subsystem::Status::fatal, "cannot be read after fmi2SetFMUstate"},
      {"setFMUstate", 3, Status::discard, subsystem::Status::discard, "fmi2SetFMUstate returned fmi2Discard"},
      {"doStep", 3, Status::error, subsystem::Status::error, "It took the step"},
      {"getReal", 5, Status::warning, subsystem::Status::error, "other values"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.call + " " + std::to_string(row.nth) + " " + std::to_string(static_cast<int>(row.answer)));
    PlayedFmu fmu(described(variable("y", 1, "output"), outputsDepending({{1, ""}})));
    {
      TypedInstance one(fmu.file);
      one.bindAll({}, {"y"});
      one.initialise();
      ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
      Player& player = fmu.player;
      player.calls.clear();
      player.step = [&](const Player::Step&) { player.values.reals[1] += 1.0; };
      player.restore = [](const Player::Values&) {};  // stays where it is
      player.answer = [&](const std::string& call) {
        return call == row.call && player.count(call) == row.nth ? row.answer : Status::ok;
      };
      EXPECT_EQ(one.take({0.0, 0.5, false}).status, row.expected);
      EXPECT_THAT(one.system->failure(), HasSubstr(row.words));
      player.answer = [](const auto&) { return Status::ok; };
    }
  }
}

/// Outputs that cannot be read are told once; the step is taken from the saved state.
TEST(RestoreCheck, WithoutOutputsThereIsNothingToCompare) {
  for (const std::size_t nth : {1U, 2U}) {
    PlayedFmu fmu(described(variable("y", 1, "output"), outputsDepending({{1, ""}})));
    TypedInstance one(fmu.file);
    one.bindAll({}, {});
    one.initialise();
    Player& player = fmu.player;
    player.answer = [&](const std::string& call) {
      return call == "getReal" && player.count(call) % 2 == nth % 2 ? Status::error : Status::ok;
    };
    for (int i = 0; i < 4; ++i) {
      player.calls.clear();
      ASSERT_EQ(one.system->save(Slot::iteration), subsystem::Status::ok);
      ASSERT_EQ(one.take({0.5 * i, 0.5 * (i + 1), false}).status, subsystem::Status::ok) << one.system->failure();
    }
    const auto told = one.kept.messages("one");
    EXPECT_EQ(std::ranges::count_if(told, [](const auto& m) { return m.find("Outputs cannot be read") < m.size(); }), 1)
        << nth;
  }
}

}  // namespace
}  // namespace koppla::fmi::test::restore_check_test
