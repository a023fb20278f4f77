// What evaluations of a loop tell of its slopes, on linear loops x = J u + b, whose answers are wrong by
// J (I - J)^-1 (x - u).

#include "koppla/coupling/seen_slopes.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "support/elimination.hpp"

namespace koppla::coupling::seen_slopes_test {
namespace {

using Reals = std::vector<double>;
using Rows = std::vector<Reals>;

constexpr core::Tolerance kTolerance{1e-5, 1e-6};

Reals times(const Rows& J, const Reals& u) {
  Reals x(u.size(), 0.0);
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t j = 0; j < u.size(); ++j) x[i] += J[i][j] * u[j];
  return x;
}

/// J (I - J)^-1 r
Reals errorsOf(const Rows& J, const Reals& r) {
  Rows matrix = J;
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < r.size(); ++j) matrix[i][j] = (i == j ? 1.0 : 0.0) - J[i][j];
  return times(J, koppla::test::solved(matrix, r));
}

/// Such a loop with b = 1, and what was sent in its last evaluation.
struct Loop {
  Rows J;
  Reals sizes = Reals(J.size());
  SeenSlopes slopes{kTolerance, sizes};
  Reals sent{};
  Reals answered{};

  void evaluate(const Reals& u) {
    const Reals sentBefore = std::exchange(sent, u);
    const Reals answeredBefore = std::exchange(answered, times(J, u));
    for (double& x : answered) x += 1.0;
    if (!sentBefore.empty()) slopes.learn(sentBefore, answeredBefore, sent, answered);
  }
  /// A step in which these were sent is kept.
  void step(const std::vector<Reals>& all) {
    sent.clear();
    slopes.begin();
    for (const Reals& u : all) evaluate(u);
    slopes.accept();
  }
  [[nodiscard]] Reals residual() const {
    Reals r = answered;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= sent[i];
    return r;
  }
  struct Estimate {
    bool known;
    Reals errors;
    Reals unexplained;
  };
  Estimate estimate() {
    Estimate result{false, Reals(J.size()), Reals(J.size())};
    result.known = slopes.estimate(sent, answered, result.errors, result.unexplained);
    return result;
  }
};

TEST(SeenSlopes, TellTheErrorOfOneValueAfterTwoEvaluations) {
  for (const double g : {-5.0, -0.5, 0.1, 0.9, 0.999, 0.99999, 3.0}) {
    Loop loop{{{g}}};
    loop.evaluate({2.0});
    EXPECT_FALSE(loop.estimate().known) << "one evaluation shows no slope";
    loop.evaluate({2.5});
    const Loop::Estimate estimate = loop.estimate();
    EXPECT_TRUE(estimate.known);
    const double expected = g / (1.0 - g) * loop.residual()[0];
    EXPECT_NEAR(estimate.errors[0], expected, 1e-9 * std::fabs(expected)) << g;
    EXPECT_NEAR(estimate.unexplained[0], 0.0, 1e-12);
  }
}

TEST(SeenSlopes, TellTheErrorsOfSeveralValuesOnceAllDirectionsWereSeen) {
  const Rows J{{0.5, 0.3, -0.2}, {0.1, 0.9, 0.4}, {-0.6, 0.2, 0.3}};
  Loop loop{J};
  for (const Reals& u : {Reals{1.0, 2.0, 3.0}, {1.5, 2.0, 2.0}, {1.0, 3.0, 2.5}, {2.0, 2.5, 2.0}}) loop.evaluate(u);
  const Loop::Estimate estimate = loop.estimate();
  const Reals expected = errorsOf(J, loop.residual());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(estimate.errors[i], expected[i], 1e-8);
    EXPECT_NEAR(estimate.unexplained[i], 0.0, 1e-8);
  }
}

/// Two loops beside each other, of which one has moved.
TEST(SeenSlopes, LeaveOverWhatNoDirectionExplains) {
  Loop loop{{{0.75, 0.0}, {0.0, 0.999}}};
  loop.evaluate({2.0, 5.0});
  loop.evaluate({3.0, 5.0});
  const Loop::Estimate estimate = loop.estimate();
  EXPECT_NEAR(estimate.errors[0], 3.0 * loop.residual()[0], 1e-9);
  EXPECT_EQ(estimate.errors[1], 0.0) << "nothing is known of it";
  EXPECT_NEAR(estimate.unexplained[0], 0.0, 1e-12);
  EXPECT_NEAR(estimate.unexplained[1], loop.residual()[1], 1e-12);
  EXPECT_GE(loop.slopes.doubt(), 1e4) << "in a first step it may be far";
  loop.slopes.accept();
  EXPECT_GE(loop.slopes.doubt(), 1e4) << "and in later ones: of two directions both can be seen";
}

TEST(SeenSlopes, OfManyDirectionsStayWithWhatWasSeen) {
  constexpr std::size_t kMany = 9;
  Loop loop{Rows(kMany, Reals(kMany))};
  loop.J[0][0] = 0.75;
  Reals sent(kMany);
  loop.evaluate(sent);
  sent[0] = 1.0;
  loop.evaluate(sent);
  static_cast<void>(loop.estimate());
  EXPECT_GE(loop.slopes.doubt(), 100.0);
  loop.slopes.accept();
  EXPECT_NEAR(loop.slopes.doubt(), 4.0, 1e-9) << "1 / (1 - 0.75), the longest way that was seen";
}

TEST(SeenSlopes, ThatAreDistrustedAreToBeSeenAgain) {
  for (const Rows& J : {Rows{{0.9}}, Rows{{0.9, 0.1}, {0.2, -0.3}}}) {
    Loop loop{J};
    const Reals one(J.size(), 1.0);
    const Reals two(J.size(), 2.0);
    loop.step({one, two});
    loop.slopes.begin();
    loop.sent.clear();
    loop.evaluate(one);
    EXPECT_TRUE(loop.estimate().known);
    loop.slopes.distrust();
    EXPECT_FALSE(loop.estimate().known);
    loop.evaluate(two);
    EXPECT_TRUE(loop.estimate().known);
    loop.slopes.accept();
    loop.slopes.begin();
    EXPECT_TRUE(loop.estimate().known) << "in the step after that";
  }
}

TEST(SeenSlopes, OfAStepThatIsThrownAwayAreForgotten) {
  Loop loop{{{0.9}}};
  loop.step({{1.0}, {2.0}});
  loop.J = {{0.5}};
  loop.slopes.begin();
  loop.sent.clear();
  loop.evaluate({3.0});
  loop.evaluate({4.0});
  EXPECT_NEAR(loop.estimate().errors[0], loop.residual()[0], 1e-9) << "0.5 / (1 - 0.5)";
  loop.slopes.begin();  // not accepted
  loop.sent.clear();
  loop.evaluate({3.0});
  EXPECT_NEAR(loop.estimate().errors[0], 9.0 * loop.residual()[0], 1e-9) << "0.9 / (1 - 0.9)";
}

TEST(SeenSlopes, AreKnownInLaterSteps) {
  Loop loop{{{0.9}}};
  loop.step({{1.0}, {2.0}});
  loop.slopes.begin();
  loop.sent.clear();
  loop.evaluate({3.0});
  EXPECT_TRUE(loop.estimate().known);
  EXPECT_NEAR(loop.estimate().errors[0], 9.0 * loop.residual()[0], 1e-9) << "0.9 / (1 - 0.9)";
}

/// The newest pair counts where it says something else than an older one.
TEST(SeenSlopes, AreThoseOfNow) {
  Loop loop{{{0.9}}};
  loop.step({{1.0}, {2.0}});
  loop.J = {{-1.0}};
  loop.slopes.begin();
  loop.sent.clear();
  loop.evaluate({3.0});
  loop.evaluate({4.0});
  EXPECT_NEAR(loop.estimate().errors[0], -0.5 * loop.residual()[0], 1e-9);
}

TEST(SeenSlopes, ContradictThemselvesWhereAnswersAreNotExact) {
  const Reals sizes(1);
  SeenSlopes slopes(kTolerance, sizes);
  slopes.begin();
  const auto learn = [&](double u0, double x0, double u1, double x1) {
    slopes.learn(Reals{u0}, Reals{x0}, Reals{u1}, Reals{x1});
  };
  learn(1.0, 2.0, 1.1, 2.05);  // d = 0.1, v = -0.05
  EXPECT_FALSE(slopes.contradicted()) << "nothing was known before";
  learn(1.1, 2.05, 1.2, 2.1);
  EXPECT_FALSE(slopes.contradicted());
  learn(1.2, 2.1, 1.3, 2.25);  // v = +0.05
  EXPECT_TRUE(slopes.contradicted());
}

TEST(SeenSlopes, TellNothingOfRounding) {
  const Reals sizes(1);
  SeenSlopes slopes({1e-12, 0.0}, sizes);
  slopes.begin();
  const double ulp = std::nextafter(1.0, 2.0) - 1.0;
  slopes.learn(Reals{1.0}, Reals{1.0 + ulp}, Reals{1.0 + ulp}, Reals{1.0});
  Reals errors(1);
  Reals unexplained(1);
  EXPECT_TRUE(slopes.estimate(Reals{1.0 + ulp}, Reals{1.0}, errors, unexplained)) << "more evaluations show no more";
  EXPECT_FALSE(slopes.estimate(Reals{1.0 + 1e-9}, Reals{1.0}, errors, unexplained));
  EXPECT_TRUE(slopes.estimate(Reals{1.0 + ulp}, Reals{1.0}, errors, unexplained));
  EXPECT_EQ(unexplained[0], 0.0) << "a residual of one unit in the last place is none";
}

}  // namespace
}  // namespace koppla::coupling::seen_slopes_test
