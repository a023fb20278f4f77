#include <cmath>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/interface_problem.hpp"
#include "koppla/run/run.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::connect;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;

/// x' = 2 u with u = 3 x.
struct Loop {
  System system = makeSystem({{"g", gain(3.0)}, {"x", integrator(2.0, 1.0)}}, {{"g.y", "x.u"}, {"x.y", "g.u"}});
  Network network{system, findCycles(system), 1e100};
  Waveform waveform{2, 2, 0, {}};
};

TEST(WaveformProblem, SamplesAreSentAndAnsweredPointByPoint) {
  Loop loop;
  loop.waveform.begin(std::vector<double>{3.0, 1.0});
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence, loop.waveform);
  ASSERT_FALSE(problem.begin({0.0, 1.0, false}, {}));
  for (int i = 0; i < 2; ++i) {
    problem.send(problem.cut(), std::vector<double>{1.0, 2.0});
    EXPECT_EQ(loop.network.outputs()[1], 2.0);
    ASSERT_FALSE(problem.evaluate());
    std::vector<double> read(2);
    problem.readSent(problem.cut(), read);
    EXPECT_EQ(read, (std::vector<double>{1.0, 2.0}));
    // The gain answers 3 * 1, then 3 * 2; the integrator gains 0.5 s * 2 * 3, then 0.5 s * 2 * 6.
    std::vector<double> answers(4);
    problem.readAnswered({0, 1}, answers);
    EXPECT_EQ(answers, (std::vector<double>{3.0, 4.0, 6.0, 10.0}));
    EXPECT_EQ(loop.network.outputs()[0], 6.0);
    EXPECT_EQ(loop.network.outputs()[1], 10.0);
  }
}

TEST(WaveformProblem, AWholeWaveformIsPassedOnInPlaceOfAnswers) {
  Loop loop;
  loop.waveform.begin(std::vector<double>{3.0, 1.0});
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence, loop.waveform);
  ASSERT_FALSE(problem.begin({0.0, 1.0, false}, {}));
  problem.send(problem.cut(), std::vector<double>{1.0, 2.0});
  const auto half = [&](std::size_t position) {
    const std::vector<std::size_t> own{loop.network.outputsOf(position).first};
    std::vector<double> samples(2);
    problem.readAnswered(own, samples);
    for (double& sample : samples) sample *= 0.5;
    problem.send(own, samples);
  };
  ASSERT_FALSE(problem.evaluate(half));
  std::vector<double> answers(4);
  problem.readAnswered({0, 1}, answers);
  EXPECT_EQ(answers, (std::vector<double>{3.0, 2.5, 6.0, 5.5}));
  EXPECT_EQ(loop.network.outputs()[1], 2.75);
  problem.keepAnswers();
  EXPECT_EQ(loop.network.outputs()[0], 6.0);
  EXPECT_EQ(loop.network.outputs()[1], 5.5);
}

run::Settings iterated(unsigned waveform, unsigned degree) {
  run::Settings settings;
  settings.step = 0.25;
  settings.algorithm = {.kind = AlgorithmKind::iteratedGaussSeidel,
                        .degree = degree,
                        .waveform = waveform,
                        .maxIterations = 100,
                        .rtol = 1e-11,
                        .atol = 1e-11};
  return settings;
}

double endOf(System system, const run::Settings& settings, const char* name) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return std::get<double>(run.value(name));
}

/// x1' = x2, x2' = -x1, x1(0) = 1, by members that take values only, exact while these are held.
System rotation() {
  return makeSystem({{"a", integrator(1.0, 1.0)}, {"b", integrator(-1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

TEST(WaveformIteration, MembersThatTakeValuesOnlyGetTheMeanOfEveryPiece) {
  // Means of linear pieces are the trapezoidal rule: second order in the piece, whatever the macro step.
  const auto errorWith = [](unsigned waveform) {
    return std::fabs(endOf(rotation(), iterated(waveform, 1), "a.y") - std::cos(1.0));
  };
  EXPECT_NEAR(std::log2(errorWith(4) / errorWith(8)), 2.0, 0.05);
  EXPECT_LT(errorWith(8), errorWith(1) / 60.0);
}

TEST(WaveformIteration, WhatRunsOnceBehindACycleFollowsItsWaveform) {
  // x3' = x1 = cos t, behind the cycle: sin 1 at the end, with the trapezoidal rule on pieces of 1/32 s.
  const auto system = [] {
    System behind = makeSystem({{"a", integrator(1.0, 1.0)}, {"b", integrator(-1.0)}, {"c", integrator()}},
                               {{"a.y", "b.u"}, {"b.y", "a.u"}, {"a.y", "c.u"}});
    return behind;
  };
  const double fine = std::fabs(endOf(system(), iterated(8, 1), "c.y") - std::sin(1.0));
  const double coarse = std::fabs(endOf(system(), iterated(4, 1), "c.y") - std::sin(1.0));
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
}

/// The rotation by members for which threads pay before anybody has measured them; says which ones they ran on.
System slowRotation(std::set<std::thread::id>& threads, std::mutex& mutex) {
  System system;
  for (const double k : {1.0, -1.0}) {
    Formula slow = integrator(k, k > 0.0 ? 1.0 : 0.0);
    slow.capabilities.ownProcess = true;
    slow.step = [&threads, &mutex, exact = slow.step](auto& x, double t1, double h, const auto& u) {
      exact(x, t1, h, u);
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    };
    system.members.push_back({k > 0.0 ? "a" : "b", test::makeSubsystem(std::move(slow)), {}});
  }
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  return system;
}

TEST(WaveformProblem, ThreadsChangeNothing) {
  std::vector<std::vector<double>> answers;
  for (const std::size_t threads : {1U, 2U}) {
    std::set<std::thread::id> used;
    std::mutex mutex;
    System system = slowRotation(used, mutex);
    Network network(system, findCycles(system), 1e100);
    network.useThreads(threads, true);
    Waveform waveform(2, 3, 0, {});
    waveform.begin(std::vector<double>{1.0, 0.0});
    InterfaceProblem problem(network, {0, 2}, Form::parallel, waveform);
    ASSERT_FALSE(problem.begin({0.0, 1.0, false}, {}));
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(problem.evaluate());
    EXPECT_EQ(used.size(), threads);
    problem.readAnswered(problem.coupled(), answers.emplace_back(6));
  }
  EXPECT_EQ(answers[0], answers[1]);
}

std::string refusal(const run::Settings& settings) {
  core::Log log;
  try {
    const run::Run run(rotation(), settings, log);
    return "";
  } catch (const core::InputError& error) {
    return error.what();
  }
}

TEST(WaveformIteration, WhatHasNoWaveformToIterateIsRefused) {
  run::Settings settings = iterated(4, 1);
  EXPECT_EQ(refusal(settings), "");
  for (const AlgorithmKind kind : {AlgorithmKind::newton, AlgorithmKind::gaussSeidel}) {
    settings.algorithm.kind = kind;
    EXPECT_NE(refusal(settings).find("Choose iterated-gauss-seidel"), std::string::npos) << refusal(settings);
  }
  settings = iterated(0, 1);
  EXPECT_NE(refusal(settings).find("algorithm.waveform"), std::string::npos);
  settings = iterated(1, 1);
  settings.algorithm.predictor = 6;
  EXPECT_NE(refusal(settings).find("algorithm.predictor"), std::string::npos);
}

}  // namespace
}  // namespace koppla::coupling
