// Derivatives of what a member answers at the end of a step by what it is sent (Lu, eqs. 9, 25, 80, 168 and app. B),
// against exact ones by matrix exponentials.

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/network.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_masses.hpp"

namespace koppla::test {
namespace {

constexpr double kStep = 1e-3;  // s

/// The first macro step of a coupled system, its values exact at t = 0 and before.
class FirstStep {
 public:
  explicit FirstStep(coupling::System system, unsigned degree = 0)
      : system_(std::move(system)),
        network_(system_, coupling::findCycles(system_), 1e100),
        approximation_(network_.outputs().size(), degree, network_.heldOutputs()),
        problem_(network_, {0, network_.size()}, coupling::Form::parallel, &approximation_) {
    for (const coupling::Member& member : system_.members) member.subsystem->enterInitialisation({0.0, 1.0, {}});
    for (std::size_t position = 0; position < network_.size(); ++position) {
      network_.gather(position);
      EXPECT_FALSE(network_.evaluate(position, 0.0));
    }
    for (const coupling::Member& member : system_.members) member.subsystem->leaveInitialisation();
  }

  /// Sends this value of an output at t = 0 and before, as many samples as the degree takes, and runs the members.
  void run(const std::string& member, double value) {
    for (std::size_t i = 0; i < network_.outputs().size(); ++i)
      if (system_.members[network_.outputName(i).member].name == member) network_.outputs()[i] = value;
    for (unsigned i = approximation_.degree() + 1; i-- > 0;) approximation_.add(-kStep * i, network_.outputs());
    approximation_.begin(0.0, kStep);
    ASSERT_FALSE(problem_.begin({0.0, kStep, false}, {}));
    ASSERT_FALSE(problem_.evaluate());
  }

  /// d output / d input of a member.
  [[nodiscard]] double derivative(const std::vector<coupling::Sensitivity>& blocks, std::size_t member,
                                  std::size_t output, std::size_t input) const {
    std::size_t position = 0;
    while (network_.member(position) != member) ++position;
    return blocks[position].values[output * blocks[position].inputs + input];
  }

  [[nodiscard]] coupling::InterfaceProblem& problem() { return problem_; }

 private:
  coupling::System system_;
  coupling::Network network_;
  coupling::Approximation approximation_;
  coupling::InterfaceProblem problem_;
};

Response exactResponse(const TwoMasses& p, std::size_t member, unsigned degree) {
  return member == 0 ? responseTo(p.m1, p.c1, p.d1, kStep, endPolynomial(degree))
                     : responseTo(p.m2, p.c2, p.d2, kStep, endPolynomial(degree));
}

Response largerOf(const Response& a, const Response& b) {
  return {test::largestOf(a.x, b.x), test::largestOf(a.v, b.v), test::largestOf(a.a, b.a)};
}

/// dx/dlambda, dv/dlambda, da/dlambda of one mass, by the force on it.
Response responseIn(const FirstStep& step, const std::vector<coupling::Sensitivity>& blocks, std::size_t member) {
  return {step.derivative(blocks, member, 0, 0), step.derivative(blocks, member, 1, 0),
          step.derivative(blocks, member, 2, 0)};
}

Response deviation(const Response& obtained, const Response& expected) {
  return {std::fabs(obtained.x / expected.x - 1.0), std::fabs(obtained.v / expected.v - 1.0),
          std::fabs(obtained.a / expected.a - 1.0)};
}

/// The largest relative deviations of both masses from exact derivatives, with the forces and velocities at the start
/// of the flexible and of the rigid link, and others: a solver's iterations may agree by chance.
Response deviationOfDifferences(const solver::IntegratorSettings& integrator, double increment) {
  Response largest{0.0, 0.0, 0.0};
  for (const double lambda : {-2000.0, -1374.1, -810.3, -97.7, 333.333333, 512.9, 1203.7, 1891.3}) {
    RigidLink link{.integrator = integrator};
    link.masses.v20 = lambda < 0.0 ? -100.0 : 100.0;
    FirstStep step(systemOf(link));
    step.run("joint", lambda);
    std::vector<coupling::Sensitivity> blocks;
    EXPECT_FALSE(step.problem().sensitivities(blocks, {increment, increment, {}}));
    for (const std::size_t member : {0U, 1U})
      largest = largerOf(largest, deviation(responseIn(step, blocks, member), exactResponse(link.masses, member, 0)));
  }
  return largest;
}

constexpr double kUsual = 1e-5;

TEST(Sensitivities, DifferencesAreAsGoodAsTheMembersSolver) {
  // Newton's iteration goes on to 1e-6 of the tolerances: docs/decisions/0026.
  const auto bdf = [](double tolerance) {
    return deviationOfDifferences(
        {.kind = solver::Kind::cvodeBdf, .rtol = tolerance, .atol = tolerance, .newtonTolerance = 1e-6}, kUsual);
  };
  const Response loose = bdf(1e-6);
  showAtMost({"lu R5", "v-bdf-1e-6", "dv/dlambda within 2e-4"}, loose.v, 2e-4);
  showAtMost({"lu R5", "x-bdf-1e-6", "dx/dlambda within 2e-2"}, loose.x, 2e-2);
  EXPECT_LE(loose.a, 2e-4);
  const Response tight = bdf(1e-8);
  showAtMost({"lu R5", "v-bdf-1e-8", "dv/dlambda within 1e-5"}, tight.v, 1e-5);
  showAtMost({"lu R5", "x-bdf-1e-8", "dx/dlambda within 1e-4"}, tight.x, 1e-4);
  EXPECT_LE(tight.a, 1e-5);
  const Response fixed = deviationOfDifferences({.kind = solver::Kind::ode4}, kUsual);
  showAtMost({"lu R5", "ode4", "dx, dv, da/dlambda within 1e-6"}, test::largestOf(fixed.x, fixed.v, fixed.a), 1e-6);
  const Response implicitly = deviationOfDifferences({.kind = solver::Kind::radau, .rtol = 1e-8, .atol = 1e-8}, kUsual);
  showAtMost({"lu R5", "v-radau-1e-8", "dv/dlambda within 1e-5"}, implicitly.v, 1e-5);
  showAtMost({"lu R5", "x-radau-1e-8", "dx/dlambda within 1e-4"}, implicitly.x, 1e-4);
}

TEST(Sensitivities, OfASolverThatEndsItsIterationsEarlyNeedLongDistances) {
  // One iteration more or less within one of CVODE's steps moves its result by part of the tolerance, which stands out
  // against a small increment; linear members are probed by the whole of their input.
  const solver::IntegratorSettings usual{.kind = solver::Kind::cvodeBdf, .rtol = 1e-8, .atol = 1e-8};
  const Response shortly = deviationOfDifferences(usual, kUsual);
  EXPECT_GT(shortly.v, 1e-5);
  const Response whole = deviationOfDifferences(usual, 1.0);
  EXPECT_LE(whole.v, 1e-5);
  EXPECT_LT(whole.x, 0.1 * shortly.x);
  EXPECT_LE(whole.a, 1e-5);
}

TEST(Sensitivities, UnknownsAreCountedOnceHoweverManyMembersTakeThem) {
  const auto unknowns = [](const auto& link) {
    coupling::System system = systemOf(link);
    coupling::Network network(system, coupling::findCycles(system), 1e100);
    return coupling::InterfaceProblem(network, {0, network.size()}, coupling::Form::parallel).cut().size();
  };
  const std::array counts{unknowns(FlexibleLink{.decomposition = Decomposition::forceForce}),
                          unknowns(FlexibleLink{.decomposition = Decomposition::forceDisplacement}),
                          unknowns(FlexibleLink{.decomposition = Decomposition::displacementDisplacement}),
                          unknowns(baumgarte(0.0, 0.0)),
                          unknowns(weightedMultipliers(1.0, 1.0)),
                          unknowns(stabilisedIndex2())};
  showFigure({"lu R7", "unknowns", "1, 3, 4 in F/F, F/D, D/D; 1, 1, 2 in methods 1, 2, 3"},
             fmt::format("{}", fmt::join(counts, ", ")), counts == std::array<std::size_t, 6>{1, 3, 4, 1, 1, 2});
}

TEST(Sensitivities, FormulasGiveTheLeadingTermsForEveryDegree) {
  constexpr std::array kKappaX{1.0 / 2.0, 1.0 / 6.0, 1.0 / 8.0, 19.0 / 180.0};
  constexpr std::array kKappaV{1.0, 1.0 / 2.0, 5.0 / 12.0, 3.0 / 8.0};
  const auto sum = [](const Response& a, const Response& b) { return Response{a.x + b.x, a.v + b.v, a.a + b.a}; };
  Response largest{0.0, 0.0, 0.0};
  for (const unsigned degree : {0U, 1U, 2U, 3U}) {
    const RigidLink link = baumgarte(2e-3, 1e-6, degree);
    FirstStep step(systemOf(link), degree);
    step.run("joint", 333.333333);
    std::vector<coupling::Sensitivity> formulas;
    ASSERT_FALSE(step.problem().leadingSensitivities(formulas));
    const Response second = responseIn(step, formulas, 1);
    EXPECT_NEAR(second.x / (kKappaX.at(degree) * kStep * kStep / link.masses.m2), 1.0, 1e-9);
    EXPECT_NEAR(second.v / (kKappaV.at(degree) * kStep / link.masses.m2), 1.0, 1e-9);
    EXPECT_NEAR(second.a * link.masses.m2, 1.0, 1e-9);
    std::vector<coupling::Sensitivity> differences;
    ASSERT_FALSE(step.problem().sensitivities(differences, {1.0, 1.0, {}}));
    // The masses are pulled in opposite directions, so the joint sees the sum of both.
    const auto ofJoint = [&](const std::vector<coupling::Sensitivity>& blocks) {
      return sum(responseIn(step, blocks, 0), responseIn(step, blocks, 1));
    };
    largest = largerOf(largest, deviation(ofJoint(formulas), ofJoint(differences)));
  }
  showAtMost({"lu R6", "x", "d(x2 - x1)/dlambda within 1 % of differences, k = 0 ... 3"}, largest.x, 0.01);
  showAtMost({"lu R6", "v", "d(v2 - v1)/dlambda within 1 % of differences, k = 0 ... 3"}, largest.v, 0.01);
  showAtMost({"lu R6", "a", "d(a2 - a1)/dlambda within 1 % of differences, k = 0 ... 3"}, largest.a, 0.01);
}

TEST(Sensitivities, FormulasKnowTheProjectionOfMethodThree) {
  const RigidLink link = stabilisedIndex2();
  FirstStep step(systemOf(link));
  step.run("joint", 0.0);
  std::vector<coupling::Sensitivity> formulas;
  ASSERT_FALSE(step.problem().leadingSensitivities(formulas));
  std::vector<coupling::Sensitivity> differences;
  ASSERT_FALSE(step.problem().sensitivities(differences, {1.0, 1.0, {}}));
  test::Largest largest;
  for (const std::size_t member : {0U, 1U})
    for (const std::size_t output : {0U, 1U})
      for (const std::size_t input : {0U, 1U})
        largest.see(std::fabs(step.derivative(formulas, member, output, input) /
                                  step.derivative(differences, member, output, input) -
                              1.0));
  showAtMost({"lu R6", "method-3", "dx, dv by lambda and mu within 1 % of differences"}, largest, 0.01);
}

/// What a member was sent in its steps: a predictor, a probe per input, a corrector.
using Sent = std::vector<std::vector<double>>;

/// y' = -(sum of inputs)^3, which is not linear.
Formula recording(std::size_t inputs, std::vector<double> start, Sent& sent) {
  Formula formula;
  for (std::size_t i = 1; i <= inputs; ++i) formula.inputs.push_back("u" + std::to_string(i));
  for (std::size_t i = 1; i <= start.size(); ++i) formula.outputs.push_back("y" + std::to_string(i));
  formula.states = std::move(start);
  formula.step = [&sent](std::vector<double>& x, double, double h, const std::vector<double>& u) {
    sent.push_back(u);
    double sum = 0.0;
    for (const double value : u) sum += value;
    for (double& state : x) state -= h * sum * sum * sum;
  };
  formula.output = [](const std::vector<double>& x, double, const std::vector<double>&) { return x; };
  formula.feedThrough = false;
  return formula;
}

/// Delta = eps max(1, |u|), eps of each component: that of b.y2 is its own.
TEST(Sensitivities, EachComponentMayHaveAnIncrementOfItsOwn) {
  Sent a, b;
  coupling::System system = makeSystem({{"a", recording(2, {1.0}, a)}, {"b", recording(1, {0.5, 3.0}, b)}},
                                       {{"b.y1", "a.u1"}, {"b.y2", "a.u2"}, {"a.y1", "b.u1"}});
  run::Settings settings;
  settings.step = settings.end = kStep;
  settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
  settings.algorithm.semiImplicit.increment = 1e-5;
  settings.algorithm.semiImplicit.increments = {{.variables = "b.*2", .number = 1e-2}};
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const run::Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  ASSERT_EQ(a.size(), 4U);
  ASSERT_EQ(b.size(), 3U);
  EXPECT_EQ(a[0], (std::vector<double>{0.5, 3.0}));
  const std::vector<double> obtained{a[1][0] - 0.5, a[1][1] - 3.0, a[2][0] - 0.5, a[2][1] - 3.0, b[1][0] - b[0][0]};
  const std::vector<double> expected{1e-5, 0.0, 0.0, 3e-2, 1e-5};
  test::Largest off;
  for (std::size_t i = 0; i < expected.size(); ++i) off.see(std::fabs(obtained[i] - expected[i]));
  showFigure({"lu R5", "per-component", "Delta of 1e-5 max(1, 0.5), 1e-2 max(1, 3) and 1e-5 max(1, 1)"},
             fmt::format("{:.3g}, {:.3g}, {:.3g}", obtained[0], obtained[3], obtained[4]), off <= 1e-14);
}

TEST(Sensitivities, NoComponentHasTwoIncrements) {
  Sent a, b;
  const auto made = [&](std::vector<coupling::OwnNumber> increments, core::Log& log) {
    run::Settings settings;
    settings.step = settings.end = kStep;
    settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
    settings.algorithm.semiImplicit.increments = std::move(increments);
    return run::Run(makeSystem({{"a", recording(1, {1.0}, a)}, {"b", recording(1, {0.5, 3.0}, b)}},
                               {{"b.y1", "a.u1"}, {"a.y1", "b.u1"}}),
                    settings, log);
  };
  core::Log log;
  try {
    made({{.variables = "b.y1", .number = 1e-2}, {.variables = "b.*", .number = 1e-3}}, log);
    ADD_FAILURE() << "it was accepted";
  } catch (const core::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "'b.y1' has an increment of its own twice. Let no other name in 'increments' of [algorithm] fit what "
                 "'b.*' fits.");
  }
}

}  // namespace
}  // namespace koppla::test
