#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/settings.hpp"

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
  /// The first evaluations of a step, two at most, are `innocent`: their values are as large as the problem makes them,
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
  void accept();

  /// The largest of the groups' norms; converged at <= 1.
  [[nodiscard]] double norm() const { return norm_; }
  [[nodiscard]] std::span<const double> norms() const { return norms_; }
  [[nodiscard]] const std::vector<std::string>& groups() const { return names_; }
  /// The tightest with which one of the values is tested; zero where none is.
  [[nodiscard]] core::Tolerance toleranceOf(std::span<const std::size_t> values) const;
  /// Values of the cut that are in no group: nobody tests whether they have settled.
  [[nodiscard]] std::vector<std::size_t> untested(const InterfaceProblem& problem) const;
  /// Outputs, one per field, that were smaller than the absolute tolerance in all accepted steps, though not zero:
  /// their test is passed by anything.
  [[nodiscard]] std::vector<std::size_t> drowned() const;
  /// K of all exchanged values; not a number before the third evaluation.
  [[nodiscard]] double k() const;
  /// The index of an output of the field that has exploded.
  [[nodiscard]] std::optional<std::size_t> exploded() const { return exploded_; }
  /// An output that is read with too few digits for its tolerance: how exact it is cannot be seen.
  [[nodiscard]] std::optional<std::size_t> coarse() const { return coarse_; }
  /// The residual fell, but has not fallen any further for many iterations; or it has fallen to the last digit of what
  /// is coarse.
  [[nodiscard]] bool stagnates() const;

 private:
  struct Group {
    std::vector<std::size_t> values;
    std::vector<std::size_t> places;  ///< of these among all that are exchanged; empty: all of them
    core::Tolerance tolerance;
    Norm norm;
    bool printed = false;  ///< some of its values are read from text with few digits
  };
  struct Field {
    Block places;           ///< among all that are exchanged
    double accepted = 0.0;  ///< largest magnitude in accepted steps and at the start
    double allowed = 0.0;   ///< in this step, once innocent evaluations are over; 0: nothing to compare with
  };

  void findExplosion();
  /// Of a field's answers so many evaluations ago.
  [[nodiscard]] double magnitude(const Field& field, unsigned ago) const;
  [[nodiscard]] std::size_t largestOf(const Field& field, double present) const;
  void readAndMeasure(const InterfaceProblem& problem);
  /// Of the groups' norms: the largest, and whether it falls.
  void compare();
  [[nodiscard]] double normOf(const Group& group);
  [[nodiscard]] double normOfWhole(const Group& group);
  [[nodiscard]] double relativeChange() const;
  void findCoarse(const Group& group);
  /// Of all that is exchanged, sample by sample: what was sent, and what was answered so many evaluations ago.
  [[nodiscard]] std::span<double> sent() { return {memory_.data(), samples_}; }
  [[nodiscard]] std::span<const double> answers(unsigned ago) const { return {answers_[ago], samples_}; }
  /// Where the answers of a further evaluation are to be written.
  [[nodiscard]] std::span<double> nextAnswers() {
    ++looks_;
    std::swap(answers_[1], answers_[2]);
    std::swap(answers_[0], answers_[1]);
    return {answers_[0], samples_};
  }
  /// Calls `use(sent, answered)` for all samples of a group.
  template <class Use>
  void forSamples(const Group& group, Use&& use) const;

  static constexpr unsigned kAnswers = 3;  ///< that K needs

  // What every look touches lies together.
  const Network& network_;
  std::vector<std::size_t> exchanged_;
  std::vector<double> memory_;               ///< sent, then the newest answers
  std::array<double*, kAnswers> answers_{};  ///< places there, the newest first
  std::size_t points_;                       ///< of a step
  std::size_t samples_;                      ///< exchanged values at all points
  std::vector<Field> fields_;
  double explosionGrowth_;
  unsigned innocent_;
  bool undivided_;      ///< one group holds all, and each value is weighed by itself
  unsigned looks_ = 0;  ///< in this step
  std::optional<std::size_t> exploded_;
  std::vector<Group> groups_;
  std::vector<double> norms_;
  double norm_ = 0.0;
  std::optional<std::size_t> coarse_;
  double rounding_ = 0.0;  ///< norm of half a unit of the last digit, of the group where it is largest
  double largestNorm_ = 0.0;
  double best_ = 0.0;    ///< norm when it last was a good deal smaller than before
  unsigned bestAt_ = 0;  ///< look at which that was
  bool started_ = false;
  std::vector<std::string> names_;  ///< of the groups
  std::vector<double> difference_;  ///< scratch
  std::vector<double> reference_;
};

}  // namespace koppla::coupling
