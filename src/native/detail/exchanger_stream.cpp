#include "koppla/native/detail/exchanger_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace koppla::native::detail {

namespace {

/// Developed laminar velocity, up to a factor.
double laminarProfile(double r, double inner, double outer) {
  const double parabola = 1.0 - std::pow(r / outer, 2);
  if (inner == 0.0) return parabola;
  const double s = inner / outer;
  return parabola + (1.0 - s * s) / std::log(1.0 / s) * std::log(r / outer);
}

}  // namespace

ExchangerStream::ExchangerStream(double innerRadius, double outerRadius, std::size_t rings)
    : inner_(innerRadius),
      outer_(outerRadius),
      thickness_((outerRadius - innerRadius) / static_cast<double>(rings)),
      flowShares_(rings),
      carried_(rings),
      matrix_(rings),
      temperatures_(rings) {
  for (std::size_t j = 0; j < rings; ++j) {
    const double middle = inner_ + (static_cast<double>(j) + 0.5) * thickness_;
    flowShares_[j] = laminarProfile(middle, inner_, outer_) * middle;  // a ring's area is 2 pi r dr
  }
  const double sum = std::accumulate(flowShares_.begin(), flowShares_.end(), 0.0);
  for (double& share : flowShares_) share /= sum;
}

void ExchangerStream::enter(const StreamState& state) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const std::size_t rings = carried_.size();
  innerWall_ = state.conductivity * kTurn * inner_ / (thickness_ / 2.0);
  outerWall_ = state.conductivity * kTurn * outer_ / (thickness_ / 2.0);
  matrix_.setZero();
  for (std::size_t j = 0; j < rings; ++j) {
    carried_[j] = state.heatCapacity * flowShares_[j] * state.flow / state.cellLength;
    matrix_(j, j) += carried_[j];
    if (j == 0) continue;
    const double face = inner_ + static_cast<double>(j) * thickness_;
    const double conductance = state.conductivity * kTurn * face / thickness_;
    matrix_(j, j) += conductance;
    matrix_(j - 1, j - 1) += conductance;
    matrix_(j, j - 1) -= conductance;
    matrix_(j - 1, j) -= conductance;
  }
  matrix_(0, 0) += innerWall_;
  matrix_(rings - 1, rings - 1) += outerWall_;
  matrix_.factorise();
  std::ranges::fill(temperatures_, state.inlet);
}

void ExchangerStream::pass(double innerWall, double outerWall) {
  for (std::size_t j = 0; j < carried_.size(); ++j) temperatures_[j] *= carried_[j];
  temperatures_.front() += innerWall_ * innerWall;
  temperatures_.back() += outerWall_ * outerWall;
  matrix_.solve(temperatures_);
}

double ExchangerStream::bulk() const {
  return std::inner_product(flowShares_.begin(), flowShares_.end(), temperatures_.begin(), 0.0);
}

}  // namespace koppla::native::detail
