// examples/stability: the limits are those that were recomputed for Schmoll's oscillator, independently of Koppla.

#include <cmath>

#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/matches.hpp"

namespace koppla::test::stability_test {
namespace {

ExampleAnalysis analyse(const std::string& file, const std::vector<std::string>& more = {}) {
  return analyseStability("stability/" + file, more);
}

/// The critical steps of the rows that begin so, in their order; NaN where there is none.
std::vector<double> limits(const std::string& csv, const std::string& start) {
  std::vector<double> result;
  for (const Match& row : matches(csv, start + R"re(,\d,"(?:limit|stable)",,,,([^,]*),)re"))
    result.push_back(row[1].empty() ? std::nan("") : std::stod(row[1]));
  return result;
}

void expectLimits(const std::vector<double>& obtained, const std::vector<double>& expected) {
  ASSERT_EQ(obtained.size(), expected.size());
  for (std::size_t p = 0; p < expected.size(); ++p)
    if (std::isnan(expected[p]))
      EXPECT_TRUE(std::isnan(obtained[p])) << "degree " << p;
    else
      EXPECT_NEAR(obtained[p], expected[p], 1e-4 * expected[p]) << "degree " << p;
}

TEST(StabilityExamples, LimitsAreThoseOfTheReadme) {
  const ExampleAnalysis analysis = analyse("limits");
  EXPECT_EQ(analysis.command.exitCode, 0) << analysis.command.errors;
  EXPECT_EQ(analysis.command.errors, "");
  const auto of = [&](const std::string& decomposition, const std::string& algorithm) {
    return limits(analysis.rows, "\"" + decomposition + "\",\"" + algorithm + "\"");
  };
  expectLimits(of("force-displacement", "jacobi"), {1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4});
  expectLimits(of("force-displacement", "gauss-seidel"),
               {1.5616e-5, 2.9079e-4, 6.3531e-4, 6.5875e-4, 5.0248e-4, 3.4136e-4});
  expectLimits(of("displacement-displacement", "gauss-seidel"),
               {std::nan(""), 4.8553e-4, 7.7896e-4, 1.0211e-3, 1.0495e-3, 6.8007e-4});
  expectLimits(of("force-force", "gauss-seidel"), of("force-force", "jacobi"));
}

TEST(StabilityExamples, LimitsFollowTheSettingsOfTheCommandLine) {
  // Table 3.1 of Schmoll, whose limits the same notes give.
  const ExampleAnalysis analysis = analyse("limits", {"--set", "s2.c=2e5", "--set", "s2.d=4", "--set",
                                                      "link.stiffness=2e5", "--set", "link.damping=4", "--quiet"});
  EXPECT_EQ(analysis.command.output, "");
  expectLimits(limits(analysis.rows, "\"force-displacement\",\"jacobi\""),
               {2.3847e-5, 5.1598e-4, 1.2294e-3, 8.1781e-4, 4.1666e-4, 2.3002e-4});
}

TEST(StabilityExamples, StiffnessShortensTheStep) {
  const ExampleAnalysis analysis = analyse("stiffness");
  EXPECT_EQ(analysis.command.exitCode, 0) << analysis.command.errors;
  const auto at = [&](const std::string& stiffness) { return limits(analysis.rows, "\n" + stiffness).at(1); };
  EXPECT_NEAR(at("1e\\+06"), 2.4630e-4, 1e-4 * 2.4630e-4);
  EXPECT_GT(at("1e\\+05"), 4.0 * at("1e\\+06"));
  EXPECT_GT(at("1e\\+06"), 4.0 * at("1e\\+07"));
  EXPECT_NE(analysis.picture.find("critical step / s"), std::string::npos);
}

TEST(StabilityExamples, TheMapChangesColourAtTheCriticalStep) {
  const ExampleAnalysis analysis = analyse("map");
  EXPECT_EQ(analysis.command.exitCode, 0) << analysis.command.errors;
  EXPECT_NE(analysis.command.output.find("441 combinations"), std::string::npos) << analysis.command.output;
  const auto rows = matches(analysis.rows, R"re(\n([^,\n]+),1e\+06,"(stable|unstable)")re");
  for (const Match& row : rows) EXPECT_EQ(row[2] == "stable", std::stod(row[1]) < 2.4630e-4) << row[0];
  EXPECT_EQ(rows.size(), 21U);
  EXPECT_NE(analysis.picture.find("ρ = 1"), std::string::npos);
}

/// `koppla check` of Schmoll's oscillator, Jacobi and degree 3, whose limit is 3.8222e-4 s.
CommandResult checkAt(double step, const std::string& more) {
  return command({"check", (examplesFolder() / "two-mass-oscillator/force-displacement.toml").string(), "--json",
                  "--set", "algorithm.degree=3", "--set", "simulation.step=" + std::to_string(step), "--set", more});
}

TEST(StabilityExamples, ChecksTellOfInstabilityBeforehand) {
  const CommandResult beyond = checkAt(1.1 * 3.8222e-4, "simulation.end=1");
  EXPECT_EQ(beyond.exitCode, 0);
  EXPECT_EQ(nlohmann::json::parse(beyond.output)["subsystems"], 2);
  EXPECT_NE(beyond.errors.find("warning: coupling: The coupling is unstable with simulation.step = 0.00042"),
            std::string::npos)
      << beyond.errors;
  // Gauss-Seidel's method has its limit at 6.5875e-4 s.
  EXPECT_NE(beyond.errors.find("algorithm.kind = \"gauss-seidel\""), std::string::npos) << beyond.errors;
  const auto shorter = matches(beyond.errors, R"re(simulation\.step = ([0-9.e-]+) \()re");
  ASSERT_EQ(shorter.size(), 1U) << beyond.errors;
  EXPECT_NEAR(std::stod(shorter.front()[1]), 3.8222e-4, 0.02 * 3.8222e-4);
  EXPECT_EQ(checkAt(0.9 * 3.8222e-4, "simulation.end=1").errors, "");
  EXPECT_EQ(checkAt(1.1 * 3.8222e-4, "simulation.on_instability=ignore").errors, "");
}

}  // namespace
}  // namespace koppla::test::stability_test
