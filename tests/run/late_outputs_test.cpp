// Loops through outputs that are computed only when initialisation is left, and loops that begin at start values: what
// the log says of them.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/run/run.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::late_outputs_test {
namespace {

using coupling::AlgorithmKind;
using test::gain;

/// Its outputs are 0 until initialisation has been left.
class Late : public subsystem::detail::Wrapper {
 public:
  using Wrapper::Wrapper;
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    u_.assign(u.begin(), u.end());
    std::ranges::fill(y, 0.0);
    t_ = t;
    return subsystem::Status::ok;
  }
  subsystem::Status readOutputs(std::span<double> y) override { return inner().evaluate(t_, u_, y); }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }

 private:
  double t_ = 0.0;
  std::vector<double> u_;
};

/// The same in a process of its own.
class LateProgram final : public Late {
 public:
  explicit LateProgram(std::unique_ptr<Subsystem> inner) : Late(std::move(inner)) {
    description().capabilities.ownProcess = true;
  }
};

/// Takes whole numbers only, so no difference can be formed.
class Whole final : public subsystem::detail::Wrapper {
 public:
  using Wrapper::Wrapper;
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    const bool whole = std::ranges::all_of(u, [](double value) { return value == std::floor(value); });
    return whole ? inner().evaluate(t, u, y) : subsystem::Status::discard;
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
};

/// Fails with values that are not whole, and from then on always, until it is brought back, as after fmi2Error.
class Offended : public subsystem::detail::Wrapper {
 public:
  using Wrapper::Wrapper;
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    const bool whole = std::ranges::all_of(u, [](double value) { return value == std::floor(value); });
    offended_ = offended_ || !whole;
    return offended_ ? subsystem::Status::error : inner().evaluate(t, u, y);
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
  subsystem::Status restore(subsystem::Slot slot) override {
    offended_ = false;
    return inner().restore(slot);
  }
  subsystem::Status initialiseAgain() override {
    offended_ = false;
    return subsystem::Status::ok;
  }
  [[nodiscard]] std::string failure() const override { return "fmi2GetReal returned fmi2Error."; }

 protected:
  bool offended_ = false;
};

/// The same by one that has no states to restore.
class OffendedForGood final : public Offended {
 public:
  explicit OffendedForGood(std::unique_ptr<Subsystem> inner) : Offended(std::move(inner)) {
    description().capabilities.saveRestore = false;
  }
};

/// a.y = 2 a.u + 1, b.y = 2 b.u, in a loop.
coupling::System loop() {
  return test::makeSystem({{"a", gain(2.0, 1.0)}, {"b", gain(2.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

/// The same with a in another way.
template <class Way>
coupling::System loopWith() {
  coupling::System system = loop();
  system.members[0].subsystem = std::make_unique<Way>(std::move(system.members[0].subsystem));
  return system;
}

/// Of the initialisation.
std::vector<std::string> warnings(coupling::System system, coupling::Initialisation initialisation,
                                  AlgorithmKind kind = AlgorithmKind::gaussSeidel) {
  core::Log log;
  std::vector<std::string> messages;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { messages.emplace_back(message); },
              core::Severity::warning);
  Settings settings;
  settings.step = 0.1;
  settings.end = 1.0;
  settings.algorithm.kind = kind;
  settings.algorithm.initialisation = initialisation;
  run::Run run(std::move(system), settings, log);
  const Outcome outcome = run.initialise();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return messages;
}

std::vector<std::string> warnings(bool late, coupling::Initialisation initialisation,
                                  AlgorithmKind kind = AlgorithmKind::gaussSeidel) {
  return warnings(late ? loopWith<Late>() : loop(), initialisation, kind);
}

std::size_t count(const std::vector<std::string>& messages, const std::string& part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      messages, [&part](const std::string& message) { return message.find(part) != std::string::npos; }));
}

constexpr auto kSolve = coupling::Initialisation::solve;
constexpr auto kKeep = coupling::Initialisation::startValues;

/// Held values go round once per step: they grow by 2 * 2, whether the loop was solved at the start or not.
TEST(LateOutputs, ALoopThatIsKeptAtStartValuesWarnsOfItsGrowth) {
  for (const auto initialisation : {kSolve, kKeep}) {
    const std::vector<std::string> told = warnings(false, initialisation);
    EXPECT_EQ(told.size(), 1U);
    EXPECT_EQ(count(told, "an algebraic loop goes through a.y, b.y (growth per step: 4)"), 1U);
  }
}

TEST(LateOutputs, TheGrowthOfALoopDecidesWhatItsValuesDo) {
  for (const auto& [gainOfB, words] : {std::pair(0.25,
                                                 "(growth per step: 0.5). An explicit algorithm carries values "
                                                 "round it once per step, so they are late by some steps."),
                                       std::pair(-0.5, "so they never settle, however short the step is."),
                                       std::pair(0.75, "so they diverge, however short the step is.")}) {
    coupling::System system =
        test::makeSystem({{"a", gain(2.0)}, {"b", gain(gainOfB)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    EXPECT_EQ(count(warnings(std::move(system), kKeep), words), 1U) << gainOfB;
  }
}

/// In initialisation a.y is 0 whatever a.u is: a growth of 0 that was computed there would be no news.
TEST(LateOutputs, ALoopThroughALateOutputWarnsThatItsGrowthIsNotKnown) {
  for (const auto initialisation : {kSolve, kKeep})
    EXPECT_EQ(count(warnings(true, initialisation),
                    "an algebraic loop goes through a.y, b.y (growth per step: not "
                    "known"),
              1U);
}

TEST(LateOutputs, ALoopThatIsKeptWarnsAlsoWithAProgramInIt) {
  EXPECT_EQ(count(warnings(loopWith<LateProgram>(), kKeep), "a.y, b.y (growth per step: not known"), 1U);
}

/// The growth serves a warning only: who cannot be evaluated elsewhere begins at its start values all the same.
TEST(LateOutputs, ALoopThatIsKeptNeedNotBeDifferentiated) {
  const std::vector<std::string> told = warnings(loopWith<Whole>(), kKeep);
  EXPECT_EQ(count(told, "growth per step"), 0U);
  EXPECT_EQ(count(told, "in a trial 'a' failed: "), 1U);
}

/// The trial is taken back, and said.
TEST(LateOutputs, AnErrorInTheSearchForGrowthEndsTheSearchOnly) {
  for (const bool restores : {true, false}) {
    coupling::System system = restores ? loopWith<Offended>() : loopWith<OffendedForGood>();
    ASSERT_EQ(system.members[0].subsystem->describe().capabilities.saveRestore, restores);
    EXPECT_EQ(count(warnings(std::move(system), kKeep),
                    "whether values grow on their way round a.y, b.y is not known: in a trial "
                    "'a' failed: fmi2GetReal returned fmi2Error."),
              1U);
  }
}

TEST(LateOutputs, AnIteratingAlgorithmDoesNotWarnOfGrowth) {
  for (const auto initialisation : {kSolve, kKeep})
    for (const bool late : {false, true})
      EXPECT_EQ(count(warnings(late, initialisation, AlgorithmKind::newton), "growth per step"), 0U);
}

/// a leaves first and gives 1, which b still meets; a does not meet b's answer, 2, any more.
TEST(LateOutputs, AnOutputThatCannotBeComputedAgainIsNamed) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::newton}) {
    EXPECT_EQ(count(warnings(true, kSolve, kind),
                    "a.y at the start: computed before leaving initialisation changed a.y, b.y"),
              1U);
    EXPECT_EQ(count(warnings(false, kSolve, kind), "leaving initialisation"), 0U);
  }
}

}  // namespace
}  // namespace koppla::run::late_outputs_test
