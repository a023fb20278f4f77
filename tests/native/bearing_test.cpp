// The oil film of a journal bearing (Schmoll 5.1) against its limits in closed form and the finite differences of the
// note, 360x60.

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/native/journal_bearing.hpp"

#include "model_access.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::native {
namespace {

using std::numbers::pi;

struct Motion {
  double eps, epsRate = 0.0, delRate = 0.0;
};

using Force = std::array<double, 2>;  ///< radial, tangential

Force forceOf(const JournalBearing& settings, const Motion& motion) {
  const auto y = test::outputsOf(*journalBearing(settings), {}, {motion.eps, motion.epsRate, motion.delRate});
  return {y[0], y[1]};
}

Force finiteElements(double ratio, const Motion& motion) {
  return forceOf({.ratio = ratio}, motion);
}

Force shortBearing(double ratio, const Motion& motion) {
  return forceOf({.solution = FilmSolution::shortBearing, .ratio = ratio}, motion);
}

/// The larger one of both relative differences.
double distance(const Force& a, const Force& b) {
  return test::largestOf(std::fabs(a[0] / b[0] - 1.0), std::fabs(a[1] / b[1] - 1.0));
}

/// Relative to the length of b: for forces of which a component may vanish.
double distanceOfVectors(const Force& a, const Force& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]) / std::hypot(b[0], b[1]);
}

/// The integral of the note over the whole circle by the midpoint rule.
Force shortByQuadrature(double ratio, const Motion& m) {
  constexpr int kPoints = 20000;
  Force force{};
  for (int i = 0; i < kPoints; ++i) {
    const double theta = 2.0 * pi * (i + 0.5) / kPoints;
    const double r = m.eps * (2.0 * m.delRate - 1.0) * std::sin(theta) + 2.0 * m.epsRate * std::cos(theta);
    const double p = std::fmax(0.0, -r) / std::pow(1.0 + m.eps * std::cos(theta), 3) / (12.0 * ratio * ratio);
    force[0] += p * std::cos(theta) * 2.0 * pi / kPoints;
    force[1] += p * std::sin(theta) * 2.0 * pi / kPoints;
  }
  return force;
}

Motion anyMotion() {
  const auto within = [](double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000.0; };
  return {within(0.02, 0.9), within(-1.0, 1.0), within(-1.0, 2.0)};
}

bool isDriven(const Motion& m) {
  return std::hypot(m.eps * (2.0 * m.delRate - 1.0), 2.0 * m.epsRate) > 1e-3;
}

TEST(JournalBearing, TendsToTheShortBearing) {
  test::Largest largest;
  for (const double eps : {0.2, 0.5, 0.8}) {
    const double e2 = eps * eps;
    const double scale = 1.0 / (20.0 * 20.0 * 12.0);
    const Force closed{-scale * 2.0 * e2 / std::pow(1.0 - e2, 2), scale * pi * eps / (2.0 * std::pow(1.0 - e2, 1.5))};
    EXPECT_LT(distance(shortBearing(20.0, {eps}), closed), 1e-13) << eps;
    largest.see(distance(finiteElements(20.0, {eps}), closed));
  }
  test::showAtMost({"schmoll R55", "short-bearing", "at most 0.01 relative"}, largest, 0.01);
}

TEST(JournalBearing, TendsToTheLongBearing) {
  struct Row {
    double ratio;
    Force force;
  };
  test::Largest largest;
  for (const Row& row : {Row{0.3, {-0.1759, 0.4028}}, Row{0.1, {-0.2544, 0.6642}}, Row{0.03, {-0.2828, 0.7616}},
                         Row{0.01, {-0.2897, 0.7866}}})
    largest.see(distance(finiteElements(row.ratio, {0.5}), row.force));
  for (const double eps : {0.2, 0.5, 0.8}) {
    const double e2 = eps * eps;
    const Force closed{-2.0 * e2 / ((2.0 + e2) * (1.0 - e2)), pi * eps / ((2.0 + e2) * std::sqrt(1.0 - e2))};
    largest.see(distance(finiteElements(1e-3, {eps}), closed));
  }
  test::showAtMost({"schmoll R55", "long-bearing", "at most 0.01 relative"}, largest, 0.01);
}

TEST(JournalBearing, HasNoForceAtHalfFrequencyWhirl) {
  test::Largest largest;
  for (const double eps : {0.1, 0.5, 0.9}) {
    const Motion whirl{.eps = eps, .delRate = 0.5};
    for (const double force : finiteElements(1.0, whirl)) largest.see(std::fabs(force));
    for (const double force : shortBearing(1.0, whirl)) largest.see(std::fabs(force));
  }
  test::showEqual({"schmoll R55", "half-frequency-whirl", "0"}, largest, 0.0);
}

TEST(JournalBearing, HasTheForcesOfTheNoteAtEqualWidth) {
  struct Row {
    Motion motion;
    Force force;
  };
  test::Largest largest;
  for (const Row& row :
       {Row{{0.5}, {-0.05183, 0.08395}}, Row{{0.8}, {-0.41033, 0.30503}}, Row{{0.5, 0.1}, {-0.13725, 0.10786}},
        Row{{0.5, 0.0, 0.3}, {-0.02073, 0.03358}}, Row{{0.5, 0.1, 0.3}, {-0.12283, 0.05023}}})
    largest.see(distance(finiteElements(1.0, row.motion), row.force));
  test::showAtMost({"schmoll R55", "equal-width", "at most 0.01 relative"}, largest, 0.01);
  EXPECT_LT(largest, 1e-3) << "the error of the note's grid is 5e-4";
}

TEST(JournalBearing, ConvergesWithTheGrid) {
  const Motion motion{0.7, 0.1, 0.2};
  const auto onGrid = [&](std::int32_t theta, std::int32_t z) {
    return forceOf({.elementsTheta = theta, .elementsZ = z}, motion);
  };
  const Force fine = onGrid(192, 32);
  const double coarse = distance(onGrid(12, 2), fine), medium = distance(onGrid(24, 4), fine);
  EXPECT_GT(coarse / medium, 8.0);  // quadratic elements: 16 for smooth pressures
  EXPECT_LT(distance(onGrid(kElementsTheta, kElementsZ), fine), 1e-4);
}

RC_GTEST_PROP(JournalBearing, ShortHasTheIntegralOfTheNote, ()) {
  const Motion motion = anyMotion();
  RC_PRE(isDriven(motion));
  RC_ASSERT(distanceOfVectors(shortBearing(2.0, motion), shortByQuadrature(2.0, motion)) < 1e-5);
}

RC_GTEST_PROP(JournalBearing, OfFiniteElementsIsShortWhereItIsNarrow, ()) {
  const Motion motion = anyMotion();
  RC_PRE(isDriven(motion));
  RC_ASSERT(distanceOfVectors(finiteElements(200.0, motion), shortBearing(200.0, motion)) < 2e-3);
}

/// r(-theta) is the mirror image of r(theta), and the pressure is proportional to it where it is not cut off.
RC_GTEST_PROP(JournalBearing, IsSymmetricAndHomogeneous, ()) {
  const Motion m = anyMotion();
  RC_PRE(isDriven(m));
  const Force force = finiteElements(1.0, m);
  const Force mirrored = finiteElements(1.0, {m.eps, m.epsRate, 1.0 - m.delRate});
  RC_ASSERT(distanceOfVectors({mirrored[0], -mirrored[1]}, force) < 1e-12);
  const Force doubled = finiteElements(1.0, {m.eps, 2.0 * m.epsRate, 2.0 * m.delRate - 0.5});
  RC_ASSERT(distanceOfVectors({0.5 * doubled[0], 0.5 * doubled[1]}, force) < 1e-12);
}

/// What forward differences with tiny steps need (Schmoll 4.7): no jumps where the border of the film moves on to
/// another element.
RC_GTEST_PROP(JournalBearing, HasDerivativesThatDifferencesFind, ()) {
  const Motion m = anyMotion();
  RC_PRE(isDriven(m));
  const auto model = journalBearing();
  const auto difference = [&](std::size_t input, double step) {
    std::vector<double> low{m.eps, m.epsRate, m.delRate}, high = low;
    low[input] -= 0.5 * step;
    high[input] += 0.5 * step;
    const auto a = test::outputsOf(*model, {}, low), b = test::outputsOf(*model, {}, high);
    return Force{(b[0] - a[0]) / step, (b[1] - a[1]) / step};
  };
  for (const std::size_t input : {0U, 1U, 2U})
    RC_ASSERT(distanceOfVectors(difference(input, 1.5e-8), difference(input, 1e-5)) < 1e-4);
}

TEST(JournalBearing, FailsWhereThereIsNoFilm) {
  const auto failure = [](const JournalBearing& settings, double eps) -> std::string {
    try {
      forceOf(settings, {eps});
    } catch (const core::SubsystemError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(failure({}, 1.25),
            "journal-bearing: the eccentricity is 1.25; the film ends at 1, where the journal touches the shell. "
            "Shorter steps or a smaller load may help.");
  for (const double eps : {1.0, -0.1, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(failure({}, eps).empty()) << eps;
    EXPECT_FALSE(failure({.solution = FilmSolution::shortBearing}, eps).empty()) << eps;
  }
  EXPECT_TRUE(failure({}, 0.0).empty());
}

}  // namespace
}  // namespace koppla::native
