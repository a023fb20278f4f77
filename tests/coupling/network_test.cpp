#include "koppla/coupling/network.hpp"

#include <atomic>
#include <limits>

#include <gtest/gtest.h>

#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::Formula;
using test::gain;
using test::makeSystem;

constexpr double kLimit = 1e100;
constexpr subsystem::Step kStep{0.0, 1.0, true};

TEST(Network, InSequenceAValueGoesThroughAChainInOneSweep) {
  System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(2)}, {"b", gain(3)}, {"end", gain(1)}},
                             {{"t.y", "a.u"}, {"a.y", "b.u"}, {"b.y", "end.u"}});
  Network network(system, findCycles(system), kLimit);
  ASSERT_FALSE(network.advance({0, 4}, kStep, Form::sequence));
  EXPECT_EQ(network.outputs()[2], 6.0);
}

TEST(Network, InParallelEveryMemberIsOneSweepLate) {
  System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(2)}, {"b", gain(3)}, {"end", gain(1)}},
                             {{"t.y", "a.u"}, {"a.y", "b.u"}, {"b.y", "end.u"}});
  Network network(system, findCycles(system), kLimit);
  ASSERT_FALSE(network.advance({0, 4}, kStep, Form::parallel));
  EXPECT_EQ(network.outputs()[1], 0.0);
  ASSERT_FALSE(network.advance({0, 4}, {1.0, 2.0, true}, Form::parallel));
  EXPECT_EQ(network.outputs()[1], 2.0);
  EXPECT_EQ(network.outputs()[2], 0.0);
}

TEST(Network, AConnectionScalesThenShifts) {
  System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(1)}, {"end", gain(1)}},
                             {{"t.y", "a.u", 1000.0, -273.15}, {"a.y", "end.u"}});
  Network network(system, findCycles(system), kLimit);
  ASSERT_FALSE(network.advance({0, 3}, kStep, Form::sequence));
  EXPECT_EQ(network.outputs()[1], 1000.0 - 273.15);
}

TEST(Network, NonFiniteAndExplodedValuesAreFaultsWithTheirPlace) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e101}) {
    Formula wild = gain(1);
    wild.output = [bad](const auto&, double, const auto&) { return std::vector<double>{bad}; };
    System system = makeSystem({{"t", test::clockSignal()}, {"wild", wild}, {"end", gain(1)}},
                               {{"t.y", "wild.u"}, {"wild.y", "end.u"}});
    Network network(system, findCycles(system), kLimit);
    const Fault fault = network.advance({0, 3}, kStep, Form::sequence);
    EXPECT_EQ(fault.kind, FaultKind::exploded) << bad;
    EXPECT_EQ(network.outputName(network.explodedOutput(fault.position)).member, 1U);
  }
}

TEST(Network, ABoundIsNoticedAndEndsNothing) {
  for (const Form form : {Form::sequence, Form::parallel}) {
    System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(2)}, {"b", gain(3)}},
                               {{"t.y", "a.u"}, {"a.y", "b.u"}, {"b.y", "a.u"}});
    Network network(system, findCycles(system), kLimit);
    std::atomic<bool> notice = false;
    network.noticeBy(notice);
    network.outputs()[0] = 1.0;
    network.watch(0, 5.0);
    ASSERT_FALSE(network.advance({0, 3}, {0.0, 4.0, true}, form));
    EXPECT_FALSE(notice);
    ASSERT_FALSE(network.advance({0, 3}, {4.0, 6.0, true}, form));
    EXPECT_TRUE(notice);
    EXPECT_TRUE(network.isBeyond(0));
    EXPECT_FALSE(network.isBeyond(1));
    EXPECT_EQ(network.outputs()[0], 6.0);
    // Once is enough until somebody has looked.
    notice = false;
    ASSERT_FALSE(network.advance({0, 3}, {6.0, 7.0, true}, form));
    EXPECT_FALSE(notice);
    network.watch(0, 5.0);
    EXPECT_FALSE(network.isBeyond(0));
    ASSERT_FALSE(network.advance({0, 3}, {7.0, 8.0, true}, form));
    EXPECT_TRUE(notice);
  }
}

TEST(Network, ABoundLeavesTheExplosionLimitWhereItIs) {
  for (const double bound : {5.0, 2.0 * kLimit}) {
    System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(1)}}, {{"t.y", "a.u"}});
    Network network(system, findCycles(system), kLimit);
    network.watch(0, bound);
    EXPECT_FALSE(network.advance({0, 2}, {0.0, kLimit, true}, Form::sequence)) << bound;
    EXPECT_EQ(network.advance({0, 2}, {0.0, 1.01 * kLimit, true}, Form::sequence).kind, FaultKind::exploded) << bound;
  }
}

TEST(Network, CallsAreCountedExactly) {
  System system = makeSystem({{"t", test::clockSignal()}, {"a", gain(2)}}, {{"t.y", "a.u"}});
  Network network(system, findCycles(system), kLimit);
  for (int i = 0; i < 5000; ++i) ASSERT_FALSE(network.advance({0, 2}, kStep, Form::sequence));
  ASSERT_FALSE(network.save({0, 2}, subsystem::Slot::iteration));
  EXPECT_EQ(network.stepCount(0), 5000U);
  EXPECT_EQ(network.saveCalls(1).count(), 1U);
  EXPECT_EQ(network.restoreCalls(1).count(), 0U);
}

TEST(CallCounter, ExpensiveCallsAreTimedWithoutSampling) {
  CallCounter meter;
  for (int i = 0; i < 20; ++i)
    meter.measure([] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
      while (std::chrono::steady_clock::now() < until) continue;
      return 0;
    });
  EXPECT_EQ(meter.count(), 20U);
  EXPECT_GE(meter.seconds(), 20 * 50e-6);
}

/// Every thousandth of many cheap calls has a long part, which no sample need meet: 7 s in all.
TEST(CallCounter, PartsThatSomebodyElseMeasuresAreCountedOnce) {
  CallCounter meter;
  double apart = 0.0;
  for (int i = 1; i <= 7000; ++i)
    meter.measureApartFrom([&] { return apart; },
                           [&] {
                             if (i % 1000 == 0) apart += 1.0;
                             return 0;
                           });
  EXPECT_EQ(apart, 7.0);
  EXPECT_NEAR(meter.secondsWith(apart), 7.0, 0.5);
}

TEST(CallCounter, PartsOfCallsThatAreTimedAnywayAreNotCountedAgain) {
  CallCounter meter;
  double apart = 0.0;
  for (int i = 0; i < 20; ++i)
    meter.measureApartFrom([&] { return apart; },
                           [&] {
                             const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
                             while (std::chrono::steady_clock::now() < until) continue;
                             apart += 50e-6;
                             return 0;
                           });
  EXPECT_DOUBLE_EQ(meter.secondsWith(apart), meter.seconds());
}

}  // namespace
}  // namespace koppla::coupling
