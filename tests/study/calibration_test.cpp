// The study of parameters of adaptive relaxation. Counts are those of the theory note, sec. 9.1.

#include "koppla/study/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/study/study_reader.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::study::calibration_test {
namespace {

using coupling::AdaptiveParameters;

constexpr const char* kHead = "format = 1\n[study]\nkind = \"calibration\"\n";

Calibration parsed(const std::string& rest) {
  return parseCalibration(kHead + rest, "folder/tuning.toml");
}

/// All mistakes, one a line.
std::string mistakesOf(const std::string& rest) {
  try {
    parsed(rest);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "none";
}

AdaptiveParameters set(std::string_view name) {
  AdaptiveParameters parameters =
      std::ranges::find(coupling::adaptiveSets(), name, &coupling::AdaptiveSet::name)->parameters;
  parameters.margin = 1e-6;  // that of the published counts
  return parameters;
}

AdaptiveParameters safeSet() {
  AdaptiveParameters parameters = set("L/NL(1,b)");
  parameters.upper = 2.0 / 3.0;
  return parameters;
}

Calibration jungStudy(coupling::Accelerated values, double rtol) {
  Calibration calibration;
  calibration.models = jungModels();
  calibration.iteration.values = values;
  calibration.iteration.rtol = rtol;
  return calibration;
}

/// "180 58 | 89 43": a bar where another kind of model begins; "none": not converged.
std::string counts(const Calibration& calibration, const std::vector<unsigned>& iterations) {
  const auto family = [&](std::size_t i) {
    return calibration.models[i].name.substr(0, calibration.models[i].name.find(' '));
  };
  std::string text;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    if (i > 0) text += family(i) == family(i - 1) ? " " : " | ";
    text += iterations[i] == calibration.iteration.most ? "none" : std::to_string(iterations[i]);
  }
  return text;
}

TEST(CalibrationCounts, OfUnrelaxedLoopsAreThePublishedOnes) {
  for (const auto& [name, rtol, demanded] :
       {std::tuple{"1e-6", 1e-6,
                   "180 58 37 29 24 | 89 43 30 24 21 | 38 29 25 | 13 17 25 39 78 654 | 26 42 94 516 94 54"},
        std::tuple{"1e-3", 1e-3,
                   "93 31 20 16 13 | 48 23 17 13 12 | 20 16 14 | 7 9 13 20 40 310 | 12 19 39 356 75 46"}}) {
    const Calibration calibration = jungStudy(coupling::Accelerated::cut, rtol);
    const std::string obtained = counts(calibration, unrelaxedIterations(calibration));
    test::showFigure({"jung 33", fmt::format("unrelaxed-{}", name), demanded}, obtained, obtained == demanded);
  }
}

TEST(CalibrationCounts, OfNamedSetsAreThePublishedOnes) {
  struct Row {
    const char* figure;
    AdaptiveParameters parameters;
    coupling::Accelerated values;
    double rtol;
    const char* demanded;
  };
  using enum coupling::Accelerated;
  const std::vector<Row> rows{
      {"L/NL(1,a)-one-1e-6", set("L/NL(1,a)"), cut, 1e-6,
       "10 9 9 8 8 | 9 9 8 8 8 | 9 8 8 | 7 7 8 9 9 10 | 16 24 49 262 50 30"},
      {"L/NL(1,b)-one-1e-6", set("L/NL(1,b)"), cut, 1e-6,
       "12 11 10 10 9 | 11 11 10 9 9 | 10 10 9 | 8 9 10 11 11 12 | 17 25 51 263 51 30"},
      {"L/NL(1,b)-both-1e-6", set("L/NL(1,b)"), all, 1e-6,
       "13 12 11 10 11 | 12 12 11 11 9 | 11 11 11 | 8 9 10 11 12 13 | 14 21 48 none 146 80"},
      {"safe-both-1e-6", safeSet(), all, 1e-6,
       "13 11 10 10 10 | 12 12 10 10 10 | 11 10 10 | 8 10 10 11 13 13 | 14 19 30 108 49 44"},
      {"L/NL(1,a)-one-1e-3", set("L/NL(1,a)"), cut, 1e-3,
       "8 8 7 7 7 | 8 7 7 7 6 | 7 7 7 | 5 6 7 7 8 8 | 9 13 23 184 43 27"},
      {"L/NL(1,b)-both-1e-3", set("L/NL(1,b)"), all, 1e-3,
       "8 8 7 7 5 | 8 7 7 5 7 | 7 7 5 | 5 5 5 7 8 8 | 8 10 14 294 55 35"},
  };
  for (const Row& row : rows) {
    const Calibration calibration = jungStudy(row.values, row.rtol);
    const CalibratedSet obtained = measured(calibration, row.parameters, unrelaxedIterations(calibration));
    const std::string text = counts(calibration, obtained.iterations);
    test::showFigure({"jung 33", row.figure, row.demanded}, text, text == row.demanded);
  }
}

TEST(CalibrationStatistics, OfNamedSetsAreThePublishedOnes) {
  struct Row {
    const char* figure;
    AdaptiveParameters parameters;
    coupling::Accelerated values;
    const char* coarse;  // mean / median / largest / worse than unrelaxed at 1e-3
    const char* fine;    // at 1e-6
  };
  using enum coupling::Accelerated;
  const std::vector<Row> rows{
      {"L(1,a)-one", set("L(1,a)"), cut, "0.446 / 0.500 / 0.750 / 0", "0.338 / 0.360 / 0.615 / 0"},
      {"L(1,b)-both", set("L(1,b)"), all, "0.529 / 0.385 / 2.94 / 2", "0.790 / 0.400 / 3.88 / 6"},
      {"NL(1,a)-one", set("NL(1,a)"), cut, "0.449 / 0.462 / 0.750 / 0", "0.335 / 0.320 / 0.606 / 0"},
      {"NL(1,b)-both", set("NL(1,b)"), all, "0.401 / 0.412 / 0.714 / 0", "0.360 / 0.379 / 0.722 / 0"},
      {"L/NL(1,a)-one", set("L/NL(1,a)"), cut, "0.443 / 0.500 / 0.750 / 0", "0.325 / 0.320 / 0.615 / 0"},
      {"L/NL(1,b)-both", set("L/NL(1,b)"), all, "0.425 / 0.385 / 0.826 / 0", "0.585 / 0.400 / 3.88 / 3"},
      {"safe-both", safeSet(), all, "0.422 / 0.462 / 0.750 / 0", "0.356 / 0.345 / 0.815 / 0"},
      {"L/NL(0.7,a)-one", set("L/NL(0.7,a)"), cut, "0.350 / 0.286 / 0.917 / 0", "0.293 / 0.240 / 0.731 / 0"},
  };
  const auto text = [](const Row& row, double rtol) {
    const Calibration calibration = jungStudy(row.values, rtol);
    const CalibratedSet obtained = measured(calibration, row.parameters, unrelaxedIterations(calibration));
    const BoxStatistics& s = obtained.statistics;
    return fmt::format("{:.3f} / {:.3f} / {:.{}f} / {}", s.mean, s.median, s.most, s.most < 1.0 ? 3 : 2,
                       obtained.worse);
  };
  for (const Row& row : rows) {
    const std::string demanded = fmt::format("{} and {}", row.coarse, row.fine);
    const std::string obtained = text(row, 1e-3) + " and " + text(row, 1e-6);
    test::showFigure({"jung 34", fmt::format("statistics-{}", row.figure), demanded}, obtained, obtained == demanded);
  }
}

TEST(CalibrationGrid, IsJungsUnlessTold) {
  const Calibration mixed = parsed("algorithm = \"L/NL\"\n");
  test::showFigure({"jung 33", "grid", "8.3e5 sets x 25 models"},
                   fmt::format("{} sets x {} models", mixed.size(), mixed.models.size()),
                   mixed.size() == 17 * 9 * 9 * 10 * 10 * 6 && mixed.models.size() == 25);
  EXPECT_EQ(mixed.folder(), "folder/tuning.study");
  EXPECT_EQ(parsed("algorithm = \"L\"\n").size(), 17U * 9 * 9 * 10 * 6);  // L has no slope
  // The gains and slopes of Jung, table 5.5, are on the grid.
  const AdaptiveParameters first = mixed.parametersAt(0);
  EXPECT_DOUBLE_EQ(first.influence, 0.0);
  EXPECT_DOUBLE_EQ(first.lower, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(first.slope, 0.1);
  const AdaptiveParameters inner = mixed.parametersAt(((((7 * 9 + 8) * 9 + 4) * 10 + 7) * 10 + 4) * 6 + 4);
  EXPECT_NEAR(inner.influence, 0.065625, 1e-12);
  EXPECT_NEAR(inner.lower, 1.0, 1e-12);
  EXPECT_NEAR(inner.upper, 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(inner.gain, 3.8889, 5e-5);
  EXPECT_NEAR(inner.slope, 2.2778, 5e-5);
  EXPECT_NEAR(inner.mass, 0.8, 1e-12);
}

/// A small grid around a calibrated set; some sets do not converge.
Calibration smallGrid(const std::string& algorithm) {
  const std::string slope = algorithm == "L" ? "" : "[[vary]]\nname = \"slope\"\nvalues = [1, 2, 3]\n";
  return parsed(
      "algorithm = \"" + algorithm + "\"\nvalues = \"all\"\nmodels = [\"lin 5\", \"B480 8\", \"FSI-h 110\"]\n" +
      "max_iterations = 500\nbest = 4\n[[vary]]\nname = \"influence\"\nfrom = 0.01\nto = 0.13\ncount = 4\n" +
      "[[vary]]\nname = \"upper\"\nvalues = [0.5, 0.75, 1]\n[[vary]]\nnames = [\"lower\", \"mass\"]\nvalues = " +
      "[0.8]\n[[vary]]\nname = \"gain\"\nvalues = [1, 3, 5]\n" + slope);
}

CalibrationResult calibrated(const Calibration& calibration, unsigned jobs) {
  CalibrationOptions options;
  options.jobs = jobs;
  return calibrate(calibration, options).value();
}

TEST(CalibrationResults, DoNotDependOnTheNumberOfThreads) {
  std::string seen;
  bool same = true;
  for (const char* algorithm : {"L", "NL", "L/NL"}) {
    const Calibration calibration = smallGrid(algorithm);
    const CalibrationResult alone = calibrated(calibration, 1);
    const CalibrationResult together = calibrated(calibration, 4);
    same = same && alone.objective == together.objective && alone.best.size() == 4 && together.best.size() == 4;
    seen += fmt::format("{}{}: {} sets", seen.empty() ? "" : ", ", algorithm, alone.objective.size());
    for (std::size_t i = 0; i < alone.best.size(); ++i)
      EXPECT_EQ(alone.best[i].iterations, together.best[i].iterations) << algorithm;
  }
  test::showFigure({"jung 33", "parallel", "one and four threads give the same for L, NL, L/NL"}, seen, same);
}

TEST(CalibrationResults, AreRankedByTheRootMeanSquareOverTheModels) {
  Calibration calibration = smallGrid("L/NL");
  calibration.passes = 0;
  const CalibrationResult result = calibrated(calibration, 2);
  // Jung (5.10), set by set.
  std::vector<double> expected;
  for (std::size_t point = 0; point < calibration.size(); ++point) {
    const CalibratedSet each = measured(calibration, calibration.parametersAt(point), result.unrelaxed);
    expected.push_back(
        std::sqrt((each.eta[0] * each.eta[0] + each.eta[1] * each.eta[1] + each.eta[2] * each.eta[2]) / 3));
  }
  test::Largest distance;
  for (std::size_t point = 0; point < expected.size(); ++point)
    distance.see(std::fabs(result.objective[point] - expected[point]));
  test::showAtMost({"jung 34", "objective", "the RMS of eta over the models, to 1e-14"}, distance, 1e-14);
  std::ranges::sort(expected);
  bool ranked = true;
  for (std::size_t i = 0; i < result.best.size(); ++i)
    ranked = ranked && std::fabs(result.best[i].objective - expected[i]) < 1e-14;
  test::showFigure({"jung 34", "ranking", "the smallest objectives, in order"},
                   fmt::format("{:.4f} to {:.4f} of {:.4f} to {:.4f}", result.best.front().objective,
                               result.best.back().objective, expected.front(), expected.back()),
                   ranked && result.best.front().objective < expected.back());
}

TEST(CalibrationResults, TellWhetherTheBestSetIsAtABorder) {
  const Calibration calibration = smallGrid("L/NL");
  EXPECT_EQ(calibration.bordersAt(0), (std::vector<std::string>{"influence", "upper", "gain", "slope"}));
  const CalibrationResult result = calibrated(calibration, 1);
  ASSERT_TRUE(result.inside);
  EXPECT_TRUE(result.inside->borders.empty());
  EXPECT_DOUBLE_EQ(result.inside->parameters.upper, 0.75);
  EXPECT_GE(result.inside->objective, result.best.front().objective);
}

TEST(CalibrationResults, EndEarlyWhenAsked) {
  CalibrationOptions options;
  options.interrupted = [] { return true; };
  EXPECT_FALSE(calibrate(smallGrid("L"), options));
}

TEST(CalibrationModels, MayBeGivenByTheUser) {
  // y = 1 + g + ... + g^(n-1) after n iterations; converged when g^(n-1) <= rtol y: n = 10 for g = 1/2 and 1e-3.
  const Calibration calibration = parsed(R"toml(algorithm = "L/NL"
[[model]]
name = "gain"
start = 0.0
first = { model = "expressions", inputs = { y = 0.0 }, parameters = { g = 0.5 }, outputs = { x = "g*y + 1" } }
second = { model = "expressions", inputs = { x = 0.0 }, outputs = { y = "x" } }
[[model]]
name = "warm wall"
start = 50.0
first = { model = "wall-conduction", parameters = { lambda = 6.5 } }
second = { model = "radiating-face", emissivity = "constant" }
)toml");
  ASSERT_EQ(calibration.models.size(), 2U);
  EXPECT_EQ(unrelaxedIterations(calibration), (std::vector<unsigned>{10, 31}));
}

TEST(CalibrationModels, AreNamedByKindAndNumber) {
  const Calibration calibration = parsed("algorithm = \"L\"\nmodels = [\"B480\", \"FSI-v 100\"]\n");
  std::vector<std::string> names;
  for (const CalibrationModel& model : calibration.models) names.push_back(model.name);
  EXPECT_EQ(names, (std::vector<std::string>{"B480 5", "B480 6.5", "B480 8", "B480 9.5", "B480 11", "FSI-v 100"}));
}

TEST(CalibrationFile, IsToldFromOtherStudies) {
  EXPECT_TRUE(isCalibration(std::string(kHead), "a.toml"));
  EXPECT_FALSE(isCalibration("format = 1\n[study]\nproject = \"p.toml\"\n", "a.toml"));
}

TEST(CalibrationFile, AMistypedKindIsTheOnlyMistake) {
  try {
    parse("format = 1\n[study]\nkind = \"calibraton\"\nalgorithm = \"L\"\n", "a.toml");
    ADD_FAILURE() << "it was accepted";
  } catch (const core::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "a.toml:3:8: 'calibraton' is no value of 'kind' in [study]. Did you mean 'calibration'?");
  }
}

TEST(CalibrationFile, MistakesAreToldWithTheirLines) {
  EXPECT_NE(mistakesOf("").find("algorithm"), std::string::npos);
  const std::string text = mistakesOf(R"toml(algorithm = "L"
models = ["lin", "C 5"]
sets = ["L(1,c)"]
best = 0
[[vary]]
name = "slope"
values = [1]
[[vary]]
name = "lower"
values = [0.5, 1.5]
[[model]]
name = "moving"
first = { model = "rotor" }
second = { model = "radiating-face", parameters = { epsilon = 1.0 } }
)toml");
  for (const char* part : {"tuning.toml:5:18: There is no model 'C 5'.", "tuning.toml:6:9: There is no set 'L(1,c)'.",
                           "tuning.toml:7:8:", "tuning.toml:10:11: L has no parameter 'slope'.", "tuning.toml:13:16:",
                           "tuning.toml:16:", "tuning.toml:17:", "'radiating-face' has no parameter 'epsilon'"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(CalibrationFile, ValuesThatAreThereTwiceAreRefused) {
  const std::string text = mistakesOf("algorithm = \"L\"\n[[vary]]\nname = \"gain\"\nvalues = [1, 2, 1.0]\n");
  EXPECT_NE(text.find("tuning.toml:7:17: The value 1 of 'gain' is there twice."), std::string::npos) << text;
}

/// Whichever of them it is: the first one, too.
TEST(CalibrationFile, ModelsThatAreThereTwiceAreRefused) {
  for (const char* models : {"[\"lin 5\", \"B480 8\", \"lin 5\"]", "[\"B480 8\", \"lin 5\", \"lin 5\"]"}) {
    const std::string text = mistakesOf("algorithm = \"L\"\nmodels = " + std::string(models) + "\n");
    EXPECT_NE(text.find("The model 'lin 5' is there twice."), std::string::npos) << text;
  }
}

TEST(CalibrationFile, TheMarginHasTheLimitOfTheAcceleration) {
  EXPECT_EQ(mistakesOf("algorithm = \"L\"\nmargin = 0.2\n"), "none");
  const std::string text = mistakesOf("algorithm = \"L\"\nmargin = 0.21\n");
  EXPECT_NE(text.find("tuning.toml:5:10: 'margin' is 0.21; it must be at most 0.2."), std::string::npos) << text;
}

TEST(CalibrationTables, TellModelsThatNoSetSolves) {
  // A factor of at least 1 - lower + margin > 0 leaves 1 + 2 factor of the error of a loop of slope 3: none converges.
  const std::string loop =
      "\nfirst = { model = \"expressions\", inputs = { y = 0.0 }, outputs = { x = \"g*y + 1\" }, " +
      std::string("parameters = { g = 3.0 } }\nsecond = { model = \"expressions\", ") +
      "inputs = { x = 0.0 }, outputs = { y = \"x\" } }\n";
  std::string one;
  for (const char* name : {"lower", "upper", "gain", "mass"})
    one += fmt::format("[[vary]]\nname = \"{}\"\nvalues = [1]\n", name);
  const Calibration calibration =
      parsed("algorithm = \"L\"\nmodels = [\"lin 5\"]\n" + one + "[[model]]\nname = \"runs away\"" + loop);
  const CalibrationResult result = calibrated(calibration, 1);
  EXPECT_EQ(result.unsolved, (std::vector<std::string>{"runs away"}));
  EXPECT_NE(calibrationText(calibration, result).find("warning: no set converges on 'runs away' within 2000"),
            std::string::npos);
}

TEST(CalibrationTables, HaveOneLinePerModelAndSet) {
  const Calibration calibration = smallGrid("L/NL");
  const CalibrationResult result = calibrated(calibration, 1);
  EXPECT_EQ(modelsCsv(calibration, result),
            "\"model\",\"unrelaxed\"\n\"lin 5\",93\n\"B480 8\",500\n\"FSI-h 110\",356\n");
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  EXPECT_EQ(lines(setsCsv(calibration, result.best)), 1 + 4);
  EXPECT_EQ(lines(setsCsv(calibration, result.named)), 1 + 4);
  EXPECT_EQ(lines(fieldCsv(calibration, result)), static_cast<long>(1 + calibration.size()));
  EXPECT_NE(calibrationText(calibration, result).find("1 of 3 models do not converge unrelaxed within 500 iterations"),
            std::string::npos);
}

/// sqrt((1 + 49 + 25) / 3) = 5.
TEST(CalibrationTables, TellTheRootMeanSquareOverTheModels) {
  const Calibration calibration = smallGrid("L/NL");
  CalibratedSet set;
  set.name = "mine";
  set.eta = {1.0, 7.0, 5.0};
  const std::string text = setsCsv(calibration, {set});
  const std::size_t end = text.find('\n');
  const auto cells = [](const std::string& line) {
    std::vector<std::string> result;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) result.push_back(cell);
    return result;
  };
  const std::vector<std::string> head = cells(text.substr(0, end));
  const auto rms = std::ranges::find(head, "\"rms\"") - head.begin();
  EXPECT_EQ(cells(text.substr(end + 1)).at(static_cast<std::size_t>(rms)), "5");
}

}  // namespace
}  // namespace koppla::study::calibration_test
