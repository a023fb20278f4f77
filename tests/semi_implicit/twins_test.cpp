// Probes at the same time, on twins of the members (Lu R1).

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/results/memory_recorder.hpp"

#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_masses.hpp"

namespace koppla::test {
namespace {

using coupling::Form;

/// Lets a call go on only when as many others are under way; counts the stages that so came about.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}

  void attend() {
    std::unique_lock lock(mutex_);
    const int round = round_;
    if (++present_ == size_) {
      present_ = 0;
      ++round_;
      all_.notify_all();
      return;
    }
    // Alone for that long: nobody else is coming.
    if (!all_.wait_for(lock, std::chrono::seconds(10), [&] { return round_ != round; })) missed_ = true;
  }

  [[nodiscard]] int rounds() const { return round_; }
  [[nodiscard]] bool missed() const { return missed_; }

 private:
  int size_;
  int present_ = 0;
  int round_ = 0;
  bool missed_ = false;
  std::mutex mutex_;
  std::condition_variable all_;
};

/// x' = u, exact for held inputs, whose steps wait for each other.
std::unique_ptr<subsystem::Subsystem> meetingIntegrator(const std::shared_ptr<Meeting>& meeting, double rate) {
  Formula formula = integrator(rate, 1.0);
  const auto step = formula.step;
  formula.step = [meeting, step](std::vector<double>& x, double t1, double h, const std::vector<double>& u) {
    meeting->attend();
    step(x, t1, h, u);
  };
  return makeSubsystem(std::move(formula));
}

/// x1' = -3 x2, x2' = 3 x1: two members with one probe each.
coupling::System rotation(const std::shared_ptr<Meeting>& meeting) {
  const auto make = [meeting](std::size_t member) { return meetingIntegrator(meeting, member == 0 ? -3.0 : 3.0); };
  coupling::System system;
  system.members.push_back({"first", make(0), {}});
  system.members.push_back({"second", make(1), {}});
  connect(system, {{"second.y", "first.u"}, {"first.y", "second.u"}});
  system.twins = [make](const std::vector<coupling::MemberIndex>& members) {
    std::vector<std::unique_ptr<subsystem::Subsystem>> twins;
    for (const coupling::MemberIndex member : members) twins.push_back(make(member));
    return twins;
  };
  return system;
}

run::Settings stepsOf(int count) {
  run::Settings settings;
  settings.step = 1e-2;
  settings.end = count * settings.step;
  settings.threads = 4;
  settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
  settings.algorithm.semiImplicit.probes = Form::parallel;
  settings.algorithm.semiImplicit.increment = 1e-3;  // no rehearsal
  return settings;
}

TEST(Twins, MakeAMacroStepAChainOfTwoSteps) {
  constexpr int kSteps = 20;
  const auto meeting = std::make_shared<Meeting>(4);  // two members, two twins: nobody moves before all are there
  core::Log log;
  run::Run run(rotation(meeting), stepsOf(kSteps), log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const run::Statistics statistics = run.statistics();
  ASSERT_EQ(statistics.cycles.size(), 1U);
  showFigure({"lu R1", "chain", "20 macro steps are 40 stages in which all members and probes run at the same time"},
             fmt::format("{} stages{}", meeting->rounds(), meeting->missed() ? ", some of them incomplete" : ""),
             meeting->rounds() == 2 * kSteps && !meeting->missed());
  showEqual({"lu R1", "counted", "longest chain of steps in a macro step: 2"}, statistics.cycles[0].longestChain, 2);
}

TEST(Twins, GiveTheSameResultsBitByBit) {
  const auto alone = std::make_shared<Meeting>(1);
  const auto resultsOf = [&](Form probes) {
    core::Log log;
    results::MemoryRecorder recorder;
    run::Settings settings = stepsOf(200);
    settings.algorithm.degree = 2;
    settings.algorithm.semiImplicit.probes = probes;
    settings.algorithm.semiImplicit.increment.reset();
    settings.variables = {"*"};
    run::Run run(rotation(alone), settings, log, &recorder);
    EXPECT_TRUE(run.initialise().ok());
    EXPECT_TRUE(run.simulate().ok());
    return recorder.table().find("first.y")->numbers;
  };
  const std::vector<double> inTurn = resultsOf(Form::sequence);
  const std::vector<double> atOnce = resultsOf(Form::parallel);
  ASSERT_EQ(inTurn.size(), 201U);
  EXPECT_EQ(inTurn, atOnce);
}

TEST(Twins, AreOnlyForMembersThatCanHaveThem) {
  const auto meeting = std::make_shared<Meeting>(1);
  coupling::System system = rotation(meeting);
  system.twins = nullptr;
  std::string warnings;
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { warnings += message; },
              core::Severity::warning);
  run::Run run(std::move(system), stepsOf(3), log);
  EXPECT_NE(warnings.find("first, second"), std::string::npos) << warnings;
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(run.statistics().cycles[0].longestChain, 3U) << "predicted, probed, corrected";
}

}  // namespace
}  // namespace koppla::test
