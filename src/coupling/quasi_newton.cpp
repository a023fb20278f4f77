#include <algorithm>
#include <stdexcept>
#include <utility>

#include <Eigen/Core>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/secants.hpp"

namespace koppla::coupling {

namespace {

/// What tells one method from another besides its secants: the next values are u + beta r and a correction; differences
/// are taken of u + gamma r.
struct Method {
  std::string_view word;
  double beta;
  double gamma;
};

Method methodOf(const AccelerationSettings& settings) {
  switch (settings.kind) {
    case AcceleratorKind::iqnIls:
      return {"iqn-ils", 1.0, 1.0};
    case AcceleratorKind::iqnImvj:
      return {"iqn-imvj", 1.0, 1.0};
    case AcceleratorKind::anderson:
      return {"anderson", settings.factor, settings.factor};
    case AcceleratorKind::broyden:
      return {"broyden", settings.factor, 0.0};
    default:
      throw std::logic_error("quasiNewton: the kind is no quasi-Newton method");
  }
}

std::unique_ptr<Secants> secantsOf(const AccelerationSettings& settings, std::size_t size, FieldWeights& weights) {
  if (settings.kind == AcceleratorKind::iqnImvj) return multiVectorSecants(settings, size, weights);
  if (settings.kind == AcceleratorKind::broyden) return broydenSecants(settings, size, weights);
  const bool mixes = settings.kind == AcceleratorKind::anderson;  // differences of other steps have other mixtures
  return leastSquaresSecants(settings, mixes ? 0 : settings.reusedSteps, size, weights);
}

class QuasiNewton final : public Accelerator {
 public:
  QuasiNewton(const AccelerationSettings& settings, const Unknowns& unknowns)
      : method_(methodOf(settings)),
        factor_(settings.factor),
        weights_(settings.scaling, unknowns),
        secants_(secantsOf(settings, unknowns.size, weights_)),
        residual_(unknowns.size),
        answered_(unknowns.size) {}

  void begin() override {
    secants_->begin();
    weights_.begin();
    first_ = true;
  }

  void learn(std::span<const double> sent, std::span<const double> answered) override {
    const DifferenceColumns::Pair column = first_ ? DifferenceColumns::Pair{} : secants_->stage();
    const bool learns = !column.residual.empty();
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      const double residual = answered[i] - sent[i];
      if (learns) {
        column.residual[i] = residual - residual_[i];
        column.answer[i] = (answered[i] - answered_[i]) - (1.0 - method_.gamma) * column.residual[i];
      }
      residual_[i] = residual;
      answered_[i] = answered[i];
    }
    first_ = false;
    if (learns) secants_->take();
    if (weights_.observe(residual_, answered_, secants_->count() == 0)) secants_->rescale();
  }

  void propose(std::span<double> send) override {
    relax(method_.beta, send);
    const bool corrected = secants_->correct(residual_, send);
    if (corrected && isFinite(send)) {
      doings_ = {.method = method_.word, .smallestFactor = method_.beta, .largestFactor = method_.beta};
    } else {
      if (corrected) startAnew();
      relax(factor_, send);
      doings_ = {.method = "relaxation", .smallestFactor = factor_, .largestFactor = factor_};
    }
    doings_.columns = static_cast<unsigned>(secants_->count());
    doings_.dropped = secants_->takeDropped();
  }

  void accept() override { secants_->accept(); }

  [[nodiscard]] Doings doings() const override { return doings_; }
  [[nodiscard]] bool hasRemark() const override { return !remark_.empty(); }
  [[nodiscard]] std::string takeRemark() override { return std::exchange(remark_, {}); }

 private:
  /// u + factor r
  void relax(double factor, std::span<double> send) const {
    for (std::size_t i = 0; i < send.size(); ++i) send[i] = answered_[i] - (1.0 - factor) * residual_[i];
  }

  static bool isFinite(std::span<const double> values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())).allFinite();
  }

  void startAnew() {
    secants_->clear();
    remark_ = std::string(method_.word) +
              " gave a value that is not finite: all differences are forgotten, and the values are relaxed instead.";
  }

  Method method_;
  double factor_;
  FieldWeights weights_;
  std::unique_ptr<Secants> secants_;
  std::vector<double> residual_;  ///< of the last iteration
  std::vector<double> answered_;
  bool first_ = true;  ///< no iteration of this step yet
  Doings doings_{};
  std::string remark_;
};

}  // namespace

std::unique_ptr<Accelerator> quasiNewton(const AccelerationSettings& settings, const Unknowns& unknowns) {
  return std::make_unique<QuasiNewton>(settings, unknowns);
}

}  // namespace koppla::coupling
