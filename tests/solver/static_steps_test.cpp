// Every question that the solver of unknowns asks, against the method of docs/integrators.md written down once more.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "questions.hpp"
#include "rig.hpp"
#include "support/elimination.hpp"

namespace koppla::solver::test::static_steps_test {
namespace {

using subsystem::Status;
using testing::HasSubstr;
using Vector = std::vector<double>;
using Residuals = std::function<Vector(const Vector& z, double u)>;

/// Unknowns z with the input u; the outputs are the unknowns.
Model unknowns(const Residuals& residuals, Vector start, std::vector<Vector>* asked = nullptr) {
  Model model;
  model.inputs = {"u"};
  for (std::size_t i = 0; i < start.size(); ++i) model.outputs.push_back("z" + std::to_string(i));
  model.algebraic = start.size();
  model.x0 = std::move(start);
  model.f = [residuals, asked](double, auto z, auto u, auto r) {
    const Vector at(z.begin(), z.end());
    if (asked != nullptr) asked->push_back(at);
    std::ranges::copy(residuals(at, u[0]), r.begin());
  };
  model.g = [](double, auto z, auto, auto y) { std::ranges::copy(z, y.begin()); };
  return model;
}

/// Damped Newton: a correction is halved until the following one, with the same matrix, is shorter; the end is where
/// the error that is left is predicted below 1e-6 of the tolerances, where it is rounding, or where two corrections in
/// a row were within them.
class Reference {
 public:
  Reference(Residuals residuals, Vector start, const IntegratorSettings& settings)
      : residuals_(std::move(residuals)), z_(std::move(start)), settings_(settings) {}

  bool solve(double u) {
    Vector z = z_;
    Vector residual = ask(z, u);
    bool within = false;
    while (std::ranges::any_of(residual, [](double r) { return r != 0.0; })) {
      Rows jacobian(z.size(), Vector(z.size()));
      for (std::size_t j = 0; j < z.size(); ++j) {
        Vector moved = z;
        moved[j] += std::sqrt(std::numeric_limits<double>::epsilon()) * std::fmax(1.0, std::fabs(z[j]));
        const Vector other = ask(moved, u);
        for (std::size_t i = 0; i < z.size(); ++i) jacobian[i][j] = (other[i] - residual[i]) / (moved[j] - z[j]);
      }
      const Vector step = koppla::test::solved(jacobian, residual);
      Vector scale(z.size());
      for (std::size_t i = 0; i < z.size(); ++i) scale[i] = std::fmax(std::fabs(z[i]), std::fabs(z[i] - step[i]));
      const double size = norm(step, scale);
      Vector candidate(z.size()), following;
      double left = 0.0;
      double part = 1.0;
      for (;; part /= 2.0) {
        if (part < 1e-4) return false;
        for (std::size_t i = 0; i < z.size(); ++i) candidate[i] = z[i] - part * step[i];
        const Vector next = ask(candidate, u);
        if (!std::ranges::all_of(next, [](double r) { return std::isfinite(r); })) continue;
        following = koppla::test::solved(jacobian, next);
        left = norm(following, scale);
        if (left <= (1.0 - part / 4.0) * size || (part == 1.0 && size <= 1.0 && left <= 1.0)) {
          residual = next;
          break;
        }
      }
      ++corrections_;
      z = candidate;
      const bool whole = part == 1.0;
      const bool now = whole && size <= 1.0 && left <= 1.0;
      const double theta = left / size;
      const bool fast = theta <= 0.25 && theta * left <= 1e-6;
      if (whole && left <= 1.0 && (fast || std::fmax(size, left) <= 1e-3 || (now && within))) {
        for (std::size_t i = 0; i < z.size(); ++i) z[i] -= following[i];
        break;
      }
      within = now;
    }
    z_ = z;
    return true;
  }

  [[nodiscard]] const Vector& unknownsNow() const { return z_; }
  [[nodiscard]] const std::vector<Vector>& asked() const { return asked_; }
  [[nodiscard]] std::uint64_t corrections() const { return corrections_; }

 private:
  Vector ask(const Vector& z, double u) {
    asked_.push_back(z);
    return residuals_(z, u);
  }
  [[nodiscard]] double norm(const Vector& change, const Vector& scale) const {
    const double rtol = std::fmax(settings_.rtol, 4.0 * std::numeric_limits<double>::epsilon());
    double largest = 0.0;
    for (std::size_t i = 0; i < change.size(); ++i)
      largest = std::fmax(largest, std::fabs(change[i]) / (rtol * scale[i] + settings_.atol));
    return largest;
  }

  Residuals residuals_;
  Vector z_;
  IntegratorSettings settings_;
  std::vector<Vector> asked_;
  std::uint64_t corrections_ = 0;
};

/// Inputs one after the other, each solution from the last one.
void compare(const Residuals& residuals, const Vector& start, const IntegratorSettings& settings,
             const std::vector<double>& inputs) {
  std::vector<Vector> asked;
  Rig rig(integrate(equations(unknowns(residuals, start, &asked)), settings), false, {inputs.front()});
  Reference reference(residuals, start, settings);
  ASSERT_TRUE(reference.solve(inputs.front()));
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    ASSERT_EQ(rig.system->evaluate(0.0, std::vector{inputs[k]}, rig.y), Status::ok) << rig.system->failure();
    ASSERT_TRUE(reference.solve(inputs[k]));
  }
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_NEAR(rig.y[i], reference.unknownsNow()[i], 1e-9 * std::fmax(1.0, std::fabs(rig.y[i])));
  EXPECT_EQ(rig.system->effort().correctorIterations, reference.corrections());
  EXPECT_EQ(rig.system->effort().jacobians, reference.corrections());
  ASSERT_EQ(asked.size(), reference.asked().size());
  for (std::size_t k = 0; k < asked.size(); ++k)
    for (std::size_t i = 0; i < start.size(); ++i)
      ASSERT_NEAR(asked[k][i], reference.asked()[k][i], 1e-7 * std::fmax(1.0, std::fabs(asked[k][i])))
          << "question " << k;
}

/// Two curves that meet.
Vector curves(const Vector& z, double u) {
  return {z[0] * z[0] + 3.0 * z[1] * z[1] - u * u, std::exp(0.3 * z[0]) - z[1] - 0.1 * u};
}

/// Undamped, Newton's iteration diverges from far away.
Vector arcTangents(const Vector& z, double u) {
  return {std::atan(z[0] - u) + 0.1 * std::atan(z[1]), std::atan(2.0 * z[1] + u) + 0.1 * std::atan(z[0])};
}

/// A root of third order at u: slow.
Vector flat(const Vector& z, double u) {
  return {std::pow(z[0] - u, 3) + 1e-3 * (z[0] - u)};
}

IntegratorSettings tolerances(double rtol, double atol) {
  IntegratorSettings settings;
  settings.rtol = rtol;
  settings.atol = atol;
  return settings;
}

TEST(StaticSteps, FollowTheMethod) {
  for (const auto& [rtol, atol] : {std::pair(1e-2, 1e-4), std::pair(1e-6, 1e-9), std::pair(1e-4, 0.3)}) {
    SCOPED_TRACE(rtol);
    SCOPED_TRACE(atol);
    compare(curves, {1.5, 1.0}, tolerances(rtol, atol), {3.0, 3.001, 3.5, 5.0, 9.0, 4.0});
    compare(arcTangents, {8.0, -6.0}, tolerances(rtol, atol), {2.0, 2.5, 7.0, -3.0});
    compare(flat, {4.0}, tolerances(rtol, atol), {1.0, 1.2, 30.0, 29.9});
  }
}

/// log z has no value where the first whole correction leads.
TEST(StaticSteps, GoRoundPlacesWithoutValue) {
  compare([](const Vector& z, double u) { return Vector{std::log(z[0]) - u}; }, {10.0}, tolerances(1e-6, 1e-9),
          {0.0, 2.0, -1.0});
}

std::string failureOf(const Residuals& residuals, const Vector& start, double u = 0.0) {
  Rig rig(integrate(equations(unknowns(residuals, start)), tolerances(1e-6, 1e-9)), false, {u});
  EXPECT_EQ(rig.system->evaluate(2.0, std::vector{u}, rig.y), Status::error);
  return rig.system->failure();
}

TEST(StaticSteps, SayWhichUnknownAndWhy) {
  // The second does not depend on the unknowns.
  EXPECT_EQ(failureOf(
                [](const Vector& z, double) {
                  return Vector{z[0], 1.0};
                },
                {0.0, 0.5}),
            "test: the residuals do not determine the unknowns there, their matrix is singular; the largest residual "
            "is 1, of the unknown 2 of 2 at 0.5, after 0 corrections (at t = 2 s)");
  EXPECT_EQ(failureOf(
                [](const Vector& z, double) {
                  return Vector{z[0], z[1] * z[1] + 1.0};
                },
                {0.0, 0.0}),
            "test: no solution was found, no correction makes the residuals smaller; the largest residual is 1, of the "
            "unknown 2 of 2 at 0, after 0 corrections (at t = 2 s)");
  EXPECT_EQ(failureOf(
                [](const Vector& z, double) {
                  return Vector{z[0] - 1.0, 5.0 - z[1], std::sqrt(z[0] - 2.0)};
                },
                {1.0, 4.0, 3.0}),
            "test: the residual of the unknown 3 of 3 is not a finite number where its solution begins, at 3 (at t = 2 "
            "s)");
  // NaN is worse than any number, and the larger of two is named whatever its sign.
  EXPECT_THAT(failureOf(
                  [](const Vector& z, double) {
                    return Vector{-7.0 + 0.0 * z[0], 3.0};
                  },
                  {1.0, 1.5}),
              HasSubstr("the largest residual is -7, of the unknown 1 of 2 at 1,"));
  EXPECT_THAT(
      failureOf([](const Vector& z, double) { return Vector{z[0] > 0.3 ? z[0] + 1.0 : z[0] - 1.0}; }, {1.0}),
      HasSubstr("test: no solution was found, no correction makes the residuals smaller; the largest residual "));
}

/// exp falls by a factor e with each correction and never reaches 0: fifty are made.
TEST(StaticSteps, EndAfterFiftyCorrections) {
  const Residuals falling = [](const Vector& z, double) { return Vector{std::exp(z[0])}; };
  EXPECT_EQ(failureOf(falling, {0.0}).find("test: no solution was found; the largest residual is "), 0U)
      << failureOf(falling, {0.0});
  EXPECT_THAT(failureOf(falling, {0.0}), HasSubstr("after 50 corrections (at t = 2 s)"));
}

/// What failed last is told: a model that throws, a solution that is missing while time is held or in a step.
TEST(StaticSteps, TellTheLastFailure) {
  bool broken = false;
  const Residuals root = [&broken](const Vector& z, double u) {
    if (broken) throw std::runtime_error("not now");
    return Vector{z[0] * z[0] + u};
  };
  Rig rig(integrate(equations(unknowns(root, {2.0})), {}), false, {-4.0});
  const auto held = [&](double u) {
    EXPECT_EQ(rig.system->evaluate(0.5, std::vector{u}, rig.y), Status::error);
    return rig.system->failure();
  };
  const auto stepped = [&](double u) {
    EXPECT_EQ(rig.step(0.5, 0.75, {u}).status, Status::error);
    return rig.system->failure();
  };
  for (int again = 0; again < 2; ++again) {
    broken = true;
    EXPECT_EQ(held(1.0), "The model failed in the step that began at t = 0.5 s: not now");
    broken = false;
    EXPECT_THAT(held(0.25), testing::AllOf(HasSubstr("the largest residual is 0.25"), HasSubstr("(at t = 0.5 s)")));
    broken = true;
    EXPECT_EQ(stepped(1.0), "The model failed in the step that began at t = 0.5 s: not now");
    broken = false;
    EXPECT_THAT(stepped(2.25), testing::AllOf(HasSubstr("the largest residual is 2.25"), HasSubstr("(at t = 0.75 s)")));
    EXPECT_THAT(held(0.25), HasSubstr("the largest residual is 0.25"));
    EXPECT_THAT(stepped(2.25), HasSubstr("the largest residual is 2.25"));
  }
  EXPECT_EQ(rig.system->evaluate(0.5, std::vector{-9.0}, rig.y), Status::ok);
  EXPECT_NEAR(rig.y[0], 3.0, 1e-9);
}

/// Where the residual is zero already nothing is corrected.
TEST(StaticSteps, LeaveASolutionAsItIs) {
  std::vector<Vector> asked;
  Rig rig(
      integrate(equations(unknowns([](const Vector& z, double u) { return Vector{z[0] * z[0] - u}; }, {3.0}, &asked)),
                {}),
      false, {9.0});
  EXPECT_EQ(rig.system->effort().correctorIterations, 0U);
  EXPECT_EQ(rig.system->effort().jacobians, 0U);
  EXPECT_EQ(rig.y[0], 3.0);
  EXPECT_EQ(asked.size(), 1U);
}

/// dz/du of two unknowns by Cramer's rule, and after a step.
TEST(StaticSteps, DerivativesAreThoseOfTheImplicitFunction) {
  Rig rig(integrate(equations(unknowns(curves, {1.5, 1.0})), tolerances(1e-10, 1e-12)), false, {3.0});
  for (const double u : {3.0, 200.0}) {
    ASSERT_EQ(rig.step(0.0, 1.0, {0.5 * u, 0.5 * u}).status, Status::ok) << rig.system->failure();
    const double a = 2.0 * rig.y[0], b = 6.0 * rig.y[1], c = 0.3 * std::exp(0.3 * rig.y[0]), d = -1.0;
    const double r = 2.0 * u, s = 0.1;
    Vector column(2);
    ASSERT_EQ(rig.system->differentiate(0, column), Status::ok);
    EXPECT_NEAR(column[0], (r * d - b * s) / (a * d - b * c), 1e-6 * std::fabs(column[0])) << u;
    EXPECT_NEAR(column[1], (a * s - c * r) / (a * d - b * c), 1e-6 * std::fabs(column[1])) << u;
  }
}

}  // namespace
}  // namespace koppla::solver::test::static_steps_test
