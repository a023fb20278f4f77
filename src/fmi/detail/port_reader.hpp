#pragma once

#include <map>
#include <span>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/fmi/detail/fmu_instance.hpp"

namespace koppla::fmi::detail {

/// Reads any ports of an instance, not only the bound ones.
class PortReader {
 public:
  explicit PortReader(FmuInstance& instance) : instance_(instance) {}

  /// A port was set before initialisation.
  void wasSet(subsystem::PortIndex port, const core::Value& value) { set_.insert_or_assign(port, value); }
  [[nodiscard]] const std::map<subsystem::PortIndex, core::Value>& valuesSet() const { return set_; }

  /// Appends the present values, in the given order within each type. Some FMUs refuse to tell their inputs before the
  /// first step: until then an input has the value that it was set to, or its start value.
  Answer read(std::span<const subsystem::PortIndex> ports, core::Values& into);

 private:
  template <typename Getter, typename Wire, typename IsOfType>
  Answer readType(std::span<const subsystem::PortIndex> ports, IsOfType&& isOfType, const Getter& function,
                  const char* call, std::vector<Wire>& values);
  template <typename Getter, typename Wire>
  Answer readInput(subsystem::PortIndex port, const Getter& function, const char* call, Wire& value);
  [[nodiscard]] core::Value startOf(subsystem::PortIndex port) const;

  FmuInstance& instance_;
  std::map<subsystem::PortIndex, core::Value> set_;
  std::map<subsystem::PortIndex, std::string> startTexts_;  ///< of strings that were read as their start values
  // Kept, since some are read in every step.
  std::vector<subsystem::PortIndex> chosen_;
  std::vector<fmi2::ValueReference> references_;
  std::vector<fmi2::String> strings_;
};

}  // namespace koppla::fmi::detail
