// Accelerated iterations as parts of a run: on FMUs, with the history of their iterations, and with a doubt about
// solutions that plain iteration would not have found.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/native/hinged_plate.hpp"
#include "koppla/native/radiating_wall.hpp"
#include "koppla/solver/integrate.hpp"

#include "fmu_system.hpp"
#include "static_analysis.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::run {
namespace {

using coupling::Accelerated;
using coupling::AccelerationSettings;
using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using coupling::Norm;
using test::Formula;
using test::MemoryRecorder;

struct Choice {
  std::string name;
  AccelerationSettings settings;
};

/// Every kind, relaxations of the cut and of all values, adaptive ones with every set.
std::vector<Choice> everyAcceleration() {
  std::vector<Choice> choices{{"auto", {}},
                              {"none", {.kind = AcceleratorKind::none}},
                              {"anderson", {.kind = AcceleratorKind::anderson}},
                              {"iqn-ils", {.kind = AcceleratorKind::iqnIls}},
                              {"iqn-imvj", {.kind = AcceleratorKind::iqnImvj}},
                              {"broyden", {.kind = AcceleratorKind::broyden}}};
  for (const Accelerated values : {Accelerated::cut, Accelerated::all}) {
    const std::string which = values == Accelerated::cut ? " of the cut" : " of all";
    choices.push_back({"constant" + which, {.kind = AcceleratorKind::constant, .values = values, .factor = 0.8}});
    choices.push_back({"aitken" + which, {.kind = AcceleratorKind::aitken, .values = values}});
    choices.push_back({"aitken-per-scalar" + which, {.kind = AcceleratorKind::aitkenPerScalar, .values = values}});
    for (const coupling::AdaptiveSet& set : coupling::adaptiveSets())
      choices.push_back({std::string(set.name) + which,
                         {.kind = AcceleratorKind::adaptive, .values = values, .adaptive = set.parameters}});
  }
  return choices;
}

/// The values of these variables at the end.
std::vector<double> endOf(coupling::System system, const Settings& settings, const std::vector<std::string>& names) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  std::vector<double> values;
  for (const std::string& name : names) values.push_back(std::get<double>(run.value(name)));
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  test::Largest largest;
  for (std::size_t i = 0; i < a.size(); ++i) largest.see(std::fabs(a[i] - b[i]));
  return largest;
}

TEST(Acceleration, OfFmusLeadsWhereNewtonsMethodLeads) {
  core::Log log;
  const auto hares = [&log] {
    return test::fmuSystem({{"prey", "LotkaVolterraPrey"}, {"predator", "LotkaVolterraPredator"}},
                           {{"prey.x", "predator.x"}, {"predator.y", "prey.y"}}, log);
  };
  const std::vector<std::string> animals{"prey.x", "predator.y"};
  const std::vector<std::string> controlled{"part2.x3", "part3.x4"};
  Settings settings;
  settings.end = 1.0;
  settings.step = 0.05;
  settings.algorithm.kind = AlgorithmKind::newton;
  settings.algorithm.maxIterations = 1000;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-10;
  const std::vector<double> newton = endOf(hares(), settings, animals);
  test::Largest worst;
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi})
    for (const Choice& choice : everyAcceleration()) {
      if (kind == AlgorithmKind::iteratedJacobi && choice.settings.values == Accelerated::all) continue;
      SCOPED_TRACE(choice.name + (kind == AlgorithmKind::iteratedJacobi ? ", in parallel" : ""));
      settings.algorithm.kind = kind;
      settings.algorithm.acceleration = choice.settings;
      // Jung's safe bound where the values of both are relaxed: above it weakly coupled ones creep (docs/acceleration).
      if (kind == AlgorithmKind::iteratedJacobi || choice.settings.values == Accelerated::all)
        settings.algorithm.acceleration.adaptive.upper = std::min(choice.settings.adaptive.upper, 2.0 / 3.0);
      settings.step = 0.05;
      const double onHares = distance(endOf(hares(), settings, animals), newton);
      // On the grid of tenths x3 acts from the step on that ends at 1 s: x4 = 6 times one step (docs/decisions/0002).
      settings.step = 0.1;
      const double onControl = distance(endOf(test::math003(log), settings, controlled), {3.0, 0.6});
      EXPECT_LE(onHares, 1e-8);
      EXPECT_LE(onControl, 1e-8);
      worst.see(onHares, onControl);
    }
  test::showAtMost({"overview S4", "acceleration",
                    "every acceleration and set converges to Newton's solution on two systems of FMUs, within 1e-8"},
                   worst, 1e-8);
}

// Jung's models as subsystems.

coupling::System wall(double firstTemperature = 0.0, double conductivity = 5.0) {
  coupling::System system;
  system.members.push_back({"wall", solver::integrate(native::wallConduction({.conductivity = conductivity}), {}), {}});
  system.members.push_back({"face", solver::integrate(native::radiatingFace(), {}), {}});
  system.members[1].startValues.push_back(
      {system.members[1].subsystem->describe().find("T1").value(), {firstTemperature}});
  test::connect(system, {{"wall.T1", "face.T1"}, {"face.q", "wall.q"}});
  return system;
}

constexpr double kRestAngle = 0.001 * 3.14159265358979323846 / 180.0;  // rad

coupling::System horizontalPlate(double density) {
  coupling::System system;
  system.members.push_back(
      {"stream", solver::integrate(native::plateFlow({native::PlateRest::horizontal, density}), {}), {}});
  system.members.push_back({"plate", solver::integrate(native::hingedPlate({kRestAngle}), {}), {}});
  system.members[0].startValues.push_back({system.members[0].subsystem->describe().find("phi").value(), {kRestAngle}});
  test::connect(system, {{"stream.m", "plate.m"}, {"plate.phi", "stream.phi"}});
  return system;
}

TEST(StaticAnalysis, TakesTheIterationsOfTheNote) {
  const AccelerationSettings none{.kind = AcceleratorKind::none};
  const auto seidel = statisticsOf(wall(), staticAnalysis(AlgorithmKind::iteratedGaussSeidel, none, {"face.q"}));
  test::showEqual({"jung 4", "run-gauss-seidel", "180 iterations of lin 5 at 1e-6"},
                  double(seidel.cycles.at(0).evaluations), 180.0);
  const auto jacobi =
      statisticsOf(wall(499.0), staticAnalysis(AlgorithmKind::iteratedJacobi, none, {"face.q", "wall.T1"}));
  test::showEqual({"jung 4", "run-jacobi", "336 iterations of lin 5 at 1e-6"}, double(jacobi.cycles.at(0).evaluations),
                  336.0);
}

/// K in the last iteration of an unrelaxed analysis, as the history tells.
double lastK(coupling::System system, const std::string& variable) {
  Settings settings =
      staticAnalysis(AlgorithmKind::iteratedGaussSeidel, {.kind = AcceleratorKind::none}, {variable}, 1e-10);
  settings.recordsIterations = true;
  settings.iterationVariables = {variable};
  core::Log log;
  MemoryRecorder history;
  run::Run run(std::move(system), settings, log, Recorders(nullptr, &history));
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return history.of(variable + ".K").back();
}

TEST(StaticAnalysis, TellsTheSlopeOfTheLoop) {
  test::showWithin({"jung 17", "lin-5", "-0.9231 in the last row of the history"}, lastK(wall(), "face.q"), -0.9231,
                   1e-4);
  test::showWithin({"jung 17", "plate-110", "0.9573 in the last row of the history"},
                   lastK(horizontalPlate(110.0), "plate.phi"), 0.9573, 1e-4);
}

TEST(StaticAnalysis, TakesTheIterationsOfTheNoteWithOneOrAllResultsRelaxed) {
  const auto counts = [](std::string_view set, Accelerated values, double upper = 1.0) {
    std::vector<std::uint64_t> result;
    for (const double lambda : {5.0, 6.5, 8.0, 9.5, 11.0}) {
      AccelerationSettings steered{.kind = AcceleratorKind::adaptive, .values = values};
      steered.adaptive = std::ranges::find(coupling::adaptiveSets(), set, &coupling::AdaptiveSet::name)->parameters;
      steered.adaptive.margin = 1e-6;  // as in the note's counts
      steered.adaptive.upper = std::min(steered.adaptive.upper, upper);
      const Settings settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, steered, {"face.q"});
      result.push_back(statisticsOf(wall(0.0, lambda), settings).cycles.at(0).evaluations);
    }
    return fmt::format("{}", fmt::join(result, " "));
  };
  const auto show = [](std::string_view figure, const std::string& demanded, const std::string& obtained) {
    test::showFigure({"jung 21", figure, demanded + " iterations of lin 5 to 11 at 1e-6"}, obtained,
                     obtained == demanded);
  };
  show("run-one", "12 11 10 10 9", counts("L/NL(1,b)", Accelerated::cut));
  show("run-both", "13 12 11 10 11", counts("L/NL(1,b)", Accelerated::all));
  show("run-safe-both", "13 11 10 10 10", counts("L/NL(1,b)", Accelerated::all, 2.0 / 3.0));
}

TEST(IteratedJacobi, RunsItsMembersAtTheSameTime) {
  // The first call of each waits until the other one is inside its own, which one after the other they never are.
  std::mutex mutex;
  std::condition_variable entered;
  std::set<std::thread::id> threads;
  int inside = 0;
  int most = 0;
  coupling::System system;
  for (const double k : {1.0, -1.0}) {
    Formula slow = test::integrator(k, k > 0.0 ? 1.0 : 0.0);
    slow.capabilities.ownProcess = true;  // whose calls are long before anybody has measured them
    slow.step = [&, exact = slow.step, first = true](auto& x, double t1, double h, const auto& u) mutable {
      std::unique_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
      most = std::max(most, ++inside);
      entered.notify_all();
      if (std::exchange(first, false)) entered.wait_for(lock, std::chrono::seconds(20), [&] { return most == 2; });
      exact(x, t1, h, u);
      --inside;
    };
    system.members.push_back({k > 0.0 ? "a" : "b", test::makeSubsystem(std::move(slow)), {}});
  }
  test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  Settings settings;
  settings.step = 0.1;
  settings.end = 0.5;
  settings.threads = 2;
  settings.algorithm.kind = AlgorithmKind::iteratedJacobi;
  statisticsOf(std::move(system), settings);
  test::showFigure({"jung 4", "concurrent", "both programs inside their calls at once, on two threads"},
                   fmt::format("{} at once, {} threads", most, threads.size()), most == 2 && threads.size() == 2);
}

TEST(StaticAnalysis, BeginsAtTheStartValuesAndKeepsItsHistory) {
  AccelerationSettings steered{.kind = AcceleratorKind::adaptive};
  steered.adaptive.margin = 1e-6;  // L/NL(1,a) as in the note's trace
  Settings settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, steered, {"face.q"});
  settings.recordsIterations = true;
  settings.iterationVariables = {"face.q", "wall.T1"};
  core::Log log;
  MemoryRecorder history;
  run::Run run(wall(), settings, log, Recorders(nullptr, &history));
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  run.end();
  EXPECT_TRUE(history.completed);

  // Jung's trace: T1, q as answered, K, omega, q as sent next.
  struct Row {
    double T1, q, K, omega, next;
  };
  const std::vector<Row> trace{{499.00000000, 15789.26777288, 0.0, 1.0, 15789.26777288},
                               {184.21464454, 1649.83978885, -0.89835361, 0.8870944684, 3246.25942155},
                               {435.07481157, 11076.89988939, -0.66672146, 0.7953535390, 9474.38703022},
                               {310.51225940, 4929.05318072, -0.65214888, 0.7137024267, 6230.37123185},
                               {375.39257536, 7689.67626734, -0.44903902, 0.6500605870, 7179.00791984},
                               {356.41984160, 6791.05682018, -0.32551327, 0.5997546369, 6946.33244892},
                               {361.07335102, 7004.09506281, -0.23707282, 0.5597059903, 6978.66252993},
                               {360.42674940, 6974.21150529, -0.14027321, 0.5300585372, 6976.30322632}};
  ASSERT_EQ(history.times.size(), 10U);  // the note counts 10 iterations at 1e-6
  double sent = 50.0;                    // the wall's start value
  double factor = 1.0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    SCOPED_TRACE(i + 1);
    EXPECT_EQ(history.times[i], 1.0);
    EXPECT_NEAR(history.of("wall.T1")[i], trace[i].T1, 1e-6);
    EXPECT_NEAR(history.of("face.q")[i], trace[i].q, 1e-6);
    EXPECT_NEAR(history.of("face.q.residual")[i], trace[i].q - sent, 1e-6);
    // Tests are on what was answered, relative to it.
    EXPECT_NEAR(history.of("residual")[i], std::fabs(trace[i].q - sent) / (1e-6 * trace[i].q), 1e-2);
    EXPECT_EQ(history.of("residual.results")[i], history.of("residual")[i]);
    // What was sent was made with the factor of the row before.
    EXPECT_NEAR(history.of("face.q.factor")[i], factor, 1e-9);
    EXPECT_NEAR(history.of("factor_smallest")[i], factor, 1e-9);
    EXPECT_EQ(history.of("wall.T1.factor")[i], 1.0);
    if (i < 1) {
      EXPECT_TRUE(std::isnan(history.of("face.q.K")[i]));
    } else {
      EXPECT_NEAR(history.of("face.q.K")[i], trace[i].K, 1e-6);
    }
    // The local error, eq. (3.1); the heat flow's first one is against the start value.
    const double before = i == 0 ? 50.0 : trace[i - 1].q;
    EXPECT_NEAR(history.of("face.q.change_largest")[i], std::fabs(trace[i].q - before), 1e-6);
    sent = trace[i].next;
    factor = trace[i].omega;
  }
  EXPECT_LE(history.of("residual").back(), 1.0);
  EXPECT_GT(history.of("residual")[8], 1.0);
}

TEST(StaticAnalysis, CountsSolutionsThatPlainIterationWouldNotHaveFound) {
  // Aitken's factor leads to the solution that repels, -1.086e-4, the default to the one that is meant.
  Settings settings =
      staticAnalysis(AlgorithmKind::iteratedGaussSeidel, {.kind = AcceleratorKind::aitken}, {"plate.phi"});
  EXPECT_NEAR(endOf(horizontalPlate(125.0), settings, {"plate.phi"})[0], -1.086e-4, 1e-7);
  EXPECT_EQ(statisticsOf(horizontalPlate(125.0), settings).cycles.at(0).suspicious, 1U);
  settings.algorithm.acceleration = {};
  EXPECT_NEAR(endOf(horizontalPlate(125.0), settings, {"plate.phi"})[0], 0.9315292521, 1e-5);
  EXPECT_EQ(statisticsOf(horizontalPlate(125.0), settings).cycles.at(0).suspicious, 0U);
}

TEST(History, HasAFactorForEveryValue) {
  Settings settings =
      staticAnalysis(AlgorithmKind::iteratedGaussSeidel, {.kind = AcceleratorKind::adaptive}, {"same.*"}, 1e-9);
  settings.recordsIterations = true;
  settings.iterationVariables = {"same.*"};
  core::Log log;
  MemoryRecorder history;
  run::Run run(twoGains(-0.9, 0.9), settings, log, Recorders(nullptr, &history));
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  // An alternating value is slowed down, a creeping one is driven on.
  EXPECT_LT(history.of("same.y1.factor").back(), 0.7);
  EXPECT_GT(history.of("same.y2.factor").back(), 1.3);
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    EXPECT_DOUBLE_EQ(history.of("factor_smallest")[i], history.of("same.y1.factor")[i]);
    EXPECT_DOUBLE_EQ(history.of("factor_largest")[i], history.of("same.y2.factor")[i]);
  }
}

/// Names of columns, and what is no real number.
class WordRecorder final : public results::Recorder {
 public:
  void begin(const std::vector<results::Column>& columns) override {
    for (const results::Column& column : columns) names.push_back(column.name);
  }
  void row(double /*time*/, const core::Values& values) override {
    integers.push_back(values.integers);
    strings.push_back(values.strings);
  }
  void complete() override {}
  void abandon() override {}

  std::vector<std::string> names;
  std::vector<std::vector<std::int32_t>> integers;
  std::vector<std::vector<std::string>> strings;
};

TEST(History, CountsStepsAndIterationsAndSaysWhatMadeThem) {
  // u = -0.5 u + 1 in two steps, which are alike: the second one begins where the first one ended.
  Settings settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel,
                                     {.kind = AcceleratorKind::constant, .factor = 0.5}, {"same.y1"}, 1e-3);
  settings.end = 2.0;
  settings.recordsIterations = true;
  settings.iterationVariables = {"same.y1"};
  core::Log log;
  WordRecorder history;
  run::Run run(twoGains(-0.5, -0.5), settings, log, Recorders(nullptr, &history));
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(fmt::format("{}", fmt::join(history.names, " ")),
            "step cycle iteration total residual residual.results error K behaviour acceleration factor_smallest "
            "factor_largest columns dropped ending same.y1 same.y1.residual same.y1.K same.y1.factor "
            "same.y1.change_mean same.y1.change_largest");
  // The error falls by 1 - 0.5 * 1.5 = 1/4 an iteration: residuals 1, 1/4, ..., 4^-(k-1) <= 1e-3 of 2/3 at k = 7.
  using Integers = std::vector<std::int32_t>;
  using Strings = std::vector<std::string>;
  ASSERT_EQ(history.integers.size(), 8U);
  EXPECT_EQ(history.integers.front(), (Integers{1, 1, 1, 0, 0}));
  EXPECT_EQ(history.integers[6], (Integers{1, 7, 7, 0, 0}));
  EXPECT_EQ(history.integers[7], (Integers{2, 1, 8, 0, 0}));
  EXPECT_EQ(history.strings.front(), (Strings{"gains", "", "prediction", ""}));
  EXPECT_EQ(history.strings[3], (Strings{"gains", "monotone-convergent", "constant", ""}));
  EXPECT_EQ(history.strings[6], (Strings{"gains", "monotone-convergent", "constant", "converged"}));
  EXPECT_EQ(history.strings[7], (Strings{"gains", "", "prediction", "converged"}));
}

TEST(ConvergenceGroups, OnlyWhatIsListedIsTested) {
  // u = 0.1 u + 1: the k-th answer is off by 0.1^(k-1) from what was sent and near 1.111, so 1e-6 holds at k = 7;
  // the other value, with 0.9, is far from settled then.
  const AccelerationSettings none{.kind = AcceleratorKind::none};
  const auto first = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, none, {"same.y1"});
  EXPECT_EQ(statisticsOf(twoGains(0.1, 0.9), first).cycles.at(0).evaluations, 7U);
  // u = 0.9 u + 1 ends at 10 and is off by 0.9^(k-1): 0.9^(k-1) <= 1e-6 (10 - 9 0.9^(k-1)) from k = 111 on.
  const auto both = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, none, {"same.*"});
  EXPECT_EQ(statisticsOf(twoGains(0.1, 0.9), both).cycles.at(0).evaluations, 111U);
}

TEST(ConvergenceGroups, AreRecordedOneByOne) {
  Settings settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, {.kind = AcceleratorKind::none}, {"same.y1"});
  settings.algorithm.convergence.push_back({"other", {"same.y2"}, {}, {0.0, 0.1}, Norm::max});
  settings.recordsIterations = true;
  core::Log log;
  MemoryRecorder history;
  run::Run run(twoGains(0.1, 0.9), settings, log, Recorders(nullptr, &history));
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    EXPECT_NEAR(history.of("residual.other")[i], 10.0 * std::pow(0.9, double(i)), 1e-9);
    EXPECT_EQ(history.of("residual")[i], std::max(history.of("residual.results")[i], history.of("residual.other")[i]));
    if (i > 0) {
      EXPECT_LT(history.of("residual")[i], history.of("residual")[i - 1]);
    }
  }
  EXPECT_EQ(history.times.size(), 23U);  // 0.9^(k-1) <= 0.1
}

TEST(ConvergenceGroups, AVariableThatDoesNotExistIsRefused) {
  core::Log log;
  const auto settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, {.kind = AcceleratorKind::none}, {"same.z"});
  try {
    const run::Run run(twoGains(0.1, 0.9), settings, log);
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'same.z'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace koppla::run
