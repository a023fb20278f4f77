#pragma once

#include <optional>
#include <string>
#include <vector>

#include "koppla/coupling/loop_iteration.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/repelling.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// Newton's matrix of a loop is dense; more unknowns are left to the algorithm, where the user says so.
inline constexpr std::size_t kMostUnknownsOfLoop = 5000;

/// An algebraic loop met while initialising: outputs that depend on each other at one instant.
struct AlgebraicLoop {
  std::vector<std::string> outputs;  ///< "subsystem.port"
  std::size_t unknowns = 0;          ///< nothing is done with more than kMostUnknownsOfLoop
  unsigned iterations = 0;
  double norm = 0.0;  ///< of the residual, in the algorithm's tolerances; solved at <= 1
  bool solved = false;
  bool left = false;      ///< not solved, but left to the first step, which begins at the start values
  bool kept = false;      ///< not to be solved: the first step begins at the start values
  bool iterated = false;  ///< by the default acceleration, not by Newton's method
  /// Spectral radius of d answered / d sent at the solution, or at the start values that are kept: 0 where nothing
  /// really depends on itself. Values that go round the loop once per step, as explicit algorithms let them, grow by
  /// this factor.
  double growth = 0.0;
  /// Why the growth round a loop that is kept could not be found: "'a' failed: ..."; empty where it was, or
  /// where nobody tried: other processes, and loops that are too large.
  std::string growthUnknown{};
  /// Where the loop is not linear, so that there may be another solution.
  std::optional<Repelling> repelling{};
  bool scatters = false;                  ///< iterated: how far the solution is could not be seen
  double open = 0.0;                      ///< iterated: tolerances that printed digits leave open of the solution
  std::optional<std::size_t> coarsest{};  ///< the value that is printed with the fewest, as network's outputs
};

/// An output that the first step begins with at its start value.
struct KeptOutput {
  std::size_t value;  ///< as network's outputs
  double answered;    ///< what it was when its member was evaluated
};

struct InitialisationReport {
  std::vector<AlgebraicLoop> loops;
  /// Outputs that still change although they declare that they depend on nothing that does.
  std::vector<std::string> inconsistent;
  std::vector<std::size_t> undetermined;  ///< multipliers that the constraints do not determine, as network's outputs
  std::vector<std::size_t> order;  ///< members whose outputs are connected, as these can be computed, by position
  std::vector<KeptOutput> kept;    ///< of loops
  LoopsAtStart start{};
  Fault fault;

  [[nodiscard]] bool solved() const;
};

/// Makes all connected values consistent at time t, with every subsystem in initialisation mode. Outputs are computed
/// in the order of their declared dependencies, so a chain of feed-through of any length is right after one pass;
/// outputs that depend on each other are solved together by Newton's method, with directional derivatives where there
/// are any; by accelerated iteration where a member is another process.
InitialisationReport initialise(const System& system, Network& network, double t, const AlgorithmSettings& settings);

}  // namespace koppla::coupling
