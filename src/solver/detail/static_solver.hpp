#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/solver/detail/outputs.hpp"
#include "koppla/solver/detail/step_equations.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::solver::detail {

/// Whether there are unknowns and nothing else: such equations make a static subsystem.
bool isStatic(const Equations& equations);

/// Solves the residuals of algebraic unknowns, the last entries of x, at one instant: damped Newton with forward
/// differences (Schmoll (4.7)) from where the unknowns stand, so that whoever keeps x starts warm.
class StaticSolver {
 public:
  StaticSolver(const Equations& equations, const IntegratorSettings& settings);
  ~StaticSolver();
  StaticSolver(const StaticSolver&) = delete;
  StaticSolver& operator=(const StaticSolver&) = delete;

  /// False: there is no solution to be found, failure() says why, and x is as it was. No allocation.
  bool solve(StepEquations& problem, double tau, std::span<double> x);
  /// The reason why the last solve() failed, without its time.
  [[nodiscard]] std::string failure() const;

  /// dx/du for one scalar of u, by the implicit function theorem at a solution: zero for what is no unknown. Valid
  /// until the next call.
  std::span<const double> answers(const Instant& at, std::size_t input);

 private:
  enum class Reason : std::uint8_t { none, notFinite, singular, stuck, slow };
  /// Sizes of a correction and of the one that would follow with the same matrix, in units of the tolerances.
  struct Correction {
    double size = 0.0;
    double left = 0.0;
    bool accepted = false;
    bool whole = false;
    [[nodiscard]] bool withinTolerances() const { return whole && size <= 1.0 && left <= 1.0; }
  };

  bool evaluate(const Instant& at, std::span<const double> x, Eigen::VectorXd& residual);
  void linearise(const Instant& at);
  Correction correct(const Instant& at);
  [[nodiscard]] double norm(const Eigen::VectorXd& change) const;
  bool fail(Reason reason);
  [[nodiscard]] std::string unknownText(std::size_t unknown) const;

  const Equations* equations_;
  core::Tolerance tolerance_;
  std::size_t first_;  ///< of the unknowns in x
  std::size_t unknowns_;
  std::vector<double> x_, candidate_, slopes_, scale_, u_, answer_;
  Eigen::VectorXd residual_, next_, step_, following_;
  Eigen::MatrixXd jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  Reason reason_ = Reason::none;
  int corrections_ = 0;
};

}  // namespace koppla::solver::detail
