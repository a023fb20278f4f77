#pragma once

#include "koppla/mechanics/multibody.hpp"

namespace koppla::mechanics::test {

/// Lu's spatial four-bar linkage (sec. 3.3.1.4) with the weld of its coupler inside, at rest, and with a marker
/// "centre" on rod 1 for loads.
MultibodySettings spatialFourBar();

}  // namespace koppla::mechanics::test
