#include "koppla/run/return_point.hpp"

#include <algorithm>

namespace koppla::run {

using subsystem::Slot;

ReturnPoint::ReturnPoint(coupling::Network& network)
    : network_(network),
      outputs_(network.outputs().begin(), network.outputs().end()),
      slopes_(network.slopes().begin(), network.slopes().end()),
      discrete_(network.discreteOutputs({0, network.size()})),
      unsaved_(network.save({0, network.size()}, Slot::macroStep)) {}

coupling::Fault ReturnPoint::putBack() {
  std::ranges::copy(outputs_, network_.outputs().begin());
  std::ranges::copy(slopes_, network_.slopes().begin());
  network_.putDiscreteOutputs({0, network_.size()}, discrete_);
  return network_.restore({0, network_.size()}, Slot::macroStep);
}

}  // namespace koppla::run
