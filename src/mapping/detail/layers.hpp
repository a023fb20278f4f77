#pragma once

#include <cstdint>
#include <span>

#include "koppla/mapping/detail/point_tree.hpp"

namespace koppla::mapping::detail {

/// Points in layers that are farther apart than a patch is wide: each patch sees one of them and takes it for a
/// surface, beside which all values are the same. A receiver between two layers then has the values of one, wherever it
/// lies.
class Layers {
 public:
  Layers(std::span<const Position> givers, const PointTree& tree, Reach& reaches)
      : givers_(givers), tree_(tree), reaches_(reaches) {}

  /// Whether a receiver whose values belong to the place `taken` is notably beside it, on the way to other givers.
  /// `nearest`: the giver that is nearest to it.
  [[nodiscard]] bool hold(const Position& receiver, const Position& taken, std::uint32_t nearest);

 private:
  std::span<const Position> givers_;
  const PointTree& tree_;
  Reach& reaches_;
};

}  // namespace koppla::mapping::detail
