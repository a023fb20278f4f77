#include "koppla/study/stability.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"
#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::study::stability_test {
namespace {

constexpr double kOmega = 4.0;  // 1/s

std::unique_ptr<subsystem::Subsystem> exactIntegrator() {
  native::LinearStateSpace model;
  model.inputs = {"u"};
  model.outputs = {"x"};
  model.A = {{0.0}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{0.0}};
  return solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact});
}

/// x1' = -omega x2, x2' = omega x1: held inputs make it symplectic Euler in sequence, stable up to 2 / omega, and
/// explicit Euler in parallel, never stable.
coupling::System rotation() {
  coupling::System system;
  system.members.push_back({"first", exactIntegrator(), {}});
  system.members.push_back({"second", exactIntegrator(), {}});
  test::connect(system, {{"second.x", "first.u", -kOmega}, {"first.x", "second.u", kOmega}});
  return system;
}

run::Settings settingsWith(coupling::AlgorithmKind kind) {
  run::Settings settings;
  settings.step = 0.5 / kOmega;
  settings.algorithm.kind = kind;
  return settings;
}

TEST(Stability, FindsTheCriticalStep) {
  StabilityAnalysis analysis;
  analysis.range = {1e-2, 10.0};
  const StabilityRow row = judge(analysis, rotation(), settingsWith(coupling::AlgorithmKind::gaussSeidel));
  EXPECT_EQ(row.status, StabilityStatus::limit);
  EXPECT_NEAR(row.criticalStep, 2.0 / kOmega, 1e-6);
}

TEST(Stability, TellsThatThereIsNoCriticalStep) {
  StabilityAnalysis analysis;
  analysis.range = {1e-2, 0.4};
  const StabilityRow row = judge(analysis, rotation(), settingsWith(coupling::AlgorithmKind::gaussSeidel));
  EXPECT_EQ(row.status, StabilityStatus::stable);
  EXPECT_TRUE(std::isnan(row.criticalStep));
}

TEST(Stability, TellsThatEvenTheShortestStepIsUnstable) {
  StabilityAnalysis analysis;
  analysis.range = {1e-2, 0.4};
  const StabilityRow row = judge(analysis, rotation(), settingsWith(coupling::AlgorithmKind::jacobi));
  EXPECT_EQ(row.status, StabilityStatus::unstable);
  EXPECT_TRUE(std::isnan(row.criticalStep));
}

TEST(Stability, GivesTheSpectralRadiusAtTheProjectsStepAndItsGrowth) {
  StabilityAnalysis analysis;
  analysis.find = StabilityQuestion::spectralRadius;
  const StabilityRow row = judge(analysis, rotation(), settingsWith(coupling::AlgorithmKind::jacobi));
  EXPECT_EQ(row.status, StabilityStatus::unstable);
  EXPECT_NEAR(row.spectralRadius, std::hypot(1.0, 0.5), 1e-12);
  EXPECT_NEAR(row.decadesPerSecond(), std::log10(std::hypot(1.0, 0.5)) * 2.0 * kOmega, 1e-10);
}

TEST(Stability, AFullDiskIsNoResultOfACombination) {
  StabilityAnalysis analysis;
  analysis.project = "p.toml";
  analysis.projectText = "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nfmu = \"" +
                         std::string(KOPPLA_FMU_DIR) + "/Gain.fmu\"\n";
  const test::FullDisk full(4096);  // smaller than any library in an FMU
  const std::string said = test::messageOf<core::FileError>([&] { analyse(analysis, {}); });
  EXPECT_TRUE(said.starts_with("The analysis has stopped. " + std::string(KOPPLA_FMU_DIR) + "/Gain.fmu: The entry '"))
      << said;
  EXPECT_TRUE(said.ends_with("set TMPDIR to a folder with more.")) << said;
}

constexpr const char* kHead = "format = 1\n[stability]\nproject = \"p.toml\"\n";
constexpr const char* kTwoAxes =
    "[[vary]]\nname = \"algorithm.kind\"\nvalues = [\"jacobi\", \"gauss-seidel\"]\n"
    "[[vary]]\nname = \"algorithm.degree\"\nvalues = [0, 1]\n";

TEST(StabilityFile, HasDefaults) {
  const StabilityAnalysis analysis =
      parseStability(std::string(kHead) + "find = \"critical-step\"\n", "folder/limits.toml");
  EXPECT_EQ(analysis.project, "folder/p.toml");
  EXPECT_EQ(analysis.folder(), "folder/limits.stability");
  EXPECT_EQ(analysis.grid.size(), 1U);
  EXPECT_EQ(analysis.range.from, 1e-6);
  EXPECT_EQ(analysis.range.to, 1.0);
}

TEST(StabilityFile, TakesAllOptions) {
  const StabilityAnalysis analysis =
      parseStability(std::string(kHead) +
                         "set = [\"simulation.end=2\"]\nfind = \"critical-step\"\nfrom = 1e-5\nto = 1e-2\nincrement = "
                         "1e-4\nallowance = 1e-8\n" +
                         kTwoAxes,
                     "limits.toml");
  EXPECT_EQ(analysis.set.size(), 1U);
  EXPECT_EQ(analysis.range.from, 1e-5);
  EXPECT_EQ(analysis.range.to, 1e-2);
  EXPECT_EQ(analysis.recursion.increment, 1e-4);
  EXPECT_EQ(analysis.recursion.allowance, 1e-8);
  EXPECT_EQ(analysis.grid.size(), 4U);
}

/// Four answers of an analysis over two settings.
std::vector<StabilityRow> fourRows() {
  std::vector<StabilityRow> rows(4);
  rows[0].status = StabilityStatus::limit;
  rows[0].criticalStep = 2.5e-4;
  rows[1].status = StabilityStatus::stable;
  rows[2].status = StabilityStatus::unstable;
  rows[3].message = "It has \"no\" states.";
  return rows;
}

TEST(StabilityTables, HaveOneLinePerCombination) {
  const StabilityAnalysis analysis =
      parseStability(std::string(kHead) + "find = \"critical-step\"\n" + kTwoAxes, "limits.toml");
  EXPECT_EQ(stabilityCsv(analysis, fourRows()),
            "\"algorithm.kind\",\"algorithm.degree\",\"status\",\"step\",\"spectral_radius\",\"decades_per_second\","
            "\"critical_step\",\"method\",\"uncertainty\",\"message\"\n"
            "\"jacobi\",0,\"limit\",,,,0.00025,\"matrix\",,\"\"\n"
            "\"jacobi\",1,\"stable\",,,,,\"matrix\",,\"\"\n"
            "\"gauss-seidel\",0,\"unstable\",,,,,\"matrix\",,\"\"\n"
            "\"gauss-seidel\",1,\"failed\",,,,,\"\",,\"It has \"\"no\"\" states.\"\n");
}

TEST(StabilityTables, ShowTwoSettingsAsATableAndExplainItsSigns) {
  const StabilityAnalysis analysis =
      parseStability(std::string(kHead) + "find = \"critical-step\"\n" + kTwoAxes, "limits.toml");
  EXPECT_EQ(stabilityText(analysis, fourRows()),
            "critical macro step in s of p.toml\n\n"
            "  algorithm.degree            0        1\n"
            "    algorithm.kind\n"
            "            jacobi   2.5000e-04     none\n"
            "      gauss-seidel            <   failed\n\n"
            "none: no unstable step up to 1 s\n"
            "<: unstable already at 1e-06 s\n"
            "unstable: spectral radius above 1 + 1e-10 (allowance)\n"
            "failed: 1 of 4 combinations; the first: It has \"no\" states.\n");
}

TEST(StabilityTables, ShowByHowMuchARadiusIsAboveOneWhereSixDigitsDoNot) {
  const StabilityAnalysis analysis =
      parseStability(std::string(kHead) + "find = \"spectral-radius\"\nallowance = 1e-9\n" + kTwoAxes, "limits.toml");
  std::vector<StabilityRow> rows(4);
  const std::array radii{0.5, 1.0 + 1e-13, 1.0 + 2e-8, 1.5};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].spectralRadius = radii.at(i);
    rows[i].status = analysis.recursion.isStable(radii.at(i)) ? StabilityStatus::stable : StabilityStatus::unstable;
  }
  const std::string text = stabilityText(analysis, rows);
  EXPECT_NE(text.find("1+2.0e-08 !   1.5 !\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5       1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("!: unstable, above 1 + 1e-09 (allowance)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace koppla::study::stability_test
