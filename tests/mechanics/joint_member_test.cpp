#include "koppla/mechanics/joint_member.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"

#include "motions.hpp"
#include "support/allocations.hpp"

namespace koppla::mechanics::joint_member_test {
namespace {

using detail::JointEquations;
using detail::Level;
using detail::Motion;
using subsystem::PortIndex;
using subsystem::Status;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A member with chosen ports bound; values by the names of the ports.
class Bench {
 public:
  Bench(std::unique_ptr<subsystem::Subsystem> member, const std::vector<std::string>& inputs,
        std::vector<std::string> outputs)
      : member_(std::move(member)), outputs_(std::move(outputs)) {
    subsystem::Binding binding;
    for (const std::string& name : inputs) binding.inputs.push_back(port(name));
    for (const std::string& name : outputs_) {
      binding.outputs.push_back(port(name));
      offsets_[name] = y_.size();
      y_.resize(y_.size() + size(name), kNan);
    }
    member_->bind(std::move(binding));
    member_->enterInitialisation({0.0, 1.0, {}});
  }

  PortIndex port(const std::string& name) const {
    const auto found = member_->describe().find(name);
    if (!found) throw std::runtime_error("no port " + name);
    return *found;
  }
  std::size_t size(const std::string& name) const { return member_->describe().ports[port(name)].size; }
  std::span<double> output(const std::string& name) { return std::span(y_).subspan(offsets_.at(name), size(name)); }

  Status evaluate(const std::vector<double>& u) { return member_->evaluate(0.0, u, y_); }
  /// Inputs go from 0 to u over the step.
  Status advance(const std::vector<double>& u) {
    std::vector<double> coefficients(u.size(), 0.0);
    coefficients.insert(coefficients.end(), u.begin(), u.end());
    const subsystem::StepResult result =
        member_->advance({0.0, 0.1, true}, {coefficients.data(), static_cast<std::uint32_t>(u.size()), 1}, y_);
    EXPECT_EQ(result.reached, 0.1);
    return result.status;
  }
  std::vector<double> observe(const std::string& name) {
    core::Values values;
    member_->observe(std::array{port(name)}, values);
    return values.reals;
  }
  subsystem::Subsystem& member() { return *member_; }

 private:
  std::unique_ptr<subsystem::Subsystem> member_;
  std::vector<std::string> outputs_;
  std::map<std::string, std::size_t> offsets_;
  std::vector<double> y_;
};

const std::vector<std::string> kMotion{"position",         "rotation",     "velocity",
                                       "angular_velocity", "acceleration", "angular_acceleration"};

std::vector<std::string> bothBodies(std::size_t quantities) {
  std::vector<std::string> names;
  for (const char* body : {"first.", "second."})
    for (std::size_t k = 0; k < quantities; ++k) names.push_back(body + kMotion[k]);
  return names;
}

/// The motion as the inputs of a member; `quantities` of kMotion.
void append(std::vector<double>& u, const Motion& motion, std::size_t quantities) {
  const bool isPlanar = motion.rotation == Rotation::planar;
  const auto coordinates = [&](const Eigen::Vector3d& v) {
    u.insert(u.end(), v.data(), v.data() + (isPlanar ? 2 : 3));
  };
  const auto angular = [&](const Eigen::Vector3d& v) {
    u.insert(u.end(), v.data() + (isPlanar ? 2 : 0), v.data() + 3);
  };
  coordinates(motion.r);
  u.insert(u.end(), motion.parameters.begin(), motion.parameters.end());
  coordinates(motion.v);
  angular(motion.w);
  if (quantities <= 4) return;
  coordinates(motion.a);
  angular(motion.dw);
}

std::vector<double> inputs(const Motion& first, const Motion& second, std::size_t quantities = 6) {
  std::vector<double> u;
  append(u, first, quantities);
  append(u, second, quantities);
  return u;
}

Laws springs(std::size_t count) {
  return Laws(count, std::make_shared<subsystem::SpringDamper>(20.0, 0.5));
}

void expectEqual(std::span<const double> obtained, const Eigen::VectorXd& expected, const std::string& name) {
  ASSERT_EQ(obtained.size(), static_cast<std::size_t>(expected.size()));
  for (std::size_t k = 0; k < obtained.size(); ++k)
    EXPECT_EQ(obtained[k], expected[static_cast<Eigen::Index>(k)]) << name << ", row " << k;
}

TEST(RigidJoint, ReportsTheDefectsOfItsEquations) {
  test::Random random(1);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    const JointEquations equations(joint);
    const Motion first = test::anyMotion(joint.firstRotation, random);
    const Motion second = test::anyMotion(joint.secondRotation, random);
    for (const bool advances : {false, true}) {
      Bench bench(rigidJoint(joint), bothBodies(6), {"acceleration_defect", "position_defect", "velocity_defect"});
      const std::vector<double> u = inputs(first, second);
      EXPECT_EQ(advances ? bench.advance(u) : bench.evaluate(u), Status::ok);
      expectEqual(bench.output("position_defect"), test::defect(equations, Level::position, first, second), name);
      expectEqual(bench.output("velocity_defect"), test::defect(equations, Level::velocity, first, second), name);
      expectEqual(bench.output("acceleration_defect"), test::defect(equations, Level::acceleration, first, second),
                  name);
      expectEqual(bench.observe("velocity_defect"), test::defect(equations, Level::velocity, first, second), name);
    }
  }
}

TEST(RigidJoint, LeavesMultipliersToTheCaller) {
  Bench bench(rigidJoint({.kind = JointKind::universal}), bothBodies(4), {"lambda", "position_defect", "mu"});
  const std::vector<double> lambda{1.0, -2.0, 3.0, kNan};
  const std::vector<double> mu{0.1, 0.2, 0.3, 0.4};
  std::ranges::copy(lambda, bench.output("lambda").begin());
  std::ranges::copy(mu, bench.output("mu").begin());
  const auto expectUntouched = [&] {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(bench.output("lambda")[k], lambda[k]);
    EXPECT_TRUE(std::isnan(bench.output("lambda")[3]));
    EXPECT_TRUE(std::ranges::equal(bench.output("mu"), mu));
    EXPECT_EQ(bench.observe("mu"), mu);
    EXPECT_EQ(bench.observe("lambda")[1], -2.0);
  };
  test::Random random(2);
  const std::vector<double> u =
      inputs(test::anyMotion(Rotation::cardan, random), test::anyMotion(Rotation::cardan, random), 4);
  bench.evaluate(u);
  expectUntouched();
  bench.advance(u);
  expectUntouched();
}

/// What is not bound stays at 0: here accelerations, so that the second derivative has only its velocity terms.
TEST(RigidJoint, WorksWithoutAccelerations) {
  test::Random random(3);
  const Joint joint{.kind = JointKind::revolute};
  Motion first = test::anyMotion(Rotation::cardan, random);
  Motion second = test::anyMotion(Rotation::cardan, random);
  Bench bench(rigidJoint(joint), bothBodies(4), {"velocity_defect", "acceleration_defect"});
  bench.evaluate(inputs(first, second, 4));
  const JointEquations equations(joint);
  expectEqual(bench.output("velocity_defect"), test::defect(equations, Level::velocity, first, second), "velocity");
  for (Motion* body : {&first, &second}) {
    body->a.setZero();
    body->dw.setZero();
  }
  expectEqual(bench.output("acceleration_defect"), test::defect(equations, Level::acceleration, first, second),
              "acceleration");
}

TEST(RigidJoint, StandsUprightWhereNobodyBindsARotation) {
  Bench bench(rigidJoint({.kind = JointKind::orientation,
                          .firstRotation = Rotation::eulerParameters,
                          .secondRotation = Rotation::eulerParameters}),
              {}, {"position_defect"});
  bench.evaluate({});
  expectEqual(bench.output("position_defect"), Eigen::Vector3d::Zero(), "position");
}

TEST(RigidJoint, TakesStartValuesOfInputs) {
  Bench bench(rigidJoint({}), {}, {"position_defect"});
  bench.member().set(bench.port("second.position"), std::array<core::Value, 3>{1.0, 2.0, 3.0});
  bench.evaluate({});
  expectEqual(bench.output("position_defect"), Eigen::Vector3d(-1.0, -2.0, -3.0), "position");
  EXPECT_EQ(bench.observe("second.position"), (std::vector{1.0, 2.0, 3.0}));
}

TEST(JointMembers, AllocateNothingInAStep) {
  test::Random random(5);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    const Motion first = test::anyMotion(joint.firstRotation, random);
    const Motion second = test::anyMotion(joint.secondRotation, random);
    Bench rigid(rigidJoint(joint), bothBodies(6),
                {"lambda", "mu", "position_defect", "velocity_defect", "acceleration_defect"});
    Bench flexible(flexibleJoint(joint, springs(rows(joint))), bothBodies(4), {"lambda", "velocity_defect"});
    const std::vector<double> all = inputs(first, second);
    const std::vector<double> withoutAccelerations = inputs(first, second, 4);
    const std::size_t before = koppla::test::allocations();
    rigid.evaluate(all);
    flexible.evaluate(withoutAccelerations);
    EXPECT_EQ(koppla::test::allocations() - before, 0U) << name;
  }
}

TEST(RigidJoint, AnswersNanWithNan) {
  test::Random random(4);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    Bench bench(rigidJoint(joint), bothBodies(6), {"position_defect", "velocity_defect", "acceleration_defect"});
    std::size_t count = 0;
    for (const std::string& input : bothBodies(6)) count += bench.size(input);
    EXPECT_EQ(bench.evaluate(std::vector<double>(count, kNan)), Status::ok) << name;
    EXPECT_TRUE(std::ranges::all_of(bench.output("acceleration_defect"), [](double g) { return std::isnan(g); }))
        << name;
  }
}

std::vector<std::string> namesOf(const subsystem::Description& description, const subsystem::Dependencies& ports) {
  std::vector<std::string> names;
  for (const PortIndex port : *ports) names.push_back(description.ports[port].name);
  std::ranges::sort(names);
  return names;
}

TEST(RigidJoint, DeclaresWhatItsOutputsDependOn) {
  Bench bench(rigidJoint({}), {}, {});
  const subsystem::Description& description = bench.member().describe();
  const auto dependsOn = [&](const std::string& name) {
    return namesOf(description, description.dependenciesOf(bench.port(name)));
  };
  const auto sorted = [](std::vector<std::string> names) {
    std::ranges::sort(names);
    return names;
  };
  EXPECT_TRUE(dependsOn("lambda").empty());
  EXPECT_TRUE(dependsOn("mu").empty());
  EXPECT_EQ(dependsOn("position_defect"), sorted(bothBodies(2)));
  EXPECT_EQ(dependsOn("velocity_defect"), sorted(bothBodies(4)));
  EXPECT_EQ(dependsOn("acceleration_defect"), sorted(bothBodies(6)));
  EXPECT_TRUE(description.capabilities.isStatic);
  EXPECT_TRUE(description.capabilities.evaluatesBetweenSteps);
  EXPECT_EQ(description.kind, "coupling condition");
}

TEST(RigidJoint, HasPortsOfPlanarBodies) {
  const Bench bench(rigidJoint({.firstRotation = Rotation::planar, .secondRotation = Rotation::planar}), {}, {});
  for (const char* name : {"first.position", "second.velocity", "first.acceleration", "lambda", "mu"})
    EXPECT_EQ(bench.size(name), 2U) << name;
  for (const char* name : {"first.rotation", "second.angular_velocity", "first.angular_acceleration"})
    EXPECT_EQ(bench.size(name), 1U) << name;
}

TEST(RigidJoint, RefusesScaledMultipliers) {
  EXPECT_THROW(rigidJoint({.kind = JointKind::perpendicular, .scaled = true}), core::InputError);
}

TEST(RigidLink, ComparesTwoPoints) {
  Bench bench(rigidLink(2), {"first.position", "first.velocity", "second.velocity", "second.position"},
              {"velocity_defect", "lambda", "position_defect", "acceleration_defect"});
  bench.output("lambda")[1] = 5.0;
  bench.evaluate({1.0, 2.0, 3.0, 4.0, 0.5, 0.25, 10.0, 20.0});
  EXPECT_TRUE(std::ranges::equal(bench.output("position_defect"), std::array{-9.0, -18.0}));
  EXPECT_TRUE(std::ranges::equal(bench.output("velocity_defect"), std::array{2.5, 3.75}));
  EXPECT_TRUE(std::ranges::equal(bench.output("acceleration_defect"), std::array{0.0, 0.0}));
  EXPECT_EQ(bench.output("lambda")[1], 5.0);
  EXPECT_TRUE(bench.member().describe().capabilities.linear);
  EXPECT_THROW(rigidLink(0), core::InputError);
}

TEST(FlexibleJoint, GivesTheMultipliersOfItsLaws) {
  test::Random random(6);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    const JointEquations equations(joint);
    const Motion first = test::anyMotion(joint.firstRotation, random);
    const Motion second = test::anyMotion(joint.secondRotation, random);
    Bench bench(flexibleJoint(joint, springs(equations.rows())), bothBodies(4),
                {"lambda", "position_defect", "velocity_defect"});
    EXPECT_EQ(bench.advance(inputs(first, second, 4)), Status::ok);
    const Eigen::VectorXd g = test::defect(equations, Level::position, first, second);
    const Eigen::VectorXd rates = test::defect(equations, Level::velocity, first, second);
    expectEqual(bench.output("position_defect"), g, name);
    expectEqual(bench.output("velocity_defect"), rates, name);
    for (std::size_t k = 0; k < equations.rows(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      EXPECT_NEAR(bench.output("lambda")[k], -(20.0 * g[row] + 0.5 * rates[row]), 1e-13) << name;
    }
  }
}

TEST(FlexibleJoint, NeedsOneLawPerRow) {
  try {
    flexibleJoint({.kind = JointKind::universal}, springs(3));
    FAIL() << "three laws for four rows";
  } catch (const core::InputError& error) {
    EXPECT_STREQ(error.what(), "A flexible joint of kind 'universal' has 4 rows, but 3 laws. Give one law per row.");
  }
  EXPECT_FALSE(flexibleJoint({}, springs(3))->describe().find("first.acceleration"));
  EXPECT_FALSE(flexibleJoint({}, springs(3))->describe().find("mu"));
}

}  // namespace
}  // namespace koppla::mechanics::joint_member_test
