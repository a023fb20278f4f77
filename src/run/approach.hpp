#pragma once

#include <optional>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/clock.hpp"
#include "koppla/run/halt.hpp"
#include "koppla/run/macro_step.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/run/start_up.hpp"

namespace koppla::run {

/// A coupled system that stands where a recursion is to be taken: at the start, initialised, or at an instant that it
/// has come to in steps as a run takes them. Nothing is recorded. Ends the members with itself.
class Approach {
 public:
  /// Throws core::InputError where the system cannot be initialised or does not come to `at` (s; absent: the start),
  /// which is not before the start. The log outlives it.
  Approach(coupling::System coupled, const Settings& settings, std::optional<double> at, core::Log& log);
  Approach(const Approach&) = delete;
  Approach& operator=(const Approach&) = delete;

  [[nodiscard]] double instant() const { return clock_ ? clock_->now() : settings_.start; }
  [[nodiscard]] const coupling::System& system() const { return system_; }
  [[nodiscard]] const std::vector<coupling::Cycle>& cycles() const { return cycles_; }
  [[nodiscard]] coupling::Network& network() { return network_; }
  /// All outputs at the instant less H, 2 H, ... (s), one sample after the other. At the start they have always been
  /// what they are.
  [[nodiscard]] std::vector<double> earlier(double H, unsigned samples) const;
  /// What an output is usually as large as, 1 if nobody says.
  [[nodiscard]] double nominalOf(std::size_t output) const;
  /// A sentence for the user about a fault at the instant.
  [[nodiscard]] Outcome describe(const coupling::Fault& fault) const { return macroStep_.describe(fault, instant()); }

 private:
  /// A member, since one that is there ends them where the constructor throws on the way, too.
  struct Ending {
    coupling::System& system;
    ~Ending();
  };

  void initialise(core::Log& log);
  void goTo(double at);

  StartUpPlan startUp_;
  coupling::System system_;
  Settings settings_;
  std::vector<coupling::Cycle> cycles_;
  coupling::Network network_;
  core::Log quiet_;
  MacroStep macroStep_;
  Halt halt_;
  std::optional<Clock> clock_;   ///< where it has gone beyond the start
  std::vector<double> outputs_;  ///< at the instant
  Ending ending_;
};

}  // namespace koppla::run
