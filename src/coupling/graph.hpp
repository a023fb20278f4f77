#pragma once

#include <vector>

#include "koppla/coupling/system.hpp"

namespace koppla::coupling {

/// Subsystems that depend on each other: a strongly connected component of the graph of connections, in the order of
/// evaluation.
struct Cycle {
  std::vector<MemberIndex> members;
  /// Values flow back within the cycle, so there is something to iterate: several members, or one that feeds itself.
  bool closed = false;
};

/// The cycles in the order of evaluation: producers before consumers.
///
/// Inside a cycle somebody must begin with old values. The derived order cuts the cycle at outputs without direct
/// feed-through (states change smoothly, so their old values are the best guess) and keeps chains of feed-through in
/// sequence; what this leaves open follows the order of `system.members`. An order given by the user rules inside
/// the cycles and, by their first members, between them; members of one cycle always follow each other.
std::vector<Cycle> findCycles(const System& system);

/// Strongly connected components of any directed graph, as lists of nodes: sources before their targets, ties and the
/// nodes inside a component by their numbers. `targets[i]` holds the nodes that node i points to.
std::vector<std::vector<std::size_t>> strongComponents(const std::vector<std::vector<std::size_t>>& targets);

}  // namespace koppla::coupling
