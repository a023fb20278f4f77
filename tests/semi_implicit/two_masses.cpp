#include "two_masses.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "koppla/core/matrix_exponential.hpp"
#include "koppla/mechanics/joint_member.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/results/memory_recorder.hpp"
#include "koppla/solver/attach.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/force_law.hpp"

#include "support/extremes.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::test {

namespace {

using solver::Side;

/// Of an oscillator body: input f, outputs x and v.
constexpr subsystem::PortIndex kPositionPort = 1;

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

std::shared_ptr<const subsystem::ForceLaw> lawOf(const FlexibleLink& c) {
  if (c.law) return c.law;
  return std::make_shared<subsystem::SpringDamper>(c.masses.cc, c.masses.dc);
}

std::unique_ptr<solver::Equations> withLaw(std::unique_ptr<solver::Equations> body, Side side, const FlexibleLink& c) {
  const subsystem::Marker marker = body->describe().markers.front();
  return solver::attach(std::move(body), marker, side, lawOf(c), "link");
}

template <class Case>
run::Settings commonSettings(const Case& c, double end) {
  run::Settings settings;
  settings.end = end;
  settings.step = c.H;
  settings.algorithm.kind = coupling::AlgorithmKind::semiImplicit;
  settings.algorithm.degree = c.degree;
  settings.algorithm.startUp = coupling::StartUp::trivial;  // the source's degrees rise with the macro steps
  settings.algorithm.semiImplicit = c.settings;
  settings.variables = {"*"};
  return settings;
}

template <class Case>
double radiusOf(const Case& c) {
  core::Log log;
  return run::MacroStepRecursion(systemOf(c), settingsOf(c, c.H), log).spectralRadius(c.H);
}

/// exp(A t) z, A row by row.
std::vector<double> propagated(std::vector<long double> A, double t, const std::vector<double>& z) {
  for (long double& entry : A) entry *= t;
  const std::vector<long double> exponential = core::exponential(A);
  std::vector<double> result;
  for (std::size_t row = 0; row < z.size(); ++row) {
    long double sum = 0.0L;
    for (std::size_t k = 0; k < z.size(); ++k) sum += exponential[row * z.size() + k] * z[k];
    result.push_back(static_cast<double>(sum));
  }
  return result;
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
    if (side == Side::first ? lawInFirst : lawInSecond) body = withLaw(std::move(body), side, c);
    system.members.push_back(
        {side == Side::first ? "first" : "second", solver::integrate(std::move(body), c.integrator), {}});
  }
  if (c.decomposition == Decomposition::forceForce) {
    system.members.push_back({"link", subsystem::evaluateInCoupling(lawOf(c)), {}});
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
  if (c.analyticStart)
    system.past = [c](const coupling::Endpoint& output, std::size_t /*element*/, double t) {
      const auto z = exact(c, t);
      if (output.member < 2) return z.at(2 * output.member + (output.port == kPositionPort ? 0 : 1));
      return c.masses.cc * (z[2] - z[0]) + c.masses.dc * (z[3] - z[1]);
    };
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
  addRigidLink(system, c, "joint");
  return system;
}

void addRigidLink(coupling::System& system, const RigidLink& c, const std::string& name) {
  system.members.push_back({name, mechanics::rigidLink(1), {}});
  connect(system, {{"first.x", name + ".first.position"},
                   {"first.v", name + ".first.velocity"},
                   {"first.a", name + ".first.acceleration"},
                   {"second.x", name + ".second.position"},
                   {"second.v", name + ".second.velocity"},
                   {"second.a", name + ".second.acceleration"},
                   {name + ".lambda", "first.f"},
                   {name + ".lambda", "second.f", -1.0}});
  if (c.method == coupling::ConstraintMethod::stabilisedIndex2)
    connect(system, {{name + ".mu", "first.w"}, {name + ".mu", "second.w", -1.0}});
  const subsystem::Description& joint = system.members.back().subsystem->describe();
  system.constraints.push_back({.member = system.members.size() - 1,
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
}

run::Settings settingsOf(const FlexibleLink& c, double end) {
  run::Settings settings = commonSettings(c, end);
  if (!c.semiImplicit) {
    settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
    settings.algorithm.reevaluate = true;  // forces at macro points follow from the states there (Lu, sec. 2.3.1)
  }
  if (c.analyticStart) settings.algorithm.startUp = coupling::StartUp::analytic;
  return settings;
}

run::Settings settingsOf(const RigidLink& c, double end) {
  return commonSettings(c, end);
}

std::size_t Motion::at(double time) const {
  const auto next = std::ranges::lower_bound(t, time - 1e-9);
  if (next == t.end()) throw std::out_of_range("the run did not get there");
  return static_cast<std::size_t>(next - t.begin());
}

Motion simulate(coupling::System system, const run::Settings& settings) {
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run(std::move(system), settings, log, &recorder);
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

Motion simulate(const FlexibleLink& c, double end) {
  return simulate(systemOf(c), settingsOf(c, end));
}
Motion simulate(const RigidLink& c, double end) {
  return simulate(systemOf(c), settingsOf(c, end));
}
double spectralRadius(const FlexibleLink& c) {
  return radiusOf(c);
}
double spectralRadius(const RigidLink& c) {
  return radiusOf(c);
}

std::array<double, 4> exact(const FlexibleLink& c, double t) {
  const TwoMasses& p = c.masses;
  const std::vector<double> z = propagated({0.0, 1.0, 0.0, 0.0,                                                      //
                                            -(p.c1 + p.cc) / p.m1, -(p.d1 + p.dc) / p.m1, p.cc / p.m1, p.dc / p.m1,  //
                                            0.0, 0.0, 0.0, 1.0,                                                      //
                                            p.cc / p.m2, p.dc / p.m2, -(p.c2 + p.cc) / p.m2, -(p.d2 + p.dc) / p.m2},
                                           t, {p.x0, p.v10, p.x0, p.v20});
  return {z[0], z[1], z[2], z[3]};
}

std::array<double, 4> exact(const RigidLink& c, double t) {
  const TwoMasses& p = c.masses;
  const double m = p.m1 + p.m2;
  const std::vector<double> z = propagated({0.0, 1.0, -(p.c1 + p.c2) / m, -(p.d1 + p.d2) / m}, t, {p.x0, p.v10});
  return {z[0], z[1], z[0], z[1]};
}

double relativeDistance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return HUGE_VAL;
  test::Largest distance;
  test::Largest size;
  for (std::size_t i = 0; i < a.size(); ++i) {
    distance.see(std::fabs(a[i] - b[i]));
    size.see(std::fabs(b[i]));
  }
  return distance / size;
}

double relativeDistance(const Motion& a, const Motion& b) {
  return test::largestOf(relativeDistance(a.x1, b.x1), relativeDistance(a.v1, b.v1), relativeDistance(a.x2, b.x2),
                         relativeDistance(a.v2, b.v2));
}

RigidLink baumgarte(double beta, double gamma, unsigned degree) {
  return {.method = coupling::ConstraintMethod::baumgarte, .beta = beta, .gamma = gamma, .degree = degree};
}

RigidLink weightedMultipliers(double a, double b, unsigned degree) {
  return {.method = coupling::ConstraintMethod::weightedMultipliers, .a = a, .b = b, .degree = degree};
}

RigidLink stabilisedIndex2(double relaxation, unsigned degree) {
  return {
      .method = coupling::ConstraintMethod::stabilisedIndex2, .degree = degree, .settings = {.relaxation = relaxation}};
}

Response responseTo(double m, double c, double d, double H, const std::vector<double>& w) {
  // w(s) and its derivatives by s, of which the highest one is constant.
  const std::size_t n = 2 + w.size();
  std::vector<long double> A(n * n);
  A[1] = H;
  A[n] = -c * H / m;
  A[n + 1] = -d * H / m;
  A[n + 2] = H / m;
  for (std::size_t k = 2; k + 1 < n; ++k) A[k * n + k + 1] = 1.0;
  std::vector<double> z(n);
  double factorial = 1.0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (k > 1) factorial *= static_cast<double>(k);
    z[2 + k] = factorial * w[k];
  }
  const std::vector<double> end = propagated(A, 1.0, z);
  return {end[0], end[1], (-c * end[0] - d * end[1] + end[2]) / m};
}

std::vector<double> endPolynomial(unsigned degree) {
  // s (s + 1) ... (s + k - 1) / k!
  std::vector<double> powers{1.0};
  for (unsigned j = 0; j < degree; ++j) {
    std::vector<double> next(powers.size() + 1, 0.0);
    for (std::size_t i = 0; i < powers.size(); ++i) {
      next[i] += powers[i] * j / (j + 1.0);
      next[i + 1] += powers[i] / (j + 1.0);
    }
    powers = next;
  }
  return powers;
}

double evaluate(const std::vector<double>& powers, double s) {
  double sum = 0.0;
  for (std::size_t k = powers.size(); k-- > 0;) sum = sum * s + powers[k];
  return sum;
}

double exactForce(const RigidLink& c, double t) {
  const TwoMasses& p = c.masses;
  const auto z = exact(c, t);
  return p.m1 * p.m2 / (p.m1 + p.m2) * ((p.c1 / p.m1 - p.c2 / p.m2) * z[0] + (p.d1 / p.m1 - p.d2 / p.m2) * z[1]);
}

}  // namespace koppla::test
