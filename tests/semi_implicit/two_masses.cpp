#include "two_masses.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

#include "koppla/mechanics/joint_member.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/results/memory_recorder.hpp"
#include "koppla/solver/attach.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/force_law.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::test {

namespace {

using solver::Side;

native::OscillatorBody bodyOf(const TwoMasses& p, Side side, bool rigid, bool projection) {
  const bool first = side == Side::first;
  return {.m = first ? p.m1 : p.m2,
          .c = first ? p.c1 : p.c2,
          .d = first ? p.d1 : p.d2,
          .x0 = p.x0,
          .v0 = first ? p.v10 : p.v20,
          .acceleration = rigid,
          .projection = projection};
}

std::unique_ptr<solver::Equations> withLaw(std::unique_ptr<solver::Equations> body, Side side, const TwoMasses& p) {
  const subsystem::Marker marker = body->describe().markers.front();
  return solver::attach(std::move(body), marker, side, std::make_shared<subsystem::SpringDamper>(p.cc, p.dc), "link");
}

run::Settings settingsOf(const auto& c, double end) {
  run::Settings settings;
  settings.end = end;
  settings.step = c.H;
  settings.algorithm.degree = c.degree;
  settings.algorithm.semiImplicit = c.settings;
  settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
  if constexpr (requires { c.semiImplicit; })
    if (!c.semiImplicit) settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.variables = {"*"};
  return settings;
}

template <class Case>
Motion simulateCase(const Case& c, double end) {
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run(systemOf(c), settingsOf(c, end), log, &recorder);
  Motion motion;
  motion.outcome = run.initialise();
  if (motion.outcome.ok()) motion.outcome = run.simulate();
  motion.statistics = run.statistics();
  const results::Table& table = recorder.table();
  motion.t = table.time;
  const auto column = [&](const std::string& name, std::vector<double>& into) {
    if (const results::Series* const found = table.find(name)) into = found->numbers;
  };
  column("first.x", motion.x1);
  column("first.v", motion.v1);
  column("second.x", motion.x2);
  column("second.v", motion.v2);
  column("joint.lambda", motion.lambda);
  return motion;
}

template <class Case>
double radiusOf(const Case& c) {
  core::Log log;
  return run::MacroStepRecursion(systemOf(c), settingsOf(c, c.H), log).spectralRadius(c.H);
}

}  // namespace

coupling::System systemOf(const FlexibleLink& c) {
  const bool lawInFirst =
      c.decomposition == Decomposition::displacementForce || c.decomposition == Decomposition::displacementDisplacement;
  const bool lawInSecond =
      c.decomposition == Decomposition::forceDisplacement || c.decomposition == Decomposition::displacementDisplacement;
  coupling::System system;
  for (const Side side : {Side::first, Side::second}) {
    auto body = native::oscillatorBody(bodyOf(c.masses, side, false, false));
    if (side == Side::first ? lawInFirst : lawInSecond) body = withLaw(std::move(body), side, c.masses);
    system.members.push_back(
        {side == Side::first ? "first" : "second", solver::integrate(std::move(body), c.integrator), {}});
  }
  if (c.decomposition == Decomposition::forceForce) {
    system.members.push_back(
        {"link",
         subsystem::evaluateInCoupling(std::make_shared<subsystem::SpringDamper>(c.masses.cc, c.masses.dc)),
         {}});
    connect(system, {{"first.x", "link.x1"},
                     {"first.v", "link.v1"},
                     {"second.x", "link.x2"},
                     {"second.v", "link.v2"},
                     {"link.force", "first.f"},
                     {"link.force", "second.f", -1.0}});
    const subsystem::Description& link = system.members.back().subsystem->describe();
    system.laws.push_back({2, *link.find("force"), *link.find("x2"), *link.find("v2")});
  }
  if (lawInFirst) connect(system, {{"second.x", "first.link.position"}, {"second.v", "first.link.velocity"}});
  if (lawInSecond) connect(system, {{"first.x", "second.link.position"}, {"first.v", "second.link.velocity"}});
  if (lawInFirst && !lawInSecond) connect(system, {{"first.link.force", "second.f"}});
  if (lawInSecond && !lawInFirst) connect(system, {{"second.link.force", "first.f"}});
  return system;
}

coupling::System systemOf(const RigidLink& c) {
  const bool projects = c.method == coupling::ConstraintMethod::stabilisedIndex2;
  coupling::System system;
  for (const Side side : {Side::first, Side::second})
    system.members.push_back(
        {side == Side::first ? "first" : "second",
         solver::integrate(native::oscillatorBody(bodyOf(c.masses, side, true, projects)), c.integrator),
         {}});
  system.members.push_back({"joint", mechanics::rigidLink(1), {}});
  connect(system, {{"first.x", "joint.first.position"},
                   {"first.v", "joint.first.velocity"},
                   {"first.a", "joint.first.acceleration"},
                   {"second.x", "joint.second.position"},
                   {"second.v", "joint.second.velocity"},
                   {"second.a", "joint.second.acceleration"},
                   {"joint.lambda", "first.f"},
                   {"joint.lambda", "second.f", -1.0}});
  if (projects) connect(system, {{"joint.mu", "first.w"}, {"joint.mu", "second.w", -1.0}});
  const subsystem::Description& joint = system.members.back().subsystem->describe();
  system.constraints.push_back({.member = 2,
                                .method = c.method,
                                .lambda = *joint.find("lambda"),
                                .mu = *joint.find("mu"),
                                .position = *joint.find("position_defect"),
                                .velocity = *joint.find("velocity_defect"),
                                .acceleration = joint.find("acceleration_defect"),
                                .beta = c.beta,
                                .gamma = c.gamma,
                                .velocityWeight = c.a,
                                .accelerationWeight = c.b});
  return system;
}

std::size_t Motion::at(double time) const {
  const auto next = std::ranges::lower_bound(t, time - 1e-9);
  if (next == t.end()) throw std::out_of_range("the run did not get there");
  return static_cast<std::size_t>(next - t.begin());
}

Motion simulate(const FlexibleLink& c, double end) {
  return simulateCase(c, end);
}
Motion simulate(const RigidLink& c, double end) {
  return simulateCase(c, end);
}
double spectralRadius(const FlexibleLink& c) {
  return radiusOf(c);
}
double spectralRadius(const RigidLink& c) {
  return radiusOf(c);
}

std::array<double, 4> exact(const FlexibleLink& c, double t) {
  const TwoMasses& p = c.masses;
  Eigen::Matrix4d A;
  A << 0, 1, 0, 0, -(p.c1 + p.cc) / p.m1, -(p.d1 + p.dc) / p.m1, p.cc / p.m1, p.dc / p.m1, 0, 0, 0, 1, p.cc / p.m2,
      p.dc / p.m2, -(p.c2 + p.cc) / p.m2, -(p.d2 + p.dc) / p.m2;
  const Eigen::Vector4d z = (A * t).exp() * Eigen::Vector4d(p.x0, p.v10, p.x0, p.v20);
  return {z[0], z[1], z[2], z[3]};
}

std::array<double, 4> exact(const RigidLink& c, double t) {
  const TwoMasses& p = c.masses;
  const double m = p.m1 + p.m2;
  Eigen::Matrix2d A;
  A << 0, 1, -(p.c1 + p.c2) / m, -(p.d1 + p.d2) / m;
  const Eigen::Vector2d z = (A * t).exp() * Eigen::Vector2d(p.x0, p.v10);
  return {z[0], z[1], z[0], z[1]};
}

double exactForce(const RigidLink& c, double t) {
  const TwoMasses& p = c.masses;
  const auto z = exact(c, t);
  return p.m1 * p.m2 / (p.m1 + p.m2) * ((p.c1 / p.m1 - p.c2 / p.m2) * z[0] + (p.d1 / p.m1 - p.d2 / p.m2) * z[1]);
}

}  // namespace koppla::test
