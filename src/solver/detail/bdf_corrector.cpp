#include "koppla/solver/detail/bdf_corrector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

namespace koppla::solver::detail {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

/// df/dx, and the factors of alpha I - df/dx.
struct BdfCorrector::Linearisation {
  Eigen::MatrixXd jacobian, matrix;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors;
  double alpha = 0.0;  ///< of the factors, 1/s; 0: there are none
  unsigned age = 0;    ///< in steps
  bool known = false;
};

BdfCorrector::BdfCorrector(std::size_t states, const IntegratorSettings& settings)
    : settings_(settings),
      toRounding_(settings.kind == Kind::bdfFixed),
      present_(std::make_unique<Linearisation>()),
      predictor_(states),
      slopes_(states),
      shifted_(states),
      residual_(states),
      correction_(states) {
  const auto n = static_cast<Eigen::Index>(states);
  present_->jacobian.setZero(n, n);
  present_->factors.compute(Eigen::MatrixXd::Identity(n, n));
  saved_.assign(subsystem::kSlots, *present_);
}

BdfCorrector::~BdfCorrector() = default;

void BdfCorrector::forget() {
  present_->known = false;
}
void BdfCorrector::save(subsystem::Slot slot) {
  saved_[static_cast<std::size_t>(slot)] = *present_;
}
void BdfCorrector::restore(subsystem::Slot slot) {
  *present_ = saved_[static_cast<std::size_t>(slot)];
}

double BdfCorrector::norm(std::span<const double> difference, std::span<const double> x) const {
  constexpr double kSmallest = std::numeric_limits<double>::min();  // a state without tolerance may be zero
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double tolerance = std::fmax(settings_.rtol * std::fabs(x[i]) + settings_.atol, kSmallest);
    const double share = difference[i] / tolerance;
    sum += share * share;
  }
  return std::sqrt(sum / static_cast<double>(x.size()));
}

bool BdfCorrector::solve(StepEquations& problem, const Corrector& equations, std::span<double> x) {
  constexpr unsigned kOldest = 20;  // steps that df/dx serves
  badDerivative_.reset();
  const bool due = !present_->known || present_->age >= kOldest;
  std::ranges::copy(x, predictor_.begin());
  ++present_->age;
  const Ending ending = iterate(problem, equations, x, due);
  if (ending != Ending::slow || due) return ending == Ending::converged;
  std::ranges::copy(predictor_, x.begin());
  return iterate(problem, equations, x, true) == Ending::converged;
}

bool BdfCorrector::renews(unsigned iteration, bool wanted) const {
  if (settings_.renewal.empty()) return wanted && iteration == 0;
  return !present_->known || settings_.renewal[iteration % settings_.renewal.size()];
}

BdfCorrector::Ending BdfCorrector::iterate(StepEquations& problem, const Corrector& equations, std::span<double> x,
                                           bool renew) {
  const unsigned most = toRounding_ ? 50 : 10;
  constexpr double kSlow = 0.9;
  double before = std::numeric_limits<double>::infinity();
  for (unsigned k = 0; k < most; ++k) {
    const bool renewal = renews(k, renew);
    problem.visit(renewal ? Visit::renewal : Visit::iterate, equations.tau, x);
    problem.derivatives(equations.tau, x, slopes_);
    ++problem.effort.correctorIterations;
    const auto bad = std::ranges::find_if(slopes_, [](double slope) { return !std::isfinite(slope); });
    if (bad != slopes_.end()) {
      badDerivative_ = static_cast<std::size_t>(bad - slopes_.begin());
      return Ending::failed;
    }
    if (renewal) linearise(problem, equations.tau, x);
    factorise(equations.alpha);
    correct(equations, x);
    const double size = norm(correction_, x);
    if (!std::isfinite(size)) return Ending::failed;
    if (ends(size, before, x)) return Ending::converged;
    if (settings_.renewal.empty() && !renew && size > kSlow * before) return Ending::slow;
    before = size;
  }
  return Ending::slow;
}

void BdfCorrector::correct(const Corrector& equations, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) residual_[i] = slopes_[i] - equations.alpha * x[i] - equations.rest[i];
  const auto n = static_cast<Eigen::Index>(x.size());
  Eigen::Map<Eigen::VectorXd> correction(correction_.data(), n);
  correction = present_->factors.solve(Eigen::Map<const Eigen::VectorXd>(residual_.data(), n));
  // Factors of another alpha are right for slow and stiff parts in the mean with this factor (as in CVODE).
  correction *= 2.0 / (1.0 + equations.alpha / present_->alpha);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction_[i];
}

/// To rounding: where the correction is below the last digit, or, since values around zero have no such digit, where
/// corrections far below the tolerances no longer fall.
bool BdfCorrector::ends(double size, double before, std::span<const double> x) const {
  if (!toRounding_) return size < settings_.newtonTolerance;
  if (size <= settings_.newtonTolerance && size >= before) return true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::fabs(correction_[i]) > kEpsilon * std::fabs(x[i])) return false;
  return true;
}

/// Forward differences as in Schmoll (4.7). What counts as small for a state follows from its tolerances.
void BdfCorrector::linearise(StepEquations& problem, double tau, std::span<double> x) {
  const bool both = settings_.rtol > 0.0 && settings_.atol > 0.0;
  const double small = both ? std::fmin(1.0, settings_.atol / settings_.rtol) : 1.0;
  for (std::size_t column = 0; column < x.size(); ++column) {
    const double kept = x[column];
    x[column] += std::sqrt(kEpsilon) * std::fmax(small, std::fabs(kept));
    const double increment = x[column] - kept;
    problem.derivatives(tau, x, shifted_);
    x[column] = kept;
    for (std::size_t row = 0; row < x.size(); ++row)
      present_->jacobian(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) =
          (shifted_[row] - slopes_[row]) / increment;
  }
  ++problem.effort.jacobians;
  present_->known = true;
  present_->age = 0;
  present_->alpha = 0.0;
}

void BdfCorrector::factorise(double alpha) {
  constexpr double kReuse = 0.25;  // relative change of alpha
  const double change = std::fabs(present_->alpha / alpha - 1.0);
  if (change == 0.0 || (settings_.renewal.empty() && !toRounding_ && change < kReuse)) return;
  present_->matrix = -present_->jacobian;
  present_->matrix.diagonal().array() += alpha;
  present_->factors.compute(present_->matrix);
  present_->alpha = alpha;
}

}  // namespace koppla::solver::detail
