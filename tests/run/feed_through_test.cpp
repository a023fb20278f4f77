// FMUs that take values of inputs only, and whose outputs depend on them at the same instant: with polynomials of
// degree 1 and more these outputs must be those of the end of a step, and what is integrated must see the mean.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::feed_through_test {
namespace {

using coupling::AlgorithmKind;
using test::FmuPart;
using test::MemoryRecorder;

FmuPart controller(const std::string& name, double kp, double ki, double x0, double u = 0.0) {
  return {name, "PiController", {{"kp", kp}, {"ki", ki}, {"x0", x0}, {"u", u}}};
}

/// A run from its beginning to its end.
struct Recorded {
  Recorded(const std::vector<FmuPart>& parts, const std::vector<test::Link>& links, const Settings& settings) {
    core::Log log;
    run::Run run(test::fmuSystem(parts, links, log), settings, log, &recorder);
    Outcome outcome = run.initialise();
    if (outcome.ok()) outcome = run.simulate();
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    run.end();
  }
  [[nodiscard]] double at(const std::string& name, double t) const { return recorder.at(name, t); }

  MemoryRecorder recorder;
};

Settings stepsOf(double step, double end, unsigned degree, AlgorithmKind kind) {
  Settings settings;
  settings.step = step;
  settings.end = end;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.algorithm.rtol = 1e-12;
  settings.algorithm.atol = 1e-12;
  return settings;
}

/// u = 10 t comes from x' = 10. Both what others get (copy.x, the integral of it) and what is recorded of it alone.
TEST(FeedThrough, OfARampIsTheRampAtTheEndOfAStep) {
  for (const unsigned degree : {1U, 2U, 3U}) {
    const Recorded run({controller("ramp", 0.0, 10.0, 0.0, 1.0), controller("gain", 2.0, 0.0, 0.0),
                        controller("integral", 0.0, 1.0, 0.0)},
                       {{"ramp.x", "gain.u"}, {"gain.y", "integral.u"}},
                       stepsOf(0.1, 1.0, degree, AlgorithmKind::gaussSeidel));
    for (const double t : {0.5, 1.0}) {
      EXPECT_NEAR(run.at("gain.y", t), 20.0 * t, 1e-12) << degree;
      EXPECT_NEAR(run.at("integral.x", t), 10.0 * t * t, 1e-12) << degree;
    }
  }
}

/// u = 10 t: its difference quotient is 10, whatever the algorithm and the step. Means beside ends would give 15.
TEST(FeedThrough, OfAnFmuThatRemembersItsInputsHasOnlyOneKindOfThem) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::gaussSeidel, AlgorithmKind::jacobi, AlgorithmKind::iteratedGaussSeidel})
    for (const double step : {0.1, 0.01})
      for (const unsigned degree : {1U, 2U}) {
        const Recorded run(
            {controller("ramp", 0.0, 10.0, 0.0, 1.0), {"slope", "DifferenceQuotient", {{"before", -step * 10.0}}}},
            {{"ramp.x", "slope.u"}, {"ramp.x", "slope.sampled"}}, stepsOf(step, 1.0, degree, kind));
        for (const double t : {0.5, 1.0}) {
          EXPECT_NEAR(run.at("slope.y", t), 10.0, 1e-9) << step << " " << degree;
          EXPECT_NEAR(run.at("slope.ofSampled", t), 10.0, 1e-9) << step << " " << degree;
        }
      }
}

/// u = sin 2 pi t becomes positive once a second: it is counted once, also where steps are tried first.
TEST(FeedThrough, CountsEveryEdgeOnce) {
  const double w = 2.0 * std::numbers::pi;
  // x' = w z, z' = -w x from (0, 1).
  const Recorded run({controller("x", 0.0, w, 0.0), controller("z", 0.0, -w, 1.0), {"count", "DifferenceQuotient", {}}},
                     {{"z.x", "x.u"}, {"x.x", "z.u"}, {"x.x", "count.u"}},
                     stepsOf(0.01, 5.5, 1, AlgorithmKind::newton));
  EXPECT_EQ(run.at("count.edges", 5.5), 6.0);
}

/// The mean is what a state integrates: x = 5 t^2, and the output that shows it without feed-through is exact. The one
/// with feed-through, 10 t + x, is off by the trial's own h^2/2 * 10, which does not grow.
TEST(FeedThrough, LeavesTheMeanToWhatIsIntegrated) {
  const double h = 0.1;
  const Recorded run({controller("ramp", 0.0, 10.0, 0.0, 1.0), controller("both", 1.0, 1.0, 0.0)},
                     {{"ramp.x", "both.u"}}, stepsOf(h, 2.0, 1, AlgorithmKind::gaussSeidel));
  for (const double t : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(run.at("both.x", t), 5.0 * t * t, 1e-12);
    EXPECT_NEAR(run.at("both.y", t), 10.0 * t + 5.0 * t * t + 5.0 * h * h, 1e-12);
  }
}

/// p = k q + x, x' = q, q = k p + z, z' = -p: with w = 1 / sqrt(1 - k^2) from (x, z) = (1, 0)
/// x = cos w t + w k sin w t, z = -w sin w t, p = w^2 (x + k z).
TEST(FeedThrough, InAnAlgebraicLoopIsOfSecondOrder) {
  const double k = 0.5;
  const double end = 2.0;
  const double w = 1.0 / std::sqrt(1.0 - k * k);
  const double x = std::cos(w * end) + w * k * std::sin(w * end);
  const double p = w * w * (x - k * w * std::sin(w * end));
  const auto error = [&](double step) {
    const Recorded run({controller("p", k, 1.0, 1.0), controller("q", k, -1.0, 0.0)}, {{"p.y", "q.u"}, {"q.y", "p.u"}},
                       stepsOf(step, end, 1, AlgorithmKind::newton));
    return std::fabs(run.at("p.y", end) - p);
  };
  const double coarse = error(0.02);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(std::log2(coarse / error(0.01)), 2.0, 0.15);
}

}  // namespace
}  // namespace koppla::run::feed_through_test
