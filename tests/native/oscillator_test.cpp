#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/native/two_mass_oscillator.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::derivativesOf;
using test::outputsOf;

// Different in every coefficient, so that no two can be swapped unseen. All are powers of two: exact arithmetic.
constexpr TwoMassOscillator kSystem{.m1 = 2.0,
                                    .m2 = 4.0,
                                    .c1 = 8.0,
                                    .c2 = 16.0,
                                    .ck = 32.0,
                                    .d1 = 0.5,
                                    .d2 = 0.25,
                                    .dk = 0.125,
                                    .x10 = 1.0,
                                    .x20 = 2.0,
                                    .v10 = 3.0,
                                    .v20 = 4.0};

TEST(TwoMassOscillator, HasTheMatricesOfTheSource) {
  // Schmoll (2.4)-(2.12), with the states in the order x1, x2, v1, v2.
  const auto model = twoMassOscillator(kSystem);
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(model->linear().a, (std::vector<double>{0.0, 0.0, 1.0, 0.0,            //
                                                    0.0, 0.0, 0.0, 1.0,            //
                                                    -20.0, 16.0, -0.3125, 0.0625,  //
                                                    8.0, -12.0, 0.03125, -0.09375}));
  EXPECT_EQ(model->linear().c, (std::vector<double>{1.0,   0.0,  0.0,    0.0,  //
                                                    0.0,   0.0,  1.0,    0.0,  //
                                                    0.0,   1.0,  0.0,    0.0,  //
                                                    0.0,   0.0,  0.0,    1.0,  //
                                                    -32.0, 32.0, -0.125, 0.125}));
}

TEST(TwoMassOscillator, HasTheParametersOfTable21) {
  const auto model = twoMassOscillator(schmollTable21());
  const std::vector<std::pair<std::string, double>> table{{"m1", 1.0},  {"m2", 1.0},  {"c1", 1e4},    {"c2", 1e5},
                                                          {"ck", 1e6},  {"d1", 2.0},  {"d2", 6.3246}, {"dk", 14.1421},
                                                          {"x10", 1.0}, {"x20", 2.0}, {"v10", 0.0},   {"v20", 0.0}};
  for (const auto& [name, value] : table)
    EXPECT_EQ(model->parameter(test::portOf(*model, name)), core::Value(value)) << name;
}

TEST(OscillatorBody, FollowsItsEquation) {
  // m x'' = -c x - d x' + f
  const auto model = oscillatorBody({.m = 2.0, .c = 8.0, .d = 0.5, .x0 = 3.0, .v0 = 4.0, .acceleration = true});
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(derivativesOf(*model, {3.0, 4.0}, {6.0}), (std::vector<double>{4.0, -10.0}));
  EXPECT_EQ(outputsOf(*model, {3.0, 4.0}, {6.0}), (std::vector<double>{3.0, 4.0, -10.0}));
}

TEST(OscillatorBody, OffersAMarker) {
  const auto model = oscillatorBody();
  ASSERT_EQ(model->describe().markers.size(), 1U);
  const subsystem::Marker& marker = model->describe().markers[0];
  EXPECT_EQ(marker.name, "point");
  EXPECT_EQ(marker.position, test::portOf(*model, "x"));
  EXPECT_EQ(marker.velocity, test::portOf(*model, "v"));
  EXPECT_EQ(marker.force, test::portOf(*model, "f"));
}

TEST(OscillatorWithLink, NodeInertiaIsTakenFromTheForceOnly) {
  OscillatorWithLink settings = secondWithLink(kSystem);
  const auto plain = oscillatorWithLink(settings);
  settings.nodeInertia = true;
  settings.nodeMass = 0.5;
  const auto heavy = oscillatorWithLink(settings);
  // F = ck (x2 - u_x) + dk (v2 - u_v) - node_mass u_a = 32 (2 - 1) + 0.125 (4 - 2) - 0.5 * 10
  EXPECT_EQ(outputsOf(*plain, {2.0, 4.0}, {1.0, 2.0})[0], 32.25);
  EXPECT_EQ(outputsOf(*heavy, {2.0, 4.0}, {1.0, 2.0, 10.0})[0], 27.25);
  EXPECT_EQ(derivativesOf(*plain, {2.0, 4.0}, {1.0, 2.0}), derivativesOf(*heavy, {2.0, 4.0}, {1.0, 2.0, 10.0}));
}

RC_GTEST_PROP(TwoMassOscillator, EqualsItsPartsInEveryCut, ()) {
  const auto number = [] { return static_cast<double>(*rc::gen::inRange(-1000, 1000)); };
  const double x1 = number(), v1 = number(), x2 = number(), v2 = number();
  const std::vector<double> dx = derivativesOf(*twoMassOscillator(kSystem), {x1, x2, v1, v2});
  const double F = outputsOf(*twoMassOscillator(kSystem), {x1, x2, v1, v2})[4];

  // Force/displacement, Schmoll (2.15)-(2.26).
  const auto second = oscillatorWithLink(secondWithLink(kSystem));
  RC_ASSERT(outputsOf(*second, {x2, v2}, {x1, v1})[0] == F);
  RC_ASSERT(derivativesOf(*oscillatorBody(firstBody(kSystem)), {x1, v1}, {F})[1] == dx[2]);
  RC_ASSERT(derivativesOf(*second, {x2, v2}, {x1, v1})[1] == dx[3]);
  // Displacement/displacement, 2.3.2.
  RC_ASSERT(derivativesOf(*linkedBody(firstLinked(kSystem)), {x1, v1}, {x2, v2})[1] == dx[2]);
  RC_ASSERT(derivativesOf(*linkedBody(secondLinked(kSystem)), {x2, v2}, {x1, v1})[1] == dx[3]);
  // Force/force, 2.3.3.
  RC_ASSERT(derivativesOf(*oscillatorBody(secondBody(kSystem)), {x2, v2}, {-F})[1] == dx[3]);
}

TEST(Oscillators, StartWhereTheWholeStarts) {
  EXPECT_EQ(test::startOf(*oscillatorBody(firstBody(kSystem))), (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(test::startOf(*oscillatorBody(secondBody(kSystem))), (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(test::startOf(*oscillatorWithLink(secondWithLink(kSystem))), (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(test::startOf(*linkedBody(firstLinked(kSystem))), (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(test::startOf(*linkedBody(secondLinked(kSystem))), (std::vector<double>{2.0, 4.0}));
}

TEST(Oscillators, DefaultsAreThePartsOfTable21) {
  EXPECT_EQ(oscillatorBody()->linear().a, oscillatorBody(firstBody(schmollTable21()))->linear().a);
  EXPECT_EQ(oscillatorWithLink()->linear().a, oscillatorWithLink(secondWithLink(schmollTable21()))->linear().a);
  EXPECT_EQ(linkedBody()->linear().a, linkedBody(firstLinked(schmollTable21()))->linear().a);
}

}  // namespace
}  // namespace koppla::native
