// Requirements on durations. They are measured here and never in ctest, where other tests disturb the clock.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/native/nonlinear_oscillator.hpp"
#include "koppla/project/project.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/study/calibration.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "dynamic_static/coupled.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::verification::durations {
namespace {

/// Times everything that a recorder does, the opening and the end of the file included. The clock is read twice a row,
/// which makes the result a little too long.
class TimedRecorder final : public results::Recorder {
 public:
  explicit TimedRecorder(const std::filesystem::path& folder) : recorder_(folder) {}

  void begin(const std::vector<results::Column>& columns) override {
    columns_ = columns.size();
    time([&] { recorder_.begin(columns); });
  }
  void row(double t, const core::Values& values) override {
    ++rows_;
    time([&] { recorder_.row(t, values); });
  }
  void flush() override {
    time([&] { recorder_.flush(); });
  }
  void complete() override {
    time([&] { recorder_.complete(); });
  }
  void abandon() override {
    time([&] { recorder_.abandon(); });
  }

  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  template <class Work>
  void time(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  results::CsvRecorder recorder_;
  double seconds_ = 0.0;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

/// Math_003 (Nicolai, sec. 4) with h = 0.001 s, by Gauss-Seidel.
project::Project math003() {
  project::Project plan;
  plan.settings.end = 10.0;
  plan.settings.step = 0.001;
  plan.settings.algorithm.kind = coupling::AlgorithmKind::gaussSeidel;
  for (const std::string part : {"1", "2", "3"})
    plan.subsystems.push_back({{"part" + part}, {std::string(KOPPLA_FMU_DIR) + "/Math003Part" + part + ".fmu"}});
  plan.connections = {{{"part1", "x1"}, {"part2", "x1"}},
                      {{"part1", "x2"}, {"part2", "x2"}},
                      {{"part2", "x3"}, {"part3", "x3"}},
                      {{"part3", "x4"}, {"part2", "x4"}}};
  return plan;
}

struct Output {
  double statistics;  ///< s, as the run's statistics tell
  double recorder;    ///< s, in the recorder
};

/// One run with 10 001 rows of 4 values.
Output measureOutput(const project::Project& plan) {
  const core::TemporaryFolder folder("durations");
  core::Log log;
  TimedRecorder recorder(folder.path());
  run::Run run = project::makeRun(plan, log, &recorder);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  if (!outcome.ok()) throw std::runtime_error(outcome.message);
  run.end();
  if (recorder.rows() != 10001 || recorder.columns() != 4)
    throw std::runtime_error(fmt::format("{} rows of {} values were recorded", recorder.rows(), recorder.columns()));
  return {run.statistics().output.seconds, recorder.seconds()};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void show(std::string_view figure, const std::vector<double>& seconds) {
  const double milliseconds = 1e3 * median(seconds);
  test::showFigure({"nicolai N8", figure, "under 10 ms"}, fmt::format("{:.2g} ms", milliseconds), milliseconds < 10.0);
  std::printf("nicolai N8 %s: %.3g ms, median of %zu\n", std::string(figure).c_str(), milliseconds, seconds.size());
}

using Work = std::function<void()>;

/// Takes time, but no processor.
Work waiting(double seconds) {
  return [seconds] { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
}

/// The same number of operations every time; some 2 ms for each million.
Work computing(int millions) {
  return [millions] {
    volatile double x = 0.3;
    for (int i = 0; i < 1'000'000 * millions; ++i) x = 3.9 * x * (1.0 - x);
  };
}

/// A root and leaves that exchange values, with what they do in a step.
coupling::System tree(std::size_t leaves, const Work& ofRoot, const Work& ofLeaf) {
  const auto working = [](const Work& work) {
    test::Formula formula = test::gain(0.1);
    formula.feedThrough = false;
    formula.step = [work](auto&, double, double, const auto&) { work(); };
    return test::makeSubsystem(std::move(formula));
  };
  coupling::System system;
  system.members.push_back({"root", working(ofRoot), {}});
  std::vector<test::Link> links;
  for (std::size_t i = 0; i < leaves; ++i) {
    const std::string name = fmt::format("leaf{}", i);
    system.members.push_back({name, working(ofLeaf), {}});
    links.push_back({"root.y", name + ".u"});
    links.push_back({name + ".y", "root.u"});
  }
  test::connect(system, links);
  return system;
}

/// Waits before every step and evaluation, so that its cost is known and the processors of the machine do not matter.
class Slowed final : public subsystem::detail::Wrapper {
 public:
  Slowed(std::unique_ptr<subsystem::Subsystem> inner, double seconds) : Wrapper(std::move(inner)), seconds_(seconds) {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    wait();
    return inner().advance(step, u, y);
  }
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    wait();
    return inner().evaluate(t, u, y);
  }

 private:
  void wait() const { std::this_thread::sleep_for(std::chrono::duration<double>(seconds_)); }
  double seconds_;
};

struct Duration {
  double wall;  ///< s, of the steps
  double sum;   ///< s, of all subsystems by the clock
  double cpu;   ///< s, processor time of the whole process
};

run::Statistics statisticsOf(coupling::System system, const run::Settings& settings) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  if (!outcome.ok()) throw std::runtime_error(outcome.message);
  return run.statistics();
}

Duration measure(coupling::System system, const run::Settings& settings) {
  const run::Statistics statistics = statisticsOf(std::move(system), settings);
  Duration duration{statistics.wallClock - statistics.initialisation, 0.0, statistics.cpu};
  for (const run::MemberStatistics& member : statistics.members) duration.sum += member.step.seconds;
  return duration;
}

Duration measure(coupling::System system, coupling::AlgorithmKind kind, int steps) {
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.step = 1.0;
  settings.end = steps;
  return measure(std::move(system), settings);
}

/// 200 macro steps of examples/pump, whose two sides are made equally expensive: 2 ms a step, against some 20 us of
/// their own.
Duration measurePump(coupling::AlgorithmKind kind) {
  core::Log log;
  project::Project plan = project::read(KOPPLA_EXAMPLES_DIR "/pump/coupled.toml", log);
  plan.settings.algorithm.kind = kind;
  plan.settings.end = 200 * plan.settings.step;
  coupling::System system = project::build(plan, log).system;
  for (coupling::Member& member : system.members)
    member.subsystem = std::make_unique<Slowed>(std::move(member.subsystem), 2e-3);
  return measure(std::move(system), plan.settings);
}

constexpr double kStaticCall = 10e-3;  // s

/// A linear spring and damper that waits in every call, and adds up for how long: waiting takes a little longer than it
/// is asked to.
std::unique_ptr<subsystem::Subsystem> waitingSpring(std::shared_ptr<double> seconds) {
  test::Formula formula;
  formula.inputs = {"x", "v"};
  formula.outputs = {"f"};
  formula.output = [seconds = std::move(seconds)](const auto&, double, const auto& u) {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(kStaticCall));
    *seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::vector<double>{-1e4 * u[0] - 10.0 * u[1]};
  };
  return test::makeSubsystem(std::move(formula));
}

/// An oscillator whose integrator calls that spring by the semi-implicit method P, the probes of its two inputs on
/// threads of their own. `seconds` is what the spring's values took; every call computes one.
std::unique_ptr<subsystem::Subsystem> oscillatorWithWaitingSpring(std::shared_ptr<double> seconds) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  instances.push_back(waitingSpring(std::move(seconds)));
  for (int i = 0; i < 2; ++i) instances.push_back(waitingSpring(std::make_shared<double>(0.0)));
  const subsystem::Description spring = instances.front()->describe();
  std::unique_ptr<solver::Equations> body = native::nonlinearOscillator({.x0 = 0.1, .v0 = 0.0});
  const subsystem::Description& outer = body->describe();
  const subsystem::PortIndex x = *spring.find("x");
  const subsystem::PortIndex v = *spring.find("v");
  std::vector<solver::Wire> wires{
      {0, *outer.find("x"), 1, x}, {0, *outer.find("v"), 1, v}, {1, *spring.find("f"), 0, *outer.find("f")}};
  std::vector<solver::JoinedPart> parts;
  parts.push_back({"body", std::move(body)});
  parts.push_back({"spring", std::make_unique<solver::StaticFunction>(
                                 "spring", std::move(instances), std::vector{x, v},
                                 solver::StaticSettings{.coupling = solver::StaticCoupling::predictor, .threads = 3})});
  solver::IntegratorSettings integrator;
  integrator.kind = solver::Kind::bdf;
  return solver::integrate(solver::join(std::move(parts), std::move(wires)), integrator);
}

/// The part of the duration in which the static solver does not compute values: its probes beside them cost nothing
/// unless they come late.
double overheadOfStaticCalls() {
  const auto seconds = std::make_shared<double>(0.0);
  coupling::System system;
  system.members.push_back({"body", oscillatorWithWaitingSpring(seconds), {}});
  run::Settings settings;
  settings.end = settings.step = 0.06;  // s, about a period
  const run::Statistics statistics = statisticsOf(std::move(system), settings);
  const auto calls = static_cast<double>(statistics.members.at(0).effort.staticCalls);
  if (calls < 50.0) throw std::runtime_error(fmt::format("{} static calls are too few to measure", calls));
  std::printf("schmoll R34 static: %g calls in %.4g s\n", calls, statistics.wallClock);
  return 1.0 - *seconds / statistics.wallClock;
}

void showRatio(std::string_view requirement, std::string_view figure, const std::string& demanded, double ratio,
               double limit) {
  test::showFigure({requirement, figure, demanded}, fmt::format("{:.3f}", ratio), ratio <= limit);
  std::printf("%s %s: %.3f\n", std::string(requirement).c_str(), std::string(figure).c_str(), ratio);
}

TEST(Durations, OutputIsCheap) {
  constexpr int kRuns = 9;
  const project::Project plan = math003();
  std::vector<double> statistics, recorder;
  for (int i = 0; i < kRuns; ++i) {
    const Output output = measureOutput(plan);
    statistics.push_back(output.statistics);
    recorder.push_back(output.recorder);
  }
  show("output-time", statistics);
  show("recorder-time", recorder);
}

/// Schmoll, sec. 2.6.3.
TEST(Durations, JacobiTakesThatOfTheLongestBranch) {
  using coupling::AlgorithmKind;
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i)
    ratios.push_back(measure(tree(1, computing(1), computing(1)), AlgorithmKind::jacobi, 200).wall /
                     measure(tree(1, computing(1), computing(1)), AlgorithmKind::gaussSeidel, 200).wall);
  showRatio("schmoll R31", "ratio", "Jacobi over Gauss-Seidel, two that compute alike, median of 5: at most 0.6",
            median(ratios), 0.6);
  showRatio("schmoll R59", "duration-ratio", "pump, Jacobi over Gauss-Seidel, equal cost: at most 0.6",
            measurePump(AlgorithmKind::jacobi).wall / measurePump(AlgorithmKind::gaussSeidel).wall, 0.6);
}

/// Schmoll, sec. 3.2.4.5.
TEST(Durations, ThreeLeavesRunAtTheSameTime) {
  using coupling::AlgorithmKind;
  const Duration waits = measure(tree(3, waiting(0.0), waiting(2e-3)), AlgorithmKind::jacobi, 200);
  showRatio("schmoll R32", "waiting", "three leaves that wait: duration over sum at most 0.4", waits.wall / waits.sum,
            0.4);
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) {
    const Duration computes = measure(tree(
                                          3, [] {}, computing(1)),
                                      AlgorithmKind::jacobi, 200);
    ratios.push_back(computes.wall / computes.cpu);
  }
  const double ratio = median(ratios);
  const unsigned processors = std::thread::hardware_concurrency();
  const std::string demanded = "three leaves that compute: duration over processor time at most 0.4, median of 5";
  if (processors >= 3)
    showRatio("schmoll R32", "ratio", demanded, ratio, 0.4);
  else
    test::showUnmet({"schmoll R32", "ratio", demanded}, fmt::format("{:.3f} on {} processors", ratio, processors));
}

struct RotorRun {
  double seconds;
  subsystem::Effort effort;
};

/// The rotor of the note, 15.6; df/dx is kept as long as it serves.
RotorRun measureRotor(test::StaticCoupling coupling, test::Film film, const test::Around& around = {}) {
  solver::IntegratorSettings settings = test::noteBdf(4, 1e-6);
  settings.firstMicroStep = 1e-6;
  settings.newtonTolerance = 0.001;
  settings.renewal.clear();
  const auto system = test::rotorOnBearing(coupling, settings, film, around);
  const auto begin = std::chrono::steady_clock::now();
  const test::Trace trace = test::trace(*system, 0.02, {"rotor.x", "rotor.y"}, 4);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), trace.effort};
}

/// Schmoll, sec. 5.1.4: a call is one value and the probes of its derivatives, all at the same time. With solvers that
/// wait they are, whatever processors there are, and the calls that P saves are the time that it saves.
TEST(Durations, ThePredictorFormSavesTheTimeOfTheCallsThatItSaves) {
  const test::Around slow = [](std::unique_ptr<subsystem::Subsystem> film) {
    return std::make_unique<Slowed>(std::move(film), 2e-3);
  };
  const RotorRun full = measureRotor(test::StaticCoupling::full, test::Film::shortBearing, slow);
  const RotorRun predicted = measureRotor(test::StaticCoupling::predictor, test::Film::shortBearing, slow);
  const double calls = static_cast<double>(predicted.effort.staticCalls) / static_cast<double>(full.effort.staticCalls);
  EXPECT_LT(calls, 0.6);
  showRatio("schmoll R56", "waiting", "films that wait: P over full in duration at most 1.1 times that in static calls",
            predicted.seconds / full.seconds / calls, 1.1);
}

/// Decision 0025 tells why a quarter is out of reach, and why films that are computed one after the other take longer.
TEST(Durations, OfThePredictorFormBesideTheFullyImplicitOne) {
  std::vector<double> ratios;
  double iterations = 0.0;
  for (int i = 0; i < 5; ++i) {
    const RotorRun full = measureRotor(test::StaticCoupling::full, test::Film::finiteElements);
    ratios.push_back(measureRotor(test::StaticCoupling::predictor, test::Film::finiteElements).seconds / full.seconds);
    iterations = static_cast<double>(full.effort.correctorIterations) /
                 static_cast<double>(full.effort.microSteps + full.effort.rejectedMicroSteps);
  }
  const std::string obtained = fmt::format("{:.2f} at {:.1f} iterations", median(ratios), iterations);
  std::printf("schmoll R56 duration: %s\n", obtained.c_str());
  test::showUnmet(
      {"schmoll R56", "duration", "P over full about 1/4 with 6 to 8 corrector iterations a step, median of 5"},
      obtained);
}

/// Jung, sec. 4.2.2: the nodes of a large surface. The first updates only remember.
TEST(Durations, AnUpdateOfAdaptiveRelaxation) {
  constexpr std::size_t kQuantities = 165244;
  const auto accelerator =
      coupling::adaptiveRelaxation({.kind = coupling::AcceleratorKind::adaptive}, {.size = kQuantities});
  std::vector<double> sent(kQuantities, 1.0);
  std::vector<double> answered(kQuantities);
  std::vector<double> seconds;
  accelerator->begin();
  for (int i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < kQuantities; ++k)  // slopes from -0.9 to 0.9
      answered[k] = 3.0 + (1.8 * static_cast<double>(k) / kQuantities - 0.9) * sent[k];
    const auto begin = std::chrono::steady_clock::now();
    accelerator->learn(sent, answered);
    accelerator->propose(sent);
    if (i >= 2) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_LT(accelerator->doings().smallestFactor, accelerator->doings().largestFactor) << "nothing was steered";
  const double longest = 1e3 * test::largestOf(seconds);
  std::printf("jung 20 update: %.3g ms at most\n", longest);
  test::showFigure({"jung 20", "update", "165 244 quantities in less than 50 ms per update, the longest of 28"},
                   fmt::format("{:.3g} ms", longest), longest < 50.0);
}

/// Jung, sec. 5.3.1: the whole grid on all models.
TEST(Durations, TheWholeCalibration) {
  const std::filesystem::path file = KOPPLA_EXAMPLES_DIR "/calibration/full.toml";
  const study::Calibration calibration = study::parseCalibration(core::readWhole(file), file);
  study::CalibrationOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<study::CalibrationResult> result = study::calibrate(calibration, options);
  const double minutes =
      std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(result.has_value());
  std::printf("jung 33 full: %.3g min\n", minutes);
  test::showFigure({"jung 33", "full", "8.3e5 sets on 25 models in minutes: less than 10"},
                   fmt::format("{} sets on {} models in {:.1f} min on {} threads", result->objective.size(),
                               result->unrelaxed.size(), minutes, options.jobs),
                   minutes < 10.0 && result->objective.size() == 826200 && result->unrelaxed.size() == 25);
}

/// Jung (2.6), with programs behind files.
TEST(Durations, ARunTakesItsIterationsTimesTheSumOfItsPrograms) {
  core::Log log;
  run::Run run = project::makeRun(project::read(KOPPLA_EXAMPLES_DIR "/programs/unrelaxed.toml", log), log);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  const run::Statistics statistics = run.statistics();
  double sum = 0.0;  // s, of one call of each
  for (const run::MemberStatistics& member : statistics.members)
    sum += member.step.seconds / static_cast<double>(member.step.count);
  const double product = static_cast<double>(statistics.cycles.at(0).evaluations) * sum;
  const double ratio = (statistics.wallClock - statistics.initialisation) / product;
  std::printf("jung 14 total: %.3f\n", ratio);
  test::showFigure({"jung 14", "total", "duration over iterations times the sum of times per call: 1 within 10 %"},
                   fmt::format("{:.3f}", ratio), std::fabs(ratio - 1.0) <= 0.1);
}

/// Schmoll, sec. 2.5.3, 3.2.4.5.
TEST(Durations, TheCouplingItselfCostsLittle) {
  const Duration expensive = measure(tree(1, waiting(5e-3), waiting(5e-3)), coupling::AlgorithmKind::gaussSeidel, 100);
  showRatio("schmoll R34", "overhead", "below 2 % of the duration at 10 ms per macro step",
            (expensive.wall - expensive.sum) / expensive.wall, 0.02);
  showRatio("schmoll R34", "static", "static solver of 10 ms a call inside another: below 2 % of the duration",
            overheadOfStaticCalls(), 0.02);
}

}  // namespace
}  // namespace koppla::verification::durations
