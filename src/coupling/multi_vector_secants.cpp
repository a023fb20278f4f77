#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "koppla/coupling/secants.hpp"

namespace koppla::coupling {

namespace {

/// The multi-vector update (Bogaers, Kok, Reddy and Franz 2014)
///
///     J_n = J_n-1 + (W - J_n-1 V) V^+
///
/// without a matrix: J is a sum of terms T V^+, T = W - J_n-1 V, one per accepted step, each with the factors of its V.
/// Where a step too many is kept, or a column, the oldest term is taken out of the sum, with what it gave on the
/// columns of the others added to them, as if the run had begun after it.
class MultiVectorSecants final : public Secants {
 public:
  MultiVectorSecants(const AccelerationSettings& settings, std::size_t size, FieldWeights& weights)
      : filter_(settings.filter),
        limit_(settings.filterLimit),
        reusedSteps_(settings.reusedSteps),
        most_(settings.columns),
        weights_(weights) {
    const std::size_t terms = std::size_t{std::min(settings.reusedSteps, settings.columns)} + 1;
    for (std::size_t i = 0; i < terms; ++i)
      terms_.push_back(std::make_unique<DifferenceColumns>(size, settings.columns));
  }

  void begin() override { present().clear(); }

  void accept() override {
    dropped_ += present().filter(filter_, limit_);
    if (present().empty()) return;  // nothing to learn from a step of one iteration, nothing to forget for it
    if (reusedSteps_ == 0 || terms_.size() == 1) return present().clear();
    while (past_ + 1 >= terms_.size() || (past_ > 0 && count() > most_)) dropOldestTerm();
    ++past_;
  }

  DifferenceColumns::Pair stage() override {
    if (present().count() == present().capacity()) ++dropped_;
    return present().stage();
  }
  void take() override {
    const DifferenceColumns::Pair column = present().stage();
    weights_.apply(column.residual);
    addPast(column.residual, column.answer);
    present().insert(0);
  }
  bool correct(std::span<const double> residual, std::span<double> send) override {
    dropped_ += present().filter(filter_, limit_);
    if (count() == 0) return false;
    const std::span<const double> weighted = weights_.applied(residual);
    addPast(weighted, send);
    present().addAnswers(present().solve(weighted), send);
    return true;
  }
  void rescale() override {
    for (std::size_t i = 0; i <= past_; ++i) terms_[i]->rescale(weights_.fields(), weights_.changes());
  }
  void clear() override {
    dropped_ += static_cast<unsigned>(count());
    for (const auto& term : terms_) term->clear();
    past_ = 0;
  }

  [[nodiscard]] std::size_t count() const override {
    std::size_t result = 0;
    for (std::size_t i = 0; i <= past_; ++i) result += terms_[i]->count();
    return result;
  }
  [[nodiscard]] unsigned takeDropped() override { return std::exchange(dropped_, 0); }

 private:
  /// Oldest first; the one after the past ones is that of the present step.
  DifferenceColumns& present() { return *terms_[past_]; }

  /// vector -= J_before residual
  void addPast(std::span<const double> residual, std::span<double> vector) {
    for (std::size_t i = 0; i < past_; ++i) terms_[i]->addAnswers(terms_[i]->solve(residual), vector);
  }

  void dropOldestTerm() {
    DifferenceColumns& oldest = *terms_.front();
    for (std::size_t i = 1; i <= past_; ++i) terms_[i]->absorb(oldest);
    dropped_ += static_cast<unsigned>(oldest.count());
    oldest.clear();
    std::rotate(terms_.begin(), terms_.begin() + 1, terms_.end());
    --past_;
  }

  Filter filter_;
  double limit_;
  unsigned reusedSteps_;
  std::size_t most_;
  FieldWeights& weights_;
  std::vector<std::unique_ptr<DifferenceColumns>> terms_;
  std::size_t past_ = 0;
  unsigned dropped_ = 0;
};

}  // namespace

std::unique_ptr<Secants> multiVectorSecants(const AccelerationSettings& settings, std::size_t size,
                                            FieldWeights& weights) {
  return std::make_unique<MultiVectorSecants>(settings, size, weights);
}

}  // namespace koppla::coupling
