#pragma once

#include <memory>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem {

/// A subsystem that takes trajectories of any degree around one that takes less. Every step is divided into equal micro
/// steps of at most microStep (s; 0: one micro step per step), and each gets the best the inner one takes: the mean of
/// the trajectory over the micro step for values only (of second order, because the input's first moment is right),
/// else interpolation. With a micro step it can take single steps of its own, if the inner one's steps may differ.
std::unique_ptr<Subsystem> subdivide(std::unique_ptr<Subsystem> inner, double microStep);

}  // namespace koppla::subsystem
