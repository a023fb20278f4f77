// What is said where a static subsystem inside fails, and who finds that its outputs do not follow from its inputs.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/static_function.hpp"

#include "pretended.hpp"
#include "support/message_of.hpp"

namespace koppla::solver::test::static_failures_test {
namespace {

using koppla::test::messageOf;
using subsystem::Status;
using testing::HasSubstr;
using Vector = std::vector<double>;

const std::vector<subsystem::PortIndex> kInputs{4, 7};  // a of two and b

std::unique_ptr<StaticFunction> function(Pretence& pretence, int instances = 1) {
  auto made = std::make_unique<StaticFunction>(
      "film", pretended(instances, pretence), kInputs,
      StaticSettings{.coupling = StaticCoupling::predictor, .threads = 1, .increment = {}});
  made->begin({1.0, 3.0, {}});
  return made;
}

std::string failureAt(StaticFunction& function, double t, const Vector& u) {
  return messageOf<core::SubsystemError>([&] { static_cast<void>(function.values(t, u)); });
}

TEST(StaticFailures, SayWhereAndWhy) {
  Pretence pretence;
  const auto made = function(pretence);
  pretence.status = [](int, const auto&) { return Status::error; };
  EXPECT_EQ(failureAt(*made, 0.5, {1.0, -2.0, 3.5}),
            "'film' failed at t = 0.5 s with a = 1, a = -2, b = 3.5: it is hot");
  // Of failures in a row for one reason the first is told, at the inputs that are to blame.
  EXPECT_EQ(failureAt(*made, 0.25, {7.0, 7.0, 7.0}),
            "'film' failed at t = 0.5 s with a = 1, a = -2, b = 3.5: it is hot");
  pretence.reason = "it is cold";
  EXPECT_EQ(failureAt(*made, 0.25, {7.0, 7.0, 7.0}),
            "'film' failed at t = 0.25 s with a = 7, a = 7, b = 7: it is cold");
  pretence.status = [](int, const auto&) { return Status::ok; };
  EXPECT_EQ(made->values(0.25, Vector{1.0, 2.0, 3.0})[0], 5.0);
  pretence.status = [](int, const auto&) { return Status::discard; };
  EXPECT_EQ(failureAt(*made, 0.75, {8.0, 8.0, 8.0}), "'film' failed at t = 0.75 s with a = 8, a = 8, b = 8: it is cold")
      << "a good call lies between";
}

TEST(StaticFailures, AWarningIsNone) {
  Pretence pretence;
  const auto made = function(pretence);
  pretence.status = [](int, const auto&) { return Status::warning; };
  EXPECT_EQ(made->values(0.5, Vector{1.0, 2.0, 3.0})[0], 5.0);
}

/// Of whichever instance: probes have inputs of their own.
TEST(StaticFailures, OfProbesAreThoseOfTheirInstances) {
  for (const int instances : {1, 2, 3, 4})
    for (std::size_t probe = 1; probe <= 3; ++probe) {
      Pretence pretence;
      const auto made = function(pretence, instances);
      const Vector u{1.0, 2.0, 3.0};
      pretence.status = [&](int, const Vector& at) {
        return at[probe - 1] != u[probe - 1] ? Status::error : Status::ok;
      };
      const auto call = [&] { made->call(Visit::predicted, 0.5, u); };
      const std::string message = messageOf<core::SubsystemError>(call);
      EXPECT_THAT(message, HasSubstr("'film' failed at t = 0.5 s with a = ")) << instances << " " << probe;
      EXPECT_THAT(message, HasSubstr("0000")) << "the input that was moved: " << message;
      pretence.status = [](int, const auto&) { return Status::ok; };
      made->call(Visit::predicted, 0.5, u);
      EXPECT_NEAR(made->values(0.5, Vector{2.0, 2.0, 3.0})[0], 7.0, 1e-6);
    }
}

/// Who is beyond help is not called again.
TEST(StaticFailures, NobodyIsCalledAfterAFatalOne) {
  Pretence pretence;
  const auto made = function(pretence, 2);
  const Vector u{1.0, 2.0, 3.0};
  pretence.status = [&](int instance, const auto&) { return instance == 1 ? Status::fatal : Status::ok; };
  const auto call = [&] { made->call(Visit::predicted, 0.5, u); };
  const std::string first = messageOf<core::SubsystemError>(call);
  pretence.calls.clear();
  EXPECT_EQ(messageOf<core::SubsystemError>(call), first);
  EXPECT_EQ(failureAt(*made, 0.5, {7.0, 7.0, 7.0}), first);
  EXPECT_EQ(pretence.calls.size(), 0U);
}

TEST(StaticFailures, OfAFileAreTheSystems) {
  Pretence pretence;
  const auto made = function(pretence);
  pretence.status = [](int, const auto&) { return Status::error; };
  pretence.atFile = true;
  EXPECT_EQ(messageOf<core::FileError>([&] {
              static_cast<void>(made->values(0.5, Vector{1.0, 2.0, 3.0}));
            }),
            core::FileError("'film' could not go on.", "it is hot").what());
}

TEST(StaticFailures, ValuesThatAreNoNumbersAreRefused) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t output = 0; output < 3; ++output) {
      Pretence pretence;
      const auto made = function(pretence);
      pretence.output = [=](double, const Vector&) {
        Vector y{1.0, 2.0, 3.0};
        y[output] = bad;
        return y;
      };
      EXPECT_EQ(failureAt(*made, 0.5, {1.0, 2.0, 3.0}),
                "'film' gave a value that is not a finite number at t = 0.5 s with a = 1, a = 2, b = 3.");
    }
}

/// Beyond the first few inputs nothing is listed.
TEST(StaticFailures, ListSixInputsAtMost) {
  Pretence pretence;
  auto instances = pretended(1, pretence);
  StaticFunction made("film", std::move(instances), {4, 7, 4, 4, 7}, {});
  made.begin({1.0, 3.0, {}});
  pretence.status = [](int, const auto&) { return Status::error; };
  EXPECT_EQ(failureAt(made, 0.5, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}),
            "'film' failed at t = 0.5 s with a = 1, a = 2, b = 3, a = 4, a = 5, a = 6: it is hot");
}

/// Watched by a further instance, number 9; `silent` of its outputs do not move in initialisation.
struct Watched {
  Pretence pretence, watcher;
  std::unique_ptr<StaticFunction> made;

  explicit Watched(const std::vector<std::size_t>& silent, double start = 1.0, double end = 3.0) {
    for (Pretence* one : {&pretence, &watcher})
      one->output = [silent, moving = one->output](double t, const Vector& u) {
        Vector y = moving(t, u);
        for (const std::size_t i : silent) y[i] = 4.0;
        return y;
      };
    made = std::make_unique<StaticFunction>("film", pretended(1, pretence), kInputs, StaticSettings{});
    made->watchBy(std::make_unique<Pretended>(9, watcher));
    made->begin({start, end, {}});
  }

  /// Empty: nothing is wrong.
  std::string verdict() {
    try {
      static_cast<void>(made->values(1.0, Vector{1.0, 2.0, 3.0}));
    } catch (const core::SubsystemError& error) {
      return error.what();
    }
    return {};
  }
};

std::string unfit(const std::string& names) {
  return "'film' cannot be solved inside an integrator: in initialisation mode, where it stays, its outputs do not "
         "follow from its inputs: " +
         names +
         " did not answer to a change of a = 1, a = 2, b = 3, and took other values when that mode was left or in a "
         "step. Couple it by another algorithm, without 'inside'.";
}

/// The answers of initialisation but for those outputs, which become `to`.
std::function<Vector(const Vector&)> becoming(const std::vector<std::size_t>& outputs, double to) {
  return [=](const Vector& u) {
    Vector y = Pretence().output(0.0, u);
    for (const std::size_t i : outputs) y[i] = to;
    return y;
  };
}

TEST(Witness, NamesTheOutputsThatWereSilent) {
  const std::vector<std::pair<std::vector<std::size_t>, std::string>> cases{
      {{0}, "p"}, {{1}, "q"}, {{2}, "q"}, {{0, 2}, "p, q"}};
  for (const auto& [silent, names] : cases)
    for (const bool inStep : {false, true}) {
      Watched watched(silent);
      (inStep ? watched.watcher.stepped : watched.watcher.afterwards) = becoming(silent, 5.0);
      EXPECT_EQ(watched.verdict(), unfit(names)) << inStep;
      EXPECT_EQ(watched.verdict(), unfit(names)) << "and goes on to be unfit";
      EXPECT_EQ(watched.watcher.calls.size(), 2U) << "the witness is asked once";
      EXPECT_EQ(watched.watcher.steps.size(), inStep ? 1U : 0U);
    }
}

/// Its two questions differ by an increment of every input, and its step is short.
TEST(Witness, ChangesEveryInputAndTakesAShortStep) {
  Watched watched({0}, 2.0, 6.0);
  EXPECT_EQ(watched.verdict(), "");
  ASSERT_EQ(watched.watcher.calls.size(), 2U);
  EXPECT_EQ(watched.watcher.calls[0].u, (Vector{1.0, 2.0, 3.0}));
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  EXPECT_EQ(watched.watcher.calls[1].u, (Vector{1.0 + root, 2.0 + 2.0 * root, 3.0 + 10.0 * root}));
  EXPECT_EQ(watched.watcher.events,
            (std::vector<std::string>{"9: bind", "9: enter", "9: leave", "9: step", "9: terminate"}));
  ASSERT_EQ(watched.watcher.steps.size(), 1U);
  EXPECT_EQ(watched.watcher.steps[0].t0, 2.0);
  EXPECT_DOUBLE_EQ(watched.watcher.steps[0].t1, 2.0 + 4e-6);
}

TEST(Witness, IsNotAskedFurtherWhereAllOutputsAnswer) {
  Watched watched({});
  watched.watcher.afterwards = becoming({0, 1, 2}, 5.0);
  EXPECT_EQ(watched.verdict(), "");
  EXPECT_EQ(watched.watcher.events, (std::vector<std::string>{"9: bind", "9: enter", "9: terminate"}));
}

/// Only silent outputs are looked at, and those that stay what they were are right to be silent. Solvers that iterate
/// answer alike, not the same.
TEST(Witness, AllowsOutputsThatStayAsTheyWere) {
  Watched others({0});
  others.watcher.afterwards = becoming({1}, 99.0);
  others.watcher.stepped = becoming({2}, 99.0);
  // The silent one is 4 in initialisation and what its formula says, 5, later.
  EXPECT_EQ(others.verdict(), unfit("p"));
  for (const auto& [value, allowed] : {std::pair(4.0 + 3.9e-4, true), std::pair(4.0 - 3.9e-4, true),
                                       std::pair(4.0 + 4.1e-4, false), std::pair(4.0 - 4.1e-4, false)})
    for (const bool inStep : {false, true}) {
      Watched alike({1});
      (inStep ? alike.watcher.stepped : alike.watcher.afterwards) = becoming({1}, value);
      EXPECT_EQ(alike.verdict(), allowed ? "" : unfit("q")) << value << " " << inStep;
    }
}

TEST(Witness, ThatFailsSaysNothing) {
  const auto verdictWhere = [](const std::function<void(Pretence&)>& change) {
    Watched watched({0});
    watched.watcher.stepped = becoming({0}, 5.0);
    change(watched.watcher);
    return watched.verdict();
  };
  EXPECT_EQ(verdictWhere([](Pretence&) {}), unfit("p"));
  for (const Status status : {Status::discard, Status::error}) {
    EXPECT_EQ(verdictWhere([=](Pretence& p) {
                p.status = [=](int, const Vector& u) { return u[0] == 1.0 ? status : Status::ok; };
              }),
              "");
    EXPECT_EQ(verdictWhere([=](Pretence& p) {
                p.status = [=](int, const Vector& u) { return u[0] != 1.0 ? status : Status::ok; };
              }),
              "");
    EXPECT_EQ(verdictWhere([=](Pretence& p) { p.readStatus = status; }), "");
    EXPECT_EQ(verdictWhere([=](Pretence& p) { p.stepStatus = status; }), "");
  }
  EXPECT_EQ(verdictWhere([](Pretence& p) { p.readStatus = p.stepStatus = Status::warning; }), unfit("p"));
  EXPECT_EQ(verdictWhere([](Pretence& p) { p.throwsAtTheEnd = true; }), "");
  // Where the experiment has no length no step can be taken.
  Watched still({0}, 1.0, 1.0);
  still.watcher.stepped = becoming({0}, 5.0);
  EXPECT_EQ(still.verdict(), "");
  EXPECT_EQ(still.watcher.steps.size(), 0U);
}

}  // namespace
}  // namespace koppla::solver::test::static_failures_test
