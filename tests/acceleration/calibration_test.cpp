// Counts of iterations on Jung's calibration models: lin 5..11 | A 5..11 | B 8..11 | FSI-v 65..140 | FSI-h 65..140.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "loops.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using coupling::AccelerationSettings;

enum class Mode { one, both };

Outcome run(const Loop& loop, Mode mode, const AccelerationSettings& settings, double tolerance, unsigned cap = 3000) {
  const Conduct conduct{.tolerance = tolerance, .cap = cap};
  Outcome outcome = mode == Mode::one ? relaxOne(loop, settings, conduct) : relaxBoth(loop, settings, conduct);
  if (settings.kind == coupling::AcceleratorKind::adaptive) {
    EXPECT_GT(outcome.smallestFactor, 1.0 - settings.adaptive.lower) << loop.name;
    EXPECT_LT(outcome.largestFactor, 1.0 + settings.adaptive.upper) << loop.name;
  }
  return outcome;
}

std::vector<Outcome> runAll(const std::vector<Loop>& loops, Mode mode, const AccelerationSettings& settings,
                            double tolerance, unsigned cap = 3000) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(loops.size());
  for (const Loop& loop : loops) outcomes.push_back(run(loop, mode, settings, tolerance, cap));
  return outcomes;
}

// "W": converged, but to another root.
std::string count(const Loop& loop, const Outcome& outcome) {
  if (outcome.end != End::converged) return "none";
  const double right = root(loop);
  return std::fabs(outcome.result[0] - right) > 0.5 * std::fabs(right) ? "W" : std::to_string(outcome.iterations);
}

std::string counts(const std::vector<Loop>& loops, const std::vector<Outcome>& outcomes) {
  const auto family = [](const Loop& loop) { return std::string_view(loop.name).substr(0, loop.name.find(' ')); };
  std::string text;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (i > 0) text += family(loops[i]) == family(loops[i - 1]) ? " " : " | ";
    text += count(loops[i], outcomes[i]);
  }
  return text;
}

void showCounts(std::string_view requirement, std::string_view figure, const std::string& demanded,
                const std::vector<Loop>& loops, Mode mode, const AccelerationSettings& settings, double tolerance) {
  const std::string obtained = counts(loops, runAll(loops, mode, settings, tolerance));
  showFigure({requirement, figure, demanded}, obtained, obtained == demanded);
}

TEST(Calibration, FixedPointsOfTheModels) {
  const std::vector<double> expected{6976.35,      7867.66,      8582.31,      9171.51,      9667.43,
                                     6498.82,      7286.20,      7910.59,      8420.63,      8846.53,
                                     5826.59,      6229.75,      6569.89,      0.52291456,   0.60921518,
                                     0.68381122,   0.74844776,   0.80472999,   0.85403261,   4.402632e-05,
                                     6.787392e-05, 1.480885e-04, 0.3563220872, 0.9315292521, 1.2215276560};
  const std::vector<Loop> loops = calibrationLoops();
  ASSERT_EQ(loops.size(), expected.size());
  for (std::size_t i = 0; i < loops.size(); ++i) EXPECT_NEAR(root(loops[i]) / expected[i], 1.0, 2e-6) << loops[i].name;
  const std::vector<double> b480{4789.198, 5563.273, 6214.003, 6772.432, 7259.059};
  for (std::size_t i = 0; i < b480.size(); ++i) EXPECT_NEAR(root(b480Loops()[i]), b480[i], 1e-3);
}

TEST(Calibration, Unrelaxed) {
  showCounts("jung 15", "unrelaxed-1e-6",
             "180 58 37 29 24 | 89 43 30 24 21 | 38 29 25 | 13 17 25 39 78 654 | 26 42 94 516 94 54",
             calibrationLoops(), Mode::one, unrelaxed(), 1e-6);
  showCounts("jung 15", "unrelaxed-1e-3",
             "93 31 20 16 13 | 48 23 17 13 12 | 20 16 14 | 7 9 13 20 40 310 | 12 19 39 356 75 46", calibrationLoops(),
             Mode::one, unrelaxed(), 1e-3);
}

TEST(Calibration, ConstantFactor) {
  std::vector<Loop> loops = calibrationLoops();
  const std::vector<Loop> horizontal(loops.end() - 6, loops.end());
  loops.resize(19);
  showCounts("jung 15", "static-0.7", "15 12 10 8 7 | 13 10 9 7 6 | 10 8 7 | 8 5 7 9 10 15", loops, Mode::one,
             constantFactor(0.7), 1e-6);
  for (const Loop& loop : horizontal) {
    EXPECT_GT(run(loop, Mode::one, constantFactor(0.7), 1e-6, 30000).iterations,
              run(loop, Mode::one, unrelaxed(), 1e-6).iterations);
  }
  const Loop lin5 = wall(emissivityLin(), 5.0);
  showEqual({"jung 15", "lin-5-0.5", "6"}, run(lin5, Mode::one, constantFactor(0.5), 1e-6).iterations, 6);
  showEqual({"jung 15", "lin-5-0.7", "15"}, run(lin5, Mode::one, constantFactor(0.7), 1e-6).iterations, 15);
}

TEST(Calibration, TooLargeAConstantFactor) {
  const Loop loop = wall(emissivityLin(), 6.5);
  const auto relaxed = [&](double omega) { return run(loop, Mode::one, constantFactor(omega), 1e-6, 250); };
  const Outcome overflow = relaxed(1.38);
  showFigure(
      {"jung 12", "loop-1.38", "overflow in iteration 16"},
      fmt::format("{} in iteration {}", overflow.end == End::notFinite ? "overflow" : "other end", overflow.iterations),
      overflow.end == End::notFinite && overflow.iterations == 16);
  const Outcome cap = relaxed(1.36);
  showFigure({"jung 12", "loop-1.36", "cap of 250"},
             fmt::format("{} {}", cap.end == End::cap ? "cap of" : "other end", cap.iterations), cap.end == End::cap);
  const Outcome converged = relaxed(1.05);
  showFigure({"jung 12", "loop-1.05", "99"}, std::to_string(converged.iterations),
             converged.end == End::converged && converged.iterations == 99);
}

TEST(Calibration, Aitken) {
  const std::string demanded = "7 6 6 6 6 | 6 6 6 6 6 | 7 6 6 | 5 6 6 6 6 6 | 3 3 3 W W W";
  showCounts("jung 16", "counts", demanded, calibrationLoops(), Mode::one, aitken(), 1e-6);
  showCounts("jung 16", "counts-per-scalar", demanded, calibrationLoops(), Mode::one,
             {.kind = coupling::AcceleratorKind::aitkenPerScalar}, 1e-6);
  showCounts("jung 16", "b480", "8 8 7 7 7", b480Loops(), Mode::one, aitken(), 1e-6);
}

TEST(Calibration, AitkenFindsTheRepellingRootOfTheHorizontalPlate) {
  const std::array<std::pair<double, double>, 3> roots{{{110.0, -8.145e-4}, {125.0, -1.086e-4}, {140.0, -5.818e-5}}};
  for (const auto& [rho, wrong] : roots) {
    for (const double first : {1.0, 0.5, 0.1}) {
      const Outcome outcome = run(horizontalPlate(rho), Mode::one, aitken(first), 1e-6);
      EXPECT_NEAR(outcome.result[0] / wrong, 1.0, 1e-3) << rho << " from " << first;
      if (first != 1.0) continue;
      showFigure({"jung 16", fmt::format("wrong-root-{}", rho), fmt::format("{:.3e} in 3 iterations", wrong)},
                 fmt::format("{:.3e} in {} iterations", outcome.result[0], outcome.iterations),
                 fmt::format("{:.3e}", outcome.result[0]) == fmt::format("{:.3e}", wrong) && outcome.iterations == 3);
    }
  }
}

TEST(Calibration, CharacteristicNumber) {
  const Conduct conduct{.tolerance = 1e-10, .cap = 3000};
  EXPECT_NEAR(relaxOne(wall(emissivityLin(), 5.0), unrelaxed(), conduct).lastK(), -0.9231, 1e-4);
  EXPECT_NEAR(relaxOne(horizontalPlate(110.0), unrelaxed(), conduct).lastK(), 0.9573, 1e-4);
}

TEST(Calibration, AdaptiveRelaxation) {
  const std::vector<Loop> loops = calibrationLoops();
  showCounts("jung 21", "L/NL(1,a)-one-1e-6", "10 9 9 8 8 | 9 9 8 8 8 | 9 8 8 | 7 7 8 9 9 10 | 16 24 49 262 50 30",
             loops, Mode::one, adaptive("L/NL(1,a)"), 1e-6);
  showCounts("jung 21", "L/NL(1,b)-one-1e-6",
             "12 11 10 10 9 | 11 11 10 9 9 | 10 10 9 | 8 9 10 11 11 12 | 17 25 51 263 51 30", loops, Mode::one,
             adaptive("L/NL(1,b)"), 1e-6);
  showCounts("jung 21", "L/NL(1,b)-both-1e-6",
             "13 12 11 10 11 | 12 12 11 11 9 | 11 11 11 | 8 9 10 11 12 13 | 14 21 48 none 146 80", loops, Mode::both,
             adaptive("L/NL(1,b)"), 1e-6);
  showCounts("jung 21", "safe-both-1e-6",
             "13 11 10 10 10 | 12 12 10 10 10 | 11 10 10 | 8 10 10 11 13 13 | 14 19 30 108 49 44", loops, Mode::both,
             adaptiveSafe(), 1e-6);
  showCounts("jung 21", "L/NL(1,a)-one-1e-3", "8 8 7 7 7 | 8 7 7 7 6 | 7 7 7 | 5 6 7 7 8 8 | 9 13 23 184 43 27", loops,
             Mode::one, adaptive("L/NL(1,a)"), 1e-3);
  showCounts("jung 21", "L/NL(1,b)-both-1e-3", "8 8 7 7 5 | 8 7 7 5 7 | 7 7 5 | 5 5 5 7 8 8 | 8 10 14 294 55 35", loops,
             Mode::both, adaptive("L/NL(1,b)"), 1e-3);
}

// Relative iterations over the 25 models.
struct Effort {
  double mean, median, largest, smallest;
  unsigned worse;
};

Effort effort(Mode mode, const AccelerationSettings& settings, double tolerance) {
  constexpr unsigned cap = 2000;  // what a run without convergence counts as
  std::vector<double> ratios;
  for (const Loop& loop : calibrationLoops()) {
    const Outcome relaxed = run(loop, mode, settings, tolerance, cap);
    const unsigned iterations = relaxed.end == End::converged ? relaxed.iterations : cap;
    ratios.push_back(iterations / static_cast<double>(run(loop, Mode::one, unrelaxed(), tolerance).iterations));
  }
  std::ranges::sort(ratios);
  return {.mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size()),
          .median = ratios[ratios.size() / 2],
          .largest = ratios.back(),
          .smallest = ratios.front(),
          .worse = static_cast<unsigned>(std::ranges::count_if(ratios, [](double r) { return r > 1.0; }))};
}

TEST(Calibration, StatisticsOfRelativeIterations) {
  struct Row {
    std::string figure;
    AccelerationSettings settings;
    Mode mode;
    std::string coarse, fine;  // mean / median / max / worse at 1e-3 and 1e-6
  };
  const std::vector<Row> rows{
      {"L(1,a)-one", adaptive("L(1,a)"), Mode::one, "0.446 / 0.500 / 0.750 / 0", "0.338 / 0.360 / 0.615 / 0"},
      {"L(1,b)-both", adaptive("L(1,b)"), Mode::both, "0.529 / 0.385 / 2.94 / 2", "0.790 / 0.400 / 3.88 / 6"},
      {"NL(1,a)-one", adaptive("NL(1,a)"), Mode::one, "0.449 / 0.462 / 0.750 / 0", "0.335 / 0.320 / 0.606 / 0"},
      {"NL(1,b)-both", adaptive("NL(1,b)"), Mode::both, "0.401 / 0.412 / 0.714 / 0", "0.360 / 0.379 / 0.722 / 0"},
      {"L/NL(1,a)-one", adaptive("L/NL(1,a)"), Mode::one, "0.443 / 0.500 / 0.750 / 0", "0.325 / 0.320 / 0.615 / 0"},
      {"L/NL(1,b)-one", adaptive("L/NL(1,b)"), Mode::one, "0.479 / 0.500 / 0.857 / 0", "0.365 / 0.360 / 0.654 / 0"},
      {"L/NL(1,b)-both", adaptive("L/NL(1,b)"), Mode::both, "0.425 / 0.385 / 0.826 / 0", "0.585 / 0.400 / 3.88 / 3"},
      {"safe-both", adaptiveSafe(), Mode::both, "0.422 / 0.462 / 0.750 / 0", "0.356 / 0.345 / 0.815 / 0"},
      {"L/NL(0.7,a)-one", adaptive("L/NL(0.7,a)"), Mode::one, "0.350 / 0.286 / 0.917 / 0", "0.293 / 0.240 / 0.731 / 0"},
  };
  const auto text = [](const Effort& e) {
    const auto three = [](double x) { return x < 1.0 ? fmt::format("{:.3f}", x) : fmt::format("{:.2f}", x); };
    return fmt::format("{} / {} / {} / {}", three(e.mean), three(e.median), three(e.largest), e.worse);
  };
  for (const Row& row : rows) {
    const std::string demanded = row.coarse + " and " + row.fine;
    const std::string obtained =
        text(effort(row.mode, row.settings, 1e-3)) + " and " + text(effort(row.mode, row.settings, 1e-6));
    showFigure({"jung 21", "statistics-" + row.figure, demanded}, obtained, obtained == demanded);
  }
}

TEST(Calibration, SavesIterations) {
  for (const auto& [name, mode, settings] : {std::tuple{"one", Mode::one, adaptive("L/NL(1,a)", 0.01)},
                                             std::tuple{"both", Mode::both, adaptiveSafe(0.01)}}) {
    const Effort e = effort(mode, settings, 1e-3);
    showAtMost({"jung 27", fmt::format("{}-mean", name), "at most 0.50"}, e.mean, 0.50);
    showAtMost({"jung 27", fmt::format("{}-largest", name), "at most 0.86"}, e.largest, 0.86);
    showAtMost({"jung 27", fmt::format("{}-best", name), "at most 0.03"}, e.smallest, 0.03);
  }
}

TEST(Calibration, DefaultMarginChangesCountsByLittle) {
  const auto near = [](unsigned obtained, unsigned expected) {
    return std::fabs(static_cast<double>(obtained) - expected) <= std::max(1.0, 0.05 * expected);
  };
  for (const Loop& loop : calibrationLoops()) {
    EXPECT_TRUE(near(run(loop, Mode::one, adaptive("L/NL(1,a)", 0.01), 1e-6).iterations,
                     run(loop, Mode::one, adaptive("L/NL(1,a)"), 1e-6).iterations))
        << loop.name;
    EXPECT_TRUE(near(run(loop, Mode::both, adaptiveSafe(0.01), 1e-6).iterations,
                     run(loop, Mode::both, adaptiveSafe(), 1e-6).iterations))
        << loop.name;
  }
  // Both relaxed up to the limit 2: the margin decides.
  EXPECT_EQ(run(horizontalPlate(110.0), Mode::both, adaptive("L/NL(1,b)", 0.01), 1e-6).iterations, 655U);
  EXPECT_EQ(run(horizontalPlate(110.0), Mode::both, adaptive("L/NL(1,b)", 0.01), 1e-3).iterations, 133U);
  EXPECT_EQ(run(horizontalPlate(110.0), Mode::one, adaptive("NL(1,a)", 0.01), 1e-3).iterations, 218U);
  EXPECT_EQ(run(horizontalPlate(110.0), Mode::one, adaptive("NL(1,a)"), 1e-3).iterations, 216U);
  for (const auto& [lambda, wide, narrow] : {std::tuple{5.0, 55U, 159U}, std::tuple{6.5, 51U, 155U}}) {
    EXPECT_EQ(run(wall(emissivityA(), lambda), Mode::both, adaptive("L(1,b)", 0.01), 1e-6).iterations, wide);
    EXPECT_EQ(run(wall(emissivityA(), lambda), Mode::both, adaptive("L(1,b)"), 1e-6).iterations, narrow);
  }
  for (const auto& [rho, wide, narrow] : {std::tuple{95.0, 30U, 34U}, std::tuple{110.0, 107U, 100U},
                                          std::tuple{125.0, 48U, 47U}, std::tuple{140.0, 41U, 39U}}) {
    EXPECT_EQ(run(horizontalPlate(rho), Mode::both, adaptive("NL(1,b)", 0.01), 1e-6).iterations, wide);
    EXPECT_EQ(run(horizontalPlate(rho), Mode::both, adaptive("NL(1,b)"), 1e-6).iterations, narrow);
  }
  EXPECT_EQ(run(horizontalPlate(110.0), Mode::both, adaptiveSafe(0.01), 1e-6).iterations, 113U);
}

TEST(Calibration, StabilisesDivergentLoops) {
  const std::vector<Loop> loops = b480Loops();
  showCounts("jung 28", "b480-unrelaxed", "none none none 246 90", loops, Mode::one, unrelaxed(), 1e-6);
  showCounts("jung 28", "b480-one-1e-6", "12 11 11 10 10", loops, Mode::one, adaptive("L/NL(1,a)"), 1e-6);
  showCounts("jung 28", "b480-one-1e-3", "10 9 9 8 8", loops, Mode::one, adaptive("L/NL(1,a)"), 1e-3);
  showCounts("jung 28", "b480-both-1e-6", "14 14 13 12 12", loops, Mode::both, adaptive("L/NL(1,b)"), 1e-6);
  showCounts("jung 28", "b480-both-1e-3", "9 9 8 8 8", loops, Mode::both, adaptive("L/NL(1,b)"), 1e-3);

  const auto most = [&](Mode mode, const AccelerationSettings& settings) {
    unsigned iterations = 0;
    for (std::size_t i = 0; i < 3; ++i)
      iterations = std::max(iterations, run(loops[i], mode, settings, 1e-6).iterations);
    return iterations;
  };
  showAtMost({"jung 28", "one", "at most 15"}, most(Mode::one, adaptive("L/NL(1,a)", 0.01)), 15);
  showAtMost({"jung 28", "both", "at most 16"}, most(Mode::both, adaptiveSafe(0.01)), 16);
  showAtMost({"jung 28", "plate-140", "at most 15"},
             run(verticalPlate(140.0), Mode::one, adaptive("L/NL(1,a)", 0.01), 1e-6).iterations, 15);
}

TEST(Calibration, LinearLoops) {
  struct Row {
    double g;
    std::string unrelaxed, one, both, safe;  // at 1e-3 / 1e-6 / 1e-9
  };
  const std::array<Row, 4> rows{{
      {0.8, "25 / 56 / 87", "16 / 31 / 45", "11 / 27 / 55", "14 / 17 / 35"},
      {0.9, "45 / 111 / 176", "27 / 58 / 89", "15 / 66 / none", "21 / 33 / 48"},
      {0.95, "78 / 212 / 347", "43 / 109 / 174", "20 / 746 / none", "31 / 48 / 65"},
      {0.99, "240 / 918 / 1605", "124 / 462 / 804", "36 / none / none", "81 / 209 / 338"},
  }};
  for (const Row& row : rows) {
    const auto obtained = [&](Mode mode, const AccelerationSettings& settings) {
      std::string text;
      for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        const Outcome outcome = run(gainLoop(row.g), mode, settings, tolerance);
        text += (text.empty() ? "" : " / ") +
                (outcome.end == End::converged ? std::to_string(outcome.iterations) : std::string("none"));
      }
      return text;
    };
    const std::string demanded = fmt::format("{}; {}; {}; {}", row.unrelaxed, row.one, row.both, row.safe);
    const std::string found =
        fmt::format("{}; {}; {}; {}", obtained(Mode::one, unrelaxed()), obtained(Mode::one, adaptive("L/NL(1,a)")),
                    obtained(Mode::both, adaptive("L/NL(1,b)")), obtained(Mode::both, adaptiveSafe()));
    showFigure({"jung 32", fmt::format("table-{}", row.g), demanded}, found, found == demanded);
  }
  for (const auto& [g, most] : {std::pair{0.9, 55.0}, std::pair{0.95, 75.0}, std::pair{0.99, 380.0}}) {
    showAtMost({"jung 32", fmt::format("gain-{}", g), fmt::format("at most {}", most)},
               run(gainLoop(g), Mode::both, adaptiveSafe(0.01), 1e-9).iterations, most);
  }
}

TEST(Calibration, LinearLoopsWithTheDefaultMargin) {
  const auto expectCounts = [](double g, Mode mode, const AccelerationSettings& settings,
                               std::array<unsigned, 3> expected) {
    const std::array<double, 3> tolerances{1e-3, 1e-6, 1e-9};
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(run(gainLoop(g), mode, settings, tolerances[i]).iterations, expected[i]) << g << " " << tolerances[i];
  };
  expectCounts(0.8, Mode::both, adaptive("L/NL(1,b)", 0.01), {11, 27, 55});
  expectCounts(0.9, Mode::both, adaptive("L/NL(1,b)", 0.01), {15, 66, 496});
  expectCounts(0.95, Mode::both, adaptive("L/NL(1,b)", 0.01), {20, 140, 809});
  expectCounts(0.99, Mode::both, adaptive("L/NL(1,b)", 0.01), {36, 523, 947});
  expectCounts(0.99, Mode::one, adaptive("L/NL(1,a)", 0.01), {125, 464, 807});
  expectCounts(0.99, Mode::both, adaptiveSafe(0.01), {82, 215, 349});
}

TEST(Calibration, KOfALinearLoopIsItsErrorFactor) {
  // K of the relaxed sequence = 1 - omega (1 - g), one program relaxed.
  for (const double g : {0.5, 0.9, -0.5, -0.9231, -1.5}) {
    for (const double omega : {0.3, 0.7}) {
      const Outcome outcome = run(gainLoop(g), Mode::one, constantFactor(omega), 0.0, 5);
      EXPECT_NEAR(outcome.lastK(), 1.0 - omega * (1.0 - g), 1e-9) << g << " " << omega;
    }
  }
}

TEST(Calibration, MixedBehaviourNeedsLocalFactors) {
  const Loop loop = together(verticalPlate(125.0), horizontalPlate(125.0));
  const auto bestStatic = [&](double tolerance) {
    unsigned best = 3000;
    for (int hundredths = 1; hundredths < 200; ++hundredths)
      best = std::min(best, run(loop, Mode::one, constantFactor(hundredths / 100.0), tolerance).iterations);
    return best;
  };
  const auto iterations = [&](const AccelerationSettings& settings, double tolerance) {
    return run(loop, Mode::one, settings, tolerance).iterations;
  };
  const std::string found = fmt::format(
      "{} ({}), {} ({}), {} ({})", iterations(unrelaxed(), 1e-6), iterations(unrelaxed(), 1e-3), bestStatic(1e-6),
      bestStatic(1e-3), iterations(adaptive("L/NL(1,a)"), 1e-6), iterations(adaptive("L/NL(1,a)"), 1e-3));
  const std::string demanded = "94 (75), 93 (72), 50 (43)";
  showFigure({"jung 31", "counts", demanded}, found, found == demanded);
  showAtMost({"jung 31", "local", "at most 55"}, iterations(adaptive("L/NL(1,a)", 0.01), 1e-6), 55);

  const Outcome wrong = run(loop, Mode::one, aitken(), 1e-6);
  showFigure({"jung 31", "aitken", "-1.086e-04 after 9 iterations"},
             fmt::format("{:.3e} after {} iterations", wrong.result[1], wrong.iterations),
             fmt::format("{:.3e}", wrong.result[1]) == "-1.086e-04" && wrong.iterations == 9);
}

TEST(Calibration, Schemes) {
  const Loop lin5 = wall(emissivityLin(), 5.0);
  showEqual({"jung 4", "gauss-seidel", "180"}, run(lin5, Mode::one, unrelaxed(), 1e-6).iterations, 180);
  showEqual({"jung 4", "jacobi", "336"}, relaxOne(lin5, unrelaxed(), {.order = Order::parallel}).iterations, 336);
}

TEST(Calibration, JacobiIsLeftAlone) {
  const std::vector<Loop> loops = calibrationLoops();
  const std::string demanded =
      "336 106 68 52 44 | 166 78 56 44 38 | 66 52 42 | 24 32 48 76 154 1306 | 51 83 187 1030 186 106";
  std::vector<Outcome> plain;
  std::vector<Outcome> relaxed;
  for (const Loop& loop : loops) {
    plain.push_back(relaxOne(loop, unrelaxed(), {.order = Order::parallel}));
    relaxed.push_back(relaxBoth(loop, adaptive("L/NL(1,b)"), {.order = Order::parallel}));
  }
  EXPECT_EQ(counts(loops, plain), demanded);
  showFigure({"jung 24", "jacobi", demanded}, counts(loops, relaxed), counts(loops, relaxed) == demanded);
}

TEST(Calibration, RelaxationDoesNotChangeTheResult) {
  std::vector<Loop> loops = calibrationLoops();
  for (const Loop& loop : b480Loops()) loops.push_back(loop);
  test::Largest worst;
  test::Largest worstPlate;
  test::Smallest lowest;
  const auto compare = [&](const Loop& loop, const Outcome& outcome, const coupling::AdaptiveParameters& p) {
    EXPECT_EQ(outcome.end, End::converged) << loop.name;
    const double error = std::fabs(outcome.result[0] / root(loop) - 1.0);
    worst.see(error);
    if (loop.name.starts_with("FSI-h 1")) worstPlate.see(error);
    lowest.see(outcome.smallestFactor - (1.0 - p.lower), 1.0 + p.upper - outcome.largestFactor);
  };
  for (const Loop& loop : loops) {
    for (const coupling::AdaptiveSet& set : coupling::adaptiveSets())
      compare(loop, run(loop, Mode::one, adaptive(set.name), 1e-12), set.parameters);
    compare(loop, run(loop, Mode::both, adaptiveSafe(), 1e-12), adaptiveSafe().adaptive);
  }
  showAtMost({"jung 25", "worst", "at most 1e-10"}, worst, 1e-10);
  showAtMost({"jung 25", "plate-110-140", "at most 1e-10"}, worstPlate, 1e-10);
  showFigure({"jung 23", "bounds", "distance of omega from its limits is positive in every iteration"},
             fmt::format("{:.3g}", double(lowest)), lowest > 0.0);
}

}  // namespace
}  // namespace koppla::test
