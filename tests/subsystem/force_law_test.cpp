// A force law as a subsystem of its own: force/force coupling (Schmoll, sec. 2.3.3).

#include "koppla/subsystem/force_law.hpp"

#include <gtest/gtest.h>

namespace koppla::subsystem::force_law_test {
namespace {

constexpr double kStiffness = 10.0;
constexpr double kDamping = 100.0;

class Cubic final : public ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double rate) const override { return distance * distance * rate; }
};

/// All four motions bound, or some of them; the others stay what they were set to.
std::unique_ptr<Subsystem> bound(std::vector<PortIndex> inputs) {
  auto member = evaluateInCoupling(std::make_shared<SpringDamper>(kStiffness, kDamping));
  Binding binding;
  binding.inputs = std::move(inputs);
  binding.outputs = {4};
  member->bind(std::move(binding));
  return member;
}

TEST(ForceLaw, PullsTheFirstPointTowardsTheSecond) {
  // 10 (5 - 2) + 100 (7 - 3)
  auto member = bound({0, 1, 2, 3});
  member->enterInitialisation({0.0, 1.0, {}});
  double force = 0.0;
  EXPECT_EQ(member->evaluate(0.0, std::vector{2.0, 3.0, 5.0, 7.0}, {&force, 1}), Status::ok);
  EXPECT_EQ(force, 430.0);
  member->leaveInitialisation();
  core::Values observed;
  member->observe(std::vector<PortIndex>{4, 0, 1, 2, 3}, observed);
  EXPECT_EQ(observed.reals, (std::vector<double>{430.0, 2.0, 3.0, 5.0, 7.0}));
}

TEST(ForceLaw, TakesInputsInTheOrderInWhichTheyAreBound) {
  auto member = bound({3, 0});
  const std::vector<core::Value> one{1.0}, two{2.0};
  member->set(1, one);
  member->set(2, two);
  member->set(4, two);  // the force is what the law says
  double force = 0.0;
  member->evaluate(0.0, std::vector{4.0, 0.5}, {&force, 1});
  EXPECT_EQ(force, kStiffness * (2.0 - 0.5) + kDamping * (4.0 - 1.0));
}

TEST(ForceLaw, AStepEndsWithTheForceOfItsEnd) {
  auto member = bound({0, 2});
  // x1 = 1 + 2 s, x2 = 5 + s: 10 (6 - 3) at the end.
  const std::vector<double> coefficients{1.0, 5.0, 2.0, 1.0};
  double force = 0.0;
  const StepResult result = member->advance({0.0, 0.5, true}, {coefficients.data(), 2, 1}, {&force, 1});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.reached, 0.5);
  EXPECT_EQ(force, 30.0);
}

TEST(ForceLaw, DescribesItself) {
  const auto member = bound({0, 1, 2, 3});
  const Description& description = member->describe();
  ASSERT_EQ(description.ports.size(), 5U);
  for (const auto& [name, unit, port] :
       {std::tuple("x1", "m", 0U), std::tuple("v1", "m/s", 1U), std::tuple("x2", "m", 2U), std::tuple("v2", "m/s", 3U),
        std::tuple("force", "N", 4U)}) {
    EXPECT_EQ(description.find(name), port);
    EXPECT_EQ(description.ports[port].unit, unit);
    EXPECT_EQ(description.ports[port].settable, port < 4U);
    EXPECT_EQ(description.ports[port].causality, port < 4U ? Causality::input : Causality::output);
  }
  for (const PortIndex port : {0U, 2U}) EXPECT_EQ(description.ports[port].description, "position of a point");
  for (const PortIndex port : {1U, 3U}) EXPECT_EQ(description.ports[port].description, "velocity of a point");
  EXPECT_EQ(description.ports[4].description, "on the first point; the second one gets the opposite");
  EXPECT_EQ(description.kind, "coupling condition");
  EXPECT_EQ(description.model, "force law");
  EXPECT_EQ(description.dependenciesOf(4), (std::vector<PortIndex>{0, 1, 2, 3}));
  for (PortIndex input = 0; input < 4; ++input) EXPECT_TRUE(description.feedsThrough(input, 4));
  const Capabilities& can = description.capabilities;
  EXPECT_TRUE(can.isStatic && can.saveRestore && can.variableStep && can.states && can.evaluatesBetweenSteps);
  EXPECT_EQ(can.inputDerivatives, kMaxDegree);
  EXPECT_TRUE(can.linear);
  EXPECT_FALSE(evaluateInCoupling(std::make_shared<Cubic>())->describe().capabilities.linear);
  EXPECT_EQ(member->save(Slot::iteration), Status::ok);
  EXPECT_EQ(member->restore(Slot::iteration), Status::ok);
}

}  // namespace
}  // namespace koppla::subsystem::force_law_test
