#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/mapping/detail/point_tree.hpp"

namespace koppla::mapping::detail {

/// Balls around some of the givers that overlap and together hold all receivers.
struct Cover {
  struct Patch {
    Position centre{};
    double radius = 0.0;  ///< of the ball that holds the patch's givers
    double reach = 0.0;   ///< of the ball that holds its receivers; its weight vanishes there
  };

  std::vector<Patch> patches;
  std::size_t giversPerPatch = 0;
  std::vector<std::uint32_t> givers;  ///< so many for each patch, rising
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> receivers;  ///< of patch p from starts[p] up to starts[p + 1]

  [[nodiscard]] std::span<const std::uint32_t> giversOf(std::size_t patch) const {
    return std::span(givers).subspan(patch * giversPerPatch, giversPerPatch);
  }
  [[nodiscard]] std::span<const std::uint32_t> receiversOf(std::size_t patch) const {
    return std::span(receivers).subspan(starts[patch], starts[patch + 1] - starts[patch]);
  }
};

/// Each receiver that is in no patch's inner part yet becomes the reason for a new patch around its nearest giver, with
/// the nearest `giversPerPatch` givers of that one. So patches are as small as givers are dense. No receiver is in the
/// place of a giver.
Cover cover(std::span<const Position> givers, PointTree& tree, std::span<const Position> receivers,
            std::size_t giversPerPatch);

}  // namespace koppla::mapping::detail
