#pragma once

#include <functional>
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

/// input = scale * output + offset; scale and offset are for reals only. Contributions to one input, all of them reals,
/// add up.
struct Connection {
  Endpoint from;
  Endpoint to;
  double scale = 1.0;
  double offset = 0.0;
};

/// What is known of connected real outputs before the start: the value of an element at t (s).
using Past = std::function<double(const Endpoint& output, std::size_t element, double t)>;

/// What is coupled, and how. Whoever builds it has checked that ports exist and that types and sizes fit.
struct System {
  std::vector<Member> members;
  std::vector<Connection> connections;
  /// Order of evaluation given by the user, all members; empty: derived from the graph.
  std::vector<MemberIndex> order;
  Past past;  ///< for an analytic start; may be empty
};

}  // namespace koppla::coupling
