// An integrated model with vectors, of which some ports are bound, and in another order: values, rates, sensitivities.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "koppla/solver/integrate.hpp"

#include "block.hpp"

namespace koppla::solver::test::integrate_vectors_test {
namespace {

using subsystem::Causality;
using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;
using Vector = std::vector<double>;

/// x1' = a1 - x1 x2 + t, x2' = b x1 - a2; p = x1 x2 + a1 b + t^2, q = (x2^2 + a2, sin(x1) + b^3).
/// Ports: 0 input a of two, 1 integer parameter, 2 output p, 3 parameter, 4 input b, 5 output q of two.
std::unique_ptr<Block> curved() {
  auto block = std::make_unique<Block>("curved");
  block->port("a", Causality::input, 2)
      .port("n", Causality::parameter, 1, core::Type::integer)
      .port("p", Causality::output)
      .port("k", Causality::parameter)
      .port("b", Causality::input)
      .port("q", Causality::output, 2)
      .from(
          {1.5, -0.5},
          [](double t, auto x, auto u, auto dx) {
            dx[0] = u[0] - x[0] * x[1] + t;
            dx[1] = u[2] * x[0] - u[1];
          },
          [](double t, auto x, auto u, auto y) {
            y[0] = x[0] * x[1] + u[0] * u[2] + t * t;
            y[1] = x[1] * x[1] + u[1];
            y[2] = std::sin(x[0]) + u[2] * u[2] * u[2];
          });
  return block;
}

IntegratorSettings settingsOf(Kind kind, double microStep = 0.0) {
  IntegratorSettings settings;
  settings.kind = kind;
  settings.microStep = microStep;
  return settings;
}

/// With the inputs b, a1, a2 and the outputs q1, q2, p.
struct Bound {
  std::unique_ptr<subsystem::Subsystem> system;
  Vector y = Vector(6);

  explicit Bound(const IntegratorSettings& settings = settingsOf(Kind::ode4, 0.01)) {
    system = integrate(curved(), settings);
    subsystem::Binding binding;
    binding.inputs = {4, 0};
    binding.outputs = {5, 2};
    binding.outputDerivatives = true;
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 10.0, {}});
  }
  subsystem::StepResult step(double t0, double t1, const Vector& coefficients, bool single = false) {
    return system->advance({t0, t1, false, single},
                           {coefficients.data(), 3, static_cast<std::uint32_t>(coefficients.size() / 3) - 1}, y);
  }
};

/// q1, q2, p and their rates at t for inputs (b, a1, a2) with rates.
Vector expected(double t, const Vector& x, const Vector& u, const Vector& du) {
  const double b = u[0], a1 = u[1], a2 = u[2];
  const double dx1 = a1 - x[0] * x[1] + t, dx2 = b * x[0] - a2;
  return {x[1] * x[1] + a2,
          std::sin(x[0]) + b * b * b,
          x[0] * x[1] + a1 * b + t * t,
          2.0 * x[1] * dx2 + du[2],
          std::cos(x[0]) * dx1 + 3.0 * b * b * du[0],
          dx1 * x[1] + x[0] * dx2 + du[1] * b + a1 * du[0] + 2.0 * t};
}

void expectNear(const Vector& values, const Vector& right, double tolerance) {
  ASSERT_EQ(values.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i)
    EXPECT_NEAR(values[i], right[i], tolerance * std::fmax(1.0, std::fabs(right[i]))) << i;
}

TEST(IntegrateVectors, GiveValuesAndRatesInTheOrderOfTheBinding) {
  Bound bound;
  ASSERT_EQ(bound.system->evaluate(0.5, Vector{2.0, 3.0, 5.0}, bound.y), Status::ok);
  expectNear(bound.y, expected(0.5, {1.5, -0.5}, {2.0, 3.0, 5.0}, {0.0, 0.0, 0.0}), 1e-8);
  // b = 1 + 2 s, a = (0.5 - s + s^2, 3 s^3) over [0.5, 1].
  ASSERT_EQ(bound.step(0.5, 1.0, {1.0, 0.5, 0.0, 2.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0}).status, Status::ok);
  const Vector x = bound.system->states();
  expectNear(bound.y, expected(1.0, x, {3.0, 0.5, 3.0}, {4.0, 2.0, 18.0}), 1e-8);
  core::Values seen;
  const std::vector<PortIndex> some{4, 5, 0, 2, 3};
  bound.system->observe(some, seen);
  EXPECT_EQ(seen.reals, (Vector{3.0, bound.y[0], bound.y[1], 0.5, 3.0, bound.y[2], 3.5})) << "the inputs at the end";
}

/// A step of its own ends inside the trajectory.
TEST(IntegrateVectors, FollowTheTrajectoryIntoTheStep) {
  Bound bound(settingsOf(Kind::ode4, 0.125));
  bound.system->evaluate(0.0, Vector{2.0, 3.0, 5.0}, bound.y);
  const subsystem::StepResult result = bound.step(1.0, 1.5, {1.0, 0.5, 0.0, 2.0, -1.0, 4.0, 0.0, 16.0, 0.0}, true);
  EXPECT_EQ(result.reached, 1.125);
  const Vector x = bound.system->states();
  // s = 1/4: b = 1.5, a = (0.5 - 0.25 + 1, 1), rates per 0.5 s.
  expectNear(bound.y, expected(1.125, x, {1.5, 1.25, 1.0}, {4.0, 2.0 * (-1.0 + 8.0), 8.0}), 1e-8);
}

/// Against the classical method with 1000 steps, written down here.
TEST(IntegrateVectors, IntegrateWhatTheEquationsSay) {
  Bound bound(settingsOf(Kind::ode5, 0.01));
  bound.step(0.5, 1.0, {1.0, 0.5, 0.0, 2.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0});
  double x1 = 1.5, x2 = -0.5;
  const auto slope = [](double t, double a, double c) {
    const double s = (t - 0.5) / 0.5, b = 1.0 + 2.0 * s, a1 = 0.5 - s + s * s, a2 = 3.0 * s * s * s;
    return std::pair(a1 - a * c + t, b * a - a2);
  };
  const double h = 0.5e-3;
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.5 + k * h;
    const auto [f1, g1] = slope(t, x1, x2);
    const auto [f2, g2] = slope(t + h / 2, x1 + h / 2 * f1, x2 + h / 2 * g1);
    const auto [f3, g3] = slope(t + h / 2, x1 + h / 2 * f2, x2 + h / 2 * g2);
    const auto [f4, g4] = slope(t + h, x1 + h * f3, x2 + h * g3);
    x1 += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
    x2 += h / 6 * (g1 + 2 * g2 + 2 * g3 + g4);
  }
  expectNear(bound.system->states(), {x1, x2}, 1e-11);
}

TEST(IntegrateVectors, DifferentiateEveryBoundInput) {
  Bound bound;
  const Vector u{2.0, 3.0, 5.0};
  bound.system->evaluate(0.5, u, bound.y);
  const std::vector<Vector> columns{{0.0, 12.0, 3.0}, {0.0, 0.0, 2.0}, {1.0, 0.0, 0.0}};
  for (std::size_t input = 0; input < 3; ++input) {
    Vector column(3, -9.0);
    ASSERT_EQ(bound.system->differentiate(input, column), Status::ok);
    expectNear(column, columns[input], 1e-8);
  }
}

/// Lu, app. B: inputs that act on an output at once count with dg/du; states answer with the first integral of the
/// weight where f sees the input, with the second one where only other states do.
TEST(IntegrateVectors, DifferentiateAStepToLeadingOrder) {
  Bound bound;
  const double h = 0.25;
  bound.step(0.75, 1.0, {2.0, 3.0, 5.0});
  const Vector x = bound.system->states();
  const subsystem::SeriesWeights weights{0.6, 0.15};
  const double b = 2.0, a1 = 3.0;
  // df/du and df/dx df/du of (b, a1, a2).
  const double first = weights.integral * h, second = weights.second * h * h;
  const std::vector<Vector> dx{{second * (-x[0] * x[0]), first * x[0]}, {first, second * b}, {second * x[0], -first}};
  const std::vector<Vector> columns{{2.0 * x[1] * dx[0][1], 3.0 * b * b, a1},  // q1 by x2; q2 and p at once
                                    {2.0 * x[1] * dx[1][1], std::cos(x[0]) * dx[1][0], b},                 // p at once
                                    {1.0, std::cos(x[0]) * dx[2][0], x[1] * dx[2][0] + x[0] * dx[2][1]}};  // q1 at once
  for (std::size_t input = 0; input < 3; ++input) {
    Vector column(3, -9.0);
    ASSERT_EQ(bound.system->differentiateStep({0.75, 1.0, false}, input, weights, column), Status::ok);
    expectNear(column, columns[input], 1e-7);
  }
}

TEST(IntegrateVectors, UnboundInputsKeepWhatWasDeclaredOrSet) {
  for (const bool set : {false, true}) {
    const auto system = integrate(curved(), settingsOf(Kind::ode1));
    if (set) system->set(0, std::vector<core::Value>{4.0, 7.0});
    subsystem::Binding binding;
    binding.inputs = {4};
    binding.outputs = {5, 2};
    system->bind(std::move(binding));
    system->enterInitialisation({2.0, 10.0, {}});
    const double a1 = set ? 4.0 : 0.25, a2 = set ? 7.0 : 0.25;
    core::Values seen;
    const std::vector<PortIndex> ports{0, 4, 2};
    system->observe(ports, seen);
    EXPECT_EQ(seen.reals, (Vector{a1, a2, 0.25, -0.75 + a1 * 0.25 + 4.0})) << "at the start of the experiment";
    Vector y(3);
    ASSERT_EQ(system->evaluate(2.5, Vector{2.0}, y), Status::ok);
    EXPECT_DOUBLE_EQ(y[0], 0.25 + a2);
    EXPECT_DOUBLE_EQ(y[2], -0.75 + a1 * 2.0 + 6.25);
    const Vector held{3.0};
    ASSERT_EQ(system->advance({2.5, 2.75, false}, subsystem::held(held), y).status, Status::ok);
    const Vector x = system->states();
    EXPECT_DOUBLE_EQ(x[0], 1.5 + 0.25 * (a1 + 0.75 + 2.5));
    EXPECT_DOUBLE_EQ(x[1], -0.5 + 0.25 * (3.0 * 1.5 - a2));
    EXPECT_DOUBLE_EQ(y[2], x[0] * x[1] + a1 * 3.0 + 2.75 * 2.75);
  }
}

/// Time and inputs go with the states.
TEST(IntegrateVectors, RestoreAllThatOutputsAreMadeOf) {
  Bound bound;
  const std::vector<PortIndex> ports{0, 2, 4, 5};
  const auto seen = [&] {
    core::Values values;
    bound.system->observe(ports, values);
    return values.reals;
  };
  bound.step(0.5, 1.0, {2.0, 3.0, 5.0});
  const Vector first = seen();
  bound.system->save(Slot::iteration);
  bound.step(1.0, 1.5, {1.0, 2.0, 3.0});
  const Vector second = seen();
  bound.system->save(Slot::macroStep);
  bound.step(1.5, 2.0, {7.0, 8.0, 9.0});
  bound.system->restore(Slot::iteration);
  EXPECT_EQ(seen(), first);
  bound.system->restore(Slot::macroStep);
  EXPECT_EQ(seen(), second);
}

TEST(IntegrateVectors, TellTheEquationsWhatBecomesOfStates) {
  auto block = curved();
  Block* const equations = block.get();
  const auto system = integrate(std::move(block), settingsOf(Kind::ode1));
  system->bind({});
  system->enterInitialisation({0.5, 1.0, {}});
  system->save(Slot::macroStep);
  system->restore(Slot::iteration);
  system->setStates(Vector{1.0, 2.0});
  EXPECT_EQ(equations->events, (std::vector<std::string>{"begin 0.5", "save 1", "restore 0", "forget"}));
  EXPECT_EQ(system->states(), (Vector{1.0, 2.0}));
  EXPECT_EQ(system->effort().staticCalls, 0U);
}

/// y = sin(x), sin(u) and sin(t / 1000): differences must be as short as the fastest of what moves asks for.
TEST(IntegrateVectors, RatesOfFastOutputsAreRight) {
  const auto rates = [](double t, double x, double dx, double u, double du) {
    auto block = std::make_unique<Block>("fast");
    block->port("u", Causality::input)
        .port("y", Causality::output, 3)
        .from(
            {x}, [dx](double, auto, auto, auto slope) { slope[0] = dx; },
            [](double time, auto state, auto in, auto y) {
              y[0] = std::sin(state[0]);
              y[1] = std::sin(in[0]);
              y[2] = std::sin(1e-3 * time);
            });
    const auto system = integrate(std::move(block), settingsOf(Kind::ode1));
    subsystem::Binding binding;
    binding.inputs = {0};
    binding.outputs = {1};
    binding.outputDerivatives = true;
    system->bind(std::move(binding));
    system->enterInitialisation({t, t + 1.0, {}});
    Vector y(6);
    const double h = 1e-3;
    const Vector trajectory{u - h * du, h * du};
    system->setStates(Vector{x - h * dx});
    system->advance({t - h, t, false}, {trajectory.data(), 1, 1}, y);
    return Vector(y.begin() + 3, y.end());
  };
  for (const double t : {1.0, 5e4})
    for (const double dx : {0.0, -2.0, 1e5})
      for (const double du : {0.0, 3.0, -1e5}) {
        const Vector dy = rates(t, 0.3, dx, 0.4, du);
        const double fastest = std::fmax(1.0, std::fmax(std::fabs(dx), std::fabs(du)));
        EXPECT_NEAR(dy[0], std::cos(0.3) * dx, 1e-6 * fastest) << t << " " << dx << " " << du;
        EXPECT_NEAR(dy[1], std::cos(0.4) * du, 1e-6 * fastest) << t << " " << dx << " " << du;
        EXPECT_NEAR(dy[2], 1e-3 * std::cos(1e-3 * t), 1e-8 * fastest) << t << " " << dx << " " << du;
      }
}

/// y = u^3: the difference is taken over a part of the input's size.
TEST(IntegrateVectors, SensitivitiesHaveTheSizeOfTheInput) {
  for (const double u : {1e-3, 1.0, -1e5}) {
    auto block = std::make_unique<Block>("cube");
    block->port("u", Causality::input)
        .port("y", Causality::output)
        .from(
            {}, [](double, auto, auto, auto) {}, [](double, auto, auto in, auto y) { y[0] = std::pow(in[0], 3); });
    const auto system = integrate(std::move(block), settingsOf(Kind::ode1));
    subsystem::Binding binding;
    binding.inputs = {0};
    binding.outputs = {1};
    system->bind(std::move(binding));
    system->enterInitialisation({0.0, 1.0, {}});
    Vector y(1);
    system->evaluate(0.0, Vector{u}, y);
    Vector column(1);
    system->differentiate(0, column);
    EXPECT_NEAR(column[0], 3.0 * u * u, 1e-9 * std::fmax(1.0, 3.0 * u * u)) << u;
  }
}

TEST(IntegrateVectors, ALinearModelNamesAStateByTheOutputThatIsIt) {
  // Outputs: a sum, x2 with feed-through, a vector, 2 x2, and x2 itself.
  auto block = std::make_unique<Block>("named");
  block->port("u", Causality::input)
      .port("sum", Causality::output)
      .port("fed", Causality::output)
      .port("whole", Causality::output, 1, core::Type::integer)
      .port("both", Causality::output, 2)
      .port("twice", Causality::output)
      .port("height", Causality::output)
      .from(
          {1.0, 1.0},
          [](double, auto x, auto, auto dx) {
            dx[0] = 0.0;
            dx[1] = 1e200 * x[1];
          },
          [](double, auto, auto, auto y) { std::ranges::fill(y, 0.0); })
      .linearAs({{0.0, 0.0, 0.0, 1e200},
                 {0.0, 0.0},
                 {1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0},
                 {0.0, 0.5, 0.0, 0.0, 0.0, 0.0}});
  const auto system = integrate(std::move(block), settingsOf(Kind::ode1, 1.0));
  system->bind({});
  system->enterInitialisation({0.0, 10.0, {}});
  EXPECT_EQ(system->advance({0.0, 5.0, false}, {}, {}).status, Status::error);
  EXPECT_EQ(system->failure(),
            "State 2 of 2 (height) ceased to be a finite number at t = 2 s. Shorter micro steps may help.");
}

/// What failed last is told, not what failed before.
TEST(IntegrateVectors, TellTheLastFailure) {
  bool throws = false;
  auto block = std::make_unique<Block>("capricious");
  block->port("y", Causality::output)
      .from(
          {1.0}, [](double t, auto, auto, auto dx) { dx[0] = t < 0.5 ? 0.0 : std::numeric_limits<double>::infinity(); },
          [&throws](double, auto x, auto, auto y) {
            if (throws) throw std::runtime_error("not now");
            y[0] = x[0];
          });
  const auto system = integrate(std::move(block), settingsOf(Kind::ode1));
  subsystem::Binding binding;
  binding.outputs = {0};
  system->bind(std::move(binding));
  system->enterInitialisation({0.0, 1.0, {}});
  Vector y(1);
  throws = true;
  EXPECT_EQ(system->evaluate(0.25, {}, y), Status::error);
  EXPECT_EQ(system->failure(), "The model failed in the step that began at t = 0.25 s: not now");
  EXPECT_EQ(system->advance({0.125, 0.25, false}, {}, y).status, Status::error);
  EXPECT_EQ(system->failure(), "The model failed in the step that began at t = 0.125 s: not now");
  throws = false;
  EXPECT_EQ(system->advance({0.75, 1.0, false}, {}, y).status, Status::error);
  EXPECT_EQ(system->failure(), "State 1 of 1 ceased to be a finite number at t = 1 s. Shorter micro steps may help.");
  EXPECT_FALSE(system->failedAtFile());
  // Back where it was, all is well; without a state that is no number there is nothing to name.
  system->setStates(Vector{2.0});
  EXPECT_EQ(system->evaluate(0.0, {}, y), Status::ok);
  EXPECT_EQ(y[0], 2.0);
  EXPECT_EQ(system->failure(), "The solver failed at t = 1 s.");
}

}  // namespace
}  // namespace koppla::solver::test::integrate_vectors_test
