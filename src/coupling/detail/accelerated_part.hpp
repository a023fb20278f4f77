#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/algorithm.hpp"
#include "koppla/coupling/convergence.hpp"
#include "koppla/coupling/printed_digits.hpp"
#include "koppla/coupling/seen_slopes.hpp"

namespace koppla::coupling::detail {

/// Values that one accelerator works on, and what became of them in the last two evaluations.
class AcceleratedPart {
 public:
  std::vector<std::size_t> values;
  std::vector<bool> isCut;  ///< by value: somebody uses it before it is computed
  std::unique_ptr<Accelerator> accelerator;

  AcceleratedPart(std::size_t size, const core::Tolerance& tolerance, bool estimates)
      : size_(size), memory_(8 * size), sizes_(size) {
    if (estimates && size > 0) slopes_.emplace(tolerance, sizes_);
  }

  void measure(const Sizes& sizes) {
    for (std::size_t i = 0; i < size_; ++i) sizes_[i] = sizes.of(values[i % values.size()]);
    if (slopes_) slopes_->weighAnew();
  }
  /// In the order of the samples; stays where it is.
  [[nodiscard]] std::span<const double> sizes() const { return sizes_; }

  void begin() {
    accelerator->begin();
    reads_ = 0;
    if (slopes_) slopes_->begin();
  }
  /// What earlier steps have shown of slopes may be over. Where they lead to is kept.
  void distrust();
  /// Whether these answers are where slopes led to that were distrusted.
  [[nodiscard]] bool cameWhereExpected(ConvergenceMonitor& monitor);
  /// Its answers depend on what a program prints.
  void watchDigits(const core::Tolerance& tolerance) {
    if (slopes_) digits_.emplace(tolerance, sizes_);
  }
  void knowDigits(unsigned digits) {
    if (digits_) digits_->know(digits);
  }
  /// What printed digits leave open of the solution, in tolerances.
  [[nodiscard]] double open() { return digits_ ? digits_->leaveOpen(answered()) : 0.0; }
  void accept() {
    accelerator->accept();
    if (slopes_) slopes_->accept();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  void learnFromStart(const LoopEvaluations& loop);

  void read(const InterfaceProblem& problem) {
    latest_ = 2 * size_ - latest_;
    problem.read(values, sent(), at(latest_ + size_));
    if (++reads_ > 1 && slopes_) see();
  }
  [[nodiscard]] std::span<double> sent() { return at(latest_); }
  [[nodiscard]] std::span<const double> answered() { return at(latest_ + size_); }
  [[nodiscard]] std::span<const double> sentBefore() { return at(2 * size_ - latest_); }
  [[nodiscard]] std::span<const double> answeredBefore() { return at(3 * size_ - latest_); }
  /// What is sent next.
  [[nodiscard]] std::span<double> proposal() { return at(4 * size_); }
  std::span<double> propose() {
    accelerator->propose(proposal());
    return proposal();
  }

  /// A residual of such a norm may be so small that a step of its length would change answers by rounding only; a tenth
  /// of a tolerance shows slopes. By what factor the move is longer; 0 where the proposal stays.
  double moveVisibly(double norm);

  /// How far the answers are from the solution, by the norms of the monitor; infinite where nobody knows.
  double error(ConvergenceMonitor& monitor);
  /// Answers are not exact enough to tell.
  [[nodiscard]] bool scatters() { return slopes_->contradicted(); }

 private:
  void see();
  [[nodiscard]] std::span<double> at(std::size_t place) { return {memory_.data() + place, size_}; }

  std::size_t size_ = 0;
  std::size_t latest_ = 0;  ///< place of the last one of the two evaluations that are remembered
  /// What was sent and answered in these, the proposal, unexplained residuals, errors, answers that were expected.
  std::vector<double> memory_;
  std::vector<double> sizes_;
  std::optional<SeenSlopes> slopes_;     ///< where errors are asked for
  std::optional<PrintedDigits> digits_;  ///< where values are read from text with few digits
  unsigned reads_ = 0;                   ///< in this step
};

}  // namespace koppla::coupling::detail
