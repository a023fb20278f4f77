#pragma once

#include <vector>

#include "koppla/fmi/detail/port_reader.hpp"

namespace koppla::fmi::detail {

/// Calls of an instance that belong to no step of the run: somebody wants to know how it answers, and puts it back.
class TrialCalls {
 public:
  TrialCalls(FmuInstance& instance, PortReader& reader);

  [[nodiscard]] FmuInstance& instance() const { return instance_; }
  /// All outputs but texts, connected or not, in the order of their values within each type.
  [[nodiscard]] const std::vector<subsystem::PortIndex>& outputs() const { return outputs_; }
  /// Their values, written over what was there; false where they cannot be read.
  bool read(core::Values& into);
  /// A bad answer is not noted.
  Answer doStep(double t, double h, bool returnsBefore);

 private:
  FmuInstance& instance_;
  PortReader& reader_;
  std::vector<subsystem::PortIndex> outputs_;
};

}  // namespace koppla::fmi::detail
