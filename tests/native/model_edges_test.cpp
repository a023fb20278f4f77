// Native models at the edges of what they are given.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/native/exact_solution.hpp"
#include "koppla/native/journal_bearing.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/native/radiating_wall.hpp"
#include "koppla/native/rod.hpp"
#include "koppla/native/tube_flow.hpp"

#include "model_access.hpp"

namespace koppla::native::model_edges_test {
namespace {

using Vector = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ModelEdges, NoCoefficientOfAnExactSolutionMayBeInfinite) {
  const auto refusal = [](double a, double c, double z) {
    return test::inputError([=] { linearSolution({{a, 0.0}, {0.0, 1.0}}, {{1.0, c}}, {1.0, z}, {"y"}); });
  };
  EXPECT_EQ(refusal(1.0, 1.0, 1.0), "");
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    const std::string expected = "Exact solution: a coefficient is no finite number. Give finite numbers.";
    EXPECT_EQ(refusal(bad, 1.0, 1.0), expected);
    EXPECT_EQ(refusal(1.0, bad, 1.0), expected);
    EXPECT_EQ(refusal(1.0, 1.0, bad), expected);
  }
}

/// exp(A t) with eigenvectors that are nearly parallel: whichever way it takes, the digits are there.
TEST(ModelEdges, ExactSolutionsKeepTheirDigitsNearJordanBlocks) {
  for (const double e : {1e-2, 1e-5, 1e-9, 1e-12, 0.0}) {
    const auto solution =
        linearSolution({{-1.0, 1.0}, {0.0, -1.0 - e}}, {{1.0, 0.0}, {0.0, 1.0}}, {0.0, 1.0}, {"x", "y"});
    for (const double t : {-1.0, 0.5, 3.0}) {
      std::array<double, 2> y{};
      solution->values(t, y);
      // x = e^-t (1 - e^(-e t)) / e
      const double x = std::exp(-t) * (e == 0.0 ? t : -std::expm1(-e * t) / e);
      EXPECT_NEAR(y[0], x, 1e-14 * (std::fabs(x) + 1.0)) << e << " " << t;
      EXPECT_NEAR(y[1], std::exp(-(1.0 + e) * t), 1e-14 * std::exp(std::fabs(t))) << e << " " << t;
    }
  }
}

TEST(ModelEdges, AStateSpaceWithoutDHasNoFeedThrough) {
  const auto model = linearStateSpace(
      {.inputs = {"u", "w"}, .outputs = {"y", "z"}, .A = {{-1.0}}, .B = {{2.0, 3.0}}, .C = {{4.0}, {5.0}}});
  EXPECT_EQ(test::outputsOf(*model, {1.5}, {7.0, 8.0}), (Vector{6.0, 7.5}));
  EXPECT_EQ(test::derivativesOf(*model, {1.5}, {7.0, 8.0}), (Vector{-1.5 + 14.0 + 24.0}));
  EXPECT_EQ(test::inputError([] {
              linearStateSpace({.inputs = {"u"}, .outputs = {"y"}, .A = {{-1.0}}, .B = {}, .C = {}, .x0 = {1.0, 2.0}});
            }),
            "linear-state-space: the matrix B has 0 rows. It must be 1 x 1: states x inputs.\n"
            "linear-state-space: the matrix C has 0 rows. It must be 1 x 1: outputs x states.\n"
            "linear-state-space: x0 has 2 values. It needs one for each of the 1 states.");
}

TEST(ModelEdges, ARodWithGivenDisplacementsHasNoOther) {
  EXPECT_TRUE(rod({.elements = 3})->describe().find("w0"));
  EXPECT_FALSE(rod({.elements = 3, .displacements = {1.0, 2.0}})->describe().find("w0"));
}

/// Only the momentum is too large for a number: it is told as what it is.
TEST(ModelEdges, AFlowBeyondAllNumbersIsTold) {
  const auto flow = tubeFlow({.nodes = 5, .meanVelocity = 1e6});
  subsystem::Binding binding;
  binding.inputs = {0};
  flow->bind(std::move(binding));
  flow->enterInitialisation({0.0, 1.0, {}});
  const Vector area(5, 1e300);
  EXPECT_EQ(flow->advance({0.0, 1.0, false}, subsystem::held(area), {}).status, subsystem::Status::error);
  EXPECT_EQ(
      flow->failure(),
      "The flow at node 1 of 4 ceased to be finite: v = 1e+06 m/s, p = 0 Pa (in the step that began at t = 0 s).");
}

/// An inlet that is no number makes itself known there.
TEST(ModelEdges, AnInletThatIsNoNumberIsTold) {
  const auto flow = tubeFlow({.nodes = 5});
  flow->bind({});
  flow->enterInitialisation({0.0, 1.0, {}});
  EXPECT_EQ(flow->advance({0.0, kInfinity, false}, {}, {}).status, subsystem::Status::error);
  EXPECT_EQ(flow->failure().find("The flow at node 0 of 4 ceased to be finite: v = 10 m/s"), 0U) << flow->failure();
}

/// Driven by a cosine alone, or by a sine alone: the integral of the note over the circle.
TEST(ModelEdges, AShortBearingMayBeSqueezedOrTurned) {
  const auto bearing = journalBearing({.solution = FilmSolution::shortBearing, .ratio = 2.0});
  const auto full = journalBearing({.ratio = 200.0});
  struct Case {
    double eps, epsRate, delRate;
  };
  for (const Case& m : {Case{0.5, 0.3, 0.5}, Case{0.5, -0.3, 0.5}, Case{0.0, 0.4, 0.0}, Case{0.0, -0.4, 3.0},
                        Case{0.6, 0.0, 0.0}, Case{0.6, 0.0, 1.0}}) {
    Vector expected(2, 0.0);
    constexpr int kPoints = 20000;
    for (int i = 0; i < kPoints; ++i) {
      const double theta = 2.0 * std::numbers::pi * (i + 0.5) / kPoints;
      const double r = m.eps * (2.0 * m.delRate - 1.0) * std::sin(theta) + 2.0 * m.epsRate * std::cos(theta);
      const double p = std::fmax(0.0, -r) / std::pow(1.0 + m.eps * std::cos(theta), 3) / 48.0;
      expected[0] += p * std::cos(theta) * 2.0 * std::numbers::pi / kPoints;
      expected[1] += p * std::sin(theta) * 2.0 * std::numbers::pi / kPoints;
    }
    const Vector force = test::outputsOf(*bearing, {}, {m.eps, m.epsRate, m.delRate});
    const double size = std::hypot(expected[0], expected[1]);
    EXPECT_GT(size, 1e-4);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(force[i], expected[i], 1e-6 * size) << m.eps << " " << m.epsRate;
    // As 1 / ratio^2.
    const Vector narrow = test::outputsOf(*full, {}, {m.eps, m.epsRate, m.delRate});
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(1e4 * narrow[i], force[i], 4e-3 * size) << m.eps << " " << m.epsRate;
  }
}

/// q = sigma eps (T^4 - T_U^4), by hand.
TEST(ModelEdges, AFaceRadiatesBothWays) {
  const auto face = radiatingFace({.constantEmissivity = 0.5, .surroundings = 100.0});
  for (const double T : {-200.0, 100.0, 900.0})
    EXPECT_DOUBLE_EQ(test::outputsOf(*face, {}, {T})[0],
                     5.67e-8 * 0.5 * (std::pow(T + 273.15, 4) - std::pow(373.15, 4)));
  struct Point {
    Emissivity emissivity;
    double T, eps;
  };
  for (const Point& point :
       {Point{Emissivity::a, -200.0, 0.8}, Point{Emissivity::a, 200.0, 0.4}, Point{Emissivity::a, 300.0, 0.7},
        Point{Emissivity::a, 900.0, 0.7}, Point{Emissivity::a, 0.0, 0.6}, Point{Emissivity::b, -50.0, 0.8},
        Point{Emissivity::b, 400.0, 0.4}, Point{Emissivity::b, 600.0, 0.7}, Point{Emissivity::b, 500.0, 0.55},
        Point{Emissivity::b480, 0.0, 0.8}, Point{Emissivity::b480, 440.0, 0.55}, Point{Emissivity::b480, 480.0, 0.7}}) {
    const auto changing = radiatingFace({.emissivity = point.emissivity, .surroundings = 20.0});
    const double black = 5.67e-8 * (std::pow(point.T + 273.15, 4) - std::pow(293.15, 4));
    EXPECT_NEAR(test::outputsOf(*changing, {}, {point.T})[0], point.eps * black, 1e-9 * std::fabs(black)) << point.T;
  }
}

}  // namespace
}  // namespace koppla::native::model_edges_test
