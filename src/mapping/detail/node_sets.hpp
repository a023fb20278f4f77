#pragma once

#include <map>
#include <string>
#include <vector>

#include "koppla/mapping/detail/mesh_builder.hpp"

namespace koppla::mapping::detail {

/// The node sets of a deck. What is in them is looked up only for the one that is asked for: sets name sets and ranges,
/// so that a short file can speak of very many nodes.
class NodeSets {
 public:
  /// Names are in capitals. A set grows where its name comes again.
  void addNode(const std::string& set, std::int64_t id, std::size_t line) { addRange(set, {id, id, 1, line}); }

  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t step = 1;  ///< at least 1
    std::size_t line = 0;
  };
  void addRange(const std::string& set, const Range& range) { sets_[set].ranges.push_back(range); }
  void addSet(const std::string& set, const std::string& member, std::size_t line) {
    sets_[set].members.push_back({member, line});
  }

  /// True for each node that is in the set. `mostWork` bounds how many nodes ranges may name.
  [[nodiscard]] std::vector<bool> membersOf(const std::string& set, const MeshBuilder& builder, const Lines& lines,
                                            std::size_t mostWork) const;

 private:
  struct Member {
    std::string name;
    std::size_t line = 0;
  };
  struct Set {
    std::vector<Range> ranges;
    std::vector<Member> members;
  };

  [[nodiscard]] std::vector<const Set*> reachable(const std::string& set, const Lines& lines) const;
  [[nodiscard]] std::vector<std::string> names() const;

  std::map<std::string, Set> sets_;
};

}  // namespace koppla::mapping::detail
