#include "koppla/subsystem/trajectory_pieces.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace koppla::subsystem {
namespace {

RC_GTEST_PROP(TrajectoryPieces, AreTheSamePolynomialsOnAnotherInterval, ()) {
  const auto whole = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(-10, 10));  // two inputs, degree 5
  const std::vector<double> coefficients(whole.begin(), whole.end());
  const Trajectory u{coefficients.data(), 2, 5};
  const double begin = 0.1 * *rc::gen::inRange(0, 15);
  const double length = 0.1 * *rc::gen::inRange(1, 10);
  TrajectoryPieces pieces(2, kMaxDegree);
  const Trajectory piece = pieces.cut(u, begin, length);
  for (const double sigma : {0.0, 0.3, 1.0})
    for (const std::size_t input : {0U, 1U})
      RC_ASSERT(std::fabs(piece.value(input, sigma) - u.value(input, begin + length * sigma)) < 1e-9);
}

TEST(TrajectoryPieces, ValuesAreMeans) {
  const std::vector<double> coefficients{1.0, 2.0,
                                         3.0};  // mean over [a, b] of 1 + 2 s + 3 s^2: [s + s^2 + s^3] / (b - a)
  TrajectoryPieces pieces(1, 0);
  const Trajectory piece = pieces.cut({coefficients.data(), 1, 2}, 0.5, 0.5);
  EXPECT_EQ(piece.degree, 0U);
  EXPECT_DOUBLE_EQ(piece.value(0, 0.7), (3.0 - 0.875) / 0.5);
}

TEST(TrajectoryPieces, OfLowerDegreeMeetTheTrajectoryAtEquidistantPoints) {
  const std::vector<double> coefficients{1.0, -2.0, 3.0, 0.5, 0.25, -1.5};
  const Trajectory whole{coefficients.data(), 1, 5};
  for (unsigned degree = 1; degree < kMaxDegree; ++degree) {
    TrajectoryPieces pieces(1, degree);
    const Trajectory piece = pieces.cut(whole, 0.25, 0.5);
    ASSERT_EQ(piece.degree, degree);
    for (unsigned node = 0; node <= degree; ++node) {
      const double sigma = static_cast<double>(node) / degree;
      EXPECT_NEAR(piece.value(0, sigma), whole.value(0, 0.25 + 0.5 * sigma), 1e-14) << degree;
    }
  }
}

TEST(TrajectoryPieces, EveryInputIsCutByItself) {
  const std::vector<double> coefficients{1.0, -2.0, 3.0, 0.5, 0.25, -1.5, 2.0, 4.0, -0.5, -1.0, 0.75, 1.25};
  const Trajectory whole{coefficients.data(), 3, 3};
  for (unsigned degree = 0; degree <= kMaxDegree; ++degree) {
    TrajectoryPieces pieces(3, degree);
    const Trajectory piece = pieces.cut(whole, 0.75, 0.5);
    ASSERT_EQ(piece.count, 3U);
    ASSERT_EQ(piece.degree, std::min(degree, 3U));
    for (std::size_t input = 0; input < 3; ++input) {
      if (degree == 0) {  // Simpson's rule is exact for cubics
        const double mean = (whole.value(input, 0.75) + 4.0 * whole.value(input, 1.0) + whole.value(input, 1.25)) / 6.0;
        EXPECT_NEAR(piece.value(input, 0.3), mean, 1e-13) << input;
        continue;
      }
      for (unsigned node = 0; node <= piece.degree; ++node) {
        const double sigma = static_cast<double>(node) / piece.degree;
        EXPECT_NEAR(piece.value(input, sigma), whole.value(input, 0.75 + 0.5 * sigma), 1e-13) << degree << input;
      }
    }
  }
}

/// What somebody interpolates may lie anywhere: the piece has the highest degree that is taken and meets each node.
TEST(TrajectoryPieces, OfTheLargestDegreesMeetTheirNodes) {
  const std::vector<double> coefficients{0.3, -0.2, 0.5, -0.7, 0.11, 1.3};
  const Trajectory whole{coefficients.data(), 1, 5};
  TrajectoryPieces beyond(1, kMaxDegree + 3);
  EXPECT_EQ(beyond.cut(whole, 0.0, 1.0).degree, kMaxDegree);
  for (unsigned given = 1; given <= kMaxDegree; ++given)
    for (unsigned degree = 1; degree < given; ++degree) {
      TrajectoryPieces pieces(1, degree);
      const Trajectory lower{coefficients.data(), 1, given};
      const Trajectory piece = pieces.cut(lower, -0.5, 2.0);
      for (unsigned node = 0; node <= degree; ++node) {
        const double sigma = static_cast<double>(node) / degree;
        EXPECT_NEAR(piece.value(0, sigma), lower.value(0, -0.5 + 2.0 * sigma), 1e-11) << given << " " << degree;
      }
    }
}

}  // namespace
}  // namespace koppla::subsystem
