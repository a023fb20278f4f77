#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "koppla/mechanics/multibody.hpp"

namespace koppla::mechanics::detail {

/// Where the item of that name stands; it must be there.
template <class Item>
std::size_t indexNamed(const std::vector<Item>& items, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(items, name, &Item::name) - items.begin());
}

/// Rotation parameters of a body whose axes are parallel to those of K_0.
std::vector<double> parallelToInertial(Rotation rotation);

/// The settings with rotations filled in and Euler parameters scaled to length 1. Throws core::InputError with every
/// mistake of names and numbers.
MultibodySettings checked(MultibodySettings settings);

/// Throws core::InputError for a share in a joint that the system cannot have.
void check(const Coupling& coupling, const MultibodySettings& settings);

}  // namespace koppla::mechanics::detail
