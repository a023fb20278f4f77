#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::native::detail {

/// Name, unit and meaning of a port.
struct Quantity {
  std::string name;
  std::string unit;
  std::string description;
};

/// Which values a parameter may have, besides being finite.
enum class Range : std::uint8_t { any, notNegative, positive };

/// Ports and parameters of a native model, all of them real scalars. A model adds its ports in its constructor and then
/// calls complete(). Parameters live in variables of the model, so that its equations read as they are written in the
/// source; set() writes them there.
class Model : public solver::Equations {
 public:
  [[nodiscard]] const subsystem::Description& describe() const final { return description_; }
  /// The start value of an input stands in its description from then on.
  void set(subsystem::PortIndex port, std::span<const core::Value> values) final;
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const final;

 protected:
  explicit Model(std::string name);

  subsystem::PortIndex addInput(Quantity quantity, double start = 0.0);
  /// `feedThrough`: exactly the inputs on which the output depends at one instant.
  subsystem::PortIndex addOutput(Quantity quantity, std::vector<subsystem::PortIndex> feedThrough = {});
  /// `variable` holds the default and stays where it is; throws core::InputError where the default is out of range.
  subsystem::PortIndex addParameter(Quantity quantity, double& variable, Range range = Range::any);
  void addMarker(subsystem::Marker marker);
  void complete() { description_.indexNames(); }

 private:
  struct Parameter {
    double* variable = nullptr;  ///< null for ports that are no parameters
    Range range = Range::any;
  };

  subsystem::PortIndex add(Quantity quantity, subsystem::Causality causality);
  void check(subsystem::PortIndex port, double value) const;

  subsystem::Description description_;
  std::vector<Parameter> parameters_;  ///< by port
};

}  // namespace koppla::native::detail
