// What a calibration finds, against its definition evaluated set by set: Jung (5.1), (5.9), (5.10).

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "koppla/study/calibration.hpp"
#include "koppla/study/smoothing.hpp"

#include "static_function.hpp"

namespace koppla::study::calibration_ranking_test {
namespace {

using coupling::AdaptiveParameters;
using test::staticFunction;
using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

double same(double in) {
  return in;
}

/// y = g y + 1, or with a bend.
CalibrationModel loop(std::string name, double gain, double bend = 0.0) {
  return {
      std::move(name),
      [gain, bend] { return staticFunction([gain, bend](double y) { return gain * y + 1.0 + bend * std::sin(y); }); },
      [] { return staticFunction(same); }, 0.5};
}

const Numbers kInfluences{0.02, 0.05, 0.08, 0.11};
const Numbers kUppers{0.5, 0.75, 1.0};
const Numbers kGains{1.0, 2.5, 4.0};
const Numbers kMasses{0.5, 1.0};

Calibration calibrationOf(std::vector<CalibrationModel> models) {
  Calibration calibration;
  calibration.models = std::move(models);
  calibration.iteration.rtol = 1e-5;
  calibration.iteration.most = 400;
  calibration.axes = {{"influence", &AdaptiveParameters::influence, kInfluences},
                      {"upper", &AdaptiveParameters::upper, kUppers},
                      {"gain", &AdaptiveParameters::gain, kGains},
                      {"mass", &AdaptiveParameters::mass, kMasses}};
  return calibration;
}

/// All sets of the grid, the last parameter varying fastest.
std::vector<AdaptiveParameters> sets() {
  std::vector<AdaptiveParameters> all;
  for (const double influence : kInfluences)
    for (const double upper : kUppers)
      for (const double gain : kGains)
        for (const double mass : kMasses)
          all.push_back({.influence = influence, .upper = upper, .gain = gain, .mass = mass});
  return all;
}

/// Which of them have a first or last value of several.
Names bordersOf(const AdaptiveParameters& set) {
  Names names;
  if (set.influence == kInfluences.front() || set.influence == kInfluences.back()) names.emplace_back("influence");
  if (set.upper == kUppers.front() || set.upper == kUppers.back()) names.emplace_back("upper");
  if (set.gain == kGains.front() || set.gain == kGains.back()) names.emplace_back("gain");
  return names;  // a mass of two values has none between them
}

struct Expected {
  std::vector<Numbers> smoothed;
  Numbers objective;
};

Expected expectedOf(const Calibration& calibration) {
  const std::vector<AdaptiveParameters> all = sets();
  const std::vector<std::size_t> sizes{kInfluences.size(), kUppers.size(), kGains.size(), kMasses.size()};
  Expected expected{{}, Numbers(all.size(), 0.0)};
  for (const CalibrationModel& model : calibration.models) {
    const StaticLoop iterated(model);
    LoopIteration how = calibration.iteration;
    how.relaxation.reset();
    const double unrelaxed = iterated.iterations(how);
    Numbers eta;
    for (const AdaptiveParameters& set : all) {
      how.relaxation = set;
      eta.push_back(iterated.iterations(how) / unrelaxed);
    }
    for (unsigned pass = 0; pass < calibration.passes; ++pass) eta = smoothed(eta, sizes);
    for (std::size_t i = 0; i < eta.size(); ++i) expected.objective[i] += eta[i] * eta[i];
    expected.smoothed.push_back(std::move(eta));
  }
  for (double& objective : expected.objective)
    objective = std::sqrt(objective / static_cast<double>(calibration.models.size()));
  return expected;
}

void expectRanked(const Calibration& calibration, const CalibrationResult& result) {
  const Expected expected = expectedOf(calibration);
  const std::vector<AdaptiveParameters> all = sets();
  ASSERT_EQ(result.objective.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_DOUBLE_EQ(result.objective[i], expected.objective[i]) << i;

  // By objective; of equal ones the first of the grid.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return result.objective[i]; });
  ASSERT_EQ(result.best.size(), std::min<std::size_t>(calibration.best, all.size()));
  for (std::size_t rank = 0; rank < result.best.size(); ++rank) {
    const CalibratedSet& set = result.best[rank];
    const AdaptiveParameters& parameters = all[order[rank]];
    EXPECT_EQ(set.name, std::to_string(rank + 1));
    EXPECT_EQ(set.objective, result.objective[order[rank]]);
    EXPECT_EQ(set.parameters.influence, parameters.influence) << rank;
    EXPECT_EQ(set.parameters.upper, parameters.upper) << rank;
    EXPECT_EQ(set.parameters.gain, parameters.gain) << rank;
    EXPECT_EQ(set.parameters.mass, parameters.mass) << rank;
    EXPECT_EQ(set.borders, bordersOf(parameters)) << rank;
  }

  std::optional<std::size_t> inside;
  for (const std::size_t i : order)
    if (!inside && bordersOf(all[i]).empty()) inside = i;
  ASSERT_TRUE(result.inside);
  const auto better =
      std::ranges::count_if(result.objective, [&](double each) { return each < result.objective[*inside]; });
  EXPECT_EQ(result.inside->name, std::to_string(better + 1));
  EXPECT_EQ(result.inside->objective, result.objective[*inside]);
  EXPECT_EQ(result.inside->parameters.influence, all[*inside].influence);
  EXPECT_EQ(result.inside->parameters.mass, all[*inside].mass);
  EXPECT_EQ(result.inside->borders, Names{});
}

TEST(CalibrationRanking, IsThatOfItsDefinition) {
  for (const unsigned passes : {0U, 1U, 2U}) {
    Calibration calibration = calibrationOf({loop("a", -0.6), loop("b", -1.3, 0.3), loop("c", 0.7, 0.2)});
    calibration.passes = passes;
    calibration.best = 7;
    const CalibrationResult result = calibrate(calibration, {}).value();
    expectRanked(calibration, result);
    EXPECT_TRUE(result.smoothed.empty()) << "nobody has asked for the fields";
  }
}

TEST(CalibrationRanking, GivesEqualSetsInTheOrderOfTheGrid) {
  // One model, whose iterations are few: most sets have equals.
  Calibration calibration = calibrationOf({loop("a", -0.2)});
  calibration.passes = 0;
  calibration.best = 100;  // more than there are
  expectRanked(calibration, calibrate(calibration, {}).value());
}

TEST(CalibrationRanking, KeepsTheSmoothedFieldsOnRequest) {
  Calibration calibration = calibrationOf({loop("a", -0.6), loop("b", -1.3, 0.3)});
  calibration.field = WrittenField::models;
  const CalibrationResult result = calibrate(calibration, {.jobs = 3}).value();
  EXPECT_EQ(result.smoothed, expectedOf(calibration).smoothed);
  calibration.field = WrittenField::objective;
  EXPECT_TRUE(calibrate(calibration, {}).value().smoothed.empty());
}

TEST(CalibrationGrid, TellsParametersAndBordersOfEverySet) {
  const Calibration calibration = calibrationOf({});
  const std::vector<AdaptiveParameters> all = sets();
  EXPECT_EQ(calibration.sizes(), (std::vector<std::size_t>{4, 3, 3, 2}));
  ASSERT_EQ(calibration.size(), all.size());
  for (std::size_t point = 0; point < all.size(); ++point) {
    const AdaptiveParameters parameters = calibration.parametersAt(point);
    EXPECT_EQ(parameters.influence, all[point].influence) << point;
    EXPECT_EQ(parameters.upper, all[point].upper) << point;
    EXPECT_EQ(parameters.gain, all[point].gain) << point;
    EXPECT_EQ(parameters.mass, all[point].mass) << point;
    EXPECT_EQ(parameters.first, calibration.common.first) << point;
    EXPECT_EQ(calibration.bordersAt(point), bordersOf(all[point])) << point;
  }
}

TEST(CalibrationGrid, OfOneSetIsRankedToo) {
  Calibration calibration = calibrationOf({loop("a", -0.6)});
  calibration.axes.clear();
  calibration.common.influence = 0.07;
  ASSERT_EQ(calibration.size(), 1U);
  const CalibrationResult result = calibrate(calibration, {.jobs = 0}).value();
  ASSERT_EQ(result.best.size(), 1U);
  EXPECT_EQ(result.best.front().parameters.influence, 0.07);
  ASSERT_TRUE(result.inside) << "nothing is varied, so it is on no border";
  EXPECT_EQ(result.inside->name, "1");
}

TEST(CalibrationGrid, OfJungIsHisTable) {
  struct Line {
    std::string name;
    double AdaptiveParameters::*parameter;
    double from;
    double to;
    std::size_t count;
  };
  const std::vector<Line> table{{"influence", &AdaptiveParameters::influence, 0.0, 0.15, 17},
                                {"lower", &AdaptiveParameters::lower, 1.0 / 3.0, 1.0, 9},
                                {"upper", &AdaptiveParameters::upper, 1.0 / 3.0, 1.0, 9},
                                {"gain", &AdaptiveParameters::gain, 0.0, 5.0, 10},
                                {"slope", &AdaptiveParameters::slope, 0.1, 5.0, 10},
                                {"mass", &AdaptiveParameters::mass, 0.0, 1.0, 6}};
  for (const coupling::Steering algorithm :
       {coupling::Steering::mixed, coupling::Steering::nonLinear, coupling::Steering::linear}) {
    std::vector<Line> lines = table;
    if (algorithm == coupling::Steering::linear)
      std::erase_if(lines, [](const Line& line) { return line.name == "slope"; });
    const std::vector<CalibrationAxis> axes = jungAxes(algorithm);
    ASSERT_EQ(axes.size(), lines.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      EXPECT_EQ(axes[i].name, lines[i].name);
      EXPECT_EQ(axes[i].parameter, lines[i].parameter) << lines[i].name;
      ASSERT_EQ(axes[i].values.size(), lines[i].count) << lines[i].name;
      const double step = (lines[i].to - lines[i].from) / static_cast<double>(lines[i].count - 1);
      for (std::size_t k = 0; k < axes[i].values.size(); ++k)
        EXPECT_NEAR(axes[i].values[k], lines[i].from + static_cast<double>(k) * step, 1e-14) << lines[i].name;
    }
  }
}

TEST(CalibratedSet, IsWorseOnModelsThatTakeMoreIterationsThanUnrelaxed) {
  const Calibration calibration = calibrationOf({loop("a", -0.6), loop("b", -0.6), loop("c", -0.6), loop("d", -0.6)});
  LoopIteration how = calibration.iteration;
  how.relaxation = AdaptiveParameters{};
  const unsigned n = StaticLoop(calibration.models.front()).iterations(how);
  const CalibratedSet set = measured(calibration, *how.relaxation, {n, 2 * n, n - 1, n - 2});
  const double one = n;
  EXPECT_EQ(set.iterations, (std::vector<unsigned>{n, n, n, n}));
  EXPECT_EQ(set.eta, (Numbers{1.0, 0.5, one / (one - 1.0), one / (one - 2.0)}));
  EXPECT_EQ(set.worse, 2U) << "as many iterations are not more";
  EXPECT_EQ(set.statistics.least, 0.5);
  EXPECT_EQ(set.statistics.most, one / (one - 2.0));
  EXPECT_TRUE(std::isnan(set.objective));
  EXPECT_TRUE(set.borders.empty());
}

TEST(CalibratedSet, IsComparedWithLoopsThatAreNotRelaxedWhateverTheStudyHolds) {
  Calibration calibration = calibrationOf({loop("a", -0.9), loop("b", 0.5)});
  const std::vector<unsigned> unrelaxed = unrelaxedIterations(calibration);
  calibration.iteration.relaxation = AdaptiveParameters{.first = 0.3};
  EXPECT_EQ(unrelaxedIterations(calibration), unrelaxed);
  // Of y = g y + 1 from y0 = 1/2 the distance to the solution is g^n times the first one.
  const auto loops = [](double g) {
    double y = 0.5;
    for (unsigned n = 1;; ++n) {
      const double raw = g * y + 1.0;
      if (std::fabs(raw - y) <= 1e-5 * std::fabs(raw)) return n;
      y = raw;
    }
  };
  EXPECT_EQ(unrelaxed, (std::vector<unsigned>{loops(-0.9), loops(0.5)}));
}

TEST(CalibrationProgress, GrowsUntilAllLoopsAreDone) {
  Calibration calibration = calibrationOf({loop("a", -0.2), loop("b", 0.3)});
  Numbers influences;
  for (int i = 0; i < 512; ++i) influences.push_back(0.15 * i / 511.0);
  calibration.axes = {{"influence", &AdaptiveParameters::influence, influences}};
  std::vector<std::size_t> done;
  CalibrationOptions options;
  options.progress = [&done](std::size_t now, std::size_t all) {
    EXPECT_EQ(all, 1024U);
    done.push_back(now);
  };
  ASSERT_TRUE(calibrate(calibration, options));
  ASSERT_GE(done.size(), 4U) << "it is told on the way";
  EXPECT_EQ(done.back(), 1024U);
  done.pop_back();
  EXPECT_TRUE(std::ranges::adjacent_find(done, std::greater_equal{}) == done.end()) << "none is told twice";
  EXPECT_GT(done.front(), 0U);
  EXPECT_LE(done.back(), 1024U);
}

TEST(CalibrationProgress, EndsAfterThePieceInWhichItIsInterrupted) {
  std::size_t asked = 0;
  CalibrationOptions options;
  options.interrupted = [&asked] { return ++asked == 2; };
  EXPECT_FALSE(calibrate(calibrationOf({loop("a", -0.2), loop("b", 0.3), loop("c", 0.4)}), options));
  EXPECT_EQ(asked, 2U) << "the third model is not begun";
}

TEST(CalibrationResults, NameModelsThatNoSetSolves) {
  // |g| = 3 is beyond all sets whose factor is at least 1 - lower = 0.9: it leaves 1 - 4 * 0.9 of the error, and worse.
  Calibration calibration = calibrationOf({loop("a", -0.6), loop("away", -3.0), loop("b", 0.5), loop("far", 3.0)});
  calibration.common.lower = 0.1;
  const CalibrationResult result = calibrate(calibration, {}).value();
  EXPECT_EQ(result.unsolved, (Names{"away", "far"}));
  ASSERT_EQ(result.unrelaxed.size(), 4U);
  EXPECT_EQ(result.unrelaxed[1], calibration.iteration.most);
}

TEST(CalibrationResults, HoldTheCalibratedSetsInTheirOrder) {
  Calibration calibration = calibrationOf({loop("a", -0.6), loop("b", -1.3, 0.3)});
  calibration.sets = {{"first", {.influence = 0.04}}, {"second", {.first = 0.5, .influence = 0.0}}};
  const CalibrationResult result = calibrate(calibration, {}).value();
  ASSERT_EQ(result.named.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.named[i].name, calibration.sets[i].name);
    EXPECT_EQ(result.named[i].eta, measured(calibration, calibration.sets[i].parameters, result.unrelaxed).eta);
  }
  EXPECT_EQ(result.named[1].parameters.first, 0.5);
}

}  // namespace
}  // namespace koppla::study::calibration_ranking_test
