#include "koppla/solver/detail/runge_kutta.hpp"

#include <algorithm>
#include <array>

namespace koppla::solver::detail {

/// K_i = f(t + c_i h, x + h sum_l a_il K_l),  x := x + h sum_i b_i K_i
struct Tableau {
  std::size_t stages;
  TableauRow c;
  std::array<TableauRow, kMaxStages> a;
  TableauRow b;
};

namespace {

// Schmoll (C.1)-(C.8).
constexpr Tableau kEuler{1, {0.0}, {}, {1.0}};
constexpr Tableau kHeun{2, {0.0, 1.0}, {{{}, {1.0}}}, {0.5, 0.5}};
constexpr Tableau kHeun3{3, {0.0, 1.0 / 3, 2.0 / 3}, {{{}, {1.0 / 3}, {0.0, 2.0 / 3}}}, {0.25, 0.0, 0.75}};
constexpr Tableau kClassical{
    4, {0.0, 0.5, 0.5, 1.0}, {{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
constexpr Tableau kDormandPrince{6,
                                 {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0},
                                 {{{},
                                   {1.0 / 5},
                                   {3.0 / 40, 9.0 / 40},
                                   {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                   {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                   {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}}},
                                 {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};

const Tableau& tableauOf(Kind kind) {
  switch (kind) {
    case Kind::ode1:
      return kEuler;
    case Kind::ode2:
      return kHeun;
    case Kind::ode3:
      return kHeun3;
    case Kind::ode4:
      return kClassical;
    default:
      return kDormandPrince;
  }
}

}  // namespace

RungeKutta::RungeKutta(Kind kind, std::size_t states, double microStep)
    : FixedStep(microStep),
      tableau_(&tableauOf(kind)),
      stage_(states),
      slopes_(tableau_->stages, std::vector<double>(states)) {}

bool RungeKutta::step(StepEquations& problem, double tau, double next, double h, std::span<double> x) {
  for (std::size_t i = 0; i < tableau_->stages; ++i) {
    std::ranges::copy(x, stage_.begin());
    addSlopes(tableau_->a[i], i, h, stage_);
    // A node at the end of the step is met exactly, so that inputs take their value there.
    problem.derivatives(tableau_->c[i] == 1.0 ? next : tau + tableau_->c[i] * h, stage_, slopes_[i]);
  }
  addSlopes(tableau_->b, tableau_->stages, h, x);
  return true;
}

void RungeKutta::difference(StepEquations& problem, double next, double h, std::span<const double> x,
                            std::span<double> difference) {
  constexpr TableauRow kDifference{71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525};
  constexpr double kLast = -1.0 / 40;
  problem.derivatives(next, x, stage_);
  for (std::size_t j = 0; j < x.size(); ++j) difference[j] = h * kLast * stage_[j];
  addSlopes(kDifference, kMaxStages, h, difference);
}

void RungeKutta::addSlopes(const TableauRow& weights, std::size_t stages, double h, std::span<double> x) const {
  for (std::size_t l = 0; l < stages; ++l)
    if (weights[l] != 0.0)
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += h * weights[l] * slopes_[l][j];
}

std::unique_ptr<Method> makeRungeKutta(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<RungeKutta>(settings.kind, equations.stateCount(), settings.microStep);
}

}  // namespace koppla::solver::detail
