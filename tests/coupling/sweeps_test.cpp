// Steps of members whose inputs are more than held values: courses through sums and mappings, slopes, static members,
// several threads, waveforms.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/waveform.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::sweeps_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Powers = std::vector<Reals>;

constexpr Step kStep{1.0, 1.5, false};

std::vector<Cycle> inOrder(const System& system) {
  std::vector<Cycle> cycles;
  for (MemberIndex member = 0; member < system.members.size(); ++member) cycles.push_back({{member}, false});
  return cycles;
}

Script source(std::vector<subsystem::Port> ports) {
  Script script;
  script.ports = std::move(ports);
  return script;
}

/// Keeps the courses that it is given.
Script recording(std::vector<subsystem::Port> ports, std::vector<Powers>& met, std::vector<Step>* steps = nullptr) {
  Script script = source(std::move(ports));
  script.capabilities.inputDerivatives = 5;
  script.advance = [&met, steps](const Step& step, Trajectory u, std::span<double>, Binding&) {
    Powers powers;
    for (unsigned k = 0; k <= u.degree; ++k) powers.emplace_back(u.power(k).begin(), u.power(k).end());
    met.push_back(std::move(powers));
    if (steps != nullptr) steps->push_back(step);
    return StepResult{Status::ok, step.t1};
  };
  return script;
}

// ---- Courses
// -------------------------------------------------------------------------------------------------------------

/// x = (1, 2) + (3, -1) s and z = 5 + 7 s, in all that inputs are made of.
TEST(Courses, GoThroughScalesSumsAndMappings) {
  for (const Form form : {Form::parallel, Form::sequence}) {
    System system;
    std::vector<Powers> met;
    std::vector<Step> steps;
    add(system, "s", source({out("x", 2), out("z")}));
    add(system, "c", recording({in("plain", 2), in("mapped", 2), in("sum"), in("scaled")}, met, &steps));
    mapping::SparseRows rows;
    rows.append(0, 1.0);
    rows.append(1, 10.0);
    rows.endRow();
    rows.append(1, -1.0);
    rows.endRow();
    connect(system, {{"s.x", "c.plain"},
                     {"s.z", "c.sum", 2.0, 0.25},
                     {"s.z", "c.sum", -1.0, 0.5},
                     {"s.z", "c.scaled", -3.0, 100.0}});
    system.connections.push_back(
        {{0, 0}, {1, 1}, 0.5, 4.0, {}, {}, {std::make_shared<mapping::Operator>(std::move(rows), 2), 1}});
    Network network(system, inOrder(system), 1e100);
    Approximation approximation(3, 1, {});
    // Samples at t - h and t, so that the line goes on.
    approximation.add(0.5, Reals{-2.0, 3.0, -2.0});
    approximation.add(1.0, Reals{1.0, 2.0, 5.0});
    approximation.begin(kStep.t0, kStep.t1);
    if (form == Form::sequence) std::ranges::copy(Reals{4.0, 1.0, 12.0}, network.outputs().begin());
    ASSERT_FALSE(network.advance({0, 2}, kStep, form, approximation));
    ASSERT_EQ(met.size(), 1U);
    EXPECT_EQ(met[0], (Powers{{1.0, 2.0, 0.5 * 21.0 + 4.0, 0.5 * -2.0 + 4.0, 5.0 + 0.75, -15.0 + 100.0},
                              {3.0, -1.0, 0.5 * -7.0, 0.5 * 1.0, 7.0, -21.0}}))
        << static_cast<int>(form);
    EXPECT_EQ(steps[0].perSecond, 2.0) << "computed once for all";
    EXPECT_EQ(network.inputAtEnd(1, 4, &approximation), 12.75);
    EXPECT_EQ(network.inputAtEnd(1, 0, &approximation), 4.0);
    network.gather(1);
    EXPECT_EQ(network.inputAtEnd(1, 0, nullptr), network.inputsOf(1)[0]);
  }
}

/// In sequence each follows what those before it have just delivered, in parallel nobody does.
TEST(Courses, InSequenceLeadToWhatHasJustBeenDelivered) {
  for (const Form form : {Form::parallel, Form::sequence}) {
    System system;
    std::vector<Powers> met;
    Script a = source({out("y")});
    a.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
      y[0] = 9.0;
      return StepResult{Status::ok, step.t1};
    };
    add(system, "a", std::move(a));
    add(system, "c", recording({in("u")}, met));
    connect(system, {{"a.y", "c.u"}});
    Network network(system, inOrder(system), 1e100);
    Approximation approximation(1, 1, {});
    approximation.add(0.5, Reals{1.0});
    approximation.add(1.0, Reals{3.0});
    approximation.begin(kStep.t0, kStep.t1);
    ASSERT_FALSE(network.advance({0, 2}, kStep, form, approximation));
    EXPECT_EQ(met.back(), (Powers{{3.0}, {form == Form::sequence ? 6.0 : 2.0}}));
  }
}

// ---- Static members
// ------------------------------------------------------------------------------------------------------

TEST(StaticMembers, AreEvaluatedAtTheEndWithWhatTheOthersDeliver) {
  for (const Form form : {Form::parallel, Form::sequence})
    for (const double answer : {10.0, 1e101}) {
      System system;
      std::vector<std::pair<double, double>> met;
      Script a = source({out("y")});
      a.advance = [answer](const Step& step, Trajectory, std::span<double> y, Binding&) {
        y[0] = answer > 1e100 ? 5.0 : 10.0;
        return StepResult{Status::ok, step.t1};
      };
      Script law = source({in("u"), in("w"), out("y")});
      law.capabilities.isStatic = true;
      law.evaluate = [&, answer](double t, std::span<const double> u, std::span<double> y, Binding&) {
        met.emplace_back(t, u[0]);
        y[0] = answer > 1e100 ? answer : u[0] * 2.0;
        return Status::ok;
      };
      add(system, "a", std::move(a));
      add(system, "law", std::move(law));
      add(system, "c", source({in("u")}));
      connect(system, {{"a.y", "law.u"}, {"law.y", "c.u"}, {"law.y", "law.w"}});
      Network network(system, inOrder(system), 1e100);
      Approximation approximation(2, 0, {});
      approximation.add(1.0, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      const Fault fault = network.advance({0, 3}, kStep, form, approximation);
      if (answer > 1e100) {
        EXPECT_EQ(fault.kind, FaultKind::exploded);
        EXPECT_EQ(fault.position, 1U);
        continue;
      }
      EXPECT_FALSE(fault);
      EXPECT_EQ(met, (std::vector<std::pair<double, double>>{{1.5, 10.0}}));
      EXPECT_EQ(network.outputs()[1], 20.0);
      EXPECT_EQ(network.inputAtEnd(1, 0, &approximation), 10.0) << "as it stands";
      // A probe of a static member is an evaluation with one input changed, and leaves it as it was.
      Reals y(1);
      EXPECT_FALSE(network.probe(1, 0, 0.5, kStep, &approximation, y));
      EXPECT_EQ(y[0], 21.0);
      EXPECT_EQ(network.inputsOf(1)[0], 10.0);
      EXPECT_EQ(network.outputs()[1], 20.0);
    }
}

/// Discrete inputs are those of the time of the step: in parallel what was before, in sequence what has come.
TEST(DiscreteInputs, AreGatheredForEveryStep) {
  const auto metIn = [](Form form, bool waveform) {
    System system;
    std::int32_t met = -1;
    Script a = source({out("n", 1, core::Type::integer), out("y")});
    a.advance = [](const Step& step, Trajectory, std::span<double> y, Binding& binding) {
      binding.discreteOutputs.integers[0] = 7;
      y[0] = 0.0;
      return StepResult{Status::ok, step.t1};
    };
    Script c = source({in("n", 1, core::Type::integer), in("u")});
    c.advance = [&met](const Step& step, Trajectory, auto, Binding& binding) {
      met = binding.discreteInputs.integers[0];
      return StepResult{Status::ok, step.t1};
    };
    add(system, "a", std::move(a));
    add(system, "c", std::move(c));
    connect(system, {{"a.n", "c.n"}, {"a.y", "c.u"}});
    Network network(system, inOrder(system), 1e100);
    network.putDiscreteOutputs({0, 2}, {{}, {3}, {}, {}});
    if (waveform) {
      Waveform courses(1, 2, 1, {});
      courses.begin(network.outputs());
      EXPECT_FALSE(network.advance({0, 2}, kStep, form, courses));
    } else {
      Approximation approximation(1, 1, {});
      approximation.add(1.0, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      EXPECT_FALSE(network.advance({0, 2}, kStep, form, approximation));
      met = met == 3 || met == 7 ? met : -2;
    }
    return met;
  };
  for (const bool waveform : {false, true}) {
    EXPECT_EQ(metIn(Form::parallel, waveform), 3);
    EXPECT_EQ(metIn(Form::sequence, waveform), 7);
  }
}

// ---- Slopes
// --------------------------------------------------------------------------------------------------------------

/// Members that tell the slopes of their outputs are given room for both, behind what was there before.
TEST(Slopes, AreKeptApartFromTheValues) {
  System system;
  std::vector<Reals> before;
  const auto sloped = [&](std::size_t size, double value) {
    Script script = source({in("u"), out("y", size)});
    script.capabilities.outputDerivatives = 1;
    script.capabilities.inputDerivatives = 5;
    const auto write = [&before, size, value](std::span<double> y) {
      EXPECT_EQ(y.size(), 2 * size);
      before.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(size));
      for (std::size_t i = 0; i < size; ++i) {
        y[i] = value + static_cast<double>(i);
        y[size + i] = 10.0 * value + static_cast<double>(i);
      }
    };
    script.advance = [write](const Step& step, Trajectory, std::span<double> y, Binding&) {
      write(y);
      return StepResult{Status::ok, step.t1};
    };
    script.evaluate = [write](double, auto, std::span<double> y, Binding&) {
      write(y);
      return Status::ok;
    };
    script.readOutputs = [write](std::span<double> y, Binding&) {
      write(y);
      return Status::ok;
    };
    return script;
  };
  Script plain = source({in("u", 2), out("y")});
  plain.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
    EXPECT_EQ(y.size(), 1U);
    y[0] = -1.0;
    return StepResult{Status::ok, step.t1};
  };
  Script silent = sloped(1, 0.0);  // nobody takes its output
  silent.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
    EXPECT_TRUE(y.empty());
    return StepResult{Status::ok, step.t1};
  };
  add(system, "one", sloped(1, 3.0));
  add(system, "plain", std::move(plain));
  add(system, "two", sloped(2, 5.0));
  add(system, "silent", std::move(silent));
  connect(system, {{"two.y", "plain.u"}, {"plain.y", "one.u"}, {"one.y", "two.u"}, {"one.y", "silent.u"}});
  Network network(system, inOrder(system), 1e100, Samples::valuesAndSlopes);
  ASSERT_EQ(network.slopedOutputs().size(), 2U);
  EXPECT_EQ(network.slopedOutputs()[0].first, 0U);
  EXPECT_EQ(network.slopedOutputs()[0].last, 1U);
  EXPECT_EQ(network.slopedOutputs()[1].first, 2U);
  EXPECT_EQ(network.slopedOutputs()[1].last, 4U);
  EXPECT_TRUE(std::isnan(network.slopes()[0]));
  const auto expectAll = [&](const Reals& found) {
    ASSERT_EQ(before.size(), 2U);
    EXPECT_EQ(before[0], Reals{found[0]});
    EXPECT_EQ(before[1], (Reals{found[1], found[2]}));
    EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{3.0, -1.0, 5.0, 6.0}));
    EXPECT_EQ(network.slopes()[0], 30.0);
    EXPECT_TRUE(std::isnan(network.slopes()[1]));
    EXPECT_EQ(network.slopes()[2], 50.0);
    EXPECT_EQ(network.slopes()[3], 51.0);
    before.clear();
  };
  Approximation approximation(4, 1, {}, network.slopedOutputs());
  std::ranges::copy(Reals{0.5, -1.0, 0.25, 0.125}, network.outputs().begin());
  approximation.add(1.0, network.outputs(), network.slopes());
  for (const Form form : {Form::parallel, Form::sequence}) {
    std::ranges::copy(Reals{0.5, -1.0, 0.25, 0.125}, network.outputs().begin());
    approximation.begin(kStep.t0, kStep.t1);
    ASSERT_FALSE(network.advance({0, 4}, kStep, form, approximation));
    expectAll({0.5, 0.25, 0.125});
  }
  std::ranges::copy(Reals{8.0, -1.0, 7.0, 6.0}, network.outputs().begin());
  for (const std::size_t position : {0U, 2U}) ASSERT_FALSE(network.evaluate(position, 1.0));
  expectAll({8.0, 7.0, 6.0});
  std::ranges::copy(Reals{8.0, -1.0, 7.0, 6.0}, network.outputs().begin());
  for (const std::size_t position : {0U, 2U}) ASSERT_FALSE(network.readOutputs(position, 1.0));
  expectAll({8.0, 7.0, 6.0});
  const SingleStep single = network.advanceSingle(0, kStep, approximation);
  EXPECT_FALSE(single.fault);
  EXPECT_EQ(single.reached, 1.5);
  EXPECT_EQ(network.stepCount(0), 3U);
  before.clear();
  // Without that room they are as others.
  System again;
  Script values = source({in("u"), out("y")});
  values.capabilities.outputDerivatives = 1;
  add(again, "a", std::move(values));
  connect(again, {{"a.y", "a.u"}});
  Network plainNetwork(again, inOrder(again), 1e100);
  EXPECT_TRUE(plainNetwork.slopedOutputs().empty());
  EXPECT_TRUE(plainNetwork.slopes().empty());
}

// ---- Groups of threads
// ---------------------------------------------------------------------------------------------------

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
  for (const double seconds : {0.0, 100e-6}) {
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

// ---- Waveforms
// -----------------------------------------------------------------------------------------------------------

struct PieceMet {
  double t0, t1, perSecond, length;
  bool returnsBefore, final;
  Powers powers;
};

/// A dynamic member answers 10 t + its input at the end, a static one twice its input.
struct Waves {
  System system{};
  std::vector<PieceMet> pieces{};
  std::vector<std::pair<double, double>> evaluated{};
  std::vector<double> before{};
  std::optional<Network> network{};

  Waves() {
    Script a = source({in("u"), out("y")});
    a.capabilities.inputDerivatives = 5;
    a.advance = [this](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      PieceMet piece{step.t0, step.t1, step.perSecond, step.length, step.returnsBefore, step.final, {}};
      for (unsigned k = 0; k <= u.degree; ++k) piece.powers.emplace_back(u.power(k).begin(), u.power(k).end());
      pieces.push_back(std::move(piece));
      before.push_back(y[0]);
      y[0] = 10.0 * step.t1 + u.value(0, 1.0);
      return StepResult{Status::ok, step.t1};
    };
    Script law = source({in("u"), out("y")});
    law.capabilities.isStatic = true;
    law.evaluate = [this](double t, std::span<const double> u, std::span<double> y, Binding&) {
      evaluated.emplace_back(t, u[0]);
      y[0] = 2.0 * u[0];
      return Status::ok;
    };
    add(system, "a", std::move(a));
    add(system, "law", std::move(law));
    connect(system, {{"a.y", "law.u"}, {"law.y", "a.u"}});
    network.emplace(system, inOrder(system), 1e100);
  }
};

TEST(Waveforms, GoThroughTheStepPieceByPiece) {
  for (const Form form : {Form::parallel, Form::sequence})
    for (const bool final : {false, true}) {
      Waves waves;
      Waveform waveform(2, 4, 1, {});
      std::ranges::copy(Reals{1.0, 2.0}, waves.network->outputs().begin());
      waveform.begin(waves.network->outputs());
      for (unsigned point = 1; point <= 4; ++point) {
        waveform.at(point)[0] = 100.0 + point;
        waveform.at(point)[1] = 2.0 + point;
      }
      waveform.fit({0, 2});
      ASSERT_FALSE(waves.network->advance({0, 2}, {1.0, 3.0, final}, form, waveform));
      ASSERT_EQ(waves.pieces.size(), 4U);
      for (std::size_t j = 0; j < 4; ++j) {
        const PieceMet& piece = waves.pieces[j];
        const auto n = static_cast<double>(j);
        EXPECT_EQ(piece.t0, 1.0 + 0.5 * n);
        EXPECT_EQ(piece.t1, 1.5 + 0.5 * n);
        EXPECT_EQ(piece.perSecond, 2.0);
        EXPECT_EQ(piece.length, 0.5);
        EXPECT_EQ(piece.final, final);
        EXPECT_EQ(piece.returnsBefore, j > 0 && !final) << "whoever repeats the step goes back to before it";
        EXPECT_EQ(piece.powers, (Powers{{2.0 + n}, {1.0}}));
        EXPECT_EQ(waveform.at(static_cast<unsigned>(j) + 1)[0], 10.0 * (1.5 + 0.5 * n) + 3.0 + n);
        // Phases follow the sample before; the first one what it was in the last iteration.
        EXPECT_EQ(waves.before[j], j == 0 ? 101.0 : 10.0 * (1.0 + 0.5 * n) + 2.0 + n);
      }
      // The static member takes the samples at the points.
      ASSERT_EQ(waves.evaluated.size(), 4U);
      for (std::size_t j = 0; j < 4; ++j) {
        const auto n = static_cast<double>(j);
        EXPECT_EQ(waves.evaluated[j].first, 1.5 + 0.5 * n);
        EXPECT_EQ(waves.evaluated[j].second, 10.0 * (1.5 + 0.5 * n) + 3.0 + n);
        EXPECT_EQ(waveform.at(static_cast<unsigned>(j) + 1)[1], 2.0 * waves.evaluated[j].second);
      }
      // In sequence its splines are renewed as well.
      const Reals first{waveform.piece(0).powers[0], waveform.piece(0).powers[2]};
      EXPECT_EQ(first[0] + first[1], form == Form::sequence ? waveform.at(1)[0] : 101.0);
      EXPECT_EQ(waveform.at(0)[0], 1.0);
    }
}

TEST(Waveforms, HoldWhatChangesAtPointsOnly) {
  Waveform waveform(3, 2, 2, {1});
  waveform.begin(Reals{1.0, 2.0, 3.0});
  for (unsigned j = 0; j < 2; ++j)
    for (std::size_t v = 0; v < 3; ++v) {
      const Courses piece = waveform.piece(j);
      EXPECT_EQ(piece.powers[v], static_cast<double>(v) + 1.0) << "nothing is known of what comes";
      for (unsigned k = 1; k <= piece.degree; ++k) EXPECT_EQ(piece.powers[k * 3 + v], 0.0);
    }
  for (unsigned point = 1; point <= 2; ++point)
    for (std::size_t v = 0; v < 3; ++v) waveform.at(point)[v] = 10.0 * point + static_cast<double>(v);
  waveform.fit({1, 2});
  EXPECT_EQ(waveform.piece(0).powers[1], 11.0) << "what it is at the end of a piece";
  EXPECT_EQ(waveform.piece(1).powers[1], 21.0);
  EXPECT_EQ(waveform.piece(1).powers[3 + 1], 0.0);
  EXPECT_EQ(waveform.piece(0).powers[0], 1.0) << "the others are not renewed";
  EXPECT_EQ(waveform.piece(0).powers[3 + 0], 0.0);
  EXPECT_EQ(waveform.piece(0).powers[2], 3.0);
  waveform.fit({2, 3});
  EXPECT_EQ(waveform.piece(0).powers[0], 1.0);
  EXPECT_NEAR(waveform.piece(0).powers[2] + waveform.piece(0).powers[5] + waveform.piece(0).powers[8], 12.0, 1e-12);
  EXPECT_EQ(waveform.piece(0).powers[1], 11.0);
}

TEST(Waveforms, EndWhereAMemberFails) {
  for (const int failing : {0, 1}) {
    Waves waves;
    System system;
    int steps = 0;
    Script a = source({in("u"), out("y")});
    a.advance = [&](const Step& step, Trajectory, std::span<double> y, Binding&) {
      ++steps;
      y[0] = failing == 1 && steps == 3 ? 1e200 : 0.0;
      return StepResult{failing == 0 && steps == 2 ? Status::discard : Status::ok, step.t1 - 0.25};
    };
    Script law = source({in("u"), out("y")});
    law.capabilities.isStatic = true;
    law.evaluate = [](double, auto, auto, Binding&) { return Status::ok; };
    add(system, "a", std::move(a));
    add(system, "law", std::move(law));
    connect(system, {{"a.y", "law.u"}, {"law.y", "a.u"}});
    Network network(system, inOrder(system), 1e100);
    Waveform waveform(2, 4, 1, {});
    waveform.begin(network.outputs());
    const Fault fault = network.advance({0, 2}, {1.0, 3.0, false}, Form::sequence, waveform);
    EXPECT_EQ(fault.kind, failing == 0 ? FaultKind::discarded : FaultKind::exploded);
    EXPECT_EQ(fault.position, 0U);
    EXPECT_EQ(steps, failing == 0 ? 2 : 3);
    if (failing == 0) {
      EXPECT_EQ(fault.reached, 1.75);
    }
  }
}

}  // namespace
}  // namespace koppla::coupling::sweeps_test
