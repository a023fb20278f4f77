#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::native::detail {

/// Name, unit and meaning of a port.
struct Quantity {
  std::string name;
  std::string unit;
  std::string description;
};

/// Which values a parameter may have, besides being finite.
enum class Range : std::uint8_t { any, notNegative, positive };

/// Ports and parameters of a native model, all of them real; parameters are scalars, inputs and outputs may be vectors.
/// Parameters live in variables of the model, so that its equations read as they are written in the source; set()
/// writes them there. To be filled once, then complete().
class Ports {
 public:
  explicit Ports(std::string model);

  subsystem::PortIndex addInput(Quantity quantity, double start = 0.0, std::size_t size = 1);
  /// `feedThrough`: exactly the inputs on which the output depends at one instant.
  subsystem::PortIndex addOutput(Quantity quantity, std::vector<subsystem::PortIndex> feedThrough = {},
                                 std::size_t size = 1);
  /// `variable` holds the default and stays where it is; throws core::InputError where the default is out of range.
  subsystem::PortIndex addParameter(Quantity quantity, double& variable, Range range = Range::any);
  void addMarker(subsystem::Marker marker);
  /// That an output depends on no input before the first step.
  void startsAlone(subsystem::PortIndex output);
  void complete(const subsystem::Capabilities& capabilities = {});

  [[nodiscard]] const subsystem::Description& describe() const { return description_; }
  /// The start value of an input stands in its description from then on; none does for a vector of different ones.
  void set(subsystem::PortIndex port, std::span<const core::Value> values);
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const;

 private:
  struct Parameter {
    double* variable = nullptr;  ///< null for ports that are no parameters
    Range range = Range::any;
  };

  subsystem::PortIndex add(Quantity quantity, subsystem::Causality causality, std::size_t size);
  void check(subsystem::PortIndex port, double value) const;

  subsystem::Description description_;
  std::vector<Parameter> parameters_;  ///< by port
};

}  // namespace koppla::native::detail
