#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// What an iteration of an algebraic loop has seen of it.
struct LoopEvaluations {
  struct Evaluation {
    std::vector<double> sent;
    std::vector<double> answered;
  };
  std::vector<std::size_t> cut;  ///< values that are used before they are computed, as network's outputs
  std::vector<Evaluation> evaluations;
};

/// What the start tells of algebraic loops to who solves them in steps.
struct LoopsAtStart {
  std::vector<LoopEvaluations> seen;  ///< of loops that were iterated
  /// Outputs, as network's, of loops that were solved where nothing repels, or where there is no other solution:
  /// whatever is near them is meant.
  std::set<std::size_t> solved;
};

/// How the iteration of an algebraic loop ended.
struct LoopIteration {
  bool evaluated = true;  ///< nobody failed
  unsigned iterations = 0;
  /// In the algorithm's tolerances, of the last change, or of the estimated distance to the solution where that is
  /// more; solved at <= 1.
  double norm = 0.0;
  bool scatters = false;                  ///< answers contradict each other, so that the distance cannot be seen
  double open = 0.0;                      ///< tolerances that printed digits leave open of the solution
  std::optional<std::size_t> coarsest{};  ///< the value that is printed with the fewest, as network's outputs
  LoopEvaluations seen;
};

/// Whether the answers of one of these members are no function whose differences are derivatives.
bool cannotBeDifferentiated(Network& network, std::span<const std::size_t> positions);

/// Solves an algebraic loop at one instant by evaluating its members in sequence, with the default acceleration: for
/// members whose answers cannot be differentiated. `positions` are the members in the order of evaluation, `values` the
/// loop's outputs in the network, where the iteration begins and whose solution is left there. `evaluate` gathers the
/// inputs of a member and computes its outputs; false ends it all. Gives up where nothing has improved for a while.
LoopIteration iterateLoop(Network& network, std::span<const std::size_t> positions, std::span<const std::size_t> values,
                          const AlgorithmSettings& settings, const std::function<bool(std::size_t)>& evaluate);

}  // namespace koppla::coupling
