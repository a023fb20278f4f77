#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/scalar_secant.hpp"
#include "koppla/coupling/secant_memory.hpp"

namespace koppla::coupling {

namespace {

void add(std::string& remark, std::string_view text) {
  if (!remark.empty()) remark += "; ";
  remark += text;
}

/// One value: the guarded secant.
class AutomaticScalar final : public Accelerator {
 public:
  void begin() override { secant_.begin(); }
  void learn(std::span<const double> sent, std::span<const double> answered) override {
    secant_.learn(sent[0], answered[0]);
  }
  void propose(std::span<double> send) override {
    send[0] = secant_.propose();
    if (secant_.guarded() && !std::exchange(told_, true))
      add(remark_,
          "the answers move away from what is sent (K >= 1): no extrapolation back to where they come from, steps that "
          "grow instead");
  }
  [[nodiscard]] bool canRetreat() const override { return true; }
  void retreat(std::span<double> send) override { send[0] = secant_.retreat(); }
  void accept() override { secant_.accept(); }
  [[nodiscard]] Doings doings() const override {
    return {.method = "secant", .smallestFactor = secant_.factor(), .largestFactor = secant_.factor()};
  }
  [[nodiscard]] bool hasRemark() const override { return !remark_.empty(); }
  std::string takeRemark() override { return std::exchange(remark_, {}); }

 private:
  ScalarSecant secant_;
  bool told_ = false;
  std::string remark_ = "one unknown: secant that keeps away from solutions which repel plain iteration";
};

/// Several values: quasi-Newton by weighted least squares over all pairs of differences that are remembered.
class AutomaticVector final : public Accelerator {
 public:
  explicit AutomaticVector(const Unknowns& unknowns)
      : size_(unknowns.size),
        weights_(unknowns.fields.size() > 1 ? Scaling::value : Scaling::none, unknowns),
        memory_(unknowns.size, capacityFor(unknowns.size)),
        residual_(unknowns.size),
        answers_(unknowns.size),
        bestResidual_(unknowns.size),
        bestAnswers_(unknowns.size),
        sent_(unknowns.size),
        v_(unknowns.size),
        w_(unknowns.size),
        remark_(fmt::format("{} unknowns: quasi-Newton by weighted least squares over at most {} differences of past "
                            "iterations",
                            unknowns.size, capacityFor(unknowns.size))) {}

  void beginAtSolution() override { knowsSolution_ = true; }

  void begin() override {
    if (!std::exchange(accepted_, false)) memory_.forgetStep(step_);
    ++step_;
    weights_.begin();
    iteration_ = 0;
    hasBase_ = false;
    rejected_ = 0;
    shorter_ = 0.0;
    relaxation_ = 1.0;
    nextRelaxation_ = kLessEachTime;
    guarded_ = guardIsOff_ = false;
  }

  void learn(std::span<const double> sent, std::span<const double> answered) override {
    ++iteration_;
    dropped_ = 0;
    if (isTooFar(sent, answered)) return;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const double r = answered[i] - sent[i];
      v_[i] = r - residual_[i];
      w_[i] = answered[i] - answers_[i];
      residual_[i] = r;
      answers_[i] = answered[i];
    }
    if (weights_.observe(residual_, answers_, memory_.pairs() == 0)) {
      memory_.weigh(weights_.fields(), weights_.weights());
      best_ = relative(bestResidual_, bestAnswers_);
      first_ = std::max(first_, relative(residual_, answers_));
    }
    if (std::exchange(hasBase_, true)) {
      const std::size_t before = memory_.pairs();
      if (memory_.add(v_, w_, step_) && memory_.pairs() == before) ++dropped_;
    }
    judge(relative(residual_, answers_));
  }

  void propose(std::span<double> send) override {
    columns_ = static_cast<unsigned>(memory_.pairs());
    if (shorter_ > 0.0) {
      for (std::size_t i = 0; i < send.size(); ++i) send[i] = answers_[i] - residual_[i] + shorter_ * v_[i];
      return;
    }
    std::ranges::copy(answers_, send.begin());
    const bool learned = relaxation_ == 1.0 && (guards(send) || memory_.subtract(residual_, step_, send));
    if (!learned)
      for (std::size_t i = 0; i < send.size(); ++i) send[i] -= (1.0 - relaxation_) * residual_[i];
    relaxation_ = 1.0;
    if (!std::ranges::all_of(send, [](double value) { return std::isfinite(value); }))
      std::ranges::copy(answers_, send.begin());
  }

  void overrule() override { overruled_ = true; }

  [[nodiscard]] bool canRetreat() const override { return true; }
  void retreat(std::span<double> send) override {
    // Between what could be evaluated last, answers - residual, and the proposal that is still in `send`.
    constexpr double kShorter = 0.25;
    if (guarded_) {  // nothing was found that way
      guarded_ = false;
      guardIsOff_ = true;
      propose(send);
      return;
    }
    for (std::size_t i = 0; i < send.size(); ++i) {
      const double evaluated = answers_[i] - residual_[i];
      send[i] = evaluated + kShorter * (send[i] - evaluated);
    }
  }

  void accept() override {
    accepted_ = knowsSolution_ = true;
    ++acceptedSteps_;
  }

  [[nodiscard]] Doings doings() const override {
    return {.method = columns_ > 0 ? "weighted-least-squares" : "none",
            .smallestFactor = 1.0,
            .largestFactor = 1.0,
            .columns = columns_,
            .dropped = dropped_};
  }
  [[nodiscard]] bool hasRemark() const override { return !remark_.empty(); }
  std::string takeRemark() override { return std::exchange(remark_, {}); }

 private:
  static constexpr unsigned kPatience = 20;     ///< iterations without progress
  static constexpr double kLessEachTime = 0.1;  ///< of the factor after another restart
  static constexpr double kLeastShare = 1e-6;

  /// So many pairs that a proposal takes less than a third of a second, but a dozen; never more than there are
  /// unknowns: so many determine a linear map, and older ones are of another place.
  static std::size_t capacityFor(std::size_t size) {
    constexpr std::size_t kMost = 100;
    constexpr std::size_t kLeast = 12;
    constexpr std::size_t kValues = 20'000'000;
    return std::min(size, std::clamp(kValues / std::max<std::size_t>(size, 1), kLeast, kMost));
  }

  /// A proposal that made the residual much larger than it was, and than it was in the beginning of the step, is taken
  /// back: the next one goes the same way, but only so far that the residual of a linear problem would keep its size.
  bool isTooFar(std::span<const double> sent, std::span<const double> answered) {
    constexpr double kMuch = 3.0;
    constexpr double kGrown = 1.5;
    const unsigned most = acceptedSteps_ == 0 ? 10 : 3;  // in a row
    shorter_ = 0.0;
    if (std::exchange(overruled_, false) || !hasBase_ || guarded_) return false;
    for (std::size_t i = 0; i < sent.size(); ++i) w_[i] = answered[i] - sent[i];
    const double growth = relative(w_, answered) / std::max(relative(residual_, answers_), first_);
    const bool hasGrown = ofAll(w_, answered) > kGrown * ofAll(residual_, answers_);
    if (growth <= kMuch || !hasGrown || rejected_ >= most) {
      rejected_ = 0;
      return false;
    }
    ++rejected_;
    for (std::size_t i = 0; i < sent.size(); ++i) v_[i] = sent[i] - (answers_[i] - residual_[i]);
    shorter_ = std::isfinite(growth) ? 1.0 / growth : kLeastShare;
    return true;
  }

  /// In units of the answers: values that vanish have an absolute residual that looks harmless.
  [[nodiscard]] double relative(std::span<const double> residual, std::span<const double> answers) const {
    const double size = memory_.length(answers);
    const double length = memory_.length(residual);
    return size > 0.0 ? length / size : length;
  }

  /// In units of what was sent or answered, whichever is larger: answers alone may pass zero on their way.
  double ofAll(std::span<const double> residual, std::span<const double> answers) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = answers[i] - residual[i];
    const double size = std::max(memory_.length(answers), memory_.length(sent_));
    return size > 0.0 ? memory_.length(residual) / size : 0.0;
  }

  void goBack() {
    std::ranges::copy(bestResidual_, residual_.begin());
    std::ranges::copy(bestAnswers_, answers_.begin());
  }

  /// Until a step was accepted, or the start was solved, nobody knows which solution is meant, and extrapolation must
  /// not lead to one that plain iteration moves away from. Once a direction was met in which it does, factors stay
  /// bounded until the residual has fallen well below its peak; what was learned on the way there is of another place
  /// and is forgotten.
  bool guards(std::span<double> send) {
    constexpr std::size_t kMost = 12;           // pairs that are looked at
    constexpr std::size_t kValues = 2'000'000;  // work
    constexpr double kLargestFactor = 1.9;
    constexpr double kFallen = 0.1;
    if (knowsSolution_ || guardIsOff_) return false;
    const double norm = relative(residual_, answers_);
    peak_ = guarded_ ? std::max(peak_, norm) : norm;
    if (guarded_ && norm < kFallen * peak_) {
      guarded_ = false;
      memory_.clear();
      return false;
    }
    const std::size_t most = std::clamp<std::size_t>(kValues / size_, 1, std::min(size_, kMost));
    const SecantMemory::Bounded bounded = memory_.propose(residual_, step_, most, kLargestFactor, guarded_, send);
    guarded_ = guarded_ || bounded.repels;
    if (guarded_ && !std::exchange(told_, true))
      add(remark_,
          "in some direction the answers move away from what is sent (K >= 1): bounded factors instead of "
          "extrapolation "
          "until the residual falls");
    return guarded_;
  }

  /// Changes its mind where the residual has not fallen for a while: forgets everything and goes on from the best point
  /// with a short step, the shorter the more often that was needed.
  void judge(double norm) {
    if (iteration_ == 1) first_ = norm;
    if (iteration_ == 1 || norm < best_ || guarded_) {
      best_ = norm;
      bestAt_ = iteration_;
      std::ranges::copy(residual_, bestResidual_.begin());
      std::ranges::copy(answers_, bestAnswers_.begin());
      return;
    }
    if (iteration_ - bestAt_ < kPatience) return;
    bestAt_ = iteration_;
    memory_.clear();
    goBack();
    relaxation_ = std::exchange(nextRelaxation_, std::max(kLeastShare, kLessEachTime * nextRelaxation_));
    add(remark_, fmt::format("no progress for {} iterations: all differences are forgotten, and the iteration begins "
                             "anew at the best values with a factor of {:g}",
                             kPatience, relaxation_));
  }

  std::size_t size_;
  FieldWeights weights_;  ///< unlike fields are compared by their magnitudes
  SecantMemory memory_;
  std::vector<double> residual_;
  std::vector<double> answers_;
  std::vector<double> bestResidual_;
  std::vector<double> bestAnswers_;
  std::vector<double> sent_;  ///< scratch
  std::vector<double> v_;
  std::vector<double> w_;
  std::uint64_t step_ = 0;
  unsigned iteration_ = 0;
  unsigned columns_ = 0;
  unsigned dropped_ = 0;
  double best_ = 0.0;
  unsigned bestAt_ = 0;
  double first_ = 0.0;  ///< norm of the residual in the first iteration
  double relaxation_ = 1.0;
  double nextRelaxation_ = kLessEachTime;
  bool told_ = false;
  bool knowsSolution_ = false;  ///< which one is meant
  bool guardIsOff_ = false;
  bool guarded_ = false;    ///< factors are bounded, and the residual may grow
  double peak_ = 0.0;       ///< largest residual since a repelling direction was met
  bool hasBase_ = false;    ///< residual_ and answers_ are of this step
  bool overruled_ = false;  ///< what is learned next is not the answer to a proposal
  unsigned rejected_ = 0;
  double shorter_ = 0.0;  ///< share of the last move, in v_, that the next proposal takes; 0: the move was good
  bool accepted_ = false;
  std::uint64_t acceptedSteps_ = 0;
  std::string remark_;
};

}  // namespace

std::unique_ptr<Accelerator> automaticAcceleration(const Unknowns& unknowns) {
  if (unknowns.size == 1) return std::make_unique<AutomaticScalar>();
  return std::make_unique<AutomaticVector>(unknowns);
}

}  // namespace koppla::coupling
