// Where a recursion is taken: what is known of the instant, and that nobody is left unended.

#include "koppla/run/approach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "state_member.hpp"
#include "support/formula_subsystem.hpp"
#include "support/message_of.hpp"

namespace koppla::run::approach_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x' = rate u in steps with held inputs, two of which drive each other.
coupling::System pair(int* terminated, double rate = 1.0, bool fails = false, bool variableStep = true) {
  const auto member = [=](double start) {
    test_support::StateModel model;
    model.states = {start};
    model.step = [rate](const std::vector<double>& x, double h, const auto& u) {
      return std::vector<double>{x[0] + h * rate * u(0, 0)};
    };
    model.degree = 1;
    model.fails = fails;
    model.variableStep = variableStep;
    model.terminated = terminated;
    return test_support::make(std::move(model));
  };
  coupling::System system;
  system.members.push_back({"a", member(2.0), {}});
  system.members.push_back({"b", member(3.0), {}});
  test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  return system;
}

Settings jacobi() {
  Settings settings;
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.algorithm.degree = 1;
  settings.end = 1.0;
  settings.step = 0.1;
  return settings;
}

TEST(Approach, KnowsTheOutputsOfTheStartWhateverBecomesOfThem) {
  int terminated = 0;
  core::Log log;
  Approach approach(pair(&terminated), jacobi(), {}, log);
  approach.network().outputs()[0] = -1.0;
  EXPECT_THAT(approach.earlier(0.1, 2), ElementsAre(2.0, 3.0, 2.0, 3.0));
}

TEST(Approach, EndsTheMembersWithItself) {
  int terminated = 0;
  core::Log log;
  { const Approach approach(pair(&terminated), jacobi(), {}, log); }
  EXPECT_EQ(terminated, 2);
}

TEST(Approach, EndsTheMembersWhereTheyCannotBeInitialised) {
  int terminated = 0;
  core::Log log;
  EXPECT_THROW(Approach(pair(&terminated, 1.0, true), jacobi(), {}, log), core::InputError);
  EXPECT_EQ(terminated, 2);
}

/// 1 + 1e80 per step is beyond 1e150 in the second one.
TEST(Approach, EndsTheMembersWhereTheyDoNotComeToTheInstant) {
  int terminated = 0;
  core::Log log;
  const std::string refusal =
      test::messageOf<core::InputError>([&] { const Approach approach(pair(&terminated, 1e81), jacobi(), 0.5, log); });
  EXPECT_THAT(refusal, HasSubstr("on the way to 0.5 s"));
  EXPECT_EQ(terminated, 2);
}

TEST(Approach, NamesTheOptionWhereStepsDoNotMeetTheInstant) {
  int terminated = 0;
  core::Log log;
  const std::string refusal = test::messageOf<core::InputError>(
      [&] { const Approach approach(pair(&terminated, 1.0, false, false), jacobi(), 0.25, log); });
  EXPECT_THAT(refusal, HasSubstr("take steps of one length only: a, b."));
  EXPECT_THAT(refusal, HasSubstr("Choose an instant (--at) that is a whole number of steps away from the start."));
}

}  // namespace
}  // namespace koppla::run::approach_test
