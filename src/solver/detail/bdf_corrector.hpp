#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "koppla/solver/detail/step_equations.hpp"
#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::detail {

/// The equations alpha x + rest = f(t, x, u) of one step of a multistep method.
struct Corrector {
  double tau;    ///< end of the step, s after the start of the macro step
  double alpha;  ///< 1/s
  std::span<const double> rest;
};

/// Newton's iteration for them, with df/dx by forward differences that is kept as long as it serves.
class BdfCorrector {
 public:
  /// With a fixed step the iteration goes on to rounding.
  BdfCorrector(std::size_t states, const IntegratorSettings& settings);
  ~BdfCorrector();
  BdfCorrector(const BdfCorrector&) = delete;
  BdfCorrector& operator=(const BdfCorrector&) = delete;

  /// From the predictor in x to the solution. False: the iteration did not converge.
  bool solve(StepEquations& problem, const Corrector& equations, std::span<double> x);
  /// Root of the mean square of a difference of states, each in units of its tolerance at x.
  [[nodiscard]] double norm(std::span<const double> difference, std::span<const double> x) const;
  /// The state whose derivative was not finite in the last solve.
  [[nodiscard]] std::optional<std::size_t> badDerivative() const { return badDerivative_; }

  void forget();
  void save(subsystem::Slot slot);
  void restore(subsystem::Slot slot);

 private:
  enum class Ending : std::uint8_t { converged, slow, failed };
  struct Linearisation;

  Ending iterate(StepEquations& problem, const Corrector& equations, std::span<double> x, bool renew);
  [[nodiscard]] bool renews(unsigned iteration, bool wanted) const;
  void linearise(StepEquations& problem, double tau, std::span<double> x);
  void factorise(double alpha);
  void correct(const Corrector& equations, std::span<double> x);
  [[nodiscard]] bool ends(double size, double before, std::span<const double> x) const;

  IntegratorSettings settings_;
  bool toRounding_;
  std::unique_ptr<Linearisation> present_;
  std::vector<Linearisation> saved_;
  std::vector<double> predictor_, slopes_, shifted_, residual_, correction_;
  std::optional<std::size_t> badDerivative_;
};

}  // namespace koppla::solver::detail
