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
class EndOutputs {
 public:
  /// To be told of what an FMU can do: one that is to be stepped like this takes the line between both ends of a step.
  /// It takes values only, can return to saved states, and a real output may depend on a real input at the same
  /// instant.
  static void raiseDegree(subsystem::Description& description);

  explicit EndOutputs(FmuInstance& instance) : instance_(instance) {}

  void bind(std::span<const subsystem::PortIndex> inputs, std::span<const subsystem::PortIndex> outputs);
  /// Whether outputs depend on bound inputs like this.
  [[nodiscard]] bool any() const { return !ports_.empty(); }
  [[nodiscard]] const std::vector<subsystem::PortIndex>& ports() const { return ports_; }

  /// The inputs at the end of a step, and their means over it; valid until the next of these calls.
  const double* ends(subsystem::Trajectory u);
  const double* means(subsystem::Trajectory u);

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
  std::vector<Target> targets_;
  std::vector<double> inputs_;
  std::array<Saved, subsystem::kSlots> saved_{};
};

}  // namespace koppla::fmi::detail
