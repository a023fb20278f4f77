#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "koppla/coupling/system.hpp"
#include "koppla/results/table.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/force_law.hpp"

namespace koppla::test {

/// Two masses, each on a spring and damper to the ground, each its own subsystem (Lu, sec. 2.1 and 3.1).
struct TwoMasses {
  double m1 = 1.0, m2 = 2.0;        ///< kg
  double c1 = 1000.0, c2 = 1000.0;  ///< N/m
  double d1 = 10.0, d2 = 10.0;      ///< N s/m
  double cc = 1000.0;               ///< N/m, of the link
  double dc = 10.0;                 ///< N s/m, of the link
  double x0 = 0.0;                  ///< m
  double v10 = 100.0, v20 = 100.0;  ///< m/s
};

/// Where the law of a flexible link is evaluated.
enum class Decomposition { forceForce, forceDisplacement, displacementForce, displacementDisplacement };

/// The two masses with a spring and damper between them.
struct FlexibleLink {
  TwoMasses masses{.v10 = 100.0, .v20 = -100.0};
  Decomposition decomposition = Decomposition::forceForce;
  unsigned degree = 0;
  double H = 1e-3;             ///< s
  bool semiImplicit = true;    ///< else explicit, in parallel
  bool analyticStart = false;  ///< polynomials begin with the exact solution before the start, force/force only
  coupling::SemiImplicitSettings settings{};
  solver::IntegratorSettings integrator{.kind = solver::Kind::exact};
  std::shared_ptr<const subsystem::ForceLaw> law{};  ///< absent: spring and damper as in `masses`
};

/// The two masses with a rigid, massless link between them.
struct RigidLink {
  TwoMasses masses{};
  coupling::ConstraintMethod method = coupling::ConstraintMethod::baumgarte;
  std::optional<double> beta{};  ///< s
  double gamma = 0.0;            ///< s^2
  double a = 1.0, b = 0.0;       ///< of method 2
  unsigned degree = 0;
  double H = 1e-3;  ///< s
  coupling::SemiImplicitSettings settings{};
  solver::IntegratorSettings integrator{.kind = solver::Kind::exact};
};

/// Members "first", "second" and the static "link" (force/force only) or "joint".
coupling::System systemOf(const FlexibleLink& c);
coupling::System systemOf(const RigidLink& c);
run::Settings settingsOf(const FlexibleLink& c, double end);
run::Settings settingsOf(const RigidLink& c, double end);
/// Another rigid link between the same two masses, as a member of this name.
void addRigidLink(coupling::System& system, const RigidLink& c, const std::string& name);

/// Values at all macro points of [0, end].
struct Motion {
  run::Outcome outcome;
  std::vector<double> t;
  std::vector<double> x1, v1, x2, v2;
  std::vector<double> lambda;  ///< of the rigid link
  run::Statistics statistics;

  /// Place of the macro point nearest to a time.
  [[nodiscard]] std::size_t at(double time) const;
};

Motion simulate(coupling::System system, const run::Settings& settings);
Motion simulate(const FlexibleLink& c, double end = 1.0);
Motion simulate(const RigidLink& c, double end = 1.0);
double spectralRadius(const FlexibleLink& c);
double spectralRadius(const RigidLink& c);

/// The largest |a - b| over the largest |b|: of any values, and of the motions of both masses.
double relativeDistance(const std::vector<double>& a, const std::vector<double>& b);
double relativeDistance(const Motion& a, const Motion& b);

/// Methods 1, 2 and 3 for the rigid link (Lu, ch. 3).
RigidLink baumgarte(double beta, double gamma, unsigned degree = 0);
RigidLink weightedMultipliers(double a, double b, unsigned degree = 0);
RigidLink stabilisedIndex2(double relaxation = 1.0, unsigned degree = 0);

/// Motion x, v of a mass on its spring and damper that a force w(s) drives from rest over one step of length H,
/// s = t / H, and its acceleration at the end: exact, by the exponential of the matrix of the mass and of a chain of
/// integrators that makes w(s) = sum w_k s^k.
struct Response {
  double x, v, a;
};
Response responseTo(double m, double c, double d, double H, const std::vector<double>& w);
/// Powers of what a change of 1 at the end of a step adds to a polynomial of degree k: l_k(s), Lu, sec. 2.2.6.
std::vector<double> endPolynomial(unsigned degree);
double evaluate(const std::vector<double>& powers, double s);

/// x1, v1, x2, v2 of the flexibly linked masses at t, and of the rigidly linked ones.
std::array<double, 4> exact(const FlexibleLink& c, double t);
std::array<double, 4> exact(const RigidLink& c, double t);
/// The force in the rigid link.
double exactForce(const RigidLink& c, double t);

/// sqrt(sum (x - reference)^2 / sum reference^2) of x1 and of v1.
struct RelativeErrors {
  double x;
  double v;
};
template <class Case>
RelativeErrors relativeErrors(const Case& c, const Motion& motion) {
  double dx = 0.0;
  double sx = 0.0;
  double dv = 0.0;
  double sv = 0.0;
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    const auto z = exact(c, motion.t[i]);
    dx += (motion.x1[i] - z[0]) * (motion.x1[i] - z[0]);
    dv += (motion.v1[i] - z[1]) * (motion.v1[i] - z[1]);
    sx += z[0] * z[0];
    sv += z[1] * z[1];
  }
  return {std::sqrt(dx / sx), std::sqrt(dv / sv)};
}

}  // namespace koppla::test
