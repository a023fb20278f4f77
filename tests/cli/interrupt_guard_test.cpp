// Requests to end, as signals that do not kill this process.

#include <array>
#include <csignal>

#include <gtest/gtest.h>

#include "koppla/core/interruption.hpp"
#include "koppla/project/project.hpp"

#include "interrupt.hpp"

namespace koppla::test::interrupt_guard_test {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

void mine(int /*signal*/) {}

decltype(SIG_DFL) handlerOf(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

class InterruptGuardTest : public ::testing::Test {
 protected:
  InterruptGuardTest() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals.at(i), nullptr, &before_.at(i));
      std::signal(kSignals.at(i), mine);
    }
  }
  ~InterruptGuardTest() override {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals.at(i), &before_.at(i), nullptr);
    core::forgetInterruption();
  }

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

TEST_F(InterruptGuardTest, TakesEachSignalOnceAndGivesAllBack) {
  for (const int signal : kSignals) {
    {
      const cli::InterruptGuard guard;
      EXPECT_FALSE(core::interruptionRequested());
      for (const int each : kSignals) EXPECT_TRUE(handlerOf(each) != mine && handlerOf(each) != SIG_DFL) << each;
      std::raise(signal);
      EXPECT_TRUE(core::interruptionRequested()) << signal;
      EXPECT_EQ(handlerOf(signal), SIG_DFL) << "the second one kills";
      guard.reclaim();
      EXPECT_EQ(handlerOf(signal), SIG_DFL) << "and is not taken back";
    }
    for (const int each : kSignals) EXPECT_EQ(handlerOf(each), mine) << each;
  }
}

TEST_F(InterruptGuardTest, ForgetsRequestsOfBefore) {
  core::requestInterruption();
  const cli::InterruptGuard guard;
  EXPECT_FALSE(core::interruptionRequested());
}

TEST_F(InterruptGuardTest, TakesSignalsBackFromOthers) {
  const cli::InterruptGuard guard;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  guard.reclaim();
  for (const int signal : kSignals) EXPECT_NE(handlerOf(signal), SIG_DFL) << signal;
}

/// As `nohup` has it.
TEST_F(InterruptGuardTest, LeavesSignalsAloneThatWereIgnored) {
  for (const int signal : kSignals) {
    std::signal(signal, SIG_IGN);
    {
      const cli::InterruptGuard guard;
      for (const int each : kSignals) EXPECT_EQ(handlerOf(each) == SIG_IGN, each == signal) << each;
    }
    std::signal(signal, mine);
  }
}

class InterruptedRunTest : public InterruptGuardTest {
 protected:
  [[nodiscard]] run::Run makeRun() {
    return project::makeRun(
        project::readText("format = 1\nsimulation = { end = 1.0, step = 0.25 }\n[[subsystems]]\nname = \"a\"\nmodel = "
                          "\"expressions\"\noutputs = { y = \"t\" }\n",
                          "p.toml", log_),
        log_);
  }

  core::Log log_;
};

TEST_F(InterruptedRunTest, HearsOfARequestThatHasComeAlready) {
  const cli::InterruptGuard guard;
  run::Run run = makeRun();
  std::raise(SIGTERM);
  const cli::InterruptedRun interruptible(run);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_EQ(outcome.kind, run::OutcomeKind::interrupted);
}

TEST_F(InterruptedRunTest, HearsOfARequestAmidIt) {
  const cli::InterruptGuard guard;
  run::Run run = makeRun();
  const cli::InterruptedRun interruptible(run);
  ASSERT_TRUE(run.initialise().ok());
  std::raise(SIGINT);
  EXPECT_EQ(run.simulate().kind, run::OutcomeKind::interrupted);
}

TEST_F(InterruptedRunTest, HearsOfNoneAfterwards) {
  const cli::InterruptGuard guard;
  run::Run run = makeRun();
  { const cli::InterruptedRun interruptible(run); }
  std::raise(SIGINT);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
}

}  // namespace
}  // namespace koppla::test::interrupt_guard_test
