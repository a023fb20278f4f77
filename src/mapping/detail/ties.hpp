#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping::detail {

/// Takes note of one receiver: how far it is from what it is tied to, and whether that is too far.
inline void note(Quality& quality, std::size_t receiver, double distance, double allowed) {
  if (distance > quality.largestDistance) {
    quality.largestDistance = distance;
    quality.farthest = receiver;
  }
  if (distance > allowed) ++quality.outside;
}

/// Both forms from one function tie(receivers, givers) that makes the consistent mapping from givers to receivers.
template <class Tie>
Mapping mapped(const Points& source, const Points& target, Form form, const Tie& tie) {
  check(source, "The source");
  check(target, "The target");
  const bool consistent = form == Form::consistent;
  const Points& receivers = consistent ? target : source;
  const Points& givers = consistent ? source : target;
  auto [rows, quality] = tie(receivers, givers);
  std::vector<bool> used(givers.size(), false);
  for (const std::uint32_t column : rows.columns) used[column] = true;
  quality.unused = static_cast<std::size_t>(std::ranges::count(used, false));
  Operator map(std::move(rows), givers.size());
  return {consistent ? std::move(map) : map.transposed(), quality};
}

}  // namespace koppla::mapping::detail
