#include "koppla/solver/attach.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"

namespace koppla::solver::test {
namespace {

using subsystem::Marker;
using subsystem::PortIndex;
using subsystem::SpringDamper;

// Schmoll, table 2.1.
constexpr double kC2 = 1e5, kCk = 1e6, kD2 = 6.3246, kDk = 14.1421;
const Marker kMass{"mass", 1, 2, 0};

std::unique_ptr<Equations> secondMass() {
  return attach(equations(oscillator({1.0, kC2, kD2, 2.0, 0.0})), kMass, Side::second,
                std::make_shared<SpringDamper>(kCk, kDk), "coupling");
}

TEST(Attach, ASpringOnTheSecondMassIsTheSubsystemOfTheNotes) {
  // (2.22)-(2.26), subsystem 2, with the force input of the mass besides: inputs (force, u21, u22), outputs
  // (z21, z22, y22).
  const std::unique_ptr<Equations> attached = secondMass();
  ASSERT_TRUE(attached->isLinear());
  EXPECT_TRUE(attached->secondOrder());
  const LinearForm form = attached->linear();
  EXPECT_EQ(form.a, (std::vector<double>{0.0, 1.0, -(kC2 + kCk), -(kD2 + kDk)}));
  EXPECT_EQ(form.b, (std::vector<double>{0.0, 0.0, 0.0, 1.0, kCk, kDk}));
  EXPECT_EQ(form.c, (std::vector<double>{1.0, 0.0, 0.0, 1.0, kCk, kDk}));
  EXPECT_EQ(form.d, (std::vector<double>{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -kCk, -kDk}));
}

TEST(Attach, EvaluatesAsItsMatricesSay) {
  for (const Side side : {Side::first, Side::second}) {
    const std::unique_ptr<Equations> attached = attach(equations(oscillator({2.0, 3.0, 0.5, 0.0, 0.0})), kMass, side,
                                                       std::make_shared<SpringDamper>(7.0, 1.5), "s");
    const LinearForm form = attached->linear();
    const std::vector<double> x{0.3, -0.7}, u{1.1, -0.4, 2.5};
    std::vector<double> dx(2), y(3);
    attached->derivatives(0.0, x, u, dx);
    attached->outputs(0.0, x, u, y);
    for (std::size_t row = 0; row < 2; ++row)
      EXPECT_NEAR(dx[row],
                  form.a[2 * row] * x[0] + form.a[2 * row + 1] * x[1] + form.b[3 * row] * u[0] +
                      form.b[3 * row + 1] * u[1] + form.b[3 * row + 2] * u[2],
                  1e-14);
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_NEAR(y[row],
                  form.c[2 * row] * x[0] + form.c[2 * row + 1] * x[1] + form.d[3 * row] * u[0] +
                      form.d[3 * row + 1] * u[1] + form.d[3 * row + 2] * u[2],
                  1e-14);
  }
}

/// Pushes apart what is nearer than the rest length, never pulls.
class Stop final : public subsystem::ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double /*rate*/) const override {
    return distance < 1.0 ? -100.0 * (1.0 - distance) : 0.0;
  }
};

TEST(Attach, TheSideSaysWhichPointTheBodyIs) {
  // Body at 0.5, partner at 0. As second point the body is 0.5 ahead: pushed up by 50 N, the partner down. As first
  // point it is behind its partner by -0.5: pushed down by 150 N.
  const std::vector<double> x{0.5, 0.0}, u{3.0, 0.0, 0.0};
  for (const auto& [side, force] : {std::pair{Side::second, 50.0}, std::pair{Side::first, -150.0}}) {
    const std::unique_ptr<Equations> attached =
        attach(equations(oscillator({1.0, 0.0, 0.0, 0.0, 0.0})), kMass, side, std::make_shared<Stop>(), "stop");
    EXPECT_FALSE(attached->isLinear());
    std::vector<double> dx(2), y(3);
    attached->derivatives(0.0, x, u, dx);
    attached->outputs(0.0, x, u, y);
    EXPECT_DOUBLE_EQ(dx[1], force + 3.0);  // what arrives at the force input adds up
    EXPECT_DOUBLE_EQ(y[2], -force);
  }
}

TEST(Attach, DeclaresPortsAndFeedThrough) {
  const std::unique_ptr<Equations> attached = secondMass();
  const subsystem::Description& description = attached->describe();
  const auto position = description.find("coupling.position");
  const auto velocity = description.find("coupling.velocity");
  const auto force = description.find("coupling.force");
  ASSERT_TRUE(position && velocity && force);
  EXPECT_EQ(description.find("w"), 1U);  // the body's ports are where they were
  EXPECT_EQ(description.dependenciesOf(*force), (std::vector<PortIndex>{*position, *velocity}));
  EXPECT_EQ(description.initialDependenciesOf(*force), (std::vector<PortIndex>{*position, *velocity}));
  EXPECT_FALSE(description.feedsThrough(*position, 1));
  ASSERT_EQ(description.markers.size(), 1U);
  EXPECT_EQ(description.markers[0].force, 0U);
}

/// An oscillator that also gives its acceleration, which the force feeds through.
Model withAcceleration() {
  Model model = oscillator({2.0, 8.0, 0.0, 0.0, 0.0});
  model.outputs.push_back("a");
  model.linear.c.insert(model.linear.c.end(), {-4.0, 0.0});
  model.linear.d.push_back(0.5);
  return model;
}

TEST(Attach, OutputsThatSeeTheForceSeeThePartner) {
  const std::unique_ptr<Equations> attached =
      attach(equations(withAcceleration()), kMass, Side::first, std::make_shared<SpringDamper>(10.0, 0.0), "s");
  const auto position = attached->describe().find("s.position");
  ASSERT_TRUE(position);
  EXPECT_TRUE(attached->describe().feedsThrough(*position, 3));
  const std::vector<double> x{1.0, 0.0}, u{0.0, 3.0, 0.0};
  std::vector<double> y(4);
  attached->outputs(0.0, x, u, y);
  EXPECT_DOUBLE_EQ(y[2], 0.5 * 10.0 * (3.0 - 1.0) - 4.0);
  EXPECT_DOUBLE_EQ(y[3], -20.0);
}

TEST(Attach, TwoLawsOnOneBodyAddUp) {
  const auto spring = std::make_shared<SpringDamper>(10.0, 0.0);
  const std::unique_ptr<Equations> attached =
      attach(attach(equations(oscillator({1.0, 0.0, 0.0, 0.0, 0.0})), kMass, Side::first, spring, "left"), kMass,
             Side::first, spring, "right");
  const std::vector<double> x{0.0, 0.0}, u{0.0, 1.0, 0.0, 5.0, 0.0};
  std::vector<double> dx(2);
  attached->derivatives(0.0, x, u, dx);
  EXPECT_DOUBLE_EQ(dx[1], 10.0 * 1.0 + 10.0 * 5.0);
  EXPECT_EQ(attached->linear().a, (std::vector<double>{0.0, 1.0, -20.0, 0.0}));
}

TEST(Attach, RefusesAMotionThatFollowsItsForceAtOnce) {
  const Marker acceleration{"wrong", 1, 3, 0};
  EXPECT_THROW(
      attach(equations(withAcceleration()), acceleration, Side::first, std::make_shared<SpringDamper>(1.0, 0.0), "s"),
      core::InputError);
  EXPECT_THROW(attach(secondMass(), kMass, Side::first, std::make_shared<SpringDamper>(1.0, 0.0), "coupling"),
               core::InputError);
}

TEST(Attach, IsIntegratedAsOneModel) {
  // The partner rests at 0: one mass between two springs, c = 1e5 + 1e6.
  const Oscillator whole{1.0, kC2 + kCk, kD2 + kDk, 2.0, 0.0};
  for (const Kind kind : {Kind::exact, Kind::ode5, Kind::newmark}) {
    Rig rig(secondMass(), with(kind, 1e-6));
    rig.step(0.0, 0.01, {0.0, 0.0, 0.0});
    const auto [w, v] = freeMotion(whole, 0.01);
    EXPECT_NEAR(rig.y[0], w, 1e-5) << word(kind);
    EXPECT_NEAR(rig.y[2], kCk * w + kDk * v, 10.0) << word(kind);
  }
}

}  // namespace
}  // namespace koppla::solver::test
