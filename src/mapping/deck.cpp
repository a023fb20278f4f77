#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "koppla/mapping/detail/lines.hpp"
#include "koppla/mapping/detail/mesh_builder.hpp"
#include "koppla/mapping/detail/node_sets.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping {

using namespace detail;

namespace {

/// A line that begins with one *: its word and parameters, in capitals and without blanks.
struct Keyword {
  std::string word;
  std::map<std::string, std::string> parameters;

  [[nodiscard]] bool has(const std::string& name) const { return parameters.contains(name); }
  [[nodiscard]] std::string value(const std::string& name) const { return has(name) ? parameters.at(name) : ""; }
};

std::optional<Shape> shapeOf(const std::string& type) {
  static const std::map<std::string, Shape> known = [] {
    std::map<std::string, Shape> shapes;
    for (const char* name : {"T3D2", "T2D2", "B31", "B31R", "B21"}) shapes[name] = Shape::segment;
    for (const char* name : {"S3", "S3R", "CPS3", "CPE3", "CAX3", "M3D3", "C2D3"}) shapes[name] = Shape::triangle;
    for (const char* name : {"S4", "S4R", "CPS4", "CPS4R", "CPE4", "CPE4R", "CAX4", "CAX4R", "M3D4", "M3D4R"})
      shapes[name] = Shape::quadrilateral;
    shapes["C3D4"] = Shape::tetrahedron;
    return shapes;
  }();
  const auto found = known.find(type);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// Keywords after which nodes or elements are not (only) those that the deck lists, or not where it lists them.
bool changesTheMesh(const std::string& word) {
  static const std::set<std::string> known{"*SYSTEM", "*INSTANCE", "*NCOPY",  "*NGEN",
                                           "*NFILL",  "*NMAP",     "*ELCOPY", "*ELGEN"};
  return known.contains(word);
}

class DeckReader {
 public:
  DeckReader(std::string_view text, const std::string& file, bool withSets)
      : lines_(text, file), builder_(lines_), withSets_(withSets), bytes_(text.size()) {}

  Points read(const std::string& nodeSet) {
    while (lines_.next()) {
      if (lines_.line().empty() || lines_.line().starts_with("**")) continue;
      if (lines_.line().starts_with('*'))
        begin(readKeyword());
      else
        readData();
    }
    requireWholeElement();
    if (builder_.nodes() == 0) throw lines_.mistake("The deck has no nodes.", "Give them below *NODE.");
    if (nodeSet.empty()) return std::move(builder_).finish();
    // Each node takes a line of the file, so an honest set names fewer nodes than the file has bytes.
    const std::vector<bool> kept = sets_.membersOf(upperCase(nodeSet), builder_, lines_, bytes_);
    return std::move(builder_).finish(kept);
  }

 private:
  enum class Block { other, nodes, set, elements };

  /// The present line and, as long as a comma ends it, those after it.
  Keyword readKeyword() {
    std::string whole(lines_.line());
    while (whole.ends_with(',') && lines_.next()) whole += lines_.line();
    std::erase_if(whole, [](char c) { return c == ' ' || c == '\t'; });
    Keyword result;
    for (const std::string_view part : fields(whole, ',')) {
      if (result.word.empty()) {
        result.word = upperCase(part);
        continue;
      }
      const std::size_t sign = std::min(part.find('='), part.size());
      result.parameters[upperCase(part.substr(0, sign))] = upperCase(part.substr(std::min(sign + 1, part.size())));
    }
    return result;
  }

  void begin(const Keyword& keyword) {
    requireWholeElement();
    block_ = Block::other;
    if (keyword.word == "*INCLUDE") refuseInclusion("*INCLUDE");
    if (changesTheMesh(keyword.word))
      throw lines_.mistake(keyword.word + " makes or moves nodes or elements, which is not done here.",
                           "Write them out, without parts and instances: nodes with Cartesian coordinates below *NODE, "
                           "elements below *ELEMENT.");
    if (keyword.word == "*TRANSFORM" && leftOut_.insert(keyword.word).second)
      builder_.addNote(
          "*TRANSFORM gives nodes axes of their own. Places are the same, but components of vectors are "
          "taken as those along x, y and z.");
    if (keyword.word == "*NODE") beginNodes(keyword);
    if (keyword.word == "*NSET") beginSet(keyword);
    if (keyword.word == "*ELEMENT") beginElements(keyword);
  }

  [[noreturn]] void refuseInclusion(const std::string& what) const {
    throw lines_.mistake(what + " refers to another file, which is not read here.",
                         "Put the lines of that file into this one.");
  }

  void beginNodes(const Keyword& keyword) {
    if (keyword.has("INPUT")) refuseInclusion("INPUT=");
    if (keyword.has("SYSTEM") && keyword.value("SYSTEM") != "R")
      throw lines_.mistake("The nodes have a coordinate system of their own, SYSTEM=" + keyword.value("SYSTEM") + ".",
                           "Give Cartesian coordinates.");
    block_ = Block::nodes;
    set_ = keyword.value("NSET");
  }

  void beginSet(const Keyword& keyword) {
    if (keyword.has("INPUT")) refuseInclusion("INPUT=");
    set_ = keyword.value("NSET");
    if (set_.empty()) throw lines_.mistake("*NSET has no name.", "Write *NSET, NSET=name.");
    generated_ = keyword.has("GENERATE");
    // Sets of the nodes of element sets are known only to the program that the deck is for.
    if (keyword.has("ELSET"))
      builder_.addNote("The node set " + inQuotes(set_) + " is made of an element set; such sets are not read.");
    else
      block_ = Block::set;
  }

  void beginElements(const Keyword& keyword) {
    if (keyword.has("INPUT")) refuseInclusion("INPUT=");
    const std::string type = keyword.value("TYPE");
    shape_ = shapeOf(type);
    if (shape_)
      block_ = Block::elements;
    else if (leftOut_.insert(type).second)
      builder_.addNote("Elements of type " + inQuotes(type) +
                       " are left out: they are not segments, triangles, quadrilaterals or tetrahedra with nodes at "
                       "their corners only.");
  }

  void readData() {
    switch (block_) {
      case Block::nodes:
        return readNode();
      case Block::set:
        return readSet();
      case Block::elements:
        return readElement();
      case Block::other:
        return;
    }
  }

  void readNode() {
    const auto row = fields(lines_.line(), ',');
    if (row.size() < 2 || row.size() > 4)
      throw lines_.mistake("A node has " + std::to_string(row.size()) + " entries.", "Write id, x, y, z.");
    const std::int64_t id = requireInteger(row[0], "The id of a node", lines_);
    Position position{};
    for (std::size_t i = 1; i < row.size(); ++i)
      position[i - 1] = row[i].empty() ? 0.0 : requireReal(row[i], "A coordinate", lines_);
    builder_.addNode(id, position);
    if (withSets_ && !set_.empty()) sets_.addNode(set_, id, lines_.number());
  }

  void readSet() {
    if (!withSets_) return;
    const auto row = fields(lines_.line(), ',');
    if (generated_) return readRange(row);
    for (const std::string_view entry : row) {
      if (entry.empty()) continue;
      if (const auto id = integer(entry))
        sets_.addNode(set_, *id, lines_.number());
      else
        sets_.addSet(set_, upperCase(entry), lines_.number());
    }
  }

  void readRange(const std::vector<std::string_view>& row) {
    if (row.size() < 2 || row.size() > 3)
      throw lines_.mistake("A range of nodes has " + std::to_string(row.size()) + " entries.",
                           "Write first, last and, if it is not 1, the step.");
    const NodeSets::Range range{.first = requireInteger(row[0], "The first node", lines_),
                                .last = requireInteger(row[1], "The last node", lines_),
                                .step = row.size() > 2 ? requireInteger(row[2], "The step", lines_) : 1,
                                .line = lines_.number()};
    if (range.last < range.first || range.step < 1)
      throw lines_.mistake("The range of nodes does not rise.", "Write first <= last and a step of at least 1.");
    sets_.addRange(set_, range);
  }

  /// An element goes on over lines until it has all its corners.
  void readElement() {
    for (const std::string_view entry : fields(lines_.line(), ',')) {
      if (entry.empty()) continue;
      element_.push_back(requireInteger(entry, "An entry of an element", lines_));
    }
    const std::size_t entries = cornersOf(*shape_) + 1;
    if (element_.size() > entries)
      throw lines_.mistake("The element has " + std::to_string(element_.size() - 1) + " nodes, not " +
                               std::to_string(entries - 1) + " as its type.",
                           "Write its id and its nodes.");
    if (element_.size() < entries) return;
    builder_.addElement(*shape_, std::span(element_).subspan(1), lines_.number());
    element_.clear();
  }

  void requireWholeElement() const {
    if (!element_.empty())
      throw lines_.mistake("The element " + std::to_string(element_.front()) + " ends after " +
                               std::to_string(element_.size() - 1) + " of its nodes.",
                           "Complete it; the file may have been cut.");
  }

  Lines lines_;
  MeshBuilder builder_;
  NodeSets sets_;
  bool withSets_;
  std::size_t bytes_;
  Block block_ = Block::other;
  std::string set_;  ///< that the present lines add to
  bool generated_ = false;
  std::optional<Shape> shape_;
  std::vector<std::int64_t> element_;  ///< id and nodes so far
  std::set<std::string> leftOut_;
};

}  // namespace

Points parseDeck(std::string_view text, const std::string& file, const std::string& nodeSet) {
  return DeckReader(text, file, !nodeSet.empty()).read(nodeSet);
}

}  // namespace koppla::mapping
