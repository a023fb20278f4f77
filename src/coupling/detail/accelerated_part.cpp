#include "koppla/coupling/detail/accelerated_part.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace koppla::coupling::detail {

void AcceleratedPart::distrust() {
  if (!slopes_) return;
  const std::span<double> expected = at(7 * size_);
  if (!slopes_->estimate(sent(), answered(), expected, at(5 * size_))) std::ranges::fill(expected, HUGE_VAL);
  for (std::size_t i = 0; i < size_; ++i) expected[i] += answered()[i];
  slopes_->distrust();
}

bool AcceleratedPart::cameWhereExpected(ConvergenceMonitor& monitor) {
  constexpr double kNear = 0.1;  // tolerances
  const std::span<double> differences = at(6 * size_);
  std::ranges::transform(answered(), at(7 * size_), differences.begin(), std::minus{});
  return monitor.normOf(differences, values, answered(), sizes_) <= kNear;
}

void AcceleratedPart::learnFromStart(const LoopEvaluations& loop) {
  if (!slopes_ || size_ != loop.cut.size()) return;  // with samples inside the step there are others
  for (std::size_t i = 1; i < loop.evaluations.size(); ++i) {
    const LoopEvaluations::Evaluation& before = loop.evaluations[i - 1];
    const LoopEvaluations::Evaluation& now = loop.evaluations[i];
    slopes_->learn(before.sent, before.answered, now.sent, now.answered);
    if (digits_) digits_->learn(before.sent, before.answered, now.sent, now.answered);
  }
  slopes_->accept();
}

double AcceleratedPart::moveVisibly(double norm) {
  constexpr double kVisible = 0.1;
  if (norm >= kVisible || !(norm > 0.0)) return 0.0;
  accelerator->overrule();
  const double factor = kVisible / norm;
  for (std::size_t i = 0; i < size_; ++i) proposal()[i] = sent()[i] + factor * (answered()[i] - sent()[i]);
  return factor;
}

double AcceleratedPart::error(ConvergenceMonitor& monitor) {
  const std::span<double> errors = at(6 * size_);
  const std::span<double> unexplained = at(5 * size_);
  if (!slopes_->estimate(sent(), answered(), errors, unexplained)) return HUGE_VAL;
  const double known = monitor.normOf(errors, values, answered(), sizes_);
  return size_ == 1 ? known : known + slopes_->doubt() * monitor.normOf(unexplained, values, answered(), sizes_);
}

void AcceleratedPart::see() {
  if (digits_) digits_->learn(sentBefore(), answeredBefore(), sent(), answered());
  slopes_->learn(sentBefore(), answeredBefore(), sent(), answered());
}

}  // namespace koppla::coupling::detail
