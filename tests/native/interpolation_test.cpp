#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/native/curve.hpp"
#include "koppla/native/signal.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::inputError;
using test::outputsOf;

double curveAt(const Curve& settings, double u) {
  return outputsOf(*curve(settings), {}, {u})[0];
}

/// Points with rising u and any y.
Curve randomCurve(Interpolation interpolation) {
  Curve settings;
  settings.interpolation = interpolation;
  const auto places = *rc::gen::suchThat(rc::gen::container<std::set<int>>(rc::gen::inRange(-1000, 1000)),
                                         [](const std::set<int>& set) { return set.size() >= 3; });
  for (const int place : places) {
    settings.u.push_back(place);
    settings.y.push_back(*rc::gen::inRange(-1000, 1000));
  }
  return settings;
}

TEST(Signal, InterpolatesEveryColumnAndHoldsItsEnds) {
  const auto model =
      signal({.times = {1.0, 2.0, 4.0}, .columns = {{"a", {10.0, 20.0, 0.0}, "V"}, {"b", {1.0, 1.0, 5.0}}}});
  EXPECT_EQ(model->describe().ports[0].unit, "V");
  EXPECT_EQ(outputsOf(*model, {}, {}, 0.0), (std::vector<double>{10.0, 1.0}));
  EXPECT_EQ(outputsOf(*model, {}, {}, 1.5), (std::vector<double>{15.0, 1.0}));
  EXPECT_EQ(outputsOf(*model, {}, {}, 3.0), (std::vector<double>{10.0, 3.0}));
  EXPECT_EQ(outputsOf(*model, {}, {}, 9.0), (std::vector<double>{0.0, 5.0}));
}

TEST(Signal, HeldChangesAtItsSamples) {
  const auto model =
      signal({.times = {0.0, 1.0}, .columns = {{"a", {10.0, 20.0}}}, .interpolation = Interpolation::hold});
  EXPECT_EQ(outputsOf(*model, {}, {}, -1.0)[0], 10.0);
  EXPECT_EQ(outputsOf(*model, {}, {}, std::nextafter(1.0, 0.0))[0], 10.0);
  EXPECT_EQ(outputsOf(*model, {}, {}, 1.0)[0], 20.0);
  const auto constant = signal({.times = {3.0}, .columns = {{"a", {7.0}}}, .interpolation = Interpolation::hold});
  EXPECT_EQ(outputsOf(*constant, {}, {}, 0.0)[0], 7.0);
  EXPECT_EQ(outputsOf(*constant, {}, {}, 5.0)[0], 7.0);
}

TEST(Curve, CubicHasTheSlopesOfFritschAndButland) {
  // Secants 1 and 2 over intervals 1 and 2: inner slope (w1 + w2) / (w1 / 1 + w2 / 2) = 9 / 7 with w1 = 2*2 + 1 = 5 and
  // w2 = 2 + 2*1 = 4; end slopes ((2 + 2) 1 - 1 * 2) / 3 = 2/3 and ((4 + 1) 2 - 2 * 1) / 3 = 8/3.
  const Curve settings{.u = {0.0, 1.0, 3.0}, .y = {0.0, 1.0, 5.0}, .interpolation = Interpolation::cubic};
  EXPECT_DOUBLE_EQ(curveAt(settings, 0.5), 0.5 + (2.0 / 3.0 - 9.0 / 7.0) / 8.0);
  EXPECT_DOUBLE_EQ(curveAt(settings, 2.0), 3.0 + 2.0 * (9.0 / 7.0 - 8.0 / 3.0) / 8.0);
}

TEST(Curve, CubicIsFlatAtAnExtremumAndCutsSteepEnds) {
  // Secants 1 and -1: flat at the top, end slopes (3 * 1 - (-1)) / 2 = 2 and -2: a parabola.
  const Curve parabola{.u = {0.0, 1.0, 2.0}, .y = {0.0, 1.0, 0.0}, .interpolation = Interpolation::cubic};
  for (const double u : {0.25, 0.5, 1.0, 1.5}) EXPECT_DOUBLE_EQ(curveAt(parabola, u), u * (2.0 - u)) << u;
  // Secants 1 and -10: the three-point slope (3 + 10) / 2 is cut to 3, y(1/2) = 1/2 + (3 - 0)/8.
  const Curve steep{.u = {0.0, 1.0, 2.0}, .y = {0.0, 1.0, -9.0}, .interpolation = Interpolation::cubic};
  EXPECT_DOUBLE_EQ(curveAt(steep, 0.5), 0.5 + 3.0 / 8.0);
  // Secants 1 and 5: the three-point slope (3 - 5) / 2 has the wrong sign and becomes 0; inner slope 6 / (3 + 3/5) =
  // 5/3.
  const Curve turning{.u = {0.0, 1.0, 2.0}, .y = {0.0, 1.0, 6.0}, .interpolation = Interpolation::cubic};
  EXPECT_DOUBLE_EQ(curveAt(turning, 0.5), 0.5 - 5.0 / 3.0 / 8.0);
}

TEST(Curve, ExtrapolatesAsAsked) {
  const Curve held{.u = {0.0, 1.0, 3.0}, .y = {0.0, 1.0, 5.0}};
  EXPECT_EQ(curveAt(held, -2.0), 0.0);
  EXPECT_EQ(curveAt(held, 4.0), 5.0);
  Curve straight = held;
  straight.extrapolation = Extrapolation::linear;
  EXPECT_EQ(curveAt(straight, -2.0), -2.0);
  EXPECT_EQ(curveAt(straight, 4.0), 7.0);
  straight.interpolation = Interpolation::cubic;
  EXPECT_DOUBLE_EQ(curveAt(straight, -2.0), -2.0 * 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(curveAt(straight, 4.0), 5.0 + 8.0 / 3.0);
}

TEST(Curve, WithoutAnArgumentHasNoValue) {
  EXPECT_TRUE(std::isnan(curveAt({.u = {0.0, 1.0}, .y = {0.0, 1.0}}, std::nan(""))));
}

RC_GTEST_PROP(Curve, PassesThroughItsPoints, ()) {
  const auto interpolation = *rc::gen::element(Interpolation::linear, Interpolation::hold, Interpolation::cubic);
  const Curve settings = randomCurve(interpolation);
  for (std::size_t i = 0; i < settings.u.size(); ++i) RC_ASSERT(curveAt(settings, settings.u[i]) == settings.y[i]);
}

RC_GTEST_PROP(Curve, NeverLeavesTheRangeOfItsNeighbours, ()) {
  const auto interpolation = *rc::gen::element(Interpolation::linear, Interpolation::hold, Interpolation::cubic);
  const Curve settings = randomCurve(interpolation);
  const double s = *rc::gen::inRange(0, 1000) / 1000.0;
  for (std::size_t i = 0; i + 1 < settings.u.size(); ++i) {
    const double y = curveAt(settings, settings.u[i] + s * (settings.u[i + 1] - settings.u[i]));
    const auto [low, high] = std::minmax(settings.y[i], settings.y[i + 1]);
    RC_ASSERT(y >= low - 1e-9);
    RC_ASSERT(y <= high + 1e-9);
  }
}

RC_GTEST_PROP(Curve, CubicHasNoKinks, ()) {
  const Curve settings = randomCurve(Interpolation::cubic);
  const double h = 1e-6;
  for (std::size_t i = 1; i + 1 < settings.u.size(); ++i) {
    const double left = (settings.y[i] - curveAt(settings, settings.u[i] - h)) / h;
    const double right = (curveAt(settings, settings.u[i] + h) - settings.y[i]) / h;
    RC_ASSERT(std::fabs(right - left) < 0.1);  // a kink of random points has hundreds; second derivatives reach 2e4
  }
}

TEST(Signal, MistakesAreNamed) {
  const auto mistake = [](std::vector<double> times, std::vector<double> values, Interpolation interpolation) {
    return inputError([&] {
      signal({.times = std::move(times), .columns = {{"a", std::move(values)}}, .interpolation = interpolation});
    });
  };
  const std::string where = "signal: column 'a': ";
  EXPECT_EQ(mistake({0.0, 1.0, 1.0}, {0.0, 0.0, 0.0}, Interpolation::linear),
            where + "point 2 lies at 1 and the next one at 1. Points must rise strictly.");
  EXPECT_EQ(mistake({0.0, std::nan("")}, {0.0, 0.0}, Interpolation::linear),
            where + "the abscissa of point 2 is nan. Give finite numbers.");
  EXPECT_EQ(mistake({0.0, 1.0}, {HUGE_VAL, 0.0}, Interpolation::hold),
            where + "the value of point 1 is inf. Give finite numbers.");
  EXPECT_EQ(mistake({0.0}, {0.0}, Interpolation::linear),
            where + "1 points are given. This interpolation needs at least 2.");
  EXPECT_EQ(mistake({0.0}, {0.0}, Interpolation::cubic),
            where + "1 points are given. This interpolation needs at least 2.");
  EXPECT_EQ(mistake({}, {}, Interpolation::hold), where + "0 points are given. This interpolation needs at least 1.");
  EXPECT_EQ(mistake({0.0, 1.0}, {0.0}, Interpolation::linear),
            where + "1 values belong to 2 points. Give one value for each point.");
  EXPECT_EQ(inputError([] {
              signal({.times = {0.0, 1.0}, .columns = {}});
            }),
            "signal: there is no column of values. Give at least one.");
  EXPECT_EQ(inputError([] {
              signal({.times = {0.0, 1.0}, .columns = {{"a", {1.0, 2.0}}, {"a", {1.0, 2.0}}}});
            }),
            "signal: the name 'a' is used twice. Rename one of the two.");
}

TEST(Curve, MistakesAreNamed) {
  EXPECT_EQ(inputError([] {
              curve({.u = {1.0, 0.0}, .y = {0.0, 0.0}});
            }),
            "curve: point 1 lies at 1 and the next one at 0. Points must rise strictly.");
  EXPECT_EQ(inputError([] {
              curve({.u = {0.0, 1.0}, .y = {0.0, 0.0}, .input = "a", .output = "a"});
            }),
            "curve: the name 'a' is used twice. Rename one of the two.");
  EXPECT_EQ(inputError([] {
              curve({.u = {0.0, 1.0},
                     .y = {0.0, 0.0},
                     .interpolation = Interpolation::hold,
                     .extrapolation = Extrapolation::linear});
            }),
            "curve: a staircase has no slope at its ends to go on with. Use the extrapolation 'hold' with the "
            "interpolation 'hold'.");
}

}  // namespace
}  // namespace koppla::native
