#pragma once

#include <string_view>

namespace koppla::test {

/// Below the settings of a project: v' = F, F' = -9 v, each solved exactly: v = cos 3 t.
inline constexpr std::string_view kMassOnSpring = R"(
[[subsystems]]
name = "mass"
model = "linear-state-space"
inputs = ["F"]
outputs = ["v"]
A = [[0.0]]
B = [[1.0]]
C = [[1.0]]
x0 = [1.0]
integrator = "exact"

[[subsystems]]
name = "spring"
model = "linear-state-space"
inputs = ["v"]
outputs = ["F"]
A = [[0.0]]
B = [[-9.0]]
C = [[1.0]]
x0 = [0.0]
integrator = "exact"

[[connections]]
from = "mass.v"
to = "spring.v"

[[connections]]
from = "spring.F"
to = "mass.F"
)";

}  // namespace koppla::test
