// Joints that a correction does not close: doubted, or the end of the step.

#include <optional>

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::open_joints_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;

class Warnings final : public IterationListener {
 public:
  [[nodiscard]] bool keepsHistory() const override { return false; }
  void iteration(const IterationReport&) override {}
  void remark(const InterfaceProblem&, const std::string&) override {}
  void warning(const InterfaceProblem&, std::size_t position, const std::string& text) override {
    if (!text.starts_with("this joint")) return;
    positions.push_back(position);
    texts.push_back(text);
  }
  std::vector<std::size_t> positions;
  std::vector<std::string> texts;
};

/// x = 2 lambda + 8 and g = x / 2, which a correction would make zero; but after it g is `left`.
struct Joint {
  double left;
  bool corrected = false;
  System system{};
  std::vector<Cycle> cycles{{{0, 1}, true}};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};
  Warnings listener{};

  explicit Joint(double open, double explosionGrowth = 1e6) : left(open) {
    Script body;
    body.ports = {in("l"), out("x")};
    body.capabilities.linear = true;
    body.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = 2.0 * u[0] + 8.0;
      return Status::ok;
    };
    Script joint;
    joint.ports = {in("x"), out("lambda"), out("g"), out("dg")};
    joint.capabilities.linear = true;
    joint.capabilities.isStatic = true;
    joint.capabilities.directionalDerivatives = true;
    joint.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[1] = corrected ? left : 0.5 * u[0];
      y[2] = 0.0;
      return Status::ok;
    };
    joint.differentiate = [this](std::size_t, std::span<double> dy) {
      dy[0] = dy[2] = 0.0;
      dy[1] = 0.5;
      corrected = true;  // what follows is the repetition
      return Status::ok;
    };
    add(system, "body", std::move(body));
    add(system, "joint", std::move(joint));
    connect(system, {{"body.x", "joint.x"}, {"joint.lambda", "body.l"}});
    Constraint constraint{};
    constraint.member = 1;
    constraint.lambda = 1;
    constraint.position = 2;
    constraint.velocity = 3;
    system.constraints = {constraint};
    network.emplace(system, cycles, 1e100);
    AlgorithmSettings settings;
    settings.kind = AlgorithmKind::semiImplicit;
    settings.explosionGrowth = explosionGrowth;
    step.emplace(*network, cycles, settings, false);
    step->tell(&listener);
    step->begin(0.0);
  }
  const StepOutcome& solve() {
    corrected = false;
    return step->solve({{0.0, 1.0, false}, {}, false, false});
  }
};

/// The motions that it connects are x / 2 = 4.
TEST(OpenJoints, AreDoubtedFromAHundredthOfTheirMotionsOn) {
  for (const double open : {0.039, 0.041, -0.041, 3.9}) {
    Joint joint(open);
    EXPECT_TRUE(joint.solve().converged()) << open;
    if (std::abs(open) < 0.04) {
      EXPECT_TRUE(joint.listener.texts.empty());
      continue;
    }
    ASSERT_EQ(joint.listener.texts.size(), 1U) << open;
    EXPECT_EQ(joint.listener.positions[0], 1U);
    const std::string size = open == 3.9 ? "3.9" : "0.041";
    EXPECT_EQ(joint.listener.texts[0], "this joint is open by " + size +
                                           ", a hundredth of the motions that it connects or more: the results are not "
                                           "to be trusted. Shorten the step");
    joint.step->accept(1.0);
    joint.solve();
    EXPECT_EQ(joint.listener.texts.size(), 1U) << "once";
    ASSERT_EQ(joint.step->iteratedCycles()[0]->algorithm->held().size(), 1U);
    EXPECT_EQ(joint.step->iteratedCycles()[0]->algorithm->held()[0].defect, std::abs(open));
  }
}

TEST(OpenJoints, EndTheStepBeyondTheirMotions) {
  Joint joint(4.1);
  EXPECT_EQ(joint.solve().ending, Ending::opened);
  const Algorithm& algorithm = *joint.step->iteratedCycles()[0]->algorithm;
  EXPECT_EQ(algorithm.solution().ending, Ending::opened);
  EXPECT_EQ(algorithm.obstacle().opened.position, 1U);
  EXPECT_EQ(algorithm.obstacle().opened.defect, 4.1);
  EXPECT_TRUE(joint.listener.texts.empty());
  Joint unwatched(4.1, 0.0);
  EXPECT_TRUE(unwatched.solve().converged()) << "nobody is to watch";
  EXPECT_TRUE(unwatched.listener.texts.empty());
}

}  // namespace
}  // namespace koppla::coupling::open_joints_test
