#pragma once

#include <memory>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

/// A value that is set once, before initialisation: a parameter or a start value.
struct StartValue {
  subsystem::PortIndex port;
  std::vector<core::Value> values;
};

/// A subsystem under its name in the coupled system.
struct Member {
  std::string name;
  std::unique_ptr<subsystem::Subsystem> subsystem;
  std::vector<StartValue> startValues;
};

using MemberIndex = std::size_t;

struct Endpoint {
  MemberIndex member;
  subsystem::PortIndex port;
};

/// input = scale * output + offset; scale and offset are for reals only.
struct Connection {
  Endpoint from;
  Endpoint to;
  double scale = 1.0;
  double offset = 0.0;
};

/// What is coupled, and how. Whoever builds it has checked that ports exist, that types and sizes fit and that no input
/// is connected twice.
struct System {
  std::vector<Member> members;
  std::vector<Connection> connections;
  /// Order of evaluation given by the user, all members; empty: derived from the graph.
  std::vector<MemberIndex> order;
};

}  // namespace koppla::coupling
