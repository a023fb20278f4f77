// examples/stiff-link: two masses in FMUs and a link of 1e8 N/m, steps of 1e-3 s. Obtained must be the exact motion of
// the two-mass oscillator (by its eigenvalues), and the limits that theory gives.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/exact_solution.hpp"

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/matches.hpp"

namespace koppla::test::stiff_link_test {
namespace {

constexpr native::TwoMassOscillator kModel{.m1 = 1.0,
                                           .m2 = 2.0,
                                           .c1 = 1000.0,
                                           .c2 = 1000.0,
                                           .ck = 1e8,
                                           .d1 = 10.0,
                                           .d2 = 10.0,
                                           .dk = 10.0,
                                           .x10 = 0.0,
                                           .x20 = 0.0,
                                           .v10 = 1.0,
                                           .v20 = 1.0};

struct Errors {
  test::Largest position, velocity;  ///< m, m/s, the larger one of both masses
};

Errors errorsOf(const ExampleRun& run) {
  const auto solution = native::twoMassSolution(kModel);
  Errors result;
  for (std::size_t i = 0; i < run.table.time.size(); ++i) {
    std::array<double, 5> right{};
    solution->values(run.table.time[i], right);
    result.position.see(std::fabs(run.of("s1.x")[i] - right[0]), std::fabs(run.of("s2.x")[i] - right[2]));
    result.velocity.see(std::fabs(run.of("s1.v")[i] - right[1]), std::fabs(run.of("s2.v")[i] - right[3]));
  }
  return result;
}

TEST(StiffLinkExamples, HeldForcesAreStableAndTheMotionIsRight) {
  const ExampleRun run = runExample("stiff-link/semi-implicit");
  EXPECT_EQ(run.command.exitCode, 0) << run.command.errors;
  ASSERT_EQ(run.table.time.size(), 1001U);
  const Errors errors = errorsOf(run);
  EXPECT_LT(errors.position, 1e-5);
  EXPECT_LT(errors.position, 3e-8);  // as the README says: the link's own stretch, 3.3e-8 m by the first force
  EXPECT_LT(errors.velocity, 4e-4);  // its ringing with 12247 rad/s, which steps of 1e-3 s leave out
  EXPECT_EQ(run.stepCalls(), "3002/3002/0");
}

TEST(StiffLinkExamples, ExplicitCouplingIsUnstableAndSaysSo) {
  for (const std::string kind : {"jacobi", "gauss-seidel"}) {
    const ExampleRun run = runExample("stiff-link/semi-implicit", {"--set", "algorithm.kind=" + kind});
    EXPECT_EQ(run.command.exitCode, 5) << kind;
    for (const char* part : {"The coupling is unstable at 0.004 s: 'link.force', which goes to 's1.F'",
                             "algorithm.kind = \"semi-implicit\"", "Recorded until then"})
      EXPECT_NE(run.command.errors.find(part), std::string::npos) << run.command.errors;
    EXPECT_EQ(run.table.time.back(), 0.003);
  }
}

TEST(StiffLinkExamples, LinearForcesAreStableUpToALimit) {
  const ExampleAnalysis analysis = analyseStability("stiff-link/limits");
  EXPECT_EQ(analysis.command.exitCode, 0) << analysis.command.errors;
  // Between free masses the relative motion of degree 1 has a determinant of 1 and, with q = c H^2 (1/m1 + 1/m2), the
  // trace (2 - 2q/3) / (1 + q/6): stable up to q = 12.
  const double limit = 12.0 / 1e-6 / (1.0 + 0.5);
  EXPECT_NEAR(limit, 8e6, 1.0);
  std::size_t seen = 0;
  for (const Match& row : matches(analysis.rows, R"re(([^,\n]+),(\d),"(stable|unstable)",)re")) {
    const double stiffness = std::stod(row[1]);
    const bool linear = row[2] == "1";
    ++seen;
    if (std::fabs(stiffness / limit - 1.0) < 0.01) continue;  // springs to the ground and dampers move it a little
    EXPECT_EQ(row[3], linear && stiffness > limit ? "unstable" : "stable") << stiffness << " " << linear;
  }
  EXPECT_EQ(seen, 16U);
}

TEST(StiffLinkExamples, FmusAndBodiesOfKopplaAgree) {
  const ExampleRun fmus = runExample("stiff-link/semi-implicit");
  const ExampleRun bodies = runExample("stiff-link/bodies");
  ASSERT_EQ(bodies.command.exitCode, 0) << bodies.command.errors;
  for (const double t : {0.1, 0.5, 1.0}) EXPECT_NEAR(fmus.at("s1.x", t), bodies.at("s1.x", t), 1e-12);
}

TEST(StiffLinkExamples, LinearForcesBeyondTheLimitExplode) {
  const auto exitCode = [](const std::string& stiffness) {
    return runExample("stiff-link/semi-implicit",
                      {"--set", "algorithm.degree=1", "--set", "link.stiffness=" + stiffness})
        .command.exitCode;
  };
  EXPECT_EQ(exitCode("4e6"), 0);
  EXPECT_EQ(exitCode("1e7"), 5);
}

}  // namespace
}  // namespace koppla::test::stiff_link_test
