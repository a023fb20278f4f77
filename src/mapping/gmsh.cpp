#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "koppla/core/suggest.hpp"
#include "koppla/mapping/detail/lines.hpp"
#include "koppla/mapping/detail/mesh_builder.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping {

using namespace detail;

namespace {

using Words = std::vector<std::string_view>;
using Tag = std::pair<std::int64_t, std::int64_t>;  ///< dimension and number

std::optional<Shape> shapeOf(std::int64_t type) {
  switch (type) {
    case 1:
      return Shape::segment;
    case 2:
      return Shape::triangle;
    case 3:
      return Shape::quadrilateral;
    case 4:
      return Shape::tetrahedron;
    default:
      return std::nullopt;
  }
}

constexpr std::int64_t kPoint = 15;  ///< the element type of a single node

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& file, std::string group)
      : lines_(text, file), builder_(lines_), group_(std::move(group)) {}

  Points read() {
    while (lines_.next()) {
      if (lines_.line().empty()) continue;
      if (!lines_.line().starts_with('$'))
        throw lines_.mistake("Here a section should begin, not " + inQuotes(lines_.line()) + ".",
                             "Check that this is a gmsh file in ASCII.");
      readSection(std::string(lines_.line().substr(1)));
    }
    if (builder_.nodes() == 0) throw lines_.mistake("The file has no nodes.", "Save the mesh, not the geometry alone.");
    if (!group_.empty()) requireGroup();
    addElements();
    return group_.empty() ? std::move(builder_).finish() : std::move(builder_).finish(nodesOfGroup());
  }

 private:
  struct Element {
    std::size_t line = 0;
    std::vector<std::int64_t> nodes;
  };

  void readSection(const std::string& name) {
    section_ = name;
    if (name == "MeshFormat")
      readFormat();
    else if (version_ == 0)
      throw lines_.mistake("The first section is $" + inQuotes(name) + ", not $MeshFormat.",
                           "Check that this is a gmsh file of version 2.2 or 4.1.");
    else if (name == "PhysicalNames")
      readNames();
    else if (name == "Entities" && version_ == 4)
      readEntities();
    else if (name == "Nodes")
      version_ == 2 ? readNodes2() : readNodes4();
    else if (name == "Elements")
      version_ == 2 ? readElements2() : readElements4();
    else
      return skipSection();
    if (nextLine() != "$End" + name)
      throw lines_.mistake("Here $End" + name + " should stand, not " + inQuotes(lines_.line()) + ".",
                           "Check the numbers that the section announces.");
  }

  void skipSection() {
    const std::string end = "$End" + section_;
    while (nextLine() != end) {
    }
  }

  /// The next line that is not blank; inside a section there must be one.
  std::string_view nextLine() {
    while (lines_.next())
      if (!lines_.line().empty()) return lines_.line();
    throw lines_.mistake("The file ends inside the section " + inQuotes(section_) + ".",
                         "It may have been cut; write it again.");
  }

  /// The words of the next line, at least so many.
  Words nextWords(std::size_t least) {
    Words result = words(nextLine());
    if (result.size() < least)
      throw lines_.mistake(
          "The line has " + std::to_string(result.size()) + " entries, not at least " + std::to_string(least) + ".",
          "Complete it; the file may have been cut.");
    return result;
  }

  [[nodiscard]] std::int64_t number(std::string_view word) const { return requireInteger(word, "An entry", lines_); }

  [[nodiscard]] std::uint64_t count(std::string_view word) const {
    const std::int64_t value = number(word);
    if (value < 0) throw lines_.mistake("A count is " + inQuotes(word) + ".", "It must not be negative.");
    return static_cast<std::uint64_t>(value);
  }

  void readFormat() {
    const Words format = nextWords(3);
    const auto known = std::map<std::string_view, int>{{"2.2", 2}, {"4.1", 4}};
    const auto found = known.find(format[0]);
    if (found == known.end())
      throw lines_.mistake("The format has the version " + inQuotes(format[0]) + ".",
                           "Save it as version 2.2 or 4.1 (gmsh -format msh41).");
    if (format[1] != "0") throw lines_.mistake("The file is binary.", "Save it as ASCII (gmsh without -bin).");
    version_ = found->second;
  }

  void readNames() {
    for (std::uint64_t left = count(nextWords(1)[0]); left > 0; --left) {
      const Words entry = nextWords(3);
      const std::string_view line = lines_.line();
      const std::size_t open = line.find('"');
      const std::size_t close = line.rfind('"');
      if (open == close)
        throw lines_.mistake("A physical group has no name in quotes.", "Write dimension, number and \"name\".");
      const Tag tag{number(entry[0]), number(entry[1])};
      names_.push_back(std::string(line.substr(open + 1, close - open - 1)));
      if (names_.back() == group_) wanted_.insert(tag);
    }
  }

  /// Points have one position, other entities a box; the physical groups follow.
  void readEntities() {
    const Words counts = nextWords(4);
    const std::array<std::uint64_t, 4> left{count(counts[0]), count(counts[1]), count(counts[2]), count(counts[3])};
    for (std::size_t dimension = 0; dimension < 4; ++dimension)
      for (std::uint64_t i = 0; i < left[dimension]; ++i) readEntity(dimension);
  }

  void readEntity(std::size_t dimension) {
    const std::size_t before = dimension == 0 ? 4 : 7;
    const Words entry = nextWords(before + 1);
    const std::uint64_t groups = count(entry[before]);
    if (groups > entry.size() - before - 1)
      throw lines_.mistake("The entity has fewer physical groups than it announces.", "Complete the line.");
    const auto itsDimension = static_cast<std::int64_t>(dimension);
    for (std::size_t i = 0; i < groups; ++i)
      if (wanted_.contains({itsDimension, magnitude(entry[before + 1 + i])}))
        wantedEntities_.insert({itsDimension, number(entry[0])});
  }

  /// A negative physical group is one whose orientation is reversed.
  [[nodiscard]] std::int64_t magnitude(std::string_view word) const {
    const std::int64_t value = number(word);
    return value < 0 && value != INT64_MIN ? -value : value;
  }

  [[nodiscard]] Position position(const Words& entry, std::size_t first) const {
    Position result{};
    for (std::size_t i = 0; i < 3; ++i) result[i] = requireReal(entry[first + i], "A coordinate", lines_);
    return result;
  }

  void readNodes2() {
    for (std::uint64_t left = count(nextWords(1)[0]); left > 0; --left) {
      const Words entry = nextWords(4);
      builder_.addNode(number(entry[0]), position(entry, 1));
    }
  }

  void readNodes4() {
    for (std::uint64_t blocks = count(nextWords(4)[0]); blocks > 0; --blocks) {
      const std::uint64_t nodes = count(nextWords(4)[3]);
      std::vector<std::int64_t> ids;  // not reserved: the file only says how many there are
      for (std::uint64_t i = 0; i < nodes; ++i) ids.push_back(number(nextWords(1)[0]));
      for (const std::int64_t id : ids) builder_.addNode(id, position(nextWords(3), 0));
    }
  }

  void readElements2() {
    for (std::uint64_t left = count(nextWords(1)[0]); left > 0; --left) {
      const Words entry = nextWords(4);
      const std::uint64_t tags = count(entry[2]);
      if (tags > entry.size() - 4)
        throw lines_.mistake("The element has fewer entries than it announces.", "Complete the line.");
      const std::int64_t type = number(entry[1]);
      const std::int64_t physical = tags > 0 ? magnitude(entry[3]) : 0;
      // The dimension of a group decides only where one number stands for groups of several dimensions.
      const std::optional<Shape> shape = shapeOf(type);
      const bool inGroup = std::ranges::any_of(wanted_, [&](const Tag& tag) {
        return tag.second == physical && (!shape || tag.first == dimensionOf(*shape));
      });
      keep(type, entry, 3 + tags, inGroup);
    }
  }

  void readElements4() {
    for (std::uint64_t blocks = count(nextWords(4)[0]); blocks > 0; --blocks) {
      const Words header = nextWords(4);
      const bool inGroup = wantedEntities_.contains({number(header[0]), number(header[1])});
      const std::int64_t type = number(header[2]);
      for (std::uint64_t left = count(header[3]); left > 0; --left) keep(type, nextWords(2), 1, inGroup);
    }
  }

  void keep(std::int64_t type, const Words& entry, std::size_t firstNode, bool inGroup) {
    if (!group_.empty() && !inGroup) return;
    Element element{lines_.number(), {}};
    for (std::size_t i = firstNode; i < entry.size(); ++i) element.nodes.push_back(number(entry[i]));
    const std::optional<Shape> shape = shapeOf(type);
    if (shape && element.nodes.size() != cornersOf(*shape))
      throw lines_.mistake("The element has " + std::to_string(element.nodes.size()) + " nodes, not " +
                               std::to_string(cornersOf(*shape)) + " as its type.",
                           "Complete the line; the file may have been cut.");
    elements_[type].push_back(std::move(element));
  }

  /// Boundaries of what is meshed are no part of the mesh: only elements of the highest dimension count.
  void addElements() {
    int highest = 0;
    for (const auto& [type, elements] : elements_)
      if (const auto shape = shapeOf(type)) highest = std::max(highest, dimensionOf(*shape));
    for (const auto& [type, elements] : elements_) {
      const auto shape = shapeOf(type);
      if (!shape && type != kPoint)
        builder_.addNote(std::to_string(elements.size()) + " elements of gmsh's type " + std::to_string(type) +
                         " are left out: they are not lines, triangles, quadrilaterals or tetrahedra of first order.");
      if (!shape || dimensionOf(*shape) < highest) continue;
      for (const Element& element : elements) builder_.addElement(*shape, element.nodes, element.line);
    }
  }

  void requireGroup() const {
    if (wanted_.empty())
      throw lines_.mistakeAt(0, "There is no physical group " + inQuotes(group_) + ".",
                             names_.empty() ? "The file names no groups." : core::suggestion(group_, names_));
    if (elements_.empty())
      throw lines_.mistakeAt(0, "The physical group " + inQuotes(group_) + " has no elements.",
                             "Save the mesh after the group is defined.");
  }

  [[nodiscard]] std::vector<bool> nodesOfGroup() const {
    std::vector<bool> kept(builder_.nodes(), false);
    for (const auto& [type, elements] : elements_)
      for (const Element& element : elements)
        for (const std::int64_t id : element.nodes) kept[builder_.require(id, element.line)] = true;
    return kept;
  }

  Lines lines_;
  MeshBuilder builder_;
  std::string group_;  ///< empty: all elements
  std::string section_;
  int version_ = 0;  ///< 2 or 4 once it is known
  std::vector<std::string> names_;
  std::set<Tag> wanted_;                                   ///< physical groups of that name
  std::set<Tag> wantedEntities_;                           ///< version 4: the entities in them
  std::map<std::int64_t, std::vector<Element>> elements_;  ///< by gmsh's number of their type
};

}  // namespace

Points parseGmsh(std::string_view text, const std::string& file, const std::string& group) {
  return GmshReader(text, file, group).read();
}

}  // namespace koppla::mapping
