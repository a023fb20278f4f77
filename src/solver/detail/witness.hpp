#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::detail {

/// A further instance of a static subsystem that stays in initialisation, by which it is found out whether outputs
/// follow from the inputs there. Some FMUs compute theirs when initialisation is left, or in steps: they would answer
/// the same for ever. An output that does not answer to a change of inputs, as it may where it is at a stop, is looked
/// at beyond initialisation, with the same inputs.
class Witness {
 public:
  explicit Witness(std::unique_ptr<subsystem::Subsystem> instance) : instance_(std::move(instance)) {}
  ~Witness() { instance_->terminate(); }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  [[nodiscard]] subsystem::Subsystem& instance() { return *instance_; }
  void begin(const subsystem::Experiment& experiment);

  /// Indices of those of `count` outputs that do not answer when inputs u become `changed` in initialisation, and are
  /// others when it has been left. To be asked once; none where it fails.
  std::vector<std::size_t> silentOutputs(double t, std::span<const double> u, std::span<const double> changed,
                                         std::size_t count);

 private:
  std::vector<std::size_t> beyond(std::span<const double> u, const std::vector<double>& y,
                                  const std::vector<std::size_t>& suspects);

  std::unique_ptr<subsystem::Subsystem> instance_;
  subsystem::Experiment experiment_{};
};

}  // namespace koppla::solver::detail
