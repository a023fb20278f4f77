#include "koppla/mechanics/rotation.hpp"

#include <algorithm>

namespace koppla::mechanics {

std::size_t parameterCount(Rotation rotation) {
  switch (rotation) {
    case Rotation::planar:
      return 1;
    case Rotation::cardan:
    case Rotation::euler:
      return 3;
    case Rotation::eulerParameters:
      return 4;
  }
  return 0;
}

std::string_view word(Rotation rotation) {
  switch (rotation) {
    case Rotation::planar:
      return "planar";
    case Rotation::cardan:
      return "cardan";
    case Rotation::euler:
      return "euler";
    case Rotation::eulerParameters:
      return "euler-parameters";
  }
  return {};
}

std::optional<Rotation> rotationNamed(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kRotations, [name](Rotation rotation) { return word(rotation) == name; });
  if (found == kRotations.end()) return std::nullopt;
  return *found;
}

}  // namespace koppla::mechanics
