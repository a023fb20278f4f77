#include "spatial_four_bar.hpp"

#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace koppla::mechanics::test {

using std::numbers::pi;
using std::numbers::sqrt2;

MultibodySettings spatialFourBar() {
  const double l = sqrt2 / 2.0;
  const auto rodAlongZ = [](const std::string& name, double length, const Vector& centre, std::vector<double> angles) {
    const double J = length * length / 12.0;
    return BodySettings{.name = name, .inertia = {J, J, 1e-3}, .position = centre, .rotation = std::move(angles)};
  };
  const std::vector<double> coupler{pi / 2.0, -pi / 4.0, 0.0};
  const Vector x{1.0, 0.0, 0.0};
  const Vector y{0.0, 1.0, 0.0};
  const Vector z{0.0, 0.0, 1.0};
  const Vector up{0.0, 0.0, 0.5};
  const Vector down{0.0, 0.0, -0.5};
  const Vector toA{0.0, 0.0, l / 2.0};
  const Vector toB{0.0, 0.0, -l / 2.0};
  MultibodySettings system;
  system.rotation = Rotation::cardan;
  system.bodies = {rodAlongZ("rod1", 1.0, {0.0, 0.0, 0.5}, {0.0, 0.0, 0.0}),
                   rodAlongZ("rod2", l, {0.25, 0.25, 1.0}, coupler), rodAlongZ("rod3", l, {0.75, 0.75, 1.0}, coupler),
                   rodAlongZ("rod4", 1.0, {1.0, 1.0, 0.5}, {0.0, 0.0, 0.0})};
  system.markers = {{.name = "centre", .body = "rod1"}};
  system.joints = {{.name = "ground1",
                    .joint = {.kind = JointKind::revolute, .first = {down, y, x}, .second = {{}, y, x}},
                    .first = "rod1"},
                   {.name = "ball",
                    .joint = {.kind = JointKind::atpoint, .first = {.at = up}, .second = {.at = toA}},
                    .first = "rod1",
                    .second = "rod2"},
                   {.name = "middle",
                    .joint = {.kind = JointKind::fixed,
                              .first = {.at = toB},
                              .second = {.at = toA},
                              .alignment = Alignment::parameters},
                    .first = "rod2",
                    .second = "rod3"},
                   {.name = "universal",
                    .joint = {.kind = JointKind::universal, .first = {toB, y, x}, .second = {up, x, z}},
                    .first = "rod3",
                    .second = "rod4"},
                   {.name = "ground4",
                    .joint = {.kind = JointKind::revolute, .first = {down, x, z}, .second = {{1.0, 1.0, 0.0}, x, z}},
                    .first = "rod4"}};
  return system;
}

}  // namespace koppla::mechanics::test
