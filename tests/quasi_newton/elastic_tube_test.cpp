// The public benchmark P1: iterations that 100 steps of the elastic tube need. With reuse of columns the count is not
// sharp, a change of the first factor by 1e-6 moves it; so nine factors 0.01 (1 + k 1e-6), k = -4..4, are taken, 15 are
// allowed for one run, and their mean is compared. A count is worth something only if the run ended at the known state:
// once it has exploded every relative test is met.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/accelerator.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "tube.hpp"

namespace koppla::coupling {
namespace {

namespace tube = test::tube;

constexpr double kPressureNorm = 1610.113;  // |p| at t = 1
constexpr std::string_view kRequirement = "public P1";

tube::Result runAccelerated(const AccelerationSettings& settings, const tube::Problem& problem = {}) {
  const std::unique_ptr<Accelerator> accelerator = quasiNewton(settings, {.size = tube::kNodes});
  return tube::run(problem, {.begin = [&] { accelerator->begin(); },
                             .learn = [&](const auto& sent, const auto& got) { accelerator->learn(sent, got); },
                             .propose = [&](auto& send) { accelerator->propose(send); },
                             .accept = [&] { accelerator->accept(); }});
}

bool endedWell(const tube::Result& result) {
  return result.converged && std::fabs(tube::norm(result.p) - kPressureNorm) <= 1.0;
}

/// Relaxation by the first factor, filter 1e-3, at most 50 columns.
AccelerationSettings iqnIls(unsigned reusedSteps, double factor = 0.01) {
  return {.kind = AcceleratorKind::iqnIls,
          .factor = factor,
          .reusedSteps = reusedSteps,
          .columns = 50,
          .filter = Filter::qr2,
          .filterLimit = 1e-3};
}

struct Counts {
  int least = 1 << 30;
  int most = 0;
  double mean = 0.0;
  int good = 0;  ///< runs that ended at the known state; only these are counted
};

Counts nineRuns(AccelerationSettings settings) {
  Counts counts;
  for (int k = -4; k <= 4; ++k) {
    settings.factor = 0.01 * (1 + k * 1e-6);
    const tube::Result result = runAccelerated(settings);
    if (!endedWell(result)) continue;
    counts.least = std::min(counts.least, result.iterations);
    counts.most = std::max(counts.most, result.iterations);
    counts.mean += result.iterations;
    ++counts.good;
  }
  counts.mean /= counts.good;
  return counts;
}

/// Every run within 15 of the range that the note gives.
void showRange(std::string_view figure, const Counts& counts, int low, int high) {
  test::showFigure(
      {kRequirement, figure, fmt::format("{} to {}, a run within 15", low, high)},
      fmt::format("{} to {}, mean {:.1f}, {} of 9 runs", counts.least, counts.most, counts.mean, counts.good),
      counts.good == 9 && counts.least >= low - 15 && counts.most <= high + 15);
}

/// Nothing here is of the product: it tells that the tube of this file is that of the note.
TEST(ElasticTube, IsThatOfTheNote) {
  tube::Nodes sent;
  const tube::Result result = tube::run({}, {.learn = [&](const auto& values, const auto&) { sent = values; },
                                             .propose =
                                                 [&](auto& send) {
                                                   for (std::size_t i = 0; i < send.size(); ++i)
                                                     send[i] = sent[i] + 0.01 * (send[i] - sent[i]);
                                                 }});
  EXPECT_TRUE(endedWell(result));
  EXPECT_EQ(result.iterations, 31292);
}

TEST(ElasticTube, IqnIlsWithoutReuseNeeds2115Iterations) {
  const tube::Result result = runAccelerated(iqnIls(0));
  EXPECT_TRUE(endedWell(result));
  test::showEqual({kRequirement, "no-reuse", "2115"}, result.iterations, 2115);
}

TEST(ElasticTube, IqnIlsWithReuseOfEightStepsNeedsAbout859Iterations) {
  const Counts counts = nineRuns(iqnIls(8));
  showRange("reuse-8", counts, 850, 873);
  test::showWithin({kRequirement, "reuse-8-mean", "859 within 5"}, counts.mean, 859, 5);
}

// With one step reused about every sixth run explodes, too few columns are at hand when a step begins, and single
// counts scatter more. The note's range is of runs that ended well; here their mean is compared with it.
TEST(ElasticTube, IqnIlsNeedsFewerIterationsTheMoreStepsAreReused) {
  const Counts one = nineRuns(iqnIls(1));
  test::showFigure({kRequirement, "reuse-1", "1216 to 1228, the mean of the runs that end well within 15, most do"},
                   fmt::format("mean {:.1f}, {} of 9 runs", one.mean, one.good),
                   one.good >= 5 && one.mean >= 1216 - 15 && one.mean <= 1228 + 15);
  showRange("reuse-2", nineRuns(iqnIls(2)), 978, 990);
  showRange("reuse-4", nineRuns(iqnIls(4)), 878, 896);
  showRange("reuse-16", nineRuns(iqnIls(16)), 849, 866);
  showRange("reuse-32", nineRuns(iqnIls(32)), 852, 866);
}

TEST(ElasticTube, EndsAtTheKnownState) {
  const tube::Result result = runAccelerated(iqnIls(0), {.tolerance = 1e-9, .newtonTolerance = 1e-14});
  ASSERT_TRUE(result.converged);
  // Half a unit of the last digit that the note prints.
  const double error = test::largestOf(
      std::fabs(result.p[0] + 1.3858) / 5e-5, std::fabs(result.p[50] + 222.8517) / 5e-5,
      std::fabs(result.p[100] + 26.5051) / 5e-5, std::fabs(result.v50 - 7.64512) / 5e-6,
      std::fabs(result.a[50] - 0.9753203) / 5e-8, std::fabs(tube::norm(result.p) - kPressureNorm) / 5e-4,
      std::fabs(result.p0AfterFirstStep - 86.4553) / 5e-5);
  test::showAtMost({kRequirement, "state",
                    "p_0, p_50, p_100, v_50, a_50, |p| at t = 1 and p_0 after step 1 as printed: "
                    "at most 1 half unit of the last digit"},
                   error, 1.0);
}

TEST(ElasticTube, MultiVectorWithoutReuseIsIqnIls) {
  AccelerationSettings settings = iqnIls(0);
  settings.kind = AcceleratorKind::iqnImvj;
  EXPECT_EQ(runAccelerated(settings).iterations, 2115);
}

TEST(ElasticTube, OtherMethodsEndAtTheKnownState) {
  AccelerationSettings settings = iqnIls(8);
  settings.kind = AcceleratorKind::anderson;
  EXPECT_TRUE(endedWell(runAccelerated(settings)));
  settings.kind = AcceleratorKind::iqnImvj;
  settings.filterLimit = 1e-2;
  EXPECT_TRUE(endedWell(runAccelerated(settings)));
  settings.kind = AcceleratorKind::broyden;
  settings.reusedSteps = 0;  // what the first step taught makes the second one explode
  EXPECT_TRUE(endedWell(runAccelerated(settings)));
}

}  // namespace
}  // namespace koppla::coupling
