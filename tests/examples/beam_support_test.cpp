// examples/beam-support. CalculiX as a structure: against beam theory, against roots found here, and against one job of
// CalculiX that goes over all time steps.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/matches.hpp"

namespace koppla::test::beam_support_test {
namespace {

namespace fs = std::filesystem;

constexpr double kTip = 3.0493e-4;  // m, at 100 N: the published figure of ten B32

TEST(BeamSupportExamples, TheFreeBeamBendsAsPublished) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  const ExampleRun run = runExample("beam-support/stop", {"--set", "stop.gap=1"});
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const double tip = run.of("beam.u").back();
  showWithin({"public P4", "tip", "-3.0493e-4 m at 100 N"}, tip, -kTip, 5e-9);
  const double inertia = std::pow(0.05, 4) / 12.0;
  const double eulerBernoulli = 100.0 / (3.0 * 210e9 * inertia);  // L = 1 m
  showAtMost({"public P4", "euler-bernoulli", "within 0.1 % of -3.0476e-4 m"}, std::fabs(-tip / eulerBernoulli - 1.0),
             1e-3);
}

/// Where the beam's force and that of the stop balance the load, by bisection; downward positive.
double deflection(double load) {
  const auto surplus = [load](double down) {
    const double depth = std::fmax(0.0, down - 1e-4);
    return down * 100.0 / kTip + 1e6 * depth + 5e13 * std::pow(depth, 3) - load;
  };
  double low = 0.0;
  double high = load * kTip / 100.0;
  for (int i = 0; i < 100; ++i) (surplus(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(BeamSupportExamples, AStopThatHardensHoldsTheTip) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  const ExampleRun run = runExample("beam-support/stop");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const std::vector<double>& tip = run.of("beam.u");
  ASSERT_EQ(tip.size(), 6U);
  test::Largest worst;
  for (std::size_t i = 1; i < tip.size(); ++i)
    worst.see(std::fabs(-tip[i] / deflection(20.0 * static_cast<double>(i)) - 1.0));
  showAtMost({"public P4", "stop", "five loads on a stop: at most 1e-4 from roots by bisection"}, worst, 1e-4);
}

/// The folder of the last call in a step.
fs::path lastCall(const fs::path& step) {
  std::vector<fs::path> calls;
  for (const fs::directory_entry& call : fs::directory_iterator(step)) calls.push_back(call.path());
  return std::ranges::max(calls);
}

/// Rows of displacements in a .dat file, as they are printed.
std::vector<std::string> displacements(const fs::path& file) {
  std::vector<std::string> rows;
  for (const Match& match : matches(core::readWhole(file), " displacements [^\n]*\n\n([^\n]*)\n"))
    rows.push_back(match[1]);
  return rows;
}

TEST(BeamSupportExamples, StepsThatWereRepeatedAreThoseOfOneJob) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  const core::TemporaryFolder folder("beam");
  const fs::path run = folder.path() / "run";
  const CommandResult coupled = command({"run", (examplesFolder() / "beam-support/dynamic.toml").string(), "--folder",
                                         run.string(), "--set", "beam.keep=all", "--set", "simulation.end=0.008"});
  ASSERT_EQ(coupled.exitCode, 0) << coupled.errors;
  const fs::path model = examplesFolder() / "beam-support/beam";
  std::string deck = core::readWhole(model / "start.inp");
  std::vector<std::string> byCalls;
  std::size_t repeated = 0;
  for (int step = 1; step <= 4; ++step) {
    const fs::path call = lastCall(run / fmt::format("programs/beam/s{:06}", step));
    if (call.filename() != "i001") ++repeated;
    deck += replaced(core::readWhole(call / "step.inp"), "LENGTH", "2e-3");
    byCalls.push_back(displacements(call / "beam.dat").front());
  }
  EXPECT_EQ(repeated, 4U);
  for (const char* file : {"beam.mesh", "model.inp"}) fs::copy_file(model / file, folder.path() / file);
  core::writeWhole(folder.path() / "whole.inp", deck);
  ASSERT_EQ(std::system(fmt::format("cd '{}' && ccx whole > log.txt", folder.path().string()).c_str()), 0);
  const std::vector<std::string> byOneJob = displacements(folder.path() / "whole.dat");
  showFigure({"public P4", "restart", "four repeated steps print what one job with the same forces prints"},
             byOneJob == byCalls ? "the same" : "something else", byOneJob == byCalls);
}

TEST(BeamSupportExamples, TheStopPushesBackInMotion) {
  if (!isInstalled("ccx")) GTEST_SKIP() << "CalculiX (ccx) is not installed";
  const ExampleRun run = runExample("beam-support/dynamic", {"--set", "simulation.end=0.004"});
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const double u = run.of("beam.u").back();
  ASSERT_LT(u, -1e-4);  // the gap is closed
  EXPECT_NEAR(run.of("stop.F").back(), 1e6 * (-u - 1e-4) - 100.0, 1e-4);
}

}  // namespace
}  // namespace koppla::test::beam_support_test
