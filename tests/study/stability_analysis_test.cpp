// Analyses from their file to their rows: x'' = -c x by the built-in body, whose explicit Euler method has the spectral
// radius |1 + i sqrt(c) H|, and whose classical Runge-Kutta method is stable up to sqrt(8/c).

#include <cmath>
#include <csignal>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/study/stability.hpp"

#include "own_children.hpp"
#include "support/message_of.hpp"

namespace koppla::study::stability_analysis_test {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kProject = R"(format = 1
simulation = { end = 10.0, step = 0.5 }
[[subsystems]]
name = "body"
model = "oscillator-body"
integrator = "ode1"
parameters = { c = 1.0, d = 0.0 }
)";

class StabilityAnalysisTest : public ::testing::Test {
 protected:
  StabilityAnalysisTest() { core::writeWhole(place_.path() / "p.toml", kProject); }

  StabilityAnalysis analysisOf(const std::string& head, const std::string& axes = {},
                               const std::vector<project::Override>& set = {}) {
    core::writeWhole(place_.path() / "s.toml", "format = 1\n[stability]\nproject = \"p.toml\"\n" + head + axes);
    return readStability(place_.path() / "s.toml", log_, set);
  }

  core::TemporaryFolder place_{"stability-test"};
  core::Log log_;
};

const std::string kRadius = "find = \"spectral-radius\"\n";
const std::string kFourRadii =
    "[[vary]]\nname = \"body.c\"\nvalues = [1.0, 4.0]\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.5, 1.0]\n";

TEST_F(StabilityAnalysisTest, HasARowForEveryCombinationInTheirOrder) {
  std::vector<std::pair<std::size_t, std::size_t>> told;
  StabilityOptions options;
  options.jobs = 2;
  options.progress = [&told](std::size_t done, std::size_t all) { told.emplace_back(done, all); };
  const std::vector<StabilityRow> rows = analyse(analysisOf(kRadius, kFourRadii), options);
  ASSERT_EQ(rows.size(), 4U);
  std::size_t i = 0;
  for (const double c : {1.0, 4.0})
    for (const double step : {0.5, 1.0}) {
      EXPECT_EQ(rows[i].status, StabilityStatus::unstable) << i;
      EXPECT_EQ(rows[i].step, step);
      EXPECT_NEAR(rows[i].spectralRadius, std::hypot(1.0, std::sqrt(c) * step), 1e-12) << i;
      EXPECT_TRUE(std::isnan(rows[i].criticalStep));
      EXPECT_EQ(rows[i].message, "");
      ++i;
    }
  EXPECT_EQ(told, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 4}, {2, 4}, {3, 4}, {4, 4}}));
}

TEST_F(StabilityAnalysisTest, FindsACriticalStepForEveryCombination) {
  const std::vector<StabilityRow> rows =
      analyse(analysisOf("find = \"critical-step\"\nfrom = 0.5\nto = 2.5\nset = [\"body.integrator=ode4\"]\n",
                         "[[vary]]\nname = \"body.c\"\nvalues = [1.0, 4.0, 64.0]\n"),
              {});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].status, StabilityStatus::stable) << "sqrt(8) is beyond the range";
  EXPECT_TRUE(std::isnan(rows[0].criticalStep));
  EXPECT_EQ(rows[1].status, StabilityStatus::limit);
  EXPECT_NEAR(rows[1].criticalStep, std::sqrt(2.0), 1e-5);
  EXPECT_EQ(rows[2].status, StabilityStatus::unstable) << "sqrt(1/8) is below the range";
  EXPECT_TRUE(std::isnan(rows[2].criticalStep));
}

TEST_F(StabilityAnalysisTest, TakesSettingsOfTheFileAndThenOfTheCommandLine) {
  const auto radius = [](const StabilityAnalysis& analysis) { return analyse(analysis, {}).at(0).spectralRadius; };
  EXPECT_NEAR(radius(analysisOf(kRadius)), std::hypot(1.0, 0.5), 1e-12);
  const std::string set = kRadius + "set = [\"simulation.step=0.25\"]\n";
  EXPECT_NEAR(radius(analysisOf(set)), std::hypot(1.0, 0.25), 1e-12);
  EXPECT_NEAR(radius(analysisOf(set, {}, {{"simulation.step", "2"}})), std::hypot(1.0, 2.0), 1e-12);
}

TEST_F(StabilityAnalysisTest, EndsEarlyWhenAsked) {
  std::size_t done = 0;
  StabilityOptions options;
  options.progress = [&done](std::size_t now, std::size_t) { done = now; };
  options.interrupted = [&done] { return done == 2; };
  EXPECT_TRUE(analyse(analysisOf(kRadius, kFourRadii), options).empty());
  EXPECT_EQ(done, 2U);
}

TEST_F(StabilityAnalysisTest, AnswersAsManyCombinationsAtOnceAsAllowed) {
  if (!test::ownChildren()) GTEST_SKIP() << "This system does not tell whose children there are.";
  const StabilityAnalysis analysis = analysisOf(kRadius, kFourRadii);
  for (const unsigned jobs : {1U, 3U}) {
    std::size_t most = 0;
    StabilityOptions options;
    options.jobs = jobs;
    options.interrupted = [&most] {
      most = std::max(most, test::countOfOwnChildren());
      return false;
    };
    EXPECT_EQ(analyse(analysis, options).size(), 4U);
    EXPECT_EQ(most, jobs);
  }
}

TEST_F(StabilityAnalysisTest, CombinationsWithoutAnAnswerSayWhy) {
  // Where nothing is connected nothing can be probed, and an FMU may not start.
  const std::string fmus = KOPPLA_FMU_DIR;
  core::writeWhole(place_.path() / "p.toml",
                   std::string(kProject) + "[[subsystems]]\nname = \"x\"\nfmu = \"" + fmus + "/Gain.fmu\"\n");
  const std::vector<StabilityRow> rows =
      analyse(analysisOf(kRadius, "[[vary]]\nname = \"x.fmu\"\nvalues = [\"" + fmus + "/Gain.fmu\", \"" + fmus +
                                      "/FailingInstantiate.fmu\"]\n"),
              {});
  ASSERT_EQ(rows.size(), 2U);
  for (const StabilityRow& row : rows) {
    EXPECT_EQ(row.status, StabilityStatus::failed);
    EXPECT_TRUE(std::isnan(row.spectralRadius) && std::isnan(row.criticalStep));
  }
  EXPECT_NE(rows[0].message.find("nothing to probe"), std::string::npos) << rows[0].message;
  EXPECT_NE(rows[1].message.find("fmi2Instantiate"), std::string::npos) << rows[1].message;
}

TEST_F(StabilityAnalysisTest, ACombinationWhoseProcessDiesIsToldSo) {
  if (!test::ownChildren()) GTEST_SKIP() << "This system does not tell whose children there are.";
  // A hundred million micro steps for every macro step that is tried: it would take very long.
  const StabilityAnalysis analysis =
      analysisOf("find = \"critical-step\"\nfrom = 1.0\nto = 2.0\nset = [\"body.micro_step=1e-8\"]\n");
  StabilityOptions options;
  options.interrupted = [] {
    for (const pid_t child : test::ownChildren().value_or(std::vector<pid_t>{})) ::kill(child, SIGKILL);
    return false;
  };
  const std::vector<StabilityRow> rows = analyse(analysis, options);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, StabilityStatus::failed);
  EXPECT_EQ(rows[0].message, "The process of this combination was killed by signal 9 (Killed).");
}

TEST_F(StabilityAnalysisTest, MistakesOfAllCombinationsAreToldAtTheirLines) {
  const std::string said = test::messageOf<core::InputError>(
      [&] { analysisOf(kRadius, "[[vary]]\nname = \"simulation.step\"\nvalues = [-0.5, 0.5, 0.0]\n"); });
  EXPECT_EQ(said, (place_.path() / "s.toml").string() + ":7:11: 'step' in [simulation] is -0.5; it must be above 0.\n" +
                      (place_.path() / "s.toml").string() + ":7:22: 'step' in [simulation] is 0; it must be above 0.");
}

/// An option that no combination uses is told once.
TEST_F(StabilityAnalysisTest, WarningsThatAllCombinationsShareAreTold) {
  Texts warnings;
  log_.addSink([&warnings](core::Severity severity, std::string_view, std::string_view message) {
    if (severity == core::Severity::warning) warnings.emplace_back(message);
  });
  analysisOf(kRadius + "set = [\"algorithm.max_iterations=5\"]\n", kFourRadii);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("'max_iterations' in [algorithm] has no effect"), std::string::npos) << warnings[0];
  warnings.clear();
  analysisOf(kRadius + "set = [\"algorithm.max_iterations=5\"]\n",
             "[[vary]]\nname = \"algorithm.kind\"\nvalues = [\"jacobi\", \"newton\"]\n");
  EXPECT_EQ(warnings, Texts{}) << "one of them uses it";
}

Texts mistakesIn(const std::string& text) {
  Texts result;
  try {
    parseStability(text, "folder/s.toml");
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems()) {
      EXPECT_EQ(problem.place.file, "folder/s.toml");
      result.push_back(std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + " " +
                       core::text({{}, problem.message, problem.remedy}));
    }
  }
  return result;
}

/// Of [stability] with these lines, which begin in line 4.
Texts mistakes(const std::string& lines) {
  return mistakesIn("format = 1\n[stability]\nproject = \"p.toml\"\n" + lines);
}

TEST(StabilityFileMistakes, InAnEmptyFileBelongToAllOfIt) {
  EXPECT_EQ(mistakesIn(""),
            (Texts{"0:0 There is no 'format' in the stability file. Write format = 1 in the first line.",
                   "0:0 There is no 'project' in [stability]. Write project = \"project.toml\", relative to this file.",
                   "0:0 There is no 'find' in [stability]. Write find = \"critical-step\" or find = "
                   "\"spectral-radius\"."}));
  EXPECT_EQ(mistakesIn("format = 2\nnew = 1\n"),
            Texts{"1:10 The format 2 is newer than this Koppla, which knows format 1. Use a newer Koppla."});
}

TEST(StabilityFileMistakes, OfASpectralRadiusAreTheEndsOfARange) {
  const std::string remedy = " Remove it; the step is simulation.step of the project, which can be varied.";
  EXPECT_EQ(mistakes("find = \"spectral-radius\"\nfrom = 1e-3\nto = 1.0\n"),
            (Texts{"5:8 find = \"spectral-radius\" has no 'from'." + remedy,
                   "6:6 find = \"spectral-radius\" has no 'to'." + remedy}));
  EXPECT_EQ(mistakes("find = \"spectral-radius\"\nincrement = 1e-3\nallowance = 0\n"), Texts{});
}

TEST(StabilityFileMistakes, OfACriticalStepAreARangeWithoutLengthAndAVariedStep) {
  EXPECT_EQ(mistakes("find = \"critical-step\"\nfrom = 0.5\nto = 0.5\n"),
            Texts{"6:6 'to', 0.5 s, is not above 'from', 0.5 s. Give the shorter step as 'from'."});
  EXPECT_EQ(mistakes("find = \"critical-step\"\nto = 1e-6\n"),
            Texts{"5:6 'to', 1e-06 s, is not above 'from', 1e-06 s. Give the shorter step as 'from'."});
  EXPECT_EQ(mistakes("find = \"critical-step\"\nfrom = 0.5\nto = 0.625\n"), Texts{});
  EXPECT_EQ(mistakes("find = \"critical-step\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.1]\n"),
            Texts{"5:1 simulation.step is varied, but the critical step is what is sought. Remove it, or write find = "
                  "\"spectral-radius\"."});
  EXPECT_EQ(mistakes("find = \"critical-step\"\n[[vary]]\nname = \"a.step\"\nvalues = [0.1]\n"), Texts{});
}

TEST(StabilityFileMistakes, AreToldInTheOrderOfLines) {
  // The settings are read before the range.
  EXPECT_EQ(
      mistakes("find = \"critical\"\nallowance = -1\nincrement = 0\nfrom = 0\nto = -1\nset = [\"x\"]\nwhat = 1\n"),
      (Texts{"4:8 'critical' is no value of 'find' in [stability]. Known here: critical-step, spectral-radius.",
             "5:13 'allowance' in [stability] is -1; it must be at least 0.",
             "6:13 'increment' in [stability] is 0; it must be above 0.",
             "7:8 'from' in [stability] is 0; it must be above 0.",
             "8:6 'to' in [stability] is -1; it must be above 0.",
             "9:8 'x' is no setting. Write name=value, such as simulation.end=5.",
             "10:1 'what' is not an option of [stability]. Known here: project, set, find, from, to, increment, "
             "allowance."}));
}

}  // namespace
}  // namespace koppla::study::stability_analysis_test
