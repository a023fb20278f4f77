#pragma once

// Two bodies in space, each on a spring, with any joint between them: the data and tables of the note on Lu's thesis,
// section 8.13.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "simulation.hpp"

namespace koppla::test {

using Vector3 = std::array<double, 3>;

/// Decompositions as project files call them.
inline const std::string kForceForce = "force-force";
inline const std::string kForceDisplacement = "force-displacement";
inline const std::string kDisplacementForce = "displacement-force";
inline const std::string kDisplacementDisplacement = "displacement-displacement";

/// Of examples/mechanisms/two-bodies.toml, whose joint is called 'link'.
struct FlexibleJoint {
  std::string joint;
  std::vector<double> stiffness;  ///< by row
  std::vector<double> damping;
  Vector3 firstEnd, firstAngles, secondEnd;  ///< at 0.2 s
  std::optional<double> energy;              ///< J, at the start, without dampers
};

const std::vector<FlexibleJoint>& flexibleJoints();
Changes changesOf(const FlexibleJoint& joint, bool isDamped = true);
/// By waveforms of degree 5 with eight samples per macro step: as accurate as the bodies' own solvers.
Changes byWaveforms();
/// Positions, angles and both velocities of both bodies: 24 numbers.
std::vector<Counterpart> statesOfBoth();

/// Where the second body begins, so that a rigid joint holds.
struct Start {
  Vector3 position, angles, velocity, angularVelocity;
};

struct RigidJoint {
  std::string joint;
  Start second;
  std::vector<double> lambda;  ///< at the start
  Vector3 firstEnd, secondEnd;

  [[nodiscard]] bool isRevolute() const { return joint == "revolute"; }
};

const std::vector<RigidJoint>& rigidJoints();
const RigidJoint& rigidJoint(const std::string& joint);

/// The rotation parameters that bodies are described by.
enum class Parameters : std::uint8_t { cardan, eulerParameters };

/// The name of the condition in the project that projectOf() names.
std::string conditionOf(const RigidJoint& joint);
std::filesystem::path projectOf(const RigidJoint& joint);
Changes changesOf(const RigidJoint& joint, Parameters parameters = Parameters::cardan);
/// Both bodies under one solver.
results::Table monolithic(const RigidJoint& joint, Parameters parameters = Parameters::cardan);
/// Positions and rotation parameters, called so in a coupled run and in a monolithic one.
std::vector<Counterpart> posesOfBoth();

double distance(const std::vector<double>& a, const Vector3& b);

/// A macro step (s) with four micro steps in each body.
Changes stepsOf(double macroStep);

}  // namespace koppla::test
