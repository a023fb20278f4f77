// Members on several threads: how they are shared out, where they stay, and that nothing changes by it.

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/waveform.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::threads_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;

constexpr Step kStep{1.0, 1.5, false};

using Groups = ParallelSweep::Groups;
using Homes = ParallelSweep::Homes;

/// Seconds by position, counted from 0 of the network.
Groups groupsOf(Block block, std::size_t threads, const Homes& homes, const Reals& seconds) {
  return ParallelSweep::groups(block, threads, homes, [&](std::size_t position) { return seconds[position]; });
}

TEST(ParallelSweep, GivesTheLongestToWhoHasLeastToDo) {
  const Homes anywhere(6);
  EXPECT_EQ(groupsOf({0, 6}, 2, anywhere, {1.0, 5.0, 2.0, 3.0, 1.0, 2.0}), (Groups{{1, 5}, {3, 2, 0, 4}}))
      << "5 | 3, 2 | 5: then 2 to the first, 1 to the second, 1 to the second";
  EXPECT_EQ(groupsOf({2, 5}, 2, anywhere, {1.0, 5.0, 2.0, 3.0, 1.0, 2.0}), (Groups{{3}, {2, 4}}));
  EXPECT_EQ(groupsOf({0, 3}, 3, anywhere, {1.0, 1.0, 1.0}), (Groups{{0}, {1}, {2}})) << "in order where they are alike";
}

TEST(ParallelSweep, PaysWhereTheLongestGroupAndTheMeetingAreATenthShorterThanAll) {
  const Homes anywhere(3);
  // 30 microseconds to meet.
  EXPECT_TRUE(groupsOf({0, 2}, 2, anywhere, {30e-6, 30e-6}).empty());
  EXPECT_FALSE(groupsOf({0, 2}, 2, anywhere, {100e-6, 100e-6}).empty());
  EXPECT_TRUE(groupsOf({0, 2}, 2, anywhere, {37e-6, 37e-6}).empty()) << "67 of 74";
  EXPECT_FALSE(groupsOf({0, 2}, 2, anywhere, {38e-6, 38e-6}).empty()) << "68 of 76";
  EXPECT_TRUE(groupsOf({0, 2}, 2, anywhere, {1.0, 0.05}).empty());
  EXPECT_TRUE(groupsOf({0, 1}, 2, anywhere, {1.0}).empty());
}

TEST(ParallelSweep, LeavesMembersAtHome) {
  const Homes homes{std::nullopt, 1, std::nullopt, 0, 1};
  EXPECT_EQ(groupsOf({0, 5}, 2, homes, {2.0, 1.0, 0.5, 0.5, 1.0}), (Groups{{3, 0}, {1, 4, 2}}));
  // Who is at home on another thread is there, whether that pays or not.
  EXPECT_EQ(groupsOf({0, 2}, 2, homes, {0.0, 0.0}), (Groups{{0}, {1}}));
  EXPECT_TRUE(groupsOf({2, 4}, 2, homes, {0.0, 0.0, 0.0, 0.0}).empty()) << "at home with the caller";
}

TEST(ParallelSweep, TellsTheFirstFaultInOrder) {
  for (const bool together : {false, true}) {
    const double seconds = together ? 1.0 : 0.0;
    ParallelSweep sweep(2, Homes(4));
    std::atomic<int> calls = 0;
    const Fault fault = sweep.run(
        {0, 4},
        [&](std::size_t position) {
          ++calls;
          return position == 1 || position == 3 ? Fault{FaultKind::failed, static_cast<std::uint32_t>(position), 0.0}
                                                : Fault{};
        },
        [&](std::size_t) { return seconds; });
    EXPECT_EQ(fault.position, 1U);
    EXPECT_EQ(calls, together ? 4 : 2) << "alone nobody goes on";
    EXPECT_FALSE(sweep.run(
        {0, 1}, [](std::size_t) { return Fault{}; }, [](std::size_t) { return 0.0; }));
  }
}

/// Plans are renewed ever more seldom, with what has been measured by then, each block by itself.
TEST(ParallelSweep, RenewsItsPlansAtTheFirstTheSecondTheFourthRun) {
  ParallelSweep sweep(2, Homes(4));
  for (const Block& block : {Block{0, 4}, Block{0, 2}, Block{2, 4}}) {
    std::vector<int> renewed;
    for (int run = 1; run <= 20; ++run) {
      bool asked = false;
      EXPECT_FALSE(sweep.run(
          block, [](std::size_t) { return Fault{}; },
          [&](std::size_t) {
            asked = true;
            return 0.0;
          }));
      if (asked) renewed.push_back(run);
    }
    EXPECT_EQ(renewed, (std::vector<int>{1, 2, 4, 8, 16}));
  }
}

/// Members that record on which threads they ran.
struct Threaded {
  System system{};
  std::array<std::set<std::thread::id>, 5> threads{};
  std::optional<Network> network{};

  /// Bound: to the thread that they began on. The fourth one is static.
  explicit Threaded(std::array<bool, 5> bound, double seconds = 0.0) {
    for (std::size_t i = 0; i < 5; ++i) {
      Script script = source({in("u"), out("y")});
      script.capabilities.threadBound = bound[i];
      script.capabilities.isStatic = i == 3;
      script.advance = [this, i, seconds](const Step& step, Trajectory u, std::span<double> y, Binding&) {
        threads[i].insert(std::this_thread::get_id());
        const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (std::chrono::steady_clock::now() < until) continue;
        y[0] = u.value(0, 1.0) + static_cast<double>(i);
        return StepResult{Status::ok, step.t1};
      };
      script.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
        threads[3].insert(std::this_thread::get_id());
        y[0] = 2.0 * u[0];
        return Status::ok;
      };
      add(system, fmt::format("m{}", i), std::move(script));
    }
    connect(system, {{"m0.y", "m1.u"}, {"m1.y", "m2.u"}, {"m2.y", "m3.u"}, {"m3.y", "m4.u"}, {"m4.y", "m0.u"}});
    network.emplace(system, inOrder(system), 1e100);
  }
  Reals advance(int steps) {
    Approximation approximation(5, 0, {});
    approximation.add(0.0, network->outputs());
    for (int n = 0; n < steps; ++n) {
      approximation.begin(n, n + 1.0);
      EXPECT_FALSE(network->advance({0, 5}, {static_cast<double>(n), n + 1.0, true}, Form::parallel, approximation));
      approximation.add(n + 1.0, network->outputs());
    }
    return {network->outputs().begin(), network->outputs().end()};
  }
};

TEST(Threads, ChangeNoResult) {
  const Reals alone = Threaded({}).advance(20);
  for (const bool forAll : {false, true})
    for (const std::array<bool, 5>& bound :
         {std::array{false, false, false, false, false}, std::array{true, false, true, false, true}}) {
      Threaded threaded(bound, 50e-6);
      threaded.network->useThreads(3, forAll);
      EXPECT_TRUE(threaded.network->usesThreads());
      EXPECT_EQ(threaded.advance(20), alone);
    }
}

TEST(Threads, KeepBoundMembersWhereTheyAre) {
  const std::thread::id own = std::this_thread::get_id();
  Threaded threaded({true, true, true, true, true});
  threaded.network->useThreads(2, true);
  threaded.advance(10);
  for (const auto& threads : threaded.threads) EXPECT_EQ(threads.size(), 1U);
  // They go round the threads, the caller's first; the static one is evaluated by the caller.
  EXPECT_EQ(*threaded.threads[0].begin(), own);
  EXPECT_NE(*threaded.threads[1].begin(), own);
  EXPECT_EQ(*threaded.threads[2].begin(), own);
  EXPECT_EQ(*threaded.threads[3].begin(), own);
  EXPECT_NE(*threaded.threads[4].begin(), own);
  // A step of such a member alone, or in sequence, is taken there as well.
  Reals y(1);
  Approximation approximation(5, 0, {});
  approximation.add(0.0, threaded.network->outputs());
  approximation.begin(0.0, 1.0);
  EXPECT_FALSE(threaded.network->advanceAlone(1, kStep, y));
  EXPECT_FALSE(threaded.network->advance({0, 5}, kStep, Form::sequence, approximation));
  EXPECT_EQ(threaded.threads[1].size(), 1U);
  EXPECT_EQ(threaded.threads[0].size(), 1U);
  Threaded stay({true, true, true, true, true}, 50e-6);
  stay.network->useThreads(2, false);
  stay.advance(10);
  for (const auto& threads : stay.threads)
    EXPECT_EQ(threads, std::set<std::thread::id>{own}) << "only those that may move";
}

TEST(Threads, AreNoMoreThanMembersThatTakeSteps) {
  Threaded threaded({});
  threaded.network->useThreads(1, true);
  EXPECT_FALSE(threaded.network->usesThreads());
  threaded.network->useThreads(2, true);
  EXPECT_TRUE(threaded.network->usesThreads());
  System system;
  Script a = source({in("u"), out("y")});
  Script law = a;
  law.capabilities.isStatic = true;
  add(system, "a", std::move(a));
  add(system, "law", std::move(law));
  connect(system, {{"a.y", "law.u"}, {"law.y", "a.u"}});
  Network network(system, inOrder(system), 1e100);
  network.useThreads(4, true);
  EXPECT_FALSE(network.usesThreads());
}

TEST(Threads, AreWorthTheirWhileForMembersThatTakeLong) {
  for (const double seconds : {0.0, 20e-3}) {  // longer than others take the processor away
    Threaded threaded({true, false, true, false, false}, seconds);
    EXPECT_EQ(threaded.network->threadsWorthwhile(), 0U) << "nothing has been measured";
    EXPECT_FALSE(threaded.network->threadsPay(2));
    threaded.advance(3);
    const bool worth = seconds > 0.0;
    EXPECT_EQ(threaded.network->threadsWorthwhile(), worth ? 2U : 0U);
    EXPECT_EQ(threaded.network->worthThreads(), worth ? (std::vector<MemberIndex>{0, 2}) : std::vector<MemberIndex>{});
    EXPECT_EQ(threaded.network->threadsPay(2), worth);
  }
}

/// Another process takes milliseconds, which is known before anything is measured.
TEST(Threads, AreWorthTheirWhileForProcesses) {
  System system;
  for (const char* name : {"a", "b"}) {
    Script script = source({in("u"), out("y")});
    script.capabilities.ownProcess = true;
    add(system, name, std::move(script));
  }
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  Network network(system, inOrder(system), 1e100);
  EXPECT_EQ(network.threadsWorthwhile(), 2U);
  EXPECT_TRUE(network.threadsPay(2));
  EXPECT_TRUE(network.worthThreads().empty());
}

}  // namespace
}  // namespace koppla::coupling::threads_test
