#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "koppla/fmi/detail/fmu_instance.hpp"
#include "koppla/fmi/detail/port_reader.hpp"

namespace koppla::fmi::detail {

/// A place in each of the arrays of values.
struct PlaceInValues {
  std::size_t real = 0;
  std::size_t integer = 0;
  std::size_t boolean = 0;
  std::size_t string = 0;

  static PlaceInValues behind(const core::Values& values) {
    return {values.reals.size(), values.integers.size(), values.booleans.size(), values.strings.size()};
  }
  /// Enumerations are integers.
  std::size_t& of(core::Type type);
};

/// An FMU that takes values only is given the mean of an input over a step: right to second order for what it
/// integrates. Outputs that depend on the input at the same instant then are those of the mean, half a step late. FMI
/// knows no outputs for inputs set after a step (2.0.4, 4.2.4), so the step is tried with the inputs of its end first,
/// and gone back. The states of the trial are off by O(h^2), which are not kept: such outputs are of second order, too.
class EndOutputs {
 public:
  /// To be told of what an FMU can do: one that is to be stepped like this takes the line between both ends of a step.
  /// It takes values only, can return to saved states, and an output may depend on a real input at the same
  /// instant.
  static void raiseDegree(subsystem::Description& description);

  EndOutputs(FmuInstance& instance, PortReader& reader) : instance_(instance), reader_(reader) {}

  void bind(const subsystem::Binding& binding);
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

  /// Writes what is known over the values of bound outputs, the real ones of which are at y.
  void replaceBound(double* y) const;
  /// The same for values of any ports, which were appended to what had been there before.
  void replace(std::span<const subsystem::PortIndex> ports, core::Values& values, PlaceInValues before) const;

 private:
  struct Target {
    core::Type type;
    std::size_t output;  ///< among bound ones of that type
    std::size_t value;   ///< among those that are kept
  };
  struct Saved {
    core::Values values;
    bool known = false;
  };
  void put(const Target& target, double* reals, const subsystem::DiscreteValues& others) const;

  FmuInstance& instance_;
  PortReader& reader_;
  std::vector<subsystem::PortIndex> ports_;  ///< all outputs that depend on a bound input, bound or not
  std::unordered_map<subsystem::PortIndex, std::size_t> kept_;  ///< their places among the values of their types
  core::Values values_;
  bool known_ = false;
  std::vector<Target> targets_;
  subsystem::DiscreteValues discrete_;  ///< of bound outputs
  std::vector<double> inputs_;
  std::array<Saved, subsystem::kSlots> saved_{};
};

}  // namespace koppla::fmi::detail
