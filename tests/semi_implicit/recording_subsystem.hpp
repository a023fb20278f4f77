#pragma once

#include <memory>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::test {

/// What one step of a subsystem was told: powers of s of each real input.
struct RecordedStep {
  double t0, t1;  ///< s
  std::vector<std::vector<double>> inputs;
};

/// Passes everything on to another subsystem and writes down the trajectories that it is given.
std::unique_ptr<subsystem::Subsystem> recordSteps(std::unique_ptr<subsystem::Subsystem> inner,
                                                  std::shared_ptr<std::vector<RecordedStep>> into);

}  // namespace koppla::test
