#pragma once

#include <array>
#include <span>
#include <vector>

#include "koppla/fmi/detail/fmu_instance.hpp"

namespace koppla::fmi::detail {

/// An FMU that takes values only is given the mean of an input over a step: right to second order for what it
/// integrates. Outputs that depend on the input at the same instant then are those of the mean, half a step late. FMI
/// knows no outputs for inputs set after a step (2.0.4, 4.2.4), so the step is tried with the inputs of its end first,
/// and gone back. The states of the trial are off by O(h^2), which are not kept: such outputs are of second order, too.
///
/// Who remembers its inputs would then compare what it is sent at the end of a step with the mean of the step before. A
/// difference quotient is 1.5 times too large by that, however short the steps are. So the answer to a change of an
/// input is compared with that over half a step: where it is larger there, the FMU holds the values of the end of each
/// step instead, without a trial. Integers, booleans and texts, which may remember as well, are never those of a trial.
class EndOutputs {
 public:
  /// The degree of inputs that an FMU takes, given what it declares. One that takes values only, can return to saved
  /// states, and has a real output that may depend on a real input at the same instant is stepped like this, and takes
  /// the line between both ends of a step.
  static unsigned degreeOf(const subsystem::Description& description);

  explicit EndOutputs(FmuInstance& instance) : instance_(instance) {}

  void bind(std::span<const subsystem::PortIndex> inputs, std::span<const subsystem::PortIndex> outputs);
  /// Whether outputs depend on bound inputs like this.
  [[nodiscard]] bool any() const { return !ports_.empty(); }
  [[nodiscard]] const std::vector<subsystem::PortIndex>& ports() const { return ports_; }

  /// The inputs at the end of a step, and their means over it; valid until the next of these calls. Of an input that is
  /// declared as discrete there is no mean.
  const double* ends(subsystem::Trajectory u);
  const double* means(subsystem::Trajectory u);

  /// Whether an input changes in this step whose changes have not been compared yet; from then on they have.
  bool isNew(subsystem::Trajectory u);
  /// What a step with the inputs of its end answers beyond one with their means.
  struct Answers {
    std::vector<double> ends;
    std::vector<double> means;
  };
  /// Over a whole step, and over its first half with the same inputs.
  [[nodiscard]] static bool remembers(const Answers& whole, const Answers& half);
  /// From now on the values of the end are held.
  void hold() { held_ = true; }
  [[nodiscard]] bool areHeld() const { return held_; }

  /// The outputs as they are now.
  Answer read(std::vector<double>& into);
  /// Keeps the outputs as they are after the trial.
  Answer read();
  /// The FMU stands where no trial belongs to.
  void forget() { known_ = false; }
  /// They belong to the state that is saved or restored in a place.
  void save(std::size_t place) {
    Saved& saved = saved_.at(place);
    saved.values = values_;  // in memory that is there already
    saved.known = known_;
  }
  void restore(std::size_t place);

  /// Writes what is known over the values of bound outputs, or of real ports among any.
  void replaceBound(double* y) const;
  void replace(std::span<const subsystem::PortIndex> ports, double* reals) const;

 private:
  struct Target {
    std::size_t output;  ///< among bound real ones
    std::size_t value;
  };
  struct Saved {
    std::vector<double> values;
    bool known = false;
  };

  FmuInstance& instance_;
  std::vector<subsystem::PortIndex> ports_;  ///< all real outputs that depend on a bound input, bound or not
  std::vector<fmi2::ValueReference> references_;
  std::vector<double> values_;
  bool known_ = false;
  bool held_ = false;
  std::vector<Target> targets_;
  std::vector<bool> discrete_;  ///< by bound real input
  std::vector<bool> compared_;  ///< by bound real input
  std::vector<double> inputs_;
  std::array<Saved, subsystem::kSlots> saved_{};
};

}  // namespace koppla::fmi::detail
