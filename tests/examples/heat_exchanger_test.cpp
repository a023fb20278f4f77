// examples/heat-exchanger. Iterations and temperatures are those of the notes, sec. 9.4 and 12.3.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"

#include "example_run.hpp"
#include "support/figure.hpp"

namespace koppla::test::heat_exchanger_test {
namespace {

ExampleRun exchanger(const std::string& project) {
  return runExample("heat-exchanger/" + project);
}

double tube(const ExampleRun& run, int cell) {
  return run.of(fmt::format("walls.T_tube[{}]", cell)).back();
}

TEST(HeatExchangerExamples, NeedTheIterationsOfTheNote) {
  const ExampleRun unrelaxed = exchanger("unrelaxed");
  const ExampleRun adaptive = exchanger("adaptive");
  ASSERT_EQ(adaptive.command.exitCode, 0) << adaptive.command.errors;
  showFigure({"jung 29", "run", "91 and 48 iterations to 1e-4 K, within 5 %; 45.8578 degC at the far end of the tube"},
             fmt::format("{} and {}, {:.4f} degC", unrelaxed.evaluations(), adaptive.evaluations(), tube(adaptive, 70)),
             std::abs(unrelaxed.evaluations() - 91) <= 4 && std::abs(adaptive.evaluations() - 48) <= 2 &&
                 std::fabs(tube(adaptive, 70) - 45.8578) <= 1e-3);
  EXPECT_NEAR(adaptive.of("flow.T_hot_out").back(), 79.1416, 1e-3);
  EXPECT_NEAR(adaptive.of("flow.T_cold_out").back(), 20.9263, 1e-3);
  const ExampleRun chosen = exchanger("default");
  showFigure({"jung 29", "run-default", "at most 48 iterations to 1e-4 K with no setting"},
             fmt::format("{}", chosen.evaluations()), chosen.command.exitCode == 0 && chosen.evaluations() <= 48);
  EXPECT_NEAR(tube(chosen, 70), 45.8578, 1e-3);
}

TEST(HeatExchangerExamples, FactorsAreAFieldInTheHistory) {
  const ExampleRun adaptive = exchanger("adaptive");
  constexpr std::size_t kSixteenth = 15;  // sent what the fifteenth iteration made
  int between = 0;
  for (int cell = 1; cell <= 70; ++cell) {
    const double factor = adaptive.iterated(fmt::format("walls.T_tube[{}].factor", cell)).at(kSixteenth);
    if (factor > 1.0 && factor < 2.0) ++between;
  }
  const double atInlet = adaptive.iterated("walls.T_tube[1].factor").at(kSixteenth);
  showFigure({"jung 13", "factors", "a factor for each of 70 tube cells in every iteration; 1.79 at the hot inlet"},
             fmt::format("{} factors between 1 and 2, {:.3f} at the inlet", between, atInlet),
             between == 70 && std::fabs(atInlet - 1.79) <= 0.006);
}

/// The distance of a run's iterations from the result of the reference, by the script beside the example. The reference
/// is to be run first.
results::Table globalError(const std::filesystem::path& folder, const std::string& project) {
  const std::filesystem::path example = examplesFolder() / "heat-exchanger";
  const std::filesystem::path run = folder / project;
  EXPECT_EQ(command({"run", (example / (project + ".toml")).string(), "--folder", run.string()}).exitCode, 0);
  const std::filesystem::path error = folder / "error.csv";
  const std::string line =
      fmt::format("awk -f '{}' '{}' '{}' > '{}'", (example / "global-error.awk").string(),
                  (folder / "reference" / "results.csv").string(), (run / "iterations.csv").string(), error.string());
  EXPECT_EQ(std::system(line.c_str()), 0);
  return results::load(error);
}

int iterationsTo(double tolerance, const std::vector<double>& errors) {
  const auto above = std::ranges::find_if(errors.rbegin(), errors.rend(), [=](double e) { return e >= tolerance; });
  return static_cast<int>(errors.rend() - above) + 1;
}

TEST(HeatExchangerExamples, TheGlobalErrorIsKnownAgainstAReference) {
  const core::TemporaryFolder folder("exchanger");
  const results::Table plain = globalError(folder.path(), "reference");
  const results::Table steered = globalError(folder.path(), "adaptive");
  const int many = iterationsTo(1e-2, plain.find("reference.largest")->numbers);
  const int few = iterationsTo(1e-2, steered.find("adaptive.largest")->numbers);
  showFigure({"jung 13", "global-error", "largest error below 0.01 K after 71 and 39 iterations, within 5 %"},
             fmt::format("{} and {}", many, few), std::abs(many - 71) <= 3 && std::abs(few - 39) <= 2);
  for (std::size_t i = 0; i < steered.time.size(); ++i)
    EXPECT_LE(steered.find("adaptive.mean")->numbers[i], steered.find("adaptive.largest")->numbers[i]) << i;
}

}  // namespace
}  // namespace koppla::test::heat_exchanger_test
