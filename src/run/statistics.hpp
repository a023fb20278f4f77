#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::run {

/// Calls of one kind and the time spent in them. Counts are exact; the time of cheap calls is estimated from a sample.
struct Calls {
  std::uint64_t count = 0;
  double seconds = 0.0;
};

struct MemberStatistics {
  std::string name;
  Calls step;
  Calls save;
  Calls restore;
  subsystem::Effort effort{};  ///< of its own solver, as far as it tells
};

/// What the approximation of one connected value costs per macro step, as estimated from predictions
/// (docs/trust).
struct ConnectionStatistics {
  std::string from;           ///< "subsystem.port"
  std::string to;             ///< "subsystem.port"
  bool interpolated = false;  ///< its consumer runs after its producer
  double rms = 0.0;           ///< in the unit of the consumer's port
  double largest = 0.0;       ///< in the unit of the consumer's port
  double whenLargest = 0.0;   ///< s
  double relative = 0.0;      ///< rms over the range of the values; 0 where they are constant but for rounding
  bool constant = false;      ///< all of its values are
  double value = 0.0;         ///< the first of its values where they are constant, in the unit of the producer's port
};

/// Of one cycle: subsystems that depend on each other.
struct CycleStatistics {
  std::vector<std::string> members;
  std::uint64_t evaluations = 0;      ///< sweeps over the cycle, those for Jacobians not counted
  std::uint64_t jacobians = 0;        ///< of Newton's and the semi-implicit method
  std::uint64_t poorlyCorrected = 0;  ///< steps of the semi-implicit method that one correction did not settle
  unsigned longestChain = 0;          ///< of the semi-implicit method: steps in one macro step that wait for each other
  std::uint64_t convergenceFailures = 0;  ///< steps whose iteration did not converge
  std::uint64_t suspicious = 0;           ///< steps that converged where plain iteration would have been repelled
};

/// How well a rigid joint was held.
struct JointStatistics {
  std::string name;
  double positionDefect = 0.0;  ///< largest of its equations, m or 1
  double velocityDefect = 0.0;  ///< the same of their rates, per second
};

/// Energy that coupling creates where two connections carry a power: by one an effort (force, voltage) goes to a
/// subsystem, by the other its flow (velocity, current) goes back.
struct BondStatistics {
  std::string effort;      ///< "from -> to" of the connection that carries it
  std::string flow;        ///< the same
  double created = 0.0;    ///< J; negative where it is lost
  double exchanged = 0.0;  ///< J, integral of the magnitude of the power
};

/// The orders in the macro step with which the error of a run may fall, where the subsystems' own errors are smaller.
struct OrderRange {
  unsigned least = 1;
  unsigned full = 1;
};

struct Statistics {
  double wallClock = 0.0;       ///< s, of initialise() and simulate()
  double initialisation = 0.0;  ///< s
  Calls output;                 ///< rows recorded
  Calls algorithm;              ///< solutions of a macro step by the algorithm, repeated and half steps included
  std::uint64_t acceptedSteps = 0;
  std::uint64_t convergenceFailures = 0;
  Calls errorTest;
  std::uint64_t errorTestFailures = 0;
  Calls growthChecks;  ///< stretches that were repeated because values grew; their steps are among those of the members
  std::uint64_t discardedSteps = 0;
  double smallestStep = 0.0;  ///< s, accepted
  double largestStep = 0.0;   ///< s, accepted
  std::vector<MemberStatistics> members;
  std::vector<CycleStatistics> cycles;  ///< those that were iterated
  std::vector<JointStatistics> joints;  ///< rigid ones
  std::uint64_t repeatedSteps = 0;      ///< macro steps that were done again with another length
  double cpu = 0.0;                     ///< s, of the whole process during initialise() and simulate()
  /// Connections of reals, the one that limits the step first; from a sample of steps where nothing else is decided in
  /// them.
  std::vector<ConnectionStatistics> connections;
  std::vector<BondStatistics> bonds;  ///< the same
  OrderRange order{};
};

}  // namespace koppla::run
