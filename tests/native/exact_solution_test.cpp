#include "koppla/native/exact_solution.hpp"

#include <array>
#include <cmath>
#include <complex>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/eigenvalues.hpp"

#include "model_access.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::native {
namespace {

using test::inputError;

struct CheckValues {
  double t;
  std::array<double, 5> y;  ///< x1, v1, x2, v2, F
};

// Schmoll's model, table 2.1: two independent evaluations agree on these digits.
constexpr std::array kTable21{
    CheckValues{0.0, {1.0, 0.0, 2.0, 0.0, 1e6}},
    CheckValues{1e-3, {1.4050336167, 648.22888809, 1.4950948195, -839.28235203, 6.9024670184e4}},
    CheckValues{1e-2, {-0.92406831767, 369.53224317, -1.0501424434, -893.57417983, -1.4393710310e5}},
    CheckValues{0.05, {0.98129689332, 438.41491101, 0.55013704767, 62.536786888, -4.3647555167e5}},
    CheckValues{0.1, {-0.45424153929, 139.44783772, -0.35002023521, 400.06061600, 1.0790691605e5}},
    CheckValues{1.0, {0.19584231663, 6.2216269264, 0.18721833694, 5.9632672532, -8.6276334353e3}}};

// Table 3.1, the mass on a rod of two elements.
constexpr std::array kTable31{
    CheckValues{0.0, {1e-2, 0.0, 5e-3, 0.0, -1000.0}},
    CheckValues{0.05, {-2.6183470222e-3, -2.0741101279, -1.8033787076e-3, -2.0294145413, 163.17244526}}};

double relativeDifference(double value, double expected) {
  return expected == 0.0 ? std::fabs(value) : std::fabs(value / expected - 1.0);
}

template <std::size_t n>
double largestDifference(const LinearSolution& solution, const std::array<CheckValues, n>& table) {
  test::Largest largest;
  for (const CheckValues& row : table) {
    std::array<double, 5> y{};
    solution.values(row.t, y);
    for (std::size_t i = 0; i < y.size(); ++i) largest.see(relativeDifference(y[i], row.y[i]));
  }
  return largest;
}

/// Relative distance of the nearest eigenvalue of the model to the expected one.
double eigenvalueDistance(const solver::Equations& model, std::complex<double> expected) {
  const auto values = core::eigenvalues(model.linear().a).value();
  test::Smallest nearest;
  for (const std::complex<double>& value : values) nearest.see(std::abs(value - expected) / std::abs(expected));
  return nearest;
}

TEST(TwoMassSolution, HasTheCheckValuesOfTable21) {
  test::showAtMost({"schmoll R2", "check-values", "at most 1e-9 relative"},
                   largestDifference(*twoMassSolution(schmollTable21()), kTable21), 1e-9);
}

TEST(TwoMassSolution, HasTheCheckValuesOfTable31) {
  test::showAtMost({"schmoll R2", "check-values-rod", "at most 1e-9 relative"},
                   largestDifference(*twoMassSolution(schmollTable31()), kTable31), 1e-9);
}

TEST(TwoMassOscillator, HasTheEigenvaluesOfTable21) {
  const auto model = twoMassOscillator(schmollTable21());
  const double fast = eigenvalueDistance(*model, {-16.26470206, 1433.78696498});
  const double slow = eigenvalueDistance(*model, {-2.03969794, 232.34438740});
  test::showAtMost({"schmoll R2", "eigenvalues", "at most 1e-9 relative"}, test::largestOf(fast, slow), 1e-9);
}

TEST(TwoMassOscillator, HasTheEigenvaluesOfTable31) {
  const auto model = twoMassOscillator(schmollTable31());  // 5 digits behind the point are known
  EXPECT_LE(eigenvalueDistance(*model, {-5.52108, 725.52369}), 1e-8);
  EXPECT_LE(eigenvalueDistance(*model, {-1.47892, 289.10559}), 3e-8);
}

TEST(TwoMassOscillator, PartsHaveTheirOwnEigenvalues) {
  EXPECT_LE(eigenvalueDistance(*oscillatorBody(firstBody(schmollTable21())), {-1.0, 99.995}), 5e-6);
  EXPECT_LE(eigenvalueDistance(*oscillatorWithLink(secondWithLink(schmollTable21())), {-10.23335, 1048.759}), 1e-6);
}

TEST(TwoMassSolution, SolvesTheEquationsOfTheModel) {
  // Central difference of the solution against the model's right-hand side: error h^2/6 |z'''| of about 1e-5 relative.
  const auto solution = twoMassSolution();
  const auto model = twoMassOscillator();
  const double h = 1e-6;
  for (const double t : {0.0, 0.003, 0.2}) {
    const std::vector<double> z = solution->state(t), before = solution->state(t - h), after = solution->state(t + h);
    const std::vector<double> dx = test::derivativesOf(*model, {z[0], z[2], z[1], z[3]});
    EXPECT_NEAR((after[0] - before[0]) / (2 * h), dx[0], 1e-5 * 2000);
    EXPECT_NEAR((after[1] - before[1]) / (2 * h), dx[2], 1e-5 * 2e6);
    EXPECT_NEAR((after[2] - before[2]) / (2 * h), dx[1], 1e-5 * 2000);
    EXPECT_NEAR((after[3] - before[3]) / (2 * h), dx[3], 1e-5 * 2e6);
  }
}

TEST(LinearSolution, IsCosineAndSineAtAnyTime) {
  const auto solution =
      linearSolution({{0.0, 3.0}, {-3.0, 0.0}}, {{1.0, 0.0}, {0.0, 2.0}}, {1.0, 0.0}, {"c", "s"}, 5.0);
  EXPECT_EQ(solution->names(), (std::vector<std::string>{"c", "s"}));
  for (const double t : {-40.0, 0.0, 5.0, 5.1, 1000.0}) {
    std::array<double, 2> y{};
    solution->values(t, y);
    EXPECT_NEAR(y[0], std::cos(3.0 * (t - 5.0)), 1e-13) << t;
    EXPECT_NEAR(y[1], -2.0 * std::sin(3.0 * (t - 5.0)), 1e-13) << t;
  }
}

TEST(LinearSolution, NeedsNoBasisOfEigenvectors) {
  // A double integrator driven by a constant: a Jordan block of size 3, z1 = t^2 / 2.
  const auto solution =
      linearSolution({{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}, {{1.0, 0.0, 0.0}}, {0.0, 0.0, 1.0}, {"x"});
  for (const double t : {-3.0, 0.5, 100.0}) {
    std::array<double, 1> y{};
    solution->values(t, y);
    EXPECT_NEAR(y[0], t * t / 2.0, 1e-12 * t * t) << t;
  }
  // Critical damping: exp(-2 t) (1 + 2 t).
  const auto critical = linearSolution({{0.0, 1.0}, {-4.0, -4.0}}, {{1.0, 0.0}}, {1.0, 0.0}, {"x"});
  for (const double t : {-1.0, 0.3, 2.0}) {
    std::array<double, 1> y{};
    critical->values(t, y);
    EXPECT_NEAR(y[0], std::exp(-2.0 * t) * (1.0 + 2.0 * t), 1e-13 * std::exp(2.0 * std::fabs(t))) << t;
  }
}

TEST(LinearSolution, AtATimeThatIsNoNumberHasNoValue) {
  const auto solution = linearSolution({{-1.0}}, {{1.0}}, {1.0}, {"x"});
  std::array<double, 1> y{};
  solution->values(std::nan(""), y);
  EXPECT_TRUE(std::isnan(y[0]));
}

RC_GTEST_PROP(LinearSolution, StartsAnewFromItsOwnState, ()) {
  const double t0 = *rc::gen::inRange(-50, 50) / 100.0;
  const double t = *rc::gen::inRange(-50, 50) / 100.0;
  const auto solution = twoMassSolution();
  std::array<double, 5> whole{}, restarted{};
  solution->values(t, whole);
  solution->valuesFrom(t0, solution->state(t0), t, restarted);
  // Backwards the fast mode grows with exp(16.3 (t0 - t)), and the rounding of the state with it.
  const std::array<double, 5> scale{3.0, 2000.0, 3.0, 2000.0, 2e6};
  for (std::size_t i = 0; i < 5; ++i)
    RC_ASSERT(std::fabs(whole[i] - restarted[i]) < 1e-13 * scale[i] * std::exp(17.0 * (std::fabs(t0) + std::fabs(t))));
}

TEST(FormulaSolution, EvaluatesFormulasOfTime) {
  const auto solution = formulaSolution({{"a.y", "2*t + 1"}, {"b.y", "sin(pi*t)"}});
  EXPECT_EQ(solution->names(), (std::vector<std::string>{"a.y", "b.y"}));
  std::array<double, 2> y{};
  solution->values(0.25, y);
  EXPECT_EQ(y[0], 1.5);
  EXPECT_DOUBLE_EQ(y[1], std::sqrt(0.5));
}

TEST(ExactSolution, MistakesAreNamed) {
  const std::vector<std::vector<double>> one{{1.0}};
  EXPECT_EQ(inputError([&] { linearSolution(one, one, {}, {"x"}); }),
            "Exact solution: there is no state. Give the states at the start.");
  EXPECT_EQ(inputError([&] {
              linearSolution(one, one, {1.0, 2.0}, {"x"});
            }),
            "Exact solution: the matrix A has 1 rows. It must be 2 x 2.");
  EXPECT_EQ(inputError([&] {
              linearSolution({{1.0, 2.0}}, one, {1.0}, {"x"});
            }),
            "Exact solution: row 1 of A has 2 values. It must be 1 x 1.");
  EXPECT_EQ(inputError([&] {
              linearSolution(one, one, {1.0}, {"x", "y"});
            }),
            "Exact solution: the matrix C has 1 rows. It must be 2 x 1.");
  EXPECT_EQ(inputError([&] { linearSolution({{std::nan("")}}, one, {1.0}, {"x"}); }),
            "Exact solution: a coefficient is no finite number. Give finite numbers.");
  EXPECT_EQ(
      inputError([] {
        formulaSolution({{"x", "2*u"}, {"y", "t"}, {"z", "t+"}});
      }),
      "The formula of exact solution 'x', \"2*u\", is wrong at character 3: Unexpected token \"u\". Did you mean "
      "'t'?\n"
      "The formula of exact solution 'z', \"t+\", is wrong at character 3: Unexpected end of expression. Correct the "
      "formula.");
}

}  // namespace
}  // namespace koppla::native
