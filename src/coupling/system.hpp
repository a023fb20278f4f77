#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/mapping/operator.hpp"
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
  /// One integrator solves several subsystems here: the names of their ports hold their names already.
  bool joint = false;

  /// The name of a port in the coupled system.
  [[nodiscard]] std::string nameOf(const subsystem::Port& port) const {
    return joint ? port.name : name + "." + port.name;
  }
  [[nodiscard]] std::string nameOf(subsystem::PortIndex port) const {
    return nameOf(subsystem->describe().ports[port]);
  }
};

using MemberIndex = std::size_t;

struct Endpoint {
  MemberIndex member;
  subsystem::PortIndex port;
};

/// A linear map between two meshes; a point has `components` values side by side.
struct Mapping {
  std::shared_ptr<const mapping::Operator> map{};  ///< rows: points of the input; null: none
  std::size_t components = 1;
};

/// input = scale * output + offset, or scale * map(output) + offset; scale and offset are for reals only. Contributions
/// to one input, all of them reals, add up.
struct Connection {
  Endpoint from;
  Endpoint to;
  double scale = 1.0;
  double offset = 0.0;
  // Of real ports: one element, counted from 0; absent: all elements, as many on both sides. An input that is connected
  // is connected in all its elements.
  std::optional<std::size_t> fromElement{};
  std::optional<std::size_t> toElement{};
  Mapping mapping{};  ///< for whole real ports; such an input takes no other contributions
};

/// How the multipliers of a rigid joint are found (Lu, ch. 3).
enum class ConstraintMethod : std::uint8_t {
  baumgarte,            ///< method 1: g + beta g' + gamma g'' = 0
  weightedMultipliers,  ///< method 2: the mean of what g = 0, g' = 0 and g'' = 0 ask for
  stabilisedIndex2      ///< method 3: g = 0 and g' = 0 with a second multiplier in the kinematic equations
};

/// An equation whose unknowns no member computes: multipliers are chosen so that defects vanish at the end of every
/// step. The member is static; it tells its defects and leaves its multipliers as it finds them. Ports of a constraint
/// have the same size, one element per equation.
struct Constraint {
  MemberIndex member;
  ConstraintMethod method = ConstraintMethod::baumgarte;
  subsystem::PortIndex lambda;  ///< multipliers of forces
  subsystem::PortIndex mu;      ///< method 3: multipliers of velocities
  subsystem::PortIndex position;
  subsystem::PortIndex velocity;
  std::optional<subsystem::PortIndex> acceleration{};  ///< where the partners tell theirs
  std::optional<double> beta{};                        ///< s, method 1; absent: half of the step
  double gamma = 0.0;                                  ///< s^2, method 1
  double velocityWeight = 1.0;                         ///< method 2, beside 1 for positions
  double accelerationWeight = 0.0;                     ///< method 2
};

/// A force law that the coupling evaluates: a static member with one output, the force on the first of two points, and
/// inputs for the motion of both. What it says of the second point's motion tells how stiff it is.
struct CoupledLaw {
  MemberIndex member;
  subsystem::PortIndex force;
  subsystem::PortIndex position;  ///< input, of the second point
  subsystem::PortIndex velocity;  ///< input, of the second point
};

/// What is known of connected real outputs before the start: the value of an element at t (s).
using Past = std::function<double(const Endpoint& output, std::size_t element, double t)>;

/// What is coupled, and how. Whoever builds it has checked that ports exist and that types and sizes fit.
struct System {
  std::vector<Member> members;
  std::vector<Connection> connections;
  /// Order of evaluation given by the user, all members; empty: derived from the graph.
  std::vector<MemberIndex> order;
  std::vector<Constraint> constraints{};
  std::vector<CoupledLaw> laws{};
  /// Makes further instances of these members, with nothing set; may be empty.
  std::function<std::vector<std::unique_ptr<subsystem::Subsystem>>(const std::vector<MemberIndex>&)> twins{};
  Past past;  ///< for an analytic start; may be empty
};

}  // namespace koppla::coupling
