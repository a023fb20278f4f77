// The local error: each macro step against the exact solution that starts from the computed state before it (Schmoll,
// sec. 2.5.2). Two masses in opposite phase obey x'' = -9 x, of which 8 x is the link's force, held over the step: late
// by 3/2 h by Jacobi, h/2 by Gauss-Seidel (examples/oscillator/README.md). So v is off by 8 * 3/2 h x' * h = 12 h^2 v,
// or 4 h^2 v, and the NRMSE of v, whose mean is small beside its spread, is 12 h^2 or 4 h^2.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/error_measures.hpp"
#include "koppla/study/measured_run.hpp"

#include "support/figure.hpp"

namespace koppla::study {
namespace {

double localError(const std::string& algorithm, const std::string& step) {
  const std::filesystem::path file = std::filesystem::path(KOPPLA_EXAMPLES_DIR) / "oscillator/two-masses.toml";
  core::Log log;
  const std::vector<project::Override> settings{{"algorithm.kind", algorithm}, {"simulation.step", step}};
  project::Project plan = project::read(file, log, settings);
  plan.settings.variables = {"mass1.x", "mass1.v"};
  for (project::SubsystemEntry& entry : plan.subsystems)
    entry.fmu.value = std::filesystem::path(KOPPLA_FMU_DIR) / entry.fmu.value.filename();
  const FinishedRun run = runToEnd(plan);
  EXPECT_TRUE(run.outcome.ok()) << run.outcome.message;

  const std::vector<double>& t = run.table.time;
  const std::vector<double>& x = run.table.find("mass1.x")->numbers;
  const std::vector<double>& v = run.table.find("mass1.v")->numbers;
  results::Samples exact;
  results::Samples computed;
  for (std::size_t n = 1; n < t.size(); ++n) {
    const double angle = 3.0 * (t[n] - t[n - 1]);
    exact.push_back(v[n - 1] * std::cos(angle) - 3.0 * x[n - 1] * std::sin(angle));
    computed.push_back(v[n]);
  }
  return results::normalisedError(exact, computed).value();
}

TEST(LocalError, IsThatOfTheDelayInOneStep) {
  const double h = 1e-3;
  test::showWithin({"schmoll R35", "local-nrmse", "12 h^2 by Jacobi at h = 1e-3 s, +-3 %"},
                   localError("jacobi", "1e-3") / (h * h), 12.0, 0.36);
  EXPECT_NEAR(localError("gauss-seidel", "1e-3") / (h * h), 4.0, 0.12);
  EXPECT_NEAR(localError("jacobi", "2e-3") / localError("jacobi", "1e-3"), 4.0, 0.1) << "of second order";
}

}  // namespace
}  // namespace koppla::study
