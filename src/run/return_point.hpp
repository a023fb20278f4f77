#pragma once

#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::run {

/// What all members and their outputs are between two macro steps, to go back to as often as is wanted. It has the slot
/// that a macro step uses, which nobody else does between them.
class ReturnPoint {
 public:
  /// The network outlives it.
  explicit ReturnPoint(coupling::Network& network);

  /// Whether members could be saved; if not, there is nothing else to call.
  [[nodiscard]] const coupling::Fault& unsaved() const { return unsaved_; }
  coupling::Fault putBack();
  [[nodiscard]] const std::vector<double>& outputs() const { return outputs_; }

 private:
  coupling::Network& network_;
  std::vector<double> outputs_;
  std::vector<double> slopes_;
  core::Values discrete_;
  coupling::Fault unsaved_;
};

}  // namespace koppla::run
