#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>

#include "koppla/solver/detail/step_equations.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::solver::detail {

/// Where a step of Radau IIA lies inside the macro step, s.
struct RadauSpan {
  double from;
  double to;  ///< met exactly by the last stage, so that inputs take their value there
  [[nodiscard]] double length() const { return to - from; }
};

/// A correction of the stages.
struct RadauCorrection {
  double size;    ///< the largest against the tolerances of the states; not finite: the model answered so
  double grains;  ///< the largest against the last digit of the states
};

/// The three stages of a step of Radau IIA and the simplified Newton method for them: E. Hairer, G. Wanner, Solving
/// Ordinary Differential Equations II, sec. IV.8. With Z_i = X_i - x0, the matrix A of the method and M = diag(1, ...,
/// 1, 0, ..., 0), zero for algebraic equations, they solve
///   (A^-1 (x) M) Z / h = F(Z),   F_i = f(t0 + c_i h, x0 + Z_i, u(t0 + c_i h)),   x1 = x0 + Z_3.
/// A^-1 = T Lambda T^-1 with Lambda real, block-diagonal, splits each correction into a real and a complex system of
/// the size of x. Allocates nothing after its construction.
class RadauStages {
 public:
  RadauStages(const Equations& equations, const IntegratorSettings& settings);
  ~RadauStages();
  RadauStages(const RadauStages&) = delete;
  RadauStages& operator=(const RadauStages&) = delete;

  /// The point where the next step begins. False: f is not finite there.
  bool begin(StepEquations& problem, double tau, std::span<const double> x);
  /// df/dx at that point.
  void linearise(StepEquations& problem);
  /// Matrices for steps of that length; nothing happens where length and df/dx are the same.
  void factorise(double h);

  /// First guess: the stages equal the start,
  void guessRest();
  /// or lie on the polynomial through the stages of the step last kept, whose length was h / ratio.
  void guessAhead(double ratio);
  /// One correction of the stages with the matrices at hand.
  RadauCorrection correct(StepEquations& problem, const RadauSpan& span);
  /// The estimate of the local error against the tolerances, from the embedded formula of third order:
  ///   (gamma/h M - J)^-1 (f0 + M (e1 Z1 + e2 Z2 + e3 Z3) / h)
  double error(double h);
  /// After error(): the same with f of the start moved by that estimate. What stiffness makes of a start off the smooth
  /// solution, and the step damps, is gone from it.
  double errorBesideStart(StepEquations& problem, const RadauSpan& span);
  /// Takes the end of the step into x and keeps the stages for guessAhead().
  void keep(std::span<double> x);

  /// What was not finite in the last call that said so.
  [[nodiscard]] std::optional<std::size_t> badDerivative() const { return bad_; }

 private:
  [[nodiscard]] bool finite(std::span<const double> slopes);
  void measure();
  double filtered(double h, std::span<const double> slopes);
  [[nodiscard]] double tolerance(Eigen::Index state, double h) const;

  using Stages = Eigen::Matrix<double, Eigen::Dynamic, 3>;

  double rtol_, atol_;
  Eigen::Index n_;             ///< unknowns
  Eigen::Index differential_;  ///< those before the algebraic ones
  bool linear_;
  double tau_ = 0.0;               ///< of the start of the step, s
  std::vector<double> x0_;         ///< x there
  std::vector<double> f0_;         ///< f there
  std::vector<double> magnitude_;  ///< of the unknowns in this step
  bool measured_ = false;
  std::vector<double> trial_, slope_;
  Eigen::MatrixXd jacobian_;
  Eigen::MatrixXd realMatrix_;
  Eigen::MatrixXcd complexMatrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> realFactors_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> complexFactors_;
  double factorisedFor_ = 0.0;  ///< h, s; 0: not yet
  Stages z_, w_, kept_, f_;     ///< Z, W = T^-1 Z, Z of the step last kept, F
  Eigen::VectorXd realSide_, realAnswer_;
  Eigen::VectorXcd complexSide_, complexAnswer_;
  std::optional<std::size_t> bad_;
};

}  // namespace koppla::solver::detail
