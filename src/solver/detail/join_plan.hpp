#pragma once

#include <cstddef>
#include <vector>

#include "koppla/solver/join.hpp"

namespace koppla::solver::detail {

struct PartPort {
  std::size_t part;
  subsystem::PortIndex port;
};

/// A place in the inputs or outputs of a part.
struct Scalar {
  std::size_t part;
  std::size_t scalar;
  bool isInput = true;
};

struct Transfer {
  std::size_t from;  ///< scalar of the part's outputs
  std::size_t toPart;
  std::size_t to;
  double scale;
};

/// The outputs of a part are computed; those that are final then go where they are wired to.
struct JoinAction {
  std::size_t part;
  std::vector<Transfer> transfers;
};

/// How the values of joined parts follow from each other.
struct JoinPlan {
  subsystem::Description description;
  std::vector<PartPort> ports;                           ///< what each port of the joint model is
  std::vector<Scalar> inputs;                            ///< where each scalar of u goes
  std::vector<Scalar> outputs;                           ///< where each scalar of y comes from
  std::vector<std::size_t> inputScalars, outputScalars;  ///< by part
  std::vector<std::vector<double>> startInputs;          ///< by part: the offsets of wires, otherwise 0
  std::vector<JoinAction> actions;
  bool hasOffsets = false;
};

/// Throws core::InputError where outputs depend on each other in a circle at one instant.
JoinPlan planOf(const std::vector<JoinedPart>& parts, const std::vector<Wire>& wires);

}  // namespace koppla::solver::detail
