// Requirements on durations. They are measured here and never in ctest, where other tests disturb the clock.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/run/run.hpp"

#include "support/figure.hpp"

namespace {

using namespace koppla;

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

}  // namespace

int main() {
  constexpr int kRuns = 9;
  try {
    const project::Project plan = math003();
    std::vector<double> statistics, recorder;
    for (int i = 0; i < kRuns; ++i) {
      const Output output = measureOutput(plan);
      statistics.push_back(output.statistics);
      recorder.push_back(output.recorder);
    }
    show("output-time", statistics);
    show("recorder-time", recorder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "verification_durations: %s\n", error.what());
    return 1;
  }
}
