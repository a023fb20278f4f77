#include "koppla/subsystem/trajectory_pieces.hpp"

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

}  // namespace
}  // namespace koppla::subsystem
