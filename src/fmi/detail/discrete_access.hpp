#pragma once

#include <span>
#include <vector>

#include "koppla/fmi/fmi2_interface.hpp"
#include "koppla/fmi/library.hpp"
#include "koppla/fmi/ports.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi::detail {

/// How an FMI call ended, and its name.
struct Answer {
  fmi2::Status status = fmi2::Status::ok;
  const char* call = "";

  /// Neither ok nor a warning.
  [[nodiscard]] bool bad() const { return status > fmi2::Status::warning; }
};

/// Moves the integers (enumerations too), booleans and strings of some ports between an instance and the caller's
/// arrays.
class DiscreteAccess {
 public:
  /// Throws core::InternalError unless the arrays fit the ports. Real ports are passed over.
  void bind(const PortTable& table, std::span<const subsystem::PortIndex> ports, subsystem::DiscreteValues values);

  [[nodiscard]] bool any() const { return !integers_.empty() || !booleans_.empty() || !strings_.empty(); }
  /// The worst answer; after a bad one nothing more is asked.
  Answer set(fmi2::Component component, const Functions& functions);
  Answer get(fmi2::Component component, const Functions& functions);

 private:
  std::vector<fmi2::ValueReference> integers_;
  std::vector<fmi2::ValueReference> booleans_;
  std::vector<fmi2::ValueReference> strings_;
  std::vector<fmi2::String> pointers_;
  subsystem::DiscreteValues values_;
};

}  // namespace koppla::fmi::detail
