// Formula models with algebraic unknowns.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/expressions.hpp"
#include "koppla/solver/integrate.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using solver::Kind;
using subsystem::PortIndex;
using subsystem::Status;
using test::inputError;
using testing::HasSubstr;

/// x' = -F with a resistance F + b F^3 = x + u, started away from the solution: with b = 1, u = 0 and x(0) = 2 the
/// unknown begins at 1 and follows ln F + 3/2 F^2 = 3/2 - t.
ExpressionModel resistance() {
  return {.inputs = {{"u"}},
          .parameters = {{"b", 1.0}},
          .states = {{"x", 2.0, "-F"}},
          .unknowns = {{"F", 0.3, "F + b*F^3 - x - u"}},
          .outputs = {{"F", "F"}, {"x", "x"}}};
}

struct Integration {
  std::unique_ptr<subsystem::Subsystem> system;
  std::vector<double> y;

  Integration(const ExpressionModel& model, Kind kind) {
    solver::IntegratorSettings settings;
    settings.kind = kind;
    settings.atol = settings.rtol = 1e-9;
    system = solver::integrate(expressions(model), settings);
    subsystem::Binding binding;
    for (PortIndex port = 0; port < system->describe().ports.size(); ++port) {
      const subsystem::Causality causality = system->describe().ports[port].causality;
      if (causality == subsystem::Causality::input) binding.inputs.push_back(port);
      if (causality == subsystem::Causality::output) binding.outputs.push_back(port);
    }
    y.resize(binding.outputs.size());
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 1.0, {}});
  }

  Status evaluate(double u) { return system->evaluate(0.0, std::vector{u}, y); }
  Status advance(double t0, double t1, double u) {
    const std::vector<double> held{u};
    return system->advance({t0, t1, false}, subsystem::held(held), y).status;
  }
};

TEST(Unknowns, AreTheLastOfTheStatesWithTheirResiduals) {
  const auto model = expressions(resistance());
  EXPECT_EQ(model->stateCount(), 2U);
  EXPECT_EQ(model->algebraicCount(), 1U);
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{2.0, 0.3}));
  EXPECT_EQ(test::derivativesOf(*model, {5.0, 2.0}, {3.0}), (std::vector<double>{-2.0, 2.0}));
  EXPECT_EQ(test::outputsOf(*model, {5.0, 2.0}, {3.0}), (std::vector<double>{2.0, 5.0}));
  test::setPort(*model, "F.start", 7.0);
  test::setPort(*model, "b", 0.0);
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{2.0, 7.0}));
  EXPECT_EQ(test::derivativesOf(*model, {5.0, 2.0}, {3.0}), (std::vector<double>{-2.0, -6.0}));
}

TEST(Unknowns, AreIntegratedWithTheStates) {
  for (const Kind kind : {Kind::radau, Kind::radauFixed}) {
    Integration run(resistance(), kind);
    ASSERT_EQ(run.evaluate(0.0), Status::ok);
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(run.advance(0.1 * k, 0.1 * (k + 1), 0.0), Status::ok);
      const double F = run.y[0];
      EXPECT_NEAR(std::log(F) + 1.5 * F * F, 1.5 - 0.1 * (k + 1), 1e-8) << solver::word(kind);
      EXPECT_NEAR(run.y[1], F + F * F * F, 1e-8);
    }
  }
}

TEST(Unknowns, FitTheStatesAndInputsAtTheStart) {
  Integration run(resistance(), Kind::radau);
  ASSERT_EQ(run.evaluate(0.0), Status::ok);
  EXPECT_NEAR(run.y[0], 1.0, 1e-12);
  EXPECT_EQ(run.y[1], 2.0);
  // 2 + 8 = x + u
  ASSERT_EQ(run.evaluate(8.0), Status::ok);
  EXPECT_NEAR(run.y[0], 2.0, 1e-12);
  // dF/du = 1 / (1 + 3 b F^2)
  std::vector<double> column(2);
  ASSERT_EQ(run.system->differentiate(0, column), Status::ok);
  EXPECT_NEAR(column[0], 1.0 / 13.0, 1e-8);
  EXPECT_EQ(column[1], 0.0);
}

TEST(Unknowns, AnswerToInputsThatJumpBetweenSteps) {
  Integration run(resistance(), Kind::radau);
  ASSERT_EQ(run.evaluate(0.0), Status::ok);
  run.system->leaveInitialisation();
  ASSERT_EQ(run.advance(0.0, 0.1, 0.0), Status::ok);
  ASSERT_EQ(run.evaluate(10.0 - run.y[1]), Status::ok);
  EXPECT_NEAR(run.y[0], 2.0, 1e-9);
}

TEST(Unknowns, ThatTheResidualsDoNotDetermineAreAnError) {
  ExpressionModel model = resistance();
  model.unknowns[0].residual = "x - u";
  Integration run(model, Kind::radau);
  EXPECT_EQ(run.evaluate(0.0), Status::error);
  EXPECT_THAT(run.system->failure(), HasSubstr("expressions: the residuals do not determine the unknowns there"));
  EXPECT_THAT(run.system->failure(), HasSubstr("the largest residual is 2, of the unknown 'F' at 0.3"));
}

TEST(Unknowns, FeedThroughEveryInputOfAnyResidual) {
  const auto model = expressions({.inputs = {{"a"}, {"b"}, {"c"}, {"d"}},
                                  .states = {{"x", 0.0, "d"}},
                                  .unknowns = {{"F", 0.0, "F - a*x"}, {"G", 0.0, "G - c - F"}},
                                  .outputs = {{"y", "x"}, {"z", "F"}, {"w", "b + G"}, {"v", "b"}}});
  const auto& described = model->describe();
  const auto inputsOf = [&](const char* output) { return *described.dependenciesOf(*described.find(output)); };
  EXPECT_EQ(inputsOf("y"), std::vector<PortIndex>{});
  EXPECT_EQ(inputsOf("z"), (std::vector<PortIndex>{0, 2}));
  EXPECT_EQ(inputsOf("w"), (std::vector<PortIndex>{0, 1, 2}));
  EXPECT_EQ(inputsOf("v"), std::vector<PortIndex>{1});
}

TEST(Unknowns, WithoutStatesMakeAStaticSubsystem) {
  // An arch of two bars: the height z at which it carries the load u; 0 = z^3 - z + u, from z = 1.
  Integration run({.inputs = {{"u"}}, .unknowns = {{"z", 1.0, "z^3 - z + u"}}, .outputs = {{"height", "z"}}},
                  Kind::ode4);
  EXPECT_TRUE(run.system->describe().capabilities.isStatic);
  for (const double z : {0.95, 0.9, 0.8, 0.7}) {
    ASSERT_EQ(run.evaluate(z - z * z * z), Status::ok);
    EXPECT_NEAR(run.y[0], z, 1e-8);
  }
}

TEST(Unknowns, HaveNamesOfTheirOwn) {
  const auto mistake = [](const ExpressionModel& model) { return inputError([&] { expressions(model); }); };
  EXPECT_EQ(mistake({.states = {{"a", 0.0, "1"}}, .unknowns = {{"a", 0.0, "a"}}}),
            "expressions: the name 'a' is used twice. Rename one of the two.");
  EXPECT_EQ(mistake({.unknowns = {{"a", 0.0, "a"}, {"a", 0.0, "a"}}}),
            "expressions: the name 'a' is used twice. Rename one of the two.");
  EXPECT_EQ(mistake({.unknowns = {{"t", 0.0, "t"}}}),
            "expressions: the name 't' has a meaning in formulas already. Choose another one.");
  EXPECT_THAT(mistake({.unknowns = {{"a", 0.0, "a +"}}}), HasSubstr("The formula of unknown 'a', \"a +\""));
}

}  // namespace
}  // namespace koppla::native
