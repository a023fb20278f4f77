// Every question that Newmark's method asks its equations, against its formulas written down once more.

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "questions.hpp"
#include "rig.hpp"
#include "support/elimination.hpp"

namespace koppla::solver::test::newmark_reference_test {
namespace {

using Vector = std::vector<double>;

/// Two masses with a hardening spring and damping that is not linear, pushed.
Vector hardening(double t, const Vector& x) {
  return {x[2], x[3], -40.0 * x[0] - 30.0 * std::pow(x[0], 3) + 5.0 * x[1] - 0.5 * x[2] * std::fabs(x[2]) + std::sin(t),
          5.0 * x[0] - 300.0 * x[1] * (1.0 + x[1] * x[1]) - 0.4 * x[3] + 0.1 * x[2]};
}

/// The formulas of docs/integrators.md, solved for a1 by Newton's method from a1 = a0 with df/dx that serves for five
/// iterations; the end is at 1e-3 of the tolerances.
class Reference {
 public:
  Reference(Vector x, const IntegratorSettings& settings)
      : x_(std::move(x)),
        settings_(settings),
        alpha_(settings.alpha),
        beta_(settings.beta.value_or((1.0 - alpha_) * (1.0 - alpha_) / 4.0)),
        gamma_(settings.gamma.value_or(0.5 - alpha_)) {}

  /// `steps` steps of equal length from t to end.
  void run(double t, double end, int steps) {
    const double h = (end - t) / steps;
    phi_ = forces(t, x_);
    a_ = {phi_[0] + lag_[0], phi_[1] + lag_[1]};
    for (int k = 1; k <= steps; ++k) step(t + k * h, h);
  }

  [[nodiscard]] const Vector& states() const { return x_; }
  [[nodiscard]] const Vector& beforeTheLast() const { return before_; }
  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }
  [[nodiscard]] std::uint64_t jacobians() const { return jacobians_; }

 private:
  Vector forces(double t, const Vector& x) {
    questions_.push_back({t, x});
    const Vector dx = hardening(t, x);
    return {dx[2], dx[3]};
  }

  [[nodiscard]] Vector placed(const Vector& a, double h) const {
    Vector x = x_;
    for (std::size_t i = 0; i < 2; ++i) {
      x[i] += h * x_[2 + i] + h * h * ((0.5 - beta_) * a_[i] + beta_ * a[i]);
      x[2 + i] += h * ((1.0 - gamma_) * a_[i] + gamma_ * a[i]);
    }
    return x;
  }

  void step(double t, double h) {
    Vector a = a_;
    Vector x = placed(a, h);
    Vector phi = forces(t, x);
    Rows matrix;
    for (int k = 0;; ++k) {
      if (k % 5 == 0) {
        ++jacobians_;
        Rows slopes(2, Vector(4));
        for (std::size_t j = 0; j < 4; ++j) {
          Vector moved = x;
          moved[j] += std::sqrt(std::numeric_limits<double>::epsilon()) * std::fmax(1.0, std::fabs(moved[j]));
          const Vector other = forces(t, moved);
          for (std::size_t i = 0; i < 2; ++i) slopes[i][j] = (other[i] - phi[i]) / (moved[j] - x[j]);
        }
        matrix = {{1.0, 0.0}, {0.0, 1.0}};
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t j = 0; j < 2; ++j)
            matrix[i][j] -= (1.0 + alpha_) * (beta_ * h * h * slopes[i][j] + gamma_ * h * slopes[i][2 + j]);
      }
      Vector residual(2);
      for (std::size_t i = 0; i < 2; ++i) residual[i] = (1.0 + alpha_) * phi[i] - alpha_ * phi_[i] - a[i];
      const Vector change = koppla::test::solved(matrix, residual);
      before_ = x;
      double largest = 0.0;
      for (std::size_t i = 0; i < 2; ++i) {
        a[i] += change[i];
        const auto part = [&](double by, double of) {
          return std::fabs(by) / (settings_.rtol * std::fabs(of) + settings_.atol);
        };
        largest = std::fmax(largest, part(beta_ * h * h * change[i], x[i]));
        largest = std::fmax(largest, part(gamma_ * h * change[i], x[2 + i]));
      }
      x = placed(a, h);
      phi = forces(t, x);
      if (largest <= 1e-3) break;
    }
    x_ = x;
    a_ = a;
    phi_ = phi;
    for (std::size_t i = 0; i < 2; ++i) lag_.at(i) = alpha_ == 0.0 ? 0.0 : a[i] - phi[i];
  }

  Vector x_;
  IntegratorSettings settings_;
  double alpha_, beta_, gamma_;
  Vector phi_, a_, before_;
  std::array<double, 2> lag_{};
  std::vector<Question> questions_;
  std::uint64_t jacobians_ = 0;
};

const Vector kStart{0.6, -0.3, 1.5, -2.0};

TEST(NewmarkSteps, FollowTheFormulas) {
  for (const double alpha : {0.0, -0.1, -0.3})
    for (const double tolerance : {1e-2, 1e-4, 1e-9})
      for (const bool given : {false, true}) {
        SCOPED_TRACE(alpha);
        SCOPED_TRACE(tolerance);
        IntegratorSettings settings = with(Kind::newmark, 0.1);
        settings.alpha = alpha;
        settings.rtol = tolerance;
        settings.atol = 0.1 * tolerance;
        if (given) settings.beta = 0.3;
        if (given) settings.gamma = 0.6;
        std::vector<Question> asked;
        Model model = asking(hardening, kStart, asked);
        model.secondOrder = true;
        Rig rig(equations(model), settings);
        Reference reference(kStart, settings);
        asked.clear();
        for (int k = 0; k < 6; ++k) {
          ASSERT_EQ(rig.step(0.25 * k, 0.25 * (k + 1)).status, subsystem::Status::ok);
          reference.run(0.25 * k, 0.25 * (k + 1), 3);
          for (std::size_t i = 0; i < 4; ++i) ASSERT_NEAR(rig.y[i], reference.states()[i], 1e-4 * tolerance);
        }
        expectSame(asked, reference.questions(), 1e-6);
        EXPECT_EQ(rig.system->effort().jacobians, reference.jacobians());
        EXPECT_EQ(rig.system->effort().microSteps, 18U);
      }
}

/// With the lag of HHT the past is more than states: it goes with a state that is saved, and not with one that is set.
TEST(NewmarkSteps, TheLagIsSavedAndForgotten) {
  IntegratorSettings settings = with(Kind::newmark, 0.1);
  settings.alpha = -0.2;
  settings.atol = settings.rtol = 1e-9;
  std::vector<Question> asked;
  Model model = asking(hardening, kStart, asked);
  model.secondOrder = true;
  Rig rig(equations(model), settings);
  rig.step(0.0, 0.3);
  const Vector x = rig.system->states();
  rig.system->save(subsystem::Slot::iteration);
  rig.step(0.3, 0.6);
  const Vector on = rig.y;
  rig.step(0.6, 0.9);
  rig.system->restore(subsystem::Slot::iteration);
  rig.step(0.3, 0.6);
  EXPECT_EQ(rig.y, on);
  rig.system->setStates(x);
  rig.step(0.3, 0.6);
  Reference reference(x, settings);
  reference.run(0.3, 0.6, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(rig.y[i], reference.states()[i], 1e-9) << i;
    EXPECT_GT(std::fabs(rig.y[i] - on[i]), 1e-6) << i;
  }
}

TEST(NewmarkSteps, HideTheLastCorrectionOnly) {
  IntegratorSettings settings = with(Kind::newmark, 0.1);
  settings.atol = settings.rtol = 0.1;  // the last correction is to be seen
  settings.corrected = false;
  std::vector<Question> asked;
  Model model = asking(hardening, kStart, asked);
  model.secondOrder = true;
  Rig rig(equations(model), settings);
  Reference reference(kStart, settings);
  EXPECT_EQ(rig.y, kStart);  // nothing was corrected yet
  for (int k = 0; k < 3; ++k) {
    rig.step(0.2 * k, 0.2 * (k + 1));
    reference.run(0.2 * k, 0.2 * (k + 1), 2);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(rig.y[i], reference.beforeTheLast()[i], 1e-9) << i;
      EXPECT_NEAR(rig.system->states()[i], reference.states()[i], 1e-9) << i;
      EXPECT_NE(rig.y[i], rig.system->states()[i]) << i;
    }
  }
  // States that are set were never corrected.
  rig.system->setStates(kStart);
  rig.system->evaluate(0.6, {}, rig.y);
  EXPECT_EQ(rig.y, kStart);
}

/// A force that turns its back where the iteration arrives: from 1, h = 1, the end is 1 for a1 = -a0, far below else.
TEST(NewmarkSteps, SayThatTheirIterationFailed) {
  Model model;
  model.outputs = {"w"};
  model.x0 = {1.0, 0.0};
  model.secondOrder = true;
  model.f = [](double, auto x, auto, auto dx) {
    dx[0] = x[1];
    dx[1] = x[0] > 0.0 ? -1e6 : 1e6;
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  Rig rig(equations(model), with(Kind::newmark, 1.0));
  const subsystem::StepResult result = rig.step(2.0, 5.0);
  EXPECT_EQ(result.status, subsystem::Status::error);
  EXPECT_EQ(rig.system->failure(),
            "Newmark's iteration did not converge; a shorter micro step or a looser tolerance may help (at t = 3 s)");
  EXPECT_EQ(rig.system->effort().jacobians, 5U) << "one for every five of 25 iterations";
}

}  // namespace
}  // namespace koppla::solver::test::newmark_reference_test
