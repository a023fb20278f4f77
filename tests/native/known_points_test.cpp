// Where signals jump or bend: who adapts steps ends one there.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/native/signal.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/subsystem/phases.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::native::known_points_test {
namespace {

std::unique_ptr<solver::Equations> stepped(Interpolation interpolation) {
  return signal({.times = {0.0, 1.0, 2.0, 3.0, 4.0},
                 .columns = {{"y", {0.0, 0.0, 1.0, 2.0, 2.0}, "rad"}},
                 .interpolation = interpolation});
}

template <class Model>
std::vector<double> pointsOf(const Model& model) {
  std::vector<double> points;
  for (double t = model.nextKnownPoint(-1.0); std::isfinite(t) && points.size() < 10; t = model.nextKnownPoint(t))
    points.push_back(t);
  return points;
}

TEST(KnownPoints, OfASignalAreWhereItJumpsOrBends) {
  EXPECT_EQ(pointsOf(*stepped(Interpolation::hold)), (std::vector{2.0, 3.0})) << "not where it keeps its value";
  EXPECT_EQ(pointsOf(*stepped(Interpolation::linear)), (std::vector{1.0, 3.0}))
      << "not amid a line, nor at its level ends";
  EXPECT_EQ(pointsOf(*stepped(Interpolation::cubic)), (std::vector{0.0, 1.0, 2.0, 3.0, 4.0}))
      << "each piece is another";
  const auto ramp = signal({.times = {1.0, 2.0}, .columns = {{"y", {0.0, 1.0}}}});
  EXPECT_EQ(pointsOf(*ramp), (std::vector{1.0, 2.0})) << "held before and after";
}

TEST(KnownPoints, OfSeveralColumnsAreThoseOfAll) {
  const auto both = signal({.times = {0.0, 1.0, 2.0, 3.0},
                            .columns = {{"a", {0.0, 1.0, 1.0, 1.0}}, {"b", {0.0, 0.0, 0.0, 1.0}}},
                            .interpolation = Interpolation::hold});
  EXPECT_EQ(pointsOf(*both), (std::vector{1.0, 3.0}));
}

TEST(KnownPoints, ArePassedOnByWhateverHoldsTheSignal) {
  const std::vector expected{2.0, 3.0};
  const auto member = [] { return solver::integrate(stepped(Interpolation::hold), {}); };
  EXPECT_EQ(pointsOf(*member()), expected);
  EXPECT_EQ(pointsOf(*subsystem::subdivide(member(), 0.1)), expected);
  EXPECT_EQ(pointsOf(*subsystem::unwrapPhases(member(), {0})), expected);
  std::vector<solver::JoinedPart> parts;
  parts.push_back({"late", stepped(Interpolation::hold)});
  parts.push_back({"early", signal({.times = {0.5}, .columns = {{"y", {1.0}}}, .interpolation = Interpolation::hold})});
  EXPECT_EQ(pointsOf(*solver::join(std::move(parts), {})), expected);
}

}  // namespace
}  // namespace koppla::native::known_points_test
