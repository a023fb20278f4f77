#pragma once

#include <string>
#include <utility>
#include <vector>

#include "koppla/native/detail/ports.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::native::detail {

/// Equations with ports. A model adds its ports in its constructor and then calls complete().
class Model : public solver::Equations {
 public:
  [[nodiscard]] const subsystem::Description& describe() const final { return ports_.describe(); }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) final { ports_.set(port, values); }
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const final { return ports_.parameter(port); }

 protected:
  explicit Model(std::string name) : ports_(std::move(name)) {}

  // As in Ports.
  subsystem::PortIndex addInput(Quantity quantity, double start = 0.0, std::size_t size = 1) {
    return ports_.addInput(std::move(quantity), start, size);
  }
  subsystem::PortIndex addOutput(Quantity quantity, std::vector<subsystem::PortIndex> feedThrough = {},
                                 std::size_t size = 1) {
    return ports_.addOutput(std::move(quantity), std::move(feedThrough), size);
  }
  subsystem::PortIndex addParameter(Quantity quantity, double& variable, Range range = Range::any) {
    return ports_.addParameter(std::move(quantity), variable, range);
  }
  void addMarker(subsystem::Marker marker) { ports_.addMarker(std::move(marker)); }
  void complete() { ports_.complete(); }

 private:
  Ports ports_;
};

/// A model without states: outputs follow from inputs and time.
class StatelessModel : public Model {
 public:
  [[nodiscard]] std::size_t stateCount() const final { return 0; }
  void initialStates(std::span<double> /*x*/) const final {}
  void derivatives(double /*t*/, std::span<const double> /*x*/, std::span<const double> /*u*/,
                   std::span<double> /*dx*/) const final {}

 protected:
  using Model::Model;
};

}  // namespace koppla::native::detail
