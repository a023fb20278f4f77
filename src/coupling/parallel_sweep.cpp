#include "koppla/coupling/parallel_sweep.hpp"

#include <algorithm>

namespace koppla::coupling {

ParallelSweep::Plan& ParallelSweep::planOf(Block block) {
  const auto same = [block](const Plan& plan) {
    return plan.block.first == block.first && plan.block.last == block.last;
  };
  const auto known = std::ranges::find_if(plans_, same);
  if (known != plans_.end()) return *known;
  plans_.push_back({block, {}});
  return plans_.back();
}

ParallelSweep::Groups ParallelSweep::groups(Block block, std::size_t threads, const Homes& homes,
                                            const MemberSeconds& seconds) {
  struct Load {
    double seconds;
    std::size_t position;
  };
  std::vector<Load> loads;
  std::vector<double> busy(threads, 0.0);
  Groups groups(threads);
  double total = 0.0;
  bool elsewhere = false;
  for (std::size_t position = block.first; position < block.last; ++position) {
    const double load = seconds(position);
    total += load;
    if (!homes[position]) {
      loads.push_back({load, position});
      continue;
    }
    elsewhere |= *homes[position] != 0;
    busy[*homes[position]] += load;
    groups[*homes[position]].push_back(position);
  }
  // The longest first, each to the thread that has least to do.
  std::ranges::stable_sort(loads, std::ranges::greater{}, &Load::seconds);
  for (const Load& load : loads) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(busy) - busy.begin());
    busy[least] += load.seconds;
    groups[least].push_back(load.position);
  }
  constexpr double kWorthwhile = 0.9;
  if (!elsewhere && std::ranges::max(busy) + kForkAndJoin > kWorthwhile * total) return {};
  return groups;
}

void ParallelSweep::runOn(std::size_t home, const std::function<void()>& work) {
  pool_.run([&](std::size_t thread) {
    if (thread == home) work();
  });
}

Fault ParallelSweep::run(Block block, const MemberStep& member, const MemberSeconds& seconds) {
  Plan& plan = planOf(block);
  if (++plan.runs >= plan.renewAt) {
    plan.groups = groups(block, pool_.size(), homes_, seconds);
    plan.renewAt = 2 * plan.runs;
  }
  if (plan.groups.empty()) {
    for (std::size_t position = block.first; position < block.last; ++position)
      if (const Fault fault = member(position)) return fault;
    return {};
  }
  std::vector<Fault> faults(block.last - block.first);
  pool_.run([&](std::size_t thread) {
    for (const std::size_t position : plan.groups[thread]) faults[position - block.first] = member(position);
  });
  const auto first = std::ranges::find_if(faults, [](const Fault& fault) { return static_cast<bool>(fault); });
  return first == faults.end() ? Fault{} : *first;
}

}  // namespace koppla::coupling
