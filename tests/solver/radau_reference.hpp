#pragma once

#include <array>
#include <vector>

#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

#include "questions.hpp"

namespace koppla::solver::test {

/// Radau IIA of three stages with variable steps (docs/integrators.md; E. Hairer, G. Wanner, Solving Ordinary
/// Differential Equations II, sec. IV.8) written down once more: the systems of all three stages are solved as they
/// stand, without transformation. It keeps what it has asked.
class RadauReference {
 public:
  RadauReference(Derivatives f, std::vector<double> x0, std::size_t algebraic, const IntegratorSettings& settings);

  /// A macro step from t to end.
  void step(double t, double end);
  [[nodiscard]] const std::vector<double>& states() const { return x_; }
  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }
  [[nodiscard]] const subsystem::Effort& effort() const { return effort_; }

 private:
  using Vector = std::vector<double>;
  using Stages = std::array<Vector, 3>;

  Vector rates(double t, const Vector& x);
  void linearise();
  /// Size of the correction against the tolerances, in the coordinates in which the method splits.
  double correct(double h, double end);
  int solve(double h, double end);
  double errorOf(double h);
  bool judge(double error, int iterations);
  [[nodiscard]] Vector estimate(double h, const Vector& slopes) const;
  [[nodiscard]] double sizeOf(const Vector& difference, double h) const;
  [[nodiscard]] double tolerance(std::size_t state, double h) const;
  [[nodiscard]] bool isAlgebraic(std::size_t state) const { return state + algebraic_ >= x_.size(); }

  Derivatives f_;
  Vector x_;
  std::size_t algebraic_;
  IntegratorSettings settings_;
  std::vector<Question> questions_;
  subsystem::Effort effort_;

  double t_ = 0.0;  ///< start of the step, s
  Vector f0_, magnitude_;
  Rows jacobian_;
  Stages z_, kept_;
  bool measured_ = false;
  double h_ = 0.0, keptLength_ = 0.0, keptError_ = 1.0, eta_ = 1.0, theta_ = 0.0;
  bool fresh_ = true, rejected_ = false;
  double rejectedLength_ = 0.0, rejectedError_ = 0.0;
};

}  // namespace koppla::solver::test
