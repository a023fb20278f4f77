#include "koppla/coupling/scalar_secant.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

namespace {

constexpr double kNoSlope = 1e-13;      ///< differences below that share of a value tell no slope
constexpr double kLargestFactor = 1e6;  ///< on the residual, where nothing encloses the solution

}  // namespace

void ScalarSecant::begin() {
  last_.reset();
  left_.reset();
  right_.reset();
  move_ = 0.0;
  guarded_ = gaveIn_ = false;
  slope_ = kept_ && *kept_ < 1.0 ? kept_ : std::nullopt;
}

inline void ScalarSecant::enclose(const Point& point) {
  if (point.r > 0.0) {
    if (right_ && point.u >= right_->u) right_.reset();
    if (!right_ || !left_ || point.u > left_->u) left_ = point;
  } else if (point.r < 0.0) {
    if (left_ && point.u <= left_->u) left_.reset();
    if (!left_ || !right_ || point.u < right_->u) right_ = point;
  }
  if (!left_ || !right_) {
    sinceHalved_ = 0;
    width_ = 0.0;
    return;
  }
  const double width = right_->u - left_->u;
  ++sinceHalved_;
  if (width_ == 0.0 || width <= 0.5 * width_) {
    width_ = width;
    sinceHalved_ = 0;
  }
}

void ScalarSecant::learn(double sent, double answered) {
  const Point point{sent, answered - sent};
  if (last_) {
    const double moved = point.u - last_->u;
    const double change = moved + point.r - last_->r;  // of the answers
    const double floor = kNoSlope * std::max(std::fabs(sent), std::fabs(answered));
    if (std::fabs(moved) > floor && std::fabs(point.r - last_->r) > floor) slope_ = change / moved;
  }
  last_ = point;
  enclose(point);
}

/// By the secant of the ends; by halves where that has become slow.
double ScalarSecant::inside() const {
  constexpr unsigned kPatience = 3;
  if (sinceHalved_ >= kPatience) return 0.5 * (left_->u + right_->u);
  return left_->u + (right_->u - left_->u) * left_->r / (left_->r - right_->r);
}

double ScalarSecant::propose() {
  const auto [u, r] = *last_;
  guarded_ = false;
  double move = r;
  if (slope_ && (*slope_ < 1.0 || (gaveIn_ && *slope_ > 1.0))) {
    move = r * std::min(1.0 / (1.0 - *slope_), kLargestFactor);
  } else if (slope_) {
    guarded_ = true;
    const bool sameWay = move_ * r > 0.0;
    if (sameWay) move = std::copysign(std::max(std::fabs(r), 2.0 * std::fabs(move_)), r);
  }
  if (left_ && right_) {
    constexpr unsigned kPatience = 3;
    const bool leaves = u + move <= left_->u || u + move >= right_->u;
    if (leaves || sinceHalved_ >= kPatience) move = inside() - u;
  }
  move_ = move;
  factor_ = r == 0.0 ? 1.0 : move / r;
  return u + move;
}

double ScalarSecant::retreat() {
  constexpr double kShorter = 0.25;
  if (guarded_ && *slope_ != 1.0) {
    guarded_ = false;
    gaveIn_ = true;
    factor_ = 1.0 / (1.0 - *slope_);
    move_ = factor_ * last_->r;
  } else {
    move_ *= kShorter;
    factor_ *= kShorter;
  }
  return last_->u + move_;
}

}  // namespace koppla::coupling
