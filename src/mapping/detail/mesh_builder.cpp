#include "koppla/mapping/detail/mesh_builder.hpp"

#include <algorithm>

namespace koppla::mapping::detail {

namespace {

constexpr std::uint32_t kDropped = UINT32_MAX;

}  // namespace

std::size_t cornersOf(Shape shape) {
  switch (shape) {
    case Shape::segment:
      return 2;
    case Shape::triangle:
      return 3;
    default:
      return 4;
  }
}

int dimensionOf(Shape shape) {
  switch (shape) {
    case Shape::segment:
      return 1;
    case Shape::tetrahedron:
      return 3;
    default:
      return 2;
  }
}

void MeshBuilder::addNode(std::int64_t id, const Position& position) {
  if (!indexOf_.emplace(id, static_cast<std::uint32_t>(nodes())).second)
    throw lines_.mistake("The id " + std::to_string(id) + " is already that of another point.",
                         "Give each point an id of its own.");
  mesh_.ids.push_back(id);
  mesh_.positions.push_back(position);
}

void MeshBuilder::addElement(Shape shape, std::span<const std::int64_t> corners, std::size_t line) {
  Element element{{}, line, shape};
  std::ranges::copy(corners.first(cornersOf(shape)), element.corners.begin());
  elements_.push_back(element);
}

std::size_t MeshBuilder::find(std::int64_t id) const {
  const auto found = indexOf_.find(id);
  return found == indexOf_.end() ? nodes() : found->second;
}

std::uint32_t MeshBuilder::require(std::int64_t id, std::size_t line) const {
  const std::size_t index = find(id);
  if (index == nodes())
    throw lines_.mistakeAt(line, "There is no node " + std::to_string(id) + " in the file.",
                           "Define it, or leave out what refers to it.");
  return static_cast<std::uint32_t>(index);
}

Points MeshBuilder::finish() && {
  return std::move(*this).finish(std::vector<bool>(nodes(), true));
}

Points MeshBuilder::finish(const std::vector<bool>& kept) && {
  std::vector<std::uint32_t> newIndex(nodes(), kDropped);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    if (!kept[i]) continue;
    mesh_.ids[count] = mesh_.ids[i];
    mesh_.positions[count] = mesh_.positions[i];
    newIndex[i] = count++;
  }
  for (const Element& element : elements_) addSimplices(element, newIndex);
  mesh_.ids.resize(count);
  mesh_.positions.resize(count);
  return std::move(mesh_);
}

void MeshBuilder::addSimplices(const Element& element, std::span<const std::uint32_t> newIndex) {
  const std::size_t count = cornersOf(element.shape);
  std::array<std::uint32_t, 4> corners{};
  bool complete = true;
  for (std::size_t i = 0; i < count; ++i) {
    corners[i] = newIndex[require(element.corners[i], element.line)];
    complete = complete && corners[i] != kDropped;
  }
  if (!complete) return;
  if (element.shape != Shape::quadrilateral) {
    mesh_.simplices.push_back({corners, static_cast<std::uint32_t>(count)});
    return;
  }
  mesh_.simplices.push_back({{corners[0], corners[1], corners[2], 0}, 3});
  mesh_.simplices.push_back({{corners[0], corners[2], corners[3], 0}, 3});
}

}  // namespace koppla::mapping::detail
