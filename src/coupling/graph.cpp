#include "koppla/coupling/graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace koppla::coupling {

namespace {

using Targets = std::vector<std::vector<std::size_t>>;

/// Topological order of an acyclic graph; of several nodes that may come next, the one with the smallest rank does.
std::vector<std::size_t> sorted(const Targets& targets, const std::vector<std::size_t>& rank) {
  std::vector<std::size_t> incoming(targets.size(), 0);
  for (const auto& list : targets)
    for (const std::size_t target : list) ++incoming[target];
  using Ready = std::pair<std::size_t, std::size_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (incoming[i] == 0) ready.emplace(rank[i], i);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t node = ready.top().second;
    ready.pop();
    order.push_back(node);
    for (const std::size_t target : targets[node])
      if (--incoming[target] == 0) ready.emplace(rank[target], target);
  }
  return order;
}

/// Connections that must not be cut: they carry outputs with feed-through to another member of the same cycle.
Targets bindingTargets(const System& system, const std::vector<std::size_t>& cycleOf,
                       const std::vector<bool>& isClosed) {
  std::vector<std::unordered_set<subsystem::PortIndex>> fedInside(system.members.size());
  for (const Connection& c : system.connections)
    if (cycleOf[c.from.member] == cycleOf[c.to.member]) fedInside[c.to.member].insert(c.to.port);
  const auto feedsThrough = [&](const Endpoint& output) {
    const auto& declared = system.members[output.member].subsystem->describe().dependenciesOf(output.port);
    const auto& fed = fedInside[output.member];
    if (!declared) return !fed.empty();
    return std::ranges::any_of(*declared, [&fed](subsystem::PortIndex input) { return fed.contains(input); });
  };
  Targets targets(system.members.size());
  for (const Connection& c : system.connections) {
    const std::size_t cycle = cycleOf[c.from.member];
    if (cycle != cycleOf[c.to.member] || !isClosed[cycle] || c.from.member == c.to.member) continue;
    if (feedsThrough(c.from)) targets[c.from.member].push_back(c.to.member);
  }
  return targets;
}

}  // namespace

std::vector<std::vector<std::size_t>> strongComponents(const Targets& targets) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const std::size_t n = targets.size();
  Graph graph(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const std::size_t target : targets[i]) boost::add_edge(i, target, graph);
  std::vector<std::size_t> componentOf(n);
  const std::size_t count =
      n == 0 ? 0
             : boost::strong_components(graph, boost::make_iterator_property_map(
                                                   componentOf.begin(), boost::get(boost::vertex_index, graph)));

  std::vector<std::vector<std::size_t>> components(count);
  for (std::size_t i = 0; i < n; ++i) components[componentOf[i]].push_back(i);
  Targets between(count);
  std::vector<std::size_t> rank(count);
  for (std::size_t i = 0; i < n; ++i)
    for (const std::size_t target : targets[i])
      if (componentOf[target] != componentOf[i]) between[componentOf[i]].push_back(componentOf[target]);
  for (std::size_t c = 0; c < count; ++c) rank[c] = components[c].front();

  std::vector<std::vector<std::size_t>> result;
  result.reserve(count);
  for (const std::size_t c : sorted(between, rank)) result.push_back(std::move(components[c]));
  return result;
}

namespace {

/// Static members have nothing to wait for but the others of their cycle.
void putStaticsLast(const System& system, std::vector<Cycle>& cycles) {
  const auto isDynamic = [&system](MemberIndex member) {
    return !system.members[member].subsystem->describe().capabilities.isStatic;
  };
  for (Cycle& cycle : cycles) std::stable_partition(cycle.members.begin(), cycle.members.end(), isDynamic);
}

}  // namespace

std::vector<Cycle> findCycles(const System& system) {
  Targets targets(system.members.size());
  std::vector<bool> feedsItself(system.members.size(), false);
  for (const Connection& c : system.connections) {
    targets[c.from.member].push_back(c.to.member);
    if (c.from.member == c.to.member) feedsItself[c.from.member] = true;
  }
  const auto components = strongComponents(targets);

  std::vector<Cycle> cycles;
  std::vector<std::size_t> cycleOf(system.members.size());
  std::vector<bool> isClosed;
  for (const auto& members : components) {
    for (const std::size_t member : members) cycleOf[member] = cycles.size();
    isClosed.push_back(members.size() > 1 || feedsItself[members.front()]);
    cycles.push_back({members, isClosed.back()});
  }

  if (!system.order.empty()) {
    for (Cycle& cycle : cycles) cycle.members.clear();
    std::vector<std::size_t> sequence;  // cycles by their first member in the user's order
    for (const MemberIndex member : system.order) {
      Cycle& cycle = cycles[cycleOf[member]];
      if (cycle.members.empty()) sequence.push_back(cycleOf[member]);
      cycle.members.push_back(member);
    }
    std::vector<Cycle> inUsersOrder;
    inUsersOrder.reserve(sequence.size());
    for (const std::size_t c : sequence) inUsersOrder.push_back(std::move(cycles[c]));
    putStaticsLast(system, inUsersOrder);
    return inUsersOrder;
  }

  const auto chains = strongComponents(bindingTargets(system, cycleOf, isClosed));
  for (Cycle& cycle : cycles) cycle.members.clear();
  for (const auto& chain : chains)
    for (const std::size_t member : chain) cycles[cycleOf[member]].members.push_back(member);
  putStaticsLast(system, cycles);
  return cycles;
}

}  // namespace koppla::coupling
