#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/coupling/first_residual.hpp"
#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/settings.hpp"
#include "koppla/coupling/sizes.hpp"

namespace koppla::coupling {

/// Why the iteration of a cycle over one step ended.
enum class Ending : std::uint8_t {
  converged,
  capReached,  ///< as many evaluations as allowed
  stagnated,   ///< the residual is as small as the precision of the subsystems allows, but above the tolerance
  exploded,    ///< a field is finite, but far beyond all it ever was
  opened,      ///< a constraint is off by as much as the motions that it connects
  singular,    ///< the correction is not determined: some coupling conditions say the same, or nothing
  failed       ///< an evaluation ended with a fault
};

/// Jung, eq. (3.2): K = (x_i - x_i-1) / (x_i-1 - x_i-2) of successive answers x, an estimate of the derivative of the
/// answers by what is sent; for a vector the projection of one difference on the other.
enum class Behaviour : std::uint8_t {
  unknown,
  alternatingDivergent,   ///< K <= -1
  alternatingConvergent,  ///< -1 < K < 0
  monotoneConvergent,     ///< 0 <= K < 1
  monotoneGrowing         ///< K >= 1: divergent, or on its way to a solution that is far off
};

Behaviour behaviourOf(double k);
std::string_view word(Behaviour behaviour);

/// Judges the iterations of one cycle: has it converged, does it stagnate, has it exploded?
class ConvergenceMonitor {
 public:
  /// The first evaluations of a step are `innocent`: their values are as large as the problem makes them,
  /// not the algorithm.
  ConvergenceMonitor(const Network& network, const InterfaceProblem& problem, const AlgorithmSettings& settings,
                     unsigned innocent);
  ConvergenceMonitor(const ConvergenceMonitor&) = delete;
  ConvergenceMonitor& operator=(const ConvergenceMonitor&) = delete;

  /// A step begins; before the first one the network's outputs are what the run starts with.
  void begin();
  /// The last evaluation of the problem. Afterwards the norms, K and the magnitudes are known.
  void look(const InterfaceProblem& problem);
  /// The same for algorithms with a test of their own: only the magnitudes are known.
  void watch(const InterfaceProblem& problem);
  /// The step that was looked at last is kept.
  void accept() {
    const std::size_t values = exchanged_.size();
    for (std::size_t first = 0; first < samples_; first += values)
      sizes_.show({memory_.data() + newest_ + first, values});
  }
  /// Of all exchanged values.
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

  /// The largest of the groups' norms; converged at <= 1.
  [[nodiscard]] double norm() const { return norm_; }
  /// The same in tolerances, also where residuals are compared with the first one of the step.
  [[nodiscard]] double normByValues() const { return relatesToFirst_ ? byValues_ : norm_; }
  [[nodiscard]] std::span<const double> norms() const { return norms_; }
  [[nodiscard]] const std::vector<std::string>& groups() const { return names_; }
  /// The tightest with which one of the values is tested; zero where none is.
  [[nodiscard]] core::Tolerance toleranceOf(std::span<const std::size_t> values) const;
  /// In the groups' norms, the largest: errors of these values and their sizes, sample by sample.
  [[nodiscard]] double normOf(std::span<const double> errors, std::span<const std::size_t> values,
                              std::span<const double> answered, std::span<const double> sizes);
  /// Values of the cut that are in no group: nobody tests whether they have settled.
  [[nodiscard]] std::vector<std::size_t> untested(const InterfaceProblem& problem) const;
  /// What a port was tested with.
  struct Tested {
    std::size_t output;  ///< its first one
    core::Tolerance tolerance;
    double shown;     ///< the largest magnitude at the start and in accepted steps
    double absolute;  ///< tolerance, at last

    /// Errors may be a notable part of the value, beyond what rtol allows.
    [[nodiscard]] bool isHidden() const;
  };
  /// Ports that belong to one of the groups.
  [[nodiscard]] std::vector<Tested> tested() const;
  /// K of all exchanged values; not a number before the third evaluation.
  [[nodiscard]] double k() const { return looks_ < kAnswers ? std::numeric_limits<double>::quiet_NaN() : lastK(); }
  /// The index of an output of the field that has exploded.
  [[nodiscard]] std::optional<std::size_t> exploded() const { return exploded_; }
  /// An output that is read with too few digits for its tolerance: how exact it is cannot be seen.
  [[nodiscard]] std::optional<std::size_t> coarse() const { return coarse_; }
  /// The residual fell, but has not fallen any further for many iterations; or it has fallen to the last digit of what
  /// is coarse.
  [[nodiscard]] bool stagnates() const {
    constexpr unsigned kPatience = 20;  // evaluations
    if (coarse_ && normByValues() <= rounding_) return true;
    return looks_ - bestAt_ >= kPatience && hasFallen();
  }
  /// The residual is rounding beside the largest values of the cycle.
  [[nodiscard]] bool isHidden() const { return sizes_.hide(largestResidual()); }
  /// The same, and it does not fall: a value that is the small difference of large ones, such as a force at rest, is no
  /// more exact, and no tolerance of its own can be met.
  [[nodiscard]] bool isRounding() const { return standsStill() && isHidden(); }
  /// The same where the caller has only watched, and follow() has been told the norm.
  [[nodiscard]] bool isRounding(std::span<const double> residual) const {
    if (!standsStill()) return false;
    double largest = 0.0;
    for (const double r : residual) largest = std::max(largest, std::fabs(r));
    return sizes_.hide(largest);
  }
  /// The norm of what was looked at or watched last.
  void follow(double norm) {
    constexpr double kFalls = 0.9;  // a tenth less than when it fell last, in however many iterations
    largestNorm_ = looks_ == 1 ? norm : std::max(largestNorm_, norm);
    if (looks_ > 1 && !(norm < kFalls * best_)) return;
    bestAt_ = looks_;
    best_ = norm;
  }

 private:
  [[nodiscard]] bool standsStill() const {
    constexpr unsigned kPatience = 3;  // evaluations
    return looks_ - bestAt_ >= kPatience;
  }
  struct Group {
    std::vector<std::size_t> values;
    std::vector<std::size_t> places;  ///< of these among all that are exchanged; empty: all of them
    core::Tolerance tolerance;
    Norm norm;
    bool printed = false;  ///< some of its values are read from text with few digits
    FirstResidual first{};
  };
  [[nodiscard]] double lastK() const;
  /// Whether the residual has become so small that precision may be what it stays at.
  [[nodiscard]] bool hasFallen() const;
  void lookAtStart();
  /// Sizes for every sample.
  void measureSamples();
  void findExplosion();
  void findExplodedField();
  /// Of a field in all accepted steps and at the start, and in the evaluation of that number.
  [[nodiscard]] double magnitude(Block field, unsigned look) const;
  [[nodiscard]] std::size_t largestOf(Block field, double present) const;
  void readAndMeasure(const InterfaceProblem& problem);
  void followCut(std::size_t cut);
  void relateToFirst();
  /// Of the groups' norms: the largest, and whether it falls.
  void compare();
  [[nodiscard]] double residualNorm(const Group& group);
  [[nodiscard]] double residualNormOfWhole(const Group& group);
  void clearScratch();
  void compareLater(double difference, double reference, double size);
  [[nodiscard]] double normOfScratch(const Group& group) const;
  [[nodiscard]] double relativeChange() const;
  [[nodiscard]] double largestResidual() const;
  void findCoarse(const Group& group);
  /// Of all that is exchanged, sample by sample: what was sent, and what was answered so many evaluations ago.
  [[nodiscard]] std::span<double> sent() { return {memory_.data() + placeOfSent(looks_), samples_}; }
  [[nodiscard]] std::span<const double> answers(unsigned ago) const { return answersOf(looks_ - ago); }
  [[nodiscard]] std::span<const double> answersOf(unsigned look) const {
    return {memory_.data() + placeOf(look), samples_};
  }
  [[nodiscard]] std::span<const double> newestAnswers() const { return {memory_.data() + newest_, samples_}; }
  /// Where the answers of a further evaluation are to be written.
  [[nodiscard]] std::span<double> nextAnswers() {
    newest_ = placeOf(++looks_);
    return {memory_.data() + newest_, samples_};
  }
  /// In the memory: what was sent in this evaluation and the one before.
  [[nodiscard]] std::size_t placeOfSent(unsigned look) const { return samples_ * (look % 2); }
  /// Those of innocent evaluations stay for the step, others for as long as K needs them.
  [[nodiscard]] std::size_t placeOf(unsigned look) const {
    return samples_ * (1 + (look <= innocent_ ? look : 1 + innocent_ + (look - innocent_) % kAnswers));
  }
  /// Calls `use(sent, answered, size)` for all samples of a group.
  template <class Use>
  void forSamples(const Group& group, Use&& use) const;

  static constexpr unsigned kAnswers = 3;  ///< that K needs

  // What every look touches lies together.
  const Network& network_;
  std::vector<std::size_t> exchanged_;
  std::vector<double> memory_;  ///< sent twice, then answers
  Sizes sizes_;
  std::vector<double> sampleSizes_;  ///< sample by sample
  std::uint64_t measured_ = 0;       ///< version of the sizes that these are
  std::size_t points_;               ///< of a step
  std::size_t samples_;              ///< exchanged values at all points
  std::size_t newest_;               ///< answers, their place in the memory
  double explosionGrowth_;
  unsigned innocent_;
  bool printed_ = false;  ///< some value is read from text with few digits
  bool undivided_;        ///< one group holds all, and each value is weighed by itself
  bool relatesToFirst_;   ///< residuals are compared with the first one of the step
  unsigned looks_ = 0;    ///< in this step
  std::optional<std::size_t> exploded_;
  std::optional<std::size_t> onlyCut_;  ///< place of the one value from which all others follow
  core::Tolerance ofCut_{0.0, 0.0};
  std::vector<Group> groups_;
  std::vector<double> norms_;
  double norm_ = 0.0;
  double byValues_ = 0.0;
  std::optional<std::size_t> coarse_;
  double rounding_ = 0.0;  ///< norm of half a unit of the last digit, of the group where it is largest
  double largestNorm_ = 0.0;
  double best_ = 0.0;    ///< norm when it last was a good deal smaller than before
  unsigned bestAt_ = 0;  ///< look at which that was
  bool started_ = false;
  std::vector<std::string> names_;  ///< of the groups
  // Scratch.
  std::vector<double> differences_;
  std::vector<double> references_;
  std::vector<double> scales_;
};

}  // namespace koppla::coupling
