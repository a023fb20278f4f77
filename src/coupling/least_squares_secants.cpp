#include <cstdint>
#include <utility>

#include "koppla/coupling/secants.hpp"

namespace koppla::coupling {

namespace {

/// Columns of this step and of the last accepted ones (Degroote, Bathe and Vierendeels 2009). The step's number tells
/// which columns belong to a step that was thrown away, and which have become too old.
class LeastSquaresSecants final : public Secants {
 public:
  LeastSquaresSecants(const AccelerationSettings& settings, unsigned reusedSteps, std::size_t size,
                      FieldWeights& weights)
      : filter_(settings.filter),
        limit_(settings.filterLimit),
        reusedSteps_(reusedSteps),
        weights_(weights),
        columns_(size, settings.columns) {}

  void begin() override {
    dropped_ += columns_.dropStep(step_);
    if (step_ > reusedSteps_) dropped_ += columns_.dropBefore(step_ - reusedSteps_);
    if (reusedSteps_ == 0) dropped_ += columns_.dropBefore(step_);
  }
  void accept() override { ++step_; }

  DifferenceColumns::Pair stage() override {
    if (columns_.count() == columns_.capacity()) ++dropped_;
    return columns_.stage();
  }
  void take() override {
    weights_.apply(columns_.stage().residual);
    columns_.insert(step_);
  }
  bool correct(std::span<const double> residual, std::span<double> send) override {
    dropped_ += columns_.filter(filter_, limit_);
    if (columns_.empty()) return false;
    columns_.addAnswers(columns_.solve(weights_.applied(residual)), send);
    return true;
  }
  void rescale() override { columns_.rescale(weights_.fields(), weights_.changes()); }
  void clear() override {
    dropped_ += static_cast<unsigned>(columns_.count());
    columns_.clear();
  }

  [[nodiscard]] std::size_t count() const override { return columns_.count(); }
  [[nodiscard]] unsigned takeDropped() override { return std::exchange(dropped_, 0); }

 private:
  Filter filter_;
  double limit_;
  unsigned reusedSteps_;
  FieldWeights& weights_;
  DifferenceColumns columns_;
  std::uint64_t step_ = 0;  ///< accepted steps so far
  unsigned dropped_ = 0;
};

}  // namespace

std::unique_ptr<Secants> leastSquaresSecants(const AccelerationSettings& settings, unsigned reusedSteps,
                                             std::size_t size, FieldWeights& weights) {
  return std::make_unique<LeastSquaresSecants>(settings, reusedSteps, size, weights);
}

}  // namespace koppla::coupling
