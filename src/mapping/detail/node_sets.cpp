#include "koppla/mapping/detail/node_sets.hpp"

#include <algorithm>
#include <set>

#include "koppla/core/suggest.hpp"

namespace koppla::mapping::detail {

namespace {

/// How many nodes a range names, at most `limit`; without overflow for any first <= last.
std::size_t sizeOf(const NodeSets::Range& range, std::size_t limit) {
  const std::uint64_t span = static_cast<std::uint64_t>(range.last) - static_cast<std::uint64_t>(range.first);
  const std::uint64_t steps = span / static_cast<std::uint64_t>(range.step);
  return steps >= limit ? limit : static_cast<std::size_t>(steps) + 1;
}

bool holds(const NodeSets::Range& range, std::int64_t id) {
  if (id < range.first || id > range.last) return false;
  const std::uint64_t distance = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(range.first);
  return distance % static_cast<std::uint64_t>(range.step) == 0;
}

/// Marks the nodes of a range that are there; numbers between them may be unused. Returns whether one is there.
bool mark(const NodeSets::Range& range, std::size_t size, const MeshBuilder& builder, std::vector<bool>& marked) {
  bool any = false;
  const auto markIndex = [&](std::size_t index) {
    marked[index] = true;
    any = true;
  };
  if (size >= builder.nodes()) {
    for (std::size_t i = 0; i < builder.nodes(); ++i)
      if (holds(range, builder.ids()[i])) markIndex(i);
    return any;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t index = builder.find(range.first + static_cast<std::int64_t>(i) * range.step);
    if (index < builder.nodes()) markIndex(index);
  }
  return any;
}

}  // namespace

std::vector<bool> NodeSets::membersOf(const std::string& set, const MeshBuilder& builder, const Lines& lines,
                                      std::size_t mostWork) const {
  std::vector<bool> marked(builder.nodes(), false);
  std::size_t work = 0;
  for (const Set* part : reachable(set, lines)) {
    for (const Range& range : part->ranges) {
      if (range.first == range.last) {
        marked[builder.require(range.first, range.line)] = true;
        continue;
      }
      const std::size_t size = sizeOf(range, builder.nodes());
      work += size;
      if (work > mostWork)
        throw lines.mistakeAt(range.line, "The ranges of the node set name far more nodes than the file has.",
                              "Check first, last and step of its ranges.");
      if (!mark(range, size, builder, marked))
        throw lines.mistakeAt(range.line,
                              "There is no node from " + std::to_string(range.first) + " to " +
                                  std::to_string(range.last) + " in the file.",
                              "Check first, last and step of the range.");
    }
  }
  if (std::ranges::find(marked, true) == marked.end())
    throw lines.mistake("The node set " + inQuotes(set) + " is empty.", "Name a set with nodes.");
  return marked;
}

std::vector<const NodeSets::Set*> NodeSets::reachable(const std::string& set, const Lines& lines) const {
  const auto first = sets_.find(set);
  if (first == sets_.end())
    throw lines.mistakeAt(0, "There is no node set " + inQuotes(set) + ".",
                          sets_.empty() ? "It has none at all; gmsh writes them with Mesh.SaveGroupsOfNodes = 1."
                                        : core::suggestion(set, names()));
  std::vector<const Set*> result{&first->second};
  std::set<const Set*> seen{&first->second};
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (const Member& member : result[i]->members) {
      const auto found = sets_.find(member.name);
      if (found == sets_.end())
        throw lines.mistakeAt(member.line, "There is no node set " + inQuotes(member.name) + ".",
                              core::suggestion(member.name, names()));
      if (seen.insert(&found->second).second) result.push_back(&found->second);
    }
  }
  return result;
}

std::vector<std::string> NodeSets::names() const {
  std::vector<std::string> result;
  for (const auto& [name, set] : sets_) result.push_back(name);
  return result;
}

}  // namespace koppla::mapping::detail
