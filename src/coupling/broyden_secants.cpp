#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "koppla/coupling/secants.hpp"

namespace koppla::coupling {

namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

Vector map(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
Vector map(std::span<double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
ConstVector map(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// How much the determinant of the approximate Jacobian may shrink in one update.
constexpr double kLeastDeterminant = 0.1;

/// Broyden's good update of the inverse H of the Jacobian of r (Broyden 1965), s = difference of u, y = difference of
/// r,
///
///     H := H + (s - H y) s^T H / (s^T H y) = (I + p s^T) H,     p = (s - H y) / (s^T H y),     H_0 = -factor I
///
/// kept as the product of its factors: two vectors each. With weights D, s^T D^2 stands for s^T. The determinant of the
/// Jacobian changes by delta = s^T H y / s^T s; where that is too near to zero only a part theta of the update is made
/// (More and Trangenstein 1976): delta becomes 1 - theta + theta delta, p becomes theta (s - H y) / (delta s^T s).
class BroydenSecants final : public Secants {
 public:
  BroydenSecants(const AccelerationSettings& settings, std::size_t size, FieldWeights& weights)
      : factor_(settings.factor),
        kept_(settings.reusedSteps > 0),
        weights_(weights),
        terms_(std::min<std::size_t>(settings.columns, 2 * size)),
        work_(size) {}

  void begin() override {
    if (!kept_) accepted_ = 0;
    count_ = accepted_;
  }
  void accept() override { accepted_ = count_; }

  DifferenceColumns::Pair stage() override {
    if (terms_.empty()) return {};
    if (count_ == terms_.size()) clear();
    terms_[count_].p.resize(work_.size());
    terms_[count_].s.resize(work_.size());
    return {terms_[count_].p, terms_[count_].s};
  }

  // The term's memory holds y and s, and p and D^2 s afterwards.
  void take() override {
    Term& term = terms_[count_];
    Vector p = map(term.p);
    Vector s = map(term.s);
    const double length = s.norm();
    if (!std::isfinite(length) || length == 0.0 || !p.allFinite()) return;
    map(work_) = -factor_ * p;
    applyFactors();
    p = s - map(work_);
    const double square = weightedSquare(term.s);  // leaves D^2 s
    const double delta = s.dot(map(work_)) / square;
    if (!std::isfinite(delta)) return;
    const double least = std::copysign(kLeastDeterminant, delta);
    const double theta = std::fabs(delta) >= kLeastDeterminant ? 1.0 : (1.0 - least) / (1.0 - delta);
    p *= theta / ((1.0 - theta + theta * delta) * square);
    ++count_;
  }

  bool correct(std::span<const double> residual, std::span<double> send) override {
    if (count_ == 0) return false;
    map(work_) = factor_ * map(residual);
    applyFactors();
    map(send) += map(work_) - factor_ * map(residual);
    return true;
  }
  void rescale() override {}  // each term has the weights of its time
  void clear() override {
    dropped_ += static_cast<unsigned>(count_);
    count_ = 0;
    accepted_ = 0;
  }

  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] unsigned takeDropped() override { return std::exchange(dropped_, 0); }

 private:
  struct Term {
    std::vector<double> p;
    std::vector<double> s;
  };

  /// s^T D^2 s; s := D^2 s
  double weightedSquare(std::span<double> s) const {
    weights_.apply(s);
    const double square = map(s).squaredNorm();
    weights_.apply(s);
    return square;
  }

  /// work := (I + p_m s_m^T) ... (I + p_1 s_1^T) work
  void applyFactors() {
    for (std::size_t i = 0; i < count_; ++i) map(work_) += map(terms_[i].s).dot(map(work_)) * map(terms_[i].p);
  }

  double factor_;
  bool kept_;
  FieldWeights& weights_;
  std::vector<Term> terms_;
  std::vector<double> work_;
  std::size_t count_ = 0;
  std::size_t accepted_ = 0;  ///< terms of accepted steps
  unsigned dropped_ = 0;
};

}  // namespace

std::unique_ptr<Secants> broydenSecants(const AccelerationSettings& settings, std::size_t size, FieldWeights& weights) {
  return std::make_unique<BroydenSecants>(settings, size, weights);
}

}  // namespace koppla::coupling
