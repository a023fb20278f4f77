// Two masses with a spring and damper between them: where the semi-implicit method stays stable, and where explicit
// coupling does. Figures from Lu, sec. 2.3.1 and fig. 14, recomputed.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_masses.hpp"

namespace koppla::test::flexible_stability_test {
namespace {

constexpr double kStable = 1.0 + 1e-9;  // rounding

FlexibleLink allEqual(double c, double d) {
  FlexibleLink link{.H = 5e-3};
  link.masses.c1 = link.masses.c2 = link.masses.cc = c;
  link.masses.d1 = link.masses.d2 = link.masses.dc = d;
  return link;
}

TEST(FlexibleStability, SpectralRadiiAreThoseOfTheRecursionMatrices) {
  struct Row {
    Decomposition decomposition;
    unsigned degree;
    double shortStep, longStep, explicitly;  // H = 1e-3 s, 5e-3 s, 5e-3 s
  };
  constexpr auto kForceForce = Decomposition::forceForce;
  constexpr auto kForceDisplacement = Decomposition::forceDisplacement;
  constexpr auto kDisplacement = Decomposition::displacementDisplacement;
  const std::vector<Row> table{{kForceForce, 0, 0.99682851, 0.98410953, 0.98443584},
                               {kForceForce, 1, 0.99683516, 0.98427736, 0.98426840},
                               {kForceForce, 2, 0.99683515, 0.98427577, 0.98427371},
                               {kForceDisplacement, 0, 0.99692031, 0.98635363, 0.98213544},
                               {kForceDisplacement, 1, 0.99683496, 0.98425253, 0.98437028},
                               {kForceDisplacement, 2, 0.99683514, 0.98427305, 0.98430020},
                               {kDisplacement, 0, 0.99696938, 0.98754352, 0.98088443},
                               {kDisplacement, 1, 0.99683485, 0.98423922, 0.98442545},
                               {kDisplacement, 2, 0.99683514, 0.98427159, 0.98431463}};
  test::Largest semiImplicit;
  test::Largest explicitly;
  for (const Row& row : table) {
    FlexibleLink link{.decomposition = row.decomposition, .degree = row.degree, .H = 1e-3};
    semiImplicit.see(std::fabs(spectralRadius(link) - row.shortStep));
    link.H = 5e-3;
    semiImplicit.see(std::fabs(spectralRadius(link) - row.longStep));
    link.semiImplicit = false;
    explicitly.see(std::fabs(spectralRadius(link) - row.explicitly));
  }
  showAtMost({"lu R22", "flexible", "18 radii of semi-implicit coupling within 1e-7"}, semiImplicit, 1e-7);
  showAtMost({"lu R22", "flexible-explicit", "9 radii of explicit coupling within 1e-7"}, explicitly, 1e-7);
}

constexpr double kNone = 0.0;  // stable throughout

/// The smallest unstable stiffness of a scan, kNone if all are stable: coarse up to where the limit is expected, then
/// in steps of 3.3 %.
double firstUnstable(FlexibleLink link, double expected) {
  constexpr double kCoarse = 1.2;
  constexpr double kFine = 1.033;
  constexpr double kTop = 6e5;  // N/m
  for (double c = 1.0; c < kTop; c *= expected != kNone && c > 0.8 * expected ? kFine : kCoarse) {
    link.masses.c1 = link.masses.c2 = link.masses.cc = c;
    if (spectralRadius(link) > kStable) return c;
  }
  return kNone;
}

struct LimitRow {
  const char* figure;
  Decomposition decomposition;
  bool semiImplicit;
  unsigned degree;
  std::array<double, 7> limits;  // N/m; 1: always unstable
};
constexpr std::array kDampings{0.1, 1.0, 10.0, 30.0, 50.0, 100.0, 1000.0};  // N s/m

/// The largest relative deviation of a row; infinite where stability is lost and should not, or the reverse.
double deviationOf(const LimitRow& row) {
  test::Largest largest;
  for (std::size_t i = 0; i < kDampings.size(); ++i) {
    FlexibleLink link = allEqual(1.0, kDampings.at(i));
    link.decomposition = row.decomposition;
    link.semiImplicit = row.semiImplicit;
    link.degree = row.degree;
    const double expected = row.limits.at(i);
    const double found = firstUnstable(link, expected);
    if ((found == kNone) != (expected == kNone)) return HUGE_VAL;
    if (expected != kNone) largest.see(std::fabs(found / expected - 1.0));
  }
  return largest;
}

TEST(FlexibleStability, ExplicitCouplingLosesStabilityWhereTheTheorySays) {
  constexpr auto kForceForce = Decomposition::forceForce;
  const std::vector<LimitRow> table{
      {"limits-k0", kForceForce, false, 0, {64.5, 660.0, 6.5e3, 2.0e4, 3.4e4, 6.9e4, 1.0}},
      {"limits-k1", kForceForce, false, 1, {1.3e3, 4.2e3, 1.4e4, 2.7e4, 3.7e4, 6.1e4, 1.0}},
      {"limits-k2", kForceForce, false, 2, {1.9e4, 2.0e4, 2.4e4, 3.2e4, 3.9e4, 1.0, 1.0}}};
  for (const LimitRow& row : table)
    showAtMost({"lu R11", row.figure, "7 limits of explicit coupling within 7 %"}, deviationOf(row), 0.07);
}

TEST(FlexibleStability, SemiImplicitCouplingLosesStabilityWhereTheTheorySays) {
  constexpr auto kForceForce = Decomposition::forceForce;
  constexpr auto kForceDisplacement = Decomposition::forceDisplacement;
  constexpr auto kDisplacement = Decomposition::displacementDisplacement;
  const std::vector<LimitRow> table{
      {"limits-ff-k1", kForceForce, true, 1, {1.9e5, 1.9e5, 1.9e5, 1.9e5, 1.9e5, 2.1e5, kNone}},
      {"limits-ff-k2", kForceForce, true, 2, {3.8e3, 1.25e4, 4.5e4, 9.9e4, 1.5e5, 1.7e5, kNone}},
      {"limits-fd-k0", kForceDisplacement, true, 0, {71.0, 704.0, 7.2e3, 2.3e4, 4.0e4, 9.6e4, kNone}},
      {"limits-fd-k1", kForceDisplacement, true, 1, {1.9e5, 1.9e5, 1.9e5, 1.9e5, 1.9e5, 2.1e5, kNone}},
      {"limits-fd-k2", kForceDisplacement, true, 2, {3.9e3, 1.3e4, 4.7e4, 1.0e5, 1.65e5, 1.7e5, kNone}},
      {"limits-dd-k0", kDisplacement, true, 0, {45.0, 448.0, 4.6e3, 1.5e4, 2.6e4, 6.5e4, kNone}},
      {"limits-dd-k1", kDisplacement, true, 1, {1.8e5, 1.8e5, 1.8e5, 2.4e5, 2.5e5, 4.4e5, kNone}},
      {"limits-dd-k2", kDisplacement, true, 2, {5.9e3, 2.0e4, 9.9e4, 1.8e5, 2.6e5, kNone, kNone}}};
  for (const LimitRow& row : table)
    showAtMost({"lu R21", row.figure, "7 limits of the table within 7 %"}, deviationOf(row), 0.07);
}

TEST(FlexibleStability, ConstantForcesFoundImplicitlyAreStableForEveryStiffness) {
  test::Largest largest;
  for (const double d : kDampings)
    for (double c = 1.0; c <= 1e7; c *= 1.2) largest.see(spectralRadius(allEqual(c, d)));
  showAtMost({"lu R21", "stiff-k0", "radius at most 1 up to c = 1e7 N/m"}, largest, kStable);
}

/// Points of a map where force/force coupling of that degree is unstable.
struct Point {
  double c, d;
};
std::vector<Point> unstablePoints(bool semiImplicit, unsigned degree, double leastDamping = 0.1) {
  constexpr int kPerDecade = 5;
  std::vector<Point> found;
  for (int i = 0; i <= 5 * kPerDecade; ++i)
    for (int j = -kPerDecade; j <= 3 * kPerDecade; ++j) {
      const double d = std::pow(10.0, static_cast<double>(j) / kPerDecade);
      FlexibleLink link = allEqual(std::pow(10.0, static_cast<double>(i) / kPerDecade), d);
      link.semiImplicit = semiImplicit;
      link.degree = degree;
      if (d > 0.999 * leastDamping && spectralRadius(link) > kStable) found.push_back({link.masses.c1, d});
    }
  return found;
}

TEST(FlexibleStability, TheMapOfForcesOverStiffnessAndDampingIsThatOfTheThesis) {
  showEqual({"lu R21", "map-k0", "no unstable point of the map"}, static_cast<double>(unstablePoints(true, 0).size()),
            0.0);
  showEqual({"lu R21", "map-k1", "no unstable point of the map"}, static_cast<double>(unstablePoints(true, 1).size()),
            0.0);
  const std::vector<Point> quadratic = unstablePoints(true, 2);
  ASSERT_FALSE(quadratic.empty());
  test::Smallest softest;
  test::Largest mostDamped;
  for (const auto& [c, d] : quadratic) {
    softest.see(c);
    mostDamped.see(d);
  }
  showFigure({"lu R21", "map-k2", "unstable only for c > 3.7e3 N/m, d < 50 N s/m"},
             fmt::format("c >= {:.3g} N/m, d <= {:.3g} N s/m", double(softest), double(mostDamped)),
             softest > 3.7e3 && mostDamped < 50.0);
  constexpr double kFrom = 316.0;
  const std::size_t rows = 26;
  const std::size_t columns = 3;  // 398, 631, 1000 N s/m
  showEqual({"lu R21", "map-explicit", "unstable for d >= 316 N s/m at every c, 78 points"},
            static_cast<double>(unstablePoints(false, 0, kFrom).size()), static_cast<double>(rows * columns));
}

}  // namespace
}  // namespace koppla::test::flexible_stability_test
