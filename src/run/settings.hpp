#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "koppla/coupling/settings.hpp"
#include "koppla/stepping/settings.hpp"

namespace koppla::run {

/// What happens when a subsystem discards a step. Shortening needs subsystems that can restore their states.
enum class OnDiscard : std::uint8_t { stop, shorten };

/// What happens where values grow because of the coupling and not of the model.
enum class OnInstability : std::uint8_t { stop, warn, ignore };

struct Settings {
  double start = 0.0;  ///< s
  double end = 1.0;    ///< s
  double step = 0.0;   ///< s, the macro step; the first one where step control adapts it
  coupling::AlgorithmSettings algorithm;
  stepping::StepControlSettings stepControl;
  OnDiscard onDiscard = OnDiscard::stop;
  OnInstability onInstability = OnInstability::stop;
  double explosionLimit = 1e100;  ///< a coupled real beyond this magnitude stops the run
  unsigned threads = 0;           ///< for subsystems that run at the same time; 0: as many as pay
  double outputInterval = 0.0;    ///< s between recorded rows; 0: every communication point
  /// Patterns ('*', '?') of recorded variables "subsystem.port".
  std::vector<std::string> variables;
  bool recordsIterations = false;  ///< of iterated cycles, one row each
  /// Patterns of exchanged outputs "subsystem.port" whose values, K and factors are recorded with the iterations.
  std::vector<std::string> iterationVariables;
};

}  // namespace koppla::run
