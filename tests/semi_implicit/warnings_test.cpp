// What a user is told before or while the semi-implicit method does something that cannot go well (Lu R16, R18).

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_masses.hpp"

namespace koppla::test {
namespace {

/// Warnings of a run over a few steps.
std::vector<std::string> warningsOf(const auto& link) {
  std::vector<std::string> warnings;
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { warnings.emplace_back(message); },
              core::Severity::warning);
  run::Settings settings = settingsOf(link, 5.0 * link.H);
  run::Run run(systemOf(link), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  run.simulate();
  return warnings;
}

bool isWarned(const auto& link, const std::string& name) {
  for (const std::string& warning : warningsOf(link))
    if (warning.find(name) != std::string::npos) return true;
  return false;
}

/// beta = 2 tau, gamma = tau^2.
RigidLink index1(double tauOverStep, unsigned degree) {
  const double tau = tauOverStep * RigidLink{}.H;
  return baumgarte(2.0 * tau, tau * tau, degree);
}

TEST(Warnings, NameJointsThatNoShortStepMakesStable) {
  const std::vector<RigidLink> unstable{baumgarte(0.0, 0.0, 1),
                                        baumgarte(2e-3, 0.0, 1),
                                        baumgarte(2e-3, 0.0, 2),
                                        weightedMultipliers(1.0, 0.0, 1),
                                        weightedMultipliers(1.0, 1.0, 2),
                                        index1(0.28, 1),
                                        index1(0.49, 2),
                                        index1(0.76, 3),
                                        stabilisedIndex2(1.0, 1),
                                        stabilisedIndex2(0.9, 2)};
  const std::vector<RigidLink> stable{baumgarte(0.0, 0.0),
                                      baumgarte(2e-3, 0.0),
                                      weightedMultipliers(1.0, 0.0),
                                      weightedMultipliers(1.0, 1.0),
                                      weightedMultipliers(1.0, 1.0, 1),
                                      weightedMultipliers(2.0, 2.0, 2),
                                      index1(0.30, 1),
                                      index1(0.51, 2),
                                      index1(0.78, 3),
                                      stabilisedIndex2(),
                                      stabilisedIndex2(0.9, 1),
                                      stabilisedIndex2(0.7, 2)};
  std::size_t warned = 0;
  std::size_t silent = 0;
  for (const RigidLink& link : unstable) warned += isWarned(link, "joint") ? 1 : 0;
  for (const RigidLink& link : stable) silent += isWarned(link, "joint") ? 0 : 1;
  showFigure({"lu R18", "warnings", "10 unstable combinations are warned of by name, 12 stable ones are not"},
             fmt::format("{} warned, {} not", warned, silent), warned == unstable.size() && silent == stable.size());
}

/// Method 1 index 2 with degree 1 grows 1.7 times per step at beta = H: the joint opens, and the run ends before its
/// numbers are without meaning.
TEST(Warnings, AJointThatOpensEndsTheRun) {
  RigidLink link = baumgarte(1e-3, 0.0, 1);
  EXPECT_TRUE(isWarned(link, "unstable"));
  const Motion motion = simulate(link);
  EXPECT_EQ(motion.outcome.kind, run::OutcomeKind::exploded);
  EXPECT_NE(motion.outcome.message.find("The joint joint is not held any more"), std::string::npos)
      << motion.outcome.message;
  for (std::size_t i = 0; i < motion.t.size(); ++i) EXPECT_LT(std::fabs(motion.x2[i] - motion.x1[i]), 10.0) << i;
  const Motion stable = simulate(baumgarte(1e-3, 0.0));
  ASSERT_EQ(stable.statistics.joints.size(), 1U);
  test::Largest gap;
  for (std::size_t i = 0; i < stable.t.size(); ++i) gap.see(std::fabs(stable.x2[i] - stable.x1[i]));
  EXPECT_DOUBLE_EQ(stable.statistics.joints[0].positionDefect, gap);
}

TEST(Warnings, NameALawThatIsTooStiffForTheDegree) {
  FlexibleLink link;
  link.degree = 1;
  // Free masses lose stability where c H^2 (1/m1 + 1/m2) = 12.
  link.masses.cc = 7e6;
  EXPECT_FALSE(isWarned(link, "link")) << "below the limit of 8e6 N/m";
  link.masses.cc = 9e6;
  EXPECT_TRUE(isWarned(link, "link"));
  link.degree = 0;
  link.masses.cc = 1e9;
  EXPECT_FALSE(isWarned(link, "link")) << "held forces are stable, however stiff the law is";
}

/// So stiff that one correction of Newton's method goes a third of the way to the solution, as for x^3 = 0.
class Cube final : public subsystem::ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double /*rate*/) const override {
    return 1e10 * distance * distance * distance;
  }
};

TEST(Warnings, TellWhereOneCorrectionIsNotEnough) {
  FlexibleLink link;  // the masses run towards each other with 200 m/s
  EXPECT_FALSE(isWarned(link, "one correction")) << "a linear law needs no more";
  link.law = std::make_shared<Cube>();
  EXPECT_TRUE(isWarned(link, "one correction"));
  link.settings.iterate = true;
  EXPECT_FALSE(isWarned(link, "one correction")) << "there are more then";
}

/// Table 7.3: without safeguard method 2 (1,1) with k = 0 is unstable in bands of c for every d up to 3000.
TEST(Warnings, AccelerationsAreLeftOutWhereTheyWouldMakeMethodTwoUnstable) {
  RigidLink link = weightedMultipliers(1.0, 1.0);
  link.H = 5e-3;
  test::Largest largest;
  for (const double d : {0.1, 1.0, 10.0, 100.0, 300.0, 1000.0, 3000.0, 1e4})
    for (double c = 100.0; c < 3.9e5; c *= 1.1) {
      link.masses.c1 = link.masses.c2 = c;
      link.masses.d1 = link.masses.d2 = d;
      largest.see(spectralRadius(link));
    }
  showAtMost({"lu R16", "safeguard", "(1,1), k = 0, H = 5e-3 s: the radius is at most 1 for c <= 3.9e5, d <= 1e4"},
             largest, 1.0 + 1e-9);
  link.masses.c1 = link.masses.c2 = 1e5;
  link.masses.d1 = link.masses.d2 = 10.0;
  EXPECT_TRUE(isWarned(link, "accelerations answer")) << "inside a band";
  link.masses.c1 = link.masses.c2 = 1e4;
  EXPECT_FALSE(isWarned(link, "accelerations answer")) << "below the band";
}

}  // namespace
}  // namespace koppla::test
