#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "koppla/mapping/detail/lines.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping::detail {

enum class Shape : std::uint8_t { segment, triangle, quadrilateral, tetrahedron };

std::size_t cornersOf(Shape shape);
int dimensionOf(Shape shape);

/// Collects nodes and elements by id while a file is read; elements may come before their nodes.
class MeshBuilder {
 public:
  /// Mistakes are told of the present line; the lines outlive the builder.
  explicit MeshBuilder(const Lines& lines) : lines_(lines) {}

  void addNode(std::int64_t id, const Position& position);
  /// As many corners as the shape has, and the line that they stand on.
  void addElement(Shape shape, std::span<const std::int64_t> corners, std::size_t line);
  void addNote(std::string note) { mesh_.notes.push_back(std::move(note)); }

  [[nodiscard]] std::size_t nodes() const { return mesh_.ids.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& ids() const { return mesh_.ids; }
  /// The index of a node, or `nodes()` where there is none with this id.
  [[nodiscard]] std::size_t find(std::int64_t id) const;
  /// The index of a node that the given line speaks of; a mistake where there is none.
  [[nodiscard]] std::uint32_t require(std::int64_t id, std::size_t line) const;

  /// All points and elements.
  [[nodiscard]] Points finish() &&;
  /// Only the points that are marked, and the elements whose corners are all marked.
  [[nodiscard]] Points finish(const std::vector<bool>& kept) &&;

 private:
  struct Element {
    std::array<std::int64_t, 4> corners{};
    std::size_t line = 0;
    Shape shape = Shape::segment;
  };

  void addSimplices(const Element& element, std::span<const std::uint32_t> newIndex);

  const Lines& lines_;
  Points mesh_;
  std::unordered_map<std::int64_t, std::uint32_t> indexOf_;
  std::vector<Element> elements_;
};

}  // namespace koppla::mapping::detail
