#include "koppla/native/detail/tube_step.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/value.hpp"

namespace koppla::native::detail {

namespace {

constexpr unsigned kMostCorrections = 50;

double sumOfSquares(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

double norm(std::span<const double> first, std::span<const double> second) {
  return std::sqrt(sumOfSquares(first) + sumOfSquares(second));
}

}  // namespace

TubeStep::TubeStep(std::size_t nodes)
    : last_(nodes - 1),
      v_(nodes),
      p_(nodes),
      rv_(nodes),
      rp_(nodes),
      flux_(nodes - 1),
      byVelocity_(nodes),
      byPressure_(nodes) {}

bool TubeStep::advance(TubeState& state, std::span<const double> area, const TubeStepData& data) {
  std::ranges::copy(state.v, v_.begin());
  std::ranges::copy(state.p, p_.begin());
  prepare(area);
  for (evaluations_ = 1;; ++evaluations_) {
    findResidual(state, area, data);
    residual_ = norm(rv_, rp_);
    if (!std::isfinite(residual_)) return false;
    if (residual_ < data.tolerance * norm(p_, v_)) break;
    if (evaluations_ > kMostCorrections) return false;
    correct(area, data);
  }
  std::ranges::copy(v_, state.v.begin());
  std::ranges::copy(p_, state.p.begin());
  std::ranges::copy(area, state.a.begin());
  return true;
}

void TubeStep::prepare(std::span<const double> area) {
  const std::size_t N = last_;
  byVelocity_.setZero();
  byPressure_.setZero();
  byVelocity_(0, 0) = 1.0;
  byPressure_(0, 0) = 1.0;
  byPressure_(0, 1) = -2.0;
  byPressure_(0, 2) = 1.0;
  for (std::size_t i = 1; i < N; ++i) {
    const double left = 0.5 * meanArea(area, i - 1);
    const double right = 0.5 * meanArea(area, i);
    byVelocity_(i, i - 1) = -left;
    byVelocity_(i, i) = right - left;
    byVelocity_(i, i + 1) = right;
    byPressure_(i, i - 1) = -left;
    byPressure_(i, i) = left - right;
    byPressure_(i, i + 1) = right;
  }
  byVelocity_(N, N - 2) = 1.0;
  byVelocity_(N, N - 1) = -2.0;
  byVelocity_(N, N) = 1.0;
  byPressure_(N, N) = 1.0;
  byVelocity_.factorise();
  byPressure_.factorise();
}

void TubeStep::findResidual(const TubeState& old, std::span<const double> area, const TubeStepData& data) {
  const std::size_t N = last_;
  for (std::size_t i = 0; i < N; ++i) flux_[i] = meanArea(area, i) * 0.5 * (v_[i] + v_[i + 1]);
  rv_[0] = v_[0] - data.inletVelocity;
  rp_[0] = p_[0] - 2.0 * p_[1] + p_[2];
  for (std::size_t i = 1; i < N; ++i) {
    rv_[i] = (area[i] - old.a[i]) * data.cellPerStep + flux_[i] - flux_[i - 1];
    rp_[i] = (area[i] * v_[i] - old.a[i] * old.v[i]) * data.cellPerStep + flux_[i] * v_[i] - flux_[i - 1] * v_[i - 1] +
             0.5 * meanArea(area, i - 1) * (p_[i] - p_[i - 1]) + 0.5 * meanArea(area, i) * (p_[i + 1] - p_[i]);
  }
  rv_[N] = v_[N] - 2.0 * v_[N - 1] + v_[N - 2];
  // Non-reflecting: what runs out of the tube does not come back.
  outletRoot_ = std::sqrt(data.waveSpeedSquared - 0.5 * old.p[N]) - 0.25 * (v_[N] - old.v[N]);
  rp_[N] = p_[N] - 2.0 * (data.waveSpeedSquared - outletRoot_ * outletRoot_);
}

void TubeStep::correct(std::span<const double> area, const TubeStepData& data) {
  const std::size_t N = last_;
  byVelocity_.solve(rv_);  // -dv from here on
  for (std::size_t i = 1; i < N; ++i) {
    const double fluxLeft = meanArea(area, i - 1) * 0.5 * (rv_[i - 1] + rv_[i]);
    const double fluxRight = meanArea(area, i) * 0.5 * (rv_[i] + rv_[i + 1]);
    rp_[i] -= area[i] * rv_[i] * data.cellPerStep + fluxRight * v_[i] + flux_[i] * rv_[i] - fluxLeft * v_[i - 1] -
              flux_[i - 1] * rv_[i - 1];
  }
  rp_[N] += outletRoot_ * rv_[N];
  byPressure_.solve(rp_);  // -dp
  for (std::size_t i = 0; i <= N; ++i) {
    v_[i] -= rv_[i];
    p_[i] -= rp_[i];
  }
}

std::string TubeStep::failure() const {
  const auto isBad = [](double value) { return !std::isfinite(value); };
  for (std::size_t i = 0; i <= last_; ++i)
    if (isBad(rv_[i]) || isBad(rp_[i]))  // one of them sees every v and p
      return fmt::format("The flow at node {} of {} ceased to be finite: v = {} m/s, p = {} Pa", i, last_,
                         core::text(v_[i]), core::text(p_[i]));
  return fmt::format("Newton's method did not converge in {} iterations: the residual is {}", kMostCorrections,
                     core::text(residual_));
}

}  // namespace koppla::native::detail
