// The exhaust tract, 600 complex moments of the rotors relaxed from zero: counts of the notes, sec. 4.6 and 9.5. An
// iteration counts until the sum of errors of all rotations, relative to the sum of their sizes, stays below.

#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "koppla/subsystem/phases.hpp"

#include "loops.hpp"
#include "support/figure.hpp"

namespace koppla::test::exhaust_test {
namespace {

/// How complex numbers become reals that can be relaxed.
struct Writing {
  std::function<std::vector<double>(const Exhaust::Field& answered, std::span<const double> before)> write;
  std::function<Exhaust::Field(std::span<const double>)> read;
};

Writing realAndImaginaryParts() {
  return {[](const Exhaust::Field& field, auto) { return realAndImaginary(field); },
          [](auto values) { return fromRealAndImaginary(values); }};
}

/// Every phase on the branch that is nearest to the one before.
Writing amplitudesAndPhases(bool unwrapped) {
  return {[unwrapped](const Exhaust::Field& field, std::span<const double> before) {
            constexpr double kTurn = 2.0 * std::numbers::pi;
            std::vector<double> values = amplitudeAndPhase(field);
            if (unwrapped)
              for (std::size_t i = 1; i < values.size(); i += 2)
                values[i] = subsystem::onNearestBranch(values[i], before[i], kTurn);
            return values;
          },
          [](auto values) { return fromAmplitudeAndPhase(values); }};
}

const Exhaust& model() {
  static const Exhaust exhaust;
  return exhaust;
}

/// Errors of the rotations by iteration.
std::vector<double> errors(coupling::Accelerator& accelerator, const Writing& writing,
                           const Exhaust& exhaust = model()) {
  constexpr int kIterations = 150;
  const Exhaust::Field exact = exhaust.coupledRotations();
  std::vector<double> sent(2 * Exhaust::kValues, 0.0);
  std::vector<double> answered = sent;
  std::vector<double> result;
  accelerator.begin();
  for (int i = 0; i < kIterations; ++i) {
    const Exhaust::Field rotations = exhaust.structure(writing.read(sent));
    result.push_back(meanError(rotations, exact));
    if (!std::isfinite(result.back())) break;
    answered = writing.write(exhaust.rotor(rotations), answered);
    accelerator.learn(sent, answered);
    accelerator.propose(sent);
  }
  return result;
}

std::vector<double> errorsInParts(const coupling::AccelerationSettings& settings, const Exhaust& exhaust = model()) {
  return errors(*makeRelaxation(settings, 2 * Exhaust::kValues), realAndImaginaryParts(), exhaust);
}

/// Rotations are relaxed, which have no start value, and moments.
std::vector<double> errorsOfBoth(const coupling::AccelerationSettings& ofRotations,
                                 const coupling::AccelerationSettings& ofMoments) {
  const auto rotations = makeRelaxation(ofRotations, 2 * Exhaust::kValues);
  const auto moments = makeRelaxation(ofMoments, 2 * Exhaust::kValues);
  const Exhaust::Field exact = model().coupledRotations();
  std::vector<double> turned;
  std::vector<double> sent(2 * Exhaust::kValues, 0.0);
  std::vector<double> result;
  rotations->begin();
  moments->begin();
  for (int i = 0; i < 120; ++i) {
    const Exhaust::Field computed = model().structure(fromRealAndImaginary(sent));
    result.push_back(meanError(computed, exact));
    const std::vector<double> answered = realAndImaginary(computed);
    if (i == 0) turned = answered;
    rotations->learn(turned, answered);
    rotations->propose(turned);
    moments->learn(sent, realAndImaginary(model().rotor(fromRealAndImaginary(turned))));
    moments->propose(sent);
  }
  return result;
}

/// To 1e-2, 1e-3, 1e-4, 1e-6, 1e-8.
std::vector<double> counts(const std::vector<double>& all) {
  std::vector<double> result;
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-6, 1e-8}) result.push_back(iterationsTo(tolerance, all));
  return result;
}

void showCounts(std::string_view figure, const std::vector<double>& all, const std::vector<double>& expected) {
  const std::vector<double> obtained = counts(all);
  showFigure(
      {"jung 30", figure, fmt::format("{} iterations to 1e-2, 1e-3, 1e-4, 1e-6, 1e-8", fmt::join(expected, " "))},
      fmt::format("{}", fmt::join(obtained, " ")), obtained == expected);
}

TEST(ExhaustTract, RelaxedFromZeroInAmplitudeAndPhase) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 2 * Exhaust::kValues);
  const std::vector<double> all = errors(*accelerator, amplitudesAndPhases(true));
  showAtMost({"jung 24", "exhaust", "amplitude and phase, unwrapped, to 1e-3 in at most 13 iterations"},
             iterationsTo(1e-3, all), 13.0);
  EXPECT_EQ(iterationsTo(1e-3, all), 11.0);
  EXPECT_EQ(iterationsTo(1e-6, all), 32.0);
}

TEST(ExhaustTract, WithoutUnwrappingThePhaseOfAZeroMisleads) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 2 * Exhaust::kValues);
  EXPECT_GT(iterationsTo(1e-3, errors(*accelerator, amplitudesAndPhases(false))), 100.0);
}

TEST(ExhaustTract, TakesTheCountsOfTheNoteInRealAndImaginaryParts) {
  showCounts("unrelaxed", errorsInParts(unrelaxed()), {8, 19, 33, 62, 91});
  showCounts("L/NL(1,a)", errorsInParts(adaptive("L/NL(1,a)")), {7, 12, 16, 25, 37});
  showCounts("rotations", errorsOfBoth(adaptive("L/NL(1,a)"), unrelaxed()), {7, 12, 16, 25, 35});
  showCounts("both", errorsOfBoth(adaptive("L/NL(1,b)"), adaptive("L/NL(1,b)")), {7, 11, 15, 26, 38});
  showCounts("aitken", errorsInParts(aitken()), {6, 10, 14, 24, 35});
}

TEST(ExhaustTract, RelaxationSavesHalfOfTheIterationsWhereOneEigenvalueDominates) {
  const double plain = iterationsTo(1e-6, errorsInParts(unrelaxed()));
  const double steered = iterationsTo(1e-6, errorsInParts(adaptive("L/NL(1,a)")));
  showAtMost({"jung 30", "ratio", "at most 45 % of the iterations at 1e-6"}, 100.0 * steered / plain, 45.0);
}

TEST(ExhaustTract, WithHardlyAnyDampingRelaxationDoesNoHarm) {
  const Exhaust exhaust(native::ExhaustRotors{.damping = 0.02});
  const double plain = iterationsTo(1e-6, errorsInParts(unrelaxed(), exhaust));
  const double steered = iterationsTo(1e-6, errorsInParts(adaptive("L/NL(1,a)"), exhaust));
  showFigure({"jung 30", "little-damping", "d = 0.02: 37 iterations to 1e-6, relaxed at most one more"},
             fmt::format("{} and {}", plain, steered), plain == 37.0 && steered <= plain + 1.0);
}

TEST(ExhaustTract, UnrelaxedErrorsFallInSteps) {
  const std::vector<double> printed{3.15e-2, 2.31e-2, 1.43e-2, 1.16e-2, 8.15e-3};
  const std::vector<double> all = errorsInParts(unrelaxed());
  const auto first = std::ranges::find_if(all, [](double e) { return std::fabs(e / 3.15e-2 - 1.0) < 0.005; });
  ASSERT_GE(all.end() - first, 5);
  bool same = true;
  for (std::size_t i = 0; i < printed.size(); ++i)
    same = same && std::fabs(first[static_cast<std::ptrdiff_t>(i)] / printed[i] - 1.0) < 0.005;
  const double slow = std::min(first[1] / first[0], first[3] / first[2]);
  const double fast = std::max(first[2] / first[1], first[4] / first[3]);
  showFigure({"jung 30", "steps", "errors 3.15e-2 2.31e-2 1.43e-2 1.16e-2 8.15e-3: every second one falls faster"},
             fmt::format("{:.3g}", fmt::join(first, first + 5, " ")), same && slow > fast);
}

TEST(ExhaustTract, TheDefaultIsNoSlowerThanUnrelaxedIteration) {
  const auto accelerator = coupling::automaticAcceleration({.size = 2 * Exhaust::kValues});
  const std::vector<double> all = errors(*accelerator, realAndImaginaryParts());
  const double coarse = iterationsTo(1e-3, all);
  const double fine = iterationsTo(1e-6, all);
  showFigure({"jung 24", "exhaust-default", "at most 19 iterations to 1e-3 and 62 to 1e-6, as without acceleration"},
             fmt::format("{} and {}", coarse, fine), coarse <= 19.0 && fine <= 62.0);
}

}  // namespace
}  // namespace koppla::test::exhaust_test
