// Implicit methods with given steps against the equations that define them.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "block.hpp"
#include "questions.hpp"
#include "rig.hpp"

namespace koppla::solver::test::fixed_formulas_test {
namespace {

using subsystem::Status;
using Vector = std::vector<double>;

Vector coupled(double t, const Vector& x) {
  return {std::cos(2.0 * t) - x[0] * x[1] - x[0], 0.5 * x[0] - x[1] * x[1] + t};
}

const Vector kStart{0.5, -0.25};

/// The states after 0, 1, 2, ... steps of length h from t = 1, each a step of its own.
std::vector<Vector> points(const IntegratorSettings& settings, int steps) {
  std::vector<Question> asked;
  Rig rig(equations(asking(coupled, kStart, asked)), settings);
  std::vector<Vector> result{kStart};
  const double h = settings.microStep;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(rig.step(1.0 + k * h, 1.0 + steps * h, {}, true).status, Status::ok);
    result.push_back(rig.y);
  }
  return result;
}

/// The derivative at the newest of k + 1 points with equal distances (E. Hairer, S. P. Norsett, G. Wanner, Solving
/// Ordinary Differential Equations I, sec. III.1), times h.
TEST(BdfFixed, MeetsTheFormulasOfEqualSteps) {
  const std::array<Vector, 5> formulas{{{1.0, -1.0},
                                        {3.0 / 2.0, -2.0, 1.0 / 2.0},
                                        {11.0 / 6.0, -3.0, 3.0 / 2.0, -1.0 / 3.0},
                                        {25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 1.0 / 4.0},
                                        {137.0 / 60.0, -5.0, 5.0, -10.0 / 3.0, 5.0 / 4.0, -1.0 / 5.0}}};
  const double h = 0.0625;
  for (unsigned order = 1; order <= 5; ++order)
    for (const bool isGiven : {true, false}) {
      if (!isGiven && order != 2) continue;  // the usual order
      IntegratorSettings settings = with(Kind::bdfFixed, h);
      if (isGiven) settings.order = order;
      const std::vector<Vector> x = points(settings, 16);
      const std::vector<Vector> starts = points(with(Kind::radauFixed, h), static_cast<int>(order));
      for (std::size_t n = 0; n <= order; ++n) EXPECT_EQ(x[n], starts[n]) << "the first steps of order " << order;
      for (std::size_t n = order + 1; n < x.size(); ++n) {
        const Vector f = coupled(1.0 + static_cast<double>(n) * h, x[n]);
        for (std::size_t i = 0; i < 2; ++i) {
          double sum = 0.0;
          for (std::size_t k = 0; k <= order; ++k) sum += formulas.at(order - 1)[k] * x[n - k][i];
          EXPECT_NEAR(sum / h, f[i], 1e-12) << order << " " << n;
        }
      }
    }
}

/// Corrections are made until they are rounding: two or three with a df/dx that is a few steps old.
TEST(BdfFixed, DoesNotWorkForNothing) {
  std::vector<Question> asked;
  Rig rig(equations(asking(coupled, kStart, asked)), with(Kind::bdfFixed, 0.005));
  ASSERT_EQ(rig.step(1.0, 2.0).status, Status::ok);
  const subsystem::Effort effort = rig.system->effort();
  EXPECT_EQ(effort.microSteps, 200U);
  EXPECT_EQ(effort.rejectedMicroSteps, 0U);
  EXPECT_LE(effort.correctorIterations, 8U * 200U);
  EXPECT_GE(effort.correctorIterations, 2U * 198U);
  EXPECT_LE(effort.jacobians, 20U);
}

/// One step of Radau IIA by its stages, Z = h A F(Z), iterated to the end: h is short enough for that.
Vector collocated(double t, double h, const Vector& x, const Derivatives& f) {
  const double r = std::sqrt(6.0);
  const std::array<double, 3> c{(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0};
  const std::array<std::array<double, 3>, 3> a{
      {{(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0},
       {(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0},
       {(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0}}};
  std::array<Vector, 3> stages{x, x, x};
  for (int k = 0; k < 300; ++k) {
    std::array<Vector, 3> slopes;
    for (std::size_t j = 0; j < 3; ++j) slopes.at(j) = f(t + c.at(j) * h, stages.at(j));
    for (std::size_t i = 0; i < 3; ++i) {
      stages.at(i) = x;
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t m = 0; m < x.size(); ++m) stages.at(i)[m] += h * a.at(i).at(j) * slopes.at(j)[m];
    }
  }
  return stages[2];
}

TEST(RadauFixedFormula, IsThatOfItsStages) {
  std::vector<Question> asked;
  Rig rig(equations(asking(coupled, kStart, asked)), with(Kind::radauFixed, 0.125));
  Vector x = kStart;
  for (int k = 0; k < 4; ++k) {
    ASSERT_EQ(rig.step(0.5 * k, 0.5 * (k + 1)).status, Status::ok);
    for (int m = 0; m < 4; ++m) x = collocated(0.5 * k + 0.125 * m, 0.125, x, coupled);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(rig.y[i], x[i], 1e-14) << k;
  }
}

/// x' = w - x^2, 0 = w^3 + w - cos(t) - x / 2. The last stage lies at the end: the unknown fits there.
TEST(RadauFixedFormula, TreatsUnknownsAsTheyWouldBeSolvedFor) {
  const auto unknown = [](double t, double x) {
    double w = 0.5;
    for (int k = 0; k < 60; ++k) w -= (w * w * w + w - std::cos(t) - x / 2.0) / (3.0 * w * w + 1.0);
    return w;
  };
  const Derivatives reduced = [&](double t, const Vector& x) { return Vector{unknown(t, x[0]) - x[0] * x[0]}; };
  std::vector<Question> asked;
  const Derivatives whole = [](double t, const Vector& x) {
    return Vector{x[1] - x[0] * x[0], x[1] * x[1] * x[1] + x[1] - std::cos(t) - x[0] / 2.0};
  };
  Model model = asking(whole, {0.5, unknown(0.0, 0.5)}, asked);
  model.algebraic = 1;
  Rig rig(equations(model), with(Kind::radauFixed, 0.125));
  Vector x{0.5};
  for (int k = 0; k < 4; ++k) {
    ASSERT_EQ(rig.step(0.5 * k, 0.5 * (k + 1)).status, Status::ok);
    for (int m = 0; m < 4; ++m) x = collocated(0.5 * k + 0.125 * m, 0.125, x, reduced);
    EXPECT_NEAR(rig.y[0], x[0], 1e-14);
    EXPECT_NEAR(rig.y[1], unknown(0.5 * (k + 1), x[0]), 1e-14);
  }
}

/// A matrix serves as long as few corrections are needed, anew in every macro step.
TEST(RadauFixedFormula, KeepsItsMatrixWhileItServes) {
  std::vector<Question> asked;
  Rig mild(equations(asking(coupled, kStart, asked)), with(Kind::radauFixed, 0.01));
  ASSERT_EQ(mild.step(1.0, 1.5).status, Status::ok);
  EXPECT_EQ(mild.system->effort().jacobians, 1U);
  ASSERT_EQ(mild.step(1.5, 2.0).status, Status::ok);
  EXPECT_EQ(mild.system->effort().jacobians, 2U);
  EXPECT_EQ(mild.system->effort().microSteps, 100U);
  // A start and at most six corrections of three stages.
  EXPECT_LE(mild.system->effort().rightHandSides, 100U * (1 + 3 * 6) + 2 * 2);

  const Derivatives relaxing = [](double, const Vector& x) {
    return Vector{x[1], 30.0 * (1.0 - x[0] * x[0]) * x[1] - x[0]};
  };
  Rig sharp(equations(asking(relaxing, {2.0, 0.0}, asked)), with(Kind::radauFixed, 0.05));
  ASSERT_EQ(sharp.step(0.0, 30.0).status, Status::ok) << sharp.system->failure();
  EXPECT_GT(sharp.system->effort().jacobians, 5U);
  EXPECT_LT(sharp.system->effort().jacobians, 600U);
}

/// What is rounding in the equations must not keep the iteration busy.
TEST(RadauFixedFormula, EndsWhereCorrectionsNoLongerFall) {
  const Derivatives rough = [](double, const Vector& x) { return Vector{-x[0] + 1e-12 * std::sin(1e15 * x[0])}; };
  std::vector<Question> asked;
  Rig rig(equations(asking(rough, {1.0}, asked)), with(Kind::radauFixed, 0.1));
  ASSERT_EQ(rig.step(0.0, 1.0).status, Status::ok);
  EXPECT_NEAR(rig.y[0], std::exp(-1.0), 1e-8);
  EXPECT_LE(rig.system->effort().rightHandSides, 10U * (1 + 3 * 10) + 1);
}

/// Stages have no solution where the right-hand side turns round: a hundred corrections, and once more with a new
/// matrix where the first one was that of an earlier step.
TEST(RadauFixedFormula, GivesUpAfterAHundredCorrections) {
  for (const bool later : {false, true}) {
    const Derivatives turning = [later](double t, const Vector& x) {
      return Vector{later && t < 0.15 ? 0.0 : x[0] >= 0.0 ? -1.0 : 1.0};
    };
    std::vector<Question> asked;
    Rig rig(equations(asking(turning, {0.0}, asked)), with(Kind::radauFixed, 0.125));
    EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
    EXPECT_EQ(rig.system->failure(),
              std::string("Radau failed: the iteration for the stages did not converge; a shorter micro step may help "
                          "(at t = ") +
                  (later ? "0.25 s)" : "0.125 s)"));
    EXPECT_GT(rig.system->effort().rightHandSides, 3U * 100U);
    EXPECT_LT(rig.system->effort().rightHandSides, 3U * 230U);
  }
}

/// x = phi x(0) + sum of the inputs' integrals, for lengths and degrees that come and go.
TEST(ExactFormula, HoldsWhicheverPropagatorsAreKept) {
  // x1' = -x1 + 2 u1, x2' = 3 u2: the first by its series, the second a quadrature.
  const LinearForm form{{-1.0, 0.0, 0.0, 0.0}, {2.0, 0.0, 0.0, 3.0}, {1.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 0.0}};
  Rig rig(equations(linearModel({"u1", "u2"}, {"x1", "x2"}, form, {1.0, 0.5})), with(Kind::exact));
  double x1 = 1.0, x2 = 0.5, t = 0.0;
  const auto series = [](double H, unsigned k) {  // int_0^H e^-(H - tau) (tau / H)^k dtau
    double term = 1.0 / (k + 1.0), sum = term;
    for (unsigned m = 1; m < 60; ++m) sum += term *= -H / (k + m + 1.0);
    return H * sum;
  };
  const std::array<double, 6> lengths{0.5, 0.25, 0.75, 0.1, 1.5, 0.3};
  for (int k = 0; k < 40; ++k) {
    const double H = lengths.at(static_cast<std::size_t>(k * k + k / 3) % 6);
    const unsigned degree = static_cast<unsigned>(k) % 3;
    Vector coefficients;
    double grown1 = std::exp(-H) * x1, grown2 = x2;
    for (unsigned power = 0; power <= degree; ++power) {
      const double a = 0.5 + power + 0.1 * k, b = 1.0 - 0.25 * power;
      coefficients.insert(coefficients.end(), {a, b});
      grown1 += 2.0 * a * series(H, power);
      grown2 += 3.0 * b * H / (power + 1.0);
    }
    ASSERT_EQ(rig.step(t, t + H, coefficients).status, Status::ok);
    x1 = grown1;
    x2 = grown2;
    t += H;
    ASSERT_NEAR(rig.y[0], x1, 1e-13 * std::fmax(1.0, x1)) << k;
    ASSERT_NEAR(rig.y[1], x2, 1e-13 * std::fmax(1.0, x2)) << k;
  }
  EXPECT_EQ(rig.system->effort().microSteps, 40U);
}

/// Lengths that differ in their last digits share a propagator, and the rest is not lost.
TEST(ExactFormula, FollowsLengthsToTheLastDigit) {
  Rig rig(equations(linearModel({"u"}, {"x"}, {{0.0}, {1.0}, {1.0}, {0.0}}, {0.0})), with(Kind::exact));
  for (const double H : {0.1, 0.1 * (1.0 + 3e-11), 0.1 * (1.0 - 4e-10), 0.1 + 2e-11}) {
    rig.system->setStates(Vector{0.0});
    rig.step(0.0, H, {1.0});
    EXPECT_NEAR(rig.y[0], H, 1e-17) << H;
  }
}

TEST(ExactFormula, NamesAStateThatIsNoNumber) {
  Rig rig(equations(linearModel({}, {"x"}, {{1000.0}, {}, {1.0}, {}}, {1.0})), with(Kind::exact));
  EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
  EXPECT_EQ(rig.system->failure().find("State 1 of 1 (x) ceased to be a finite number at t = 1 s."), 0U)
      << rig.system->failure();
}

}  // namespace
}  // namespace koppla::solver::test::fixed_formulas_test
