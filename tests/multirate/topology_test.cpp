#include <cmath>
#include <complex>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/curve.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/native/rod.hpp"
#include "koppla/native/signal.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

/// Which couplings there are, what they warn of, and what may take a partner's place.
namespace koppla::test::topology_test {
namespace {

using coupling::AlgorithmKind;

std::unique_ptr<subsystem::Subsystem> integrated(std::unique_ptr<solver::Equations> equations,
                                                 solver::Kind kind = solver::Kind::ode5, double microStep = 0.0) {
  return solver::integrate(std::move(equations), {.kind = kind, .microStep = microStep});
}

std::vector<std::string> warningsOf(coupling::System system, unsigned degree, AlgorithmKind kind) {
  core::Log log;
  std::vector<std::string> warnings;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) { warnings.emplace_back(message); },
              core::Severity::warning);
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.step = 1e-5;
  settings.end = 1e-3;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  return warnings;
}

coupling::System ofSplit(Split split) {
  TwoMassCase c;
  c.split = split;
  c.startUp = coupling::StartUp::trivial;
  return twoMassSystem(c);
}

/// A body that gives its acceleration, and a mass `mass` that is carried by it and answers with its inertia: the
/// multiplier of a rigid connection goes one way, the motion the other (Slides, sec. 2).
coupling::System constraintForceDisplacement(double mass) {
  native::OscillatorBody body;
  body.acceleration = true;
  coupling::System system;
  system.members.push_back({"body", integrated(native::oscillatorBody(body)), {}});
  system.members.push_back({"carried",
                            integrated(native::expressions(
                                {.inputs = {{"a"}}, .parameters = {{"mass", mass}}, .outputs = {{"f", "-mass * a"}}})),
                            {}});
  connect(system, {{"body.a", "carried.a"}, {"carried.f", "body.f"}});
  return system;
}

constexpr double kFrequency = 100.0;  // 1/s, of both sides alone
constexpr double kClosing = 300.0;    // 1/s, at which an open gap is closed

/// Two equal oscillators that are joined rigidly: kinematics both ways, and each side has a multiplier that makes its
/// mass follow the other's, to the share `gain` by the other's acceleration, the rest by the gap's position and rate.
/// The sum of both then moves as each does alone, and their difference d, with k = kClosing, by
/// (1 + gain) d'' = -(1 - gain) w^2 d - 2 (2 k d' + k^2 d).
coupling::System constraintDisplacementDisplacement(double gain) {
  const auto side = [gain](double start) {
    const std::string a =
        "gain * a_partner - (1 - gain) * w * w * x - 2 * k * (v - v_partner) - k * k * (x - x_partner)";
    return integrated(native::expressions({.inputs = {{"x_partner"}, {"v_partner"}, {"a_partner"}},
                                           .parameters = {{"gain", gain}, {"w", kFrequency}, {"k", kClosing}},
                                           .states = {{"x", start, "v"}, {"v", 0.0, a}},
                                           .outputs = {{"x", "x"}, {"v", "v"}, {"a", a}}}));
  };
  coupling::System system;
  system.members.push_back({"left", side(1.0), {}});
  system.members.push_back({"right", side(0.9), {}});
  connect(system, {{"left.x", "right.x_partner"},
                   {"left.v", "right.v_partner"},
                   {"left.a", "right.a_partner"},
                   {"right.x", "left.x_partner"},
                   {"right.v", "left.v_partner"},
                   {"right.a", "left.a_partner"}});
  return system;
}

TEST(Topology, OnlyConstraintsFormAlgebraicLoops) {
  std::size_t right = 0;
  for (const Split split : {Split::displacementDisplacement, Split::forceDisplacement, Split::forceForce})
    if (warningsOf(ofSplit(split), 2, AlgorithmKind::jacobi).empty()) ++right;
  for (const bool kinematic : {true, false}) {
    const auto warnings =
        warningsOf(kinematic ? constraintDisplacementDisplacement(0.5) : constraintForceDisplacement(0.5), 2,
                   AlgorithmKind::jacobi);
    if (warnings.size() == 1 && warnings[0].find("algebraic loop") != std::string::npos &&
        warnings[0].find("diverge") != std::string::npos)
      ++right;
  }
  showEqual({"overview S2", "couplings", "three without, two with an algebraic loop, found and warned of"},
            static_cast<double>(right), 5.0);
}

double largestX(coupling::System system, const std::string& position, unsigned degree, AlgorithmKind kind, double H) {
  core::Log log;
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.step = H;
  settings.end = 0.05;
  run::Run run(std::move(system), settings, log);
  if (!run.initialise().ok()) return HUGE_VAL;
  test::Largest largest;
  while (!run.finished()) {
    if (!run.step().ok()) return HUGE_VAL;
    largest.see(std::fabs(std::get<double>(run.value(position))));
  }
  return largest;
}

/// Amplitude 1, zero speed at the start, of m x'' + d x' + c x = 0.
double damped(double m, double d, double c, double t) {
  const double delta = d / (2.0 * m);
  const std::complex<double> omega = std::sqrt(std::complex<double>(c / m - delta * delta));
  return (std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t))).real();
}

/// Largest error of a member's position over [0, 0.05] s with p = 1, of an amplitude of 1 m.
double errorOf(coupling::System system, const std::string& position, double H,
               const std::function<double(double)>& exact) {
  core::Log log;
  run::Settings settings;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  settings.algorithm.degree = 1;
  settings.step = H;
  settings.end = 0.05;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  test::Largest largest;
  while (!run.finished()) {
    const run::Outcome outcome = run.step();
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    if (!outcome.ok()) return HUGE_VAL;
    largest.see(std::fabs(std::get<double>(run.value(position)) - exact(run.time())));
  }
  return largest;
}

TEST(Topology, AllFiveCouplingsFollowTheUncutSystem) {
  const ExactTwoMass twoMasses{native::TwoMassOscillator{}};
  const auto uncut = [&](double t) { return twoMasses.at(t)[0]; };
  // Gains below 0.1547, the threshold of degree 1.
  constexpr double kGain = 0.1;
  const native::OscillatorBody body;
  const auto carried = [&](double t) { return damped(body.m + kGain, body.d, body.c, t); };
  const auto joined = [&](double t) {
    const double sum = 1.9 * std::cos(kFrequency * t);
    const double gap = 0.1 * damped(1.0 + kGain, 4.0 * kClosing,
                                    (1.0 - kGain) * kFrequency * kFrequency + 2.0 * kClosing * kClosing, t);
    return 0.5 * (sum + gap);
  };
  const auto constrained = [&] { return constraintForceDisplacement(kGain); };
  const auto followed = [&] { return constraintDisplacementDisplacement(kGain); };
  struct Coupling {
    std::string name, position;
    std::function<coupling::System()> make;
    std::function<double(double)> exact;
  };
  const std::vector<Coupling> couplings{
      {"displacement-displacement", "s1.x", [] { return ofSplit(Split::displacementDisplacement); }, uncut},
      {"force-displacement", "s1.x", [] { return ofSplit(Split::forceDisplacement); }, uncut},
      {"force-force", "s1.x", [] { return ofSplit(Split::forceForce); }, uncut},
      {"constraint-displacement-displacement", "left.x", followed, joined},
      {"constraint-force-displacement", "body.x", constrained, carried}};
  for (const Coupling& coupling : couplings) {
    const double coarse = errorOf(coupling.make(), coupling.position, 1e-5, coupling.exact);
    const double fine = errorOf(coupling.make(), coupling.position, 5e-6, coupling.exact);
    showFigure(
        {"overview S2", coupling.name, "within 1 % of the uncut system at H = 5e-6 s, p = 1, and of order 2 +-0.2"},
        fmt::format("{:.2g}, order {:.2f}", fine, std::log2(coarse / fine)),
        fine <= 0.01 && std::fabs(std::log2(coarse / fine) - 2.0) <= 0.2);
  }
  // What is warned of comes true.
  EXPECT_GT(largestX(constraintForceDisplacement(0.5), "body.x", 1, AlgorithmKind::jacobi, 1e-5), 1e6);
  EXPECT_GT(largestX(constraintDisplacementDisplacement(0.5), "left.x", 1, AlgorithmKind::jacobi, 1e-5), 1e6);
}

TEST(Topology, ALoopIsFlaggedWhereItsGainIsTooLargeForTheDegree) {
  // Sec. 4.5: Jacobi allows 1, 0.1547, 0.0316, ...; Gauss-Seidel 1, 0.3333, 0.1429, ...
  const auto diverges = [](double mu, unsigned degree, AlgorithmKind kind) {
    const auto warnings = warningsOf(constraintForceDisplacement(mu), degree, kind);
    EXPECT_EQ(warnings.size(), 1U);  // a loop it is in any case
    return !warnings.empty() && warnings[0].find("diverge") != std::string::npos;
  };
  const std::array<double, 3> jacobi{1.0, 0.154701, 0.0316057};
  const std::array<double, 3> gaussSeidel{1.0, 1.0 / 3.0, 1.0 / 7.0};
  std::size_t right = 0;
  for (unsigned p = 0; p < 3; ++p) {
    right += diverges(0.9 * jacobi[p], p, AlgorithmKind::jacobi) ? 0 : 1;
    right += diverges(1.05 * jacobi[p], p, AlgorithmKind::jacobi) ? 1 : 0;
    right += diverges(0.9 * gaussSeidel[p], p, AlgorithmKind::gaussSeidel) ? 0 : 1;
    right += diverges(1.05 * gaussSeidel[p], p, AlgorithmKind::gaussSeidel) ? 1 : 0;
  }
  showEqual({"schmoll R6", "flagged", "12 gains below and above the thresholds told apart"}, static_cast<double>(right),
            12.0);
  showFigure({"schmoll R6", "half", "mu = 0.5 with p >= 1 is flagged"},
             diverges(0.5, 1, AlgorithmKind::jacobi) ? "flagged" : "not flagged",
             diverges(0.5, 1, AlgorithmKind::jacobi) && diverges(0.5, 1, AlgorithmKind::gaussSeidel));
}

TEST(Topology, AForcedLoopDivergesForEveryStepOrStaysBounded) {
  test::Largest bounded;
  for (const double H : {1e-4, 1e-5})
    EXPECT_GT(largestX(constraintForceDisplacement(0.5), "body.x", 1, AlgorithmKind::jacobi, H), 1e6) << H;
  for (unsigned p = 0; p < 3; ++p) {
    const std::array<double, 3> limits{1.0, 0.154701, 0.0316057};
    bounded.see(largestX(constraintForceDisplacement(0.9 * limits[p]), "body.x", p, AlgorithmKind::jacobi, 1e-5));
  }
  showAtMost({"schmoll R6", "bounded", "|x| <= 2 m from 1 m at 0.9 times the limit, H = 1e-5 s"}, bounded, 2.0);
}

/// Error of x1 over [0, 0.02] s when the second mass is replaced.
double errorWithPartner(std::unique_ptr<subsystem::Subsystem> partner, const std::vector<Link>& links, double H,
                        const std::function<double(double)>& exact) {
  coupling::System system;
  system.members.push_back({"s1", integrated(native::oscillatorBody(), solver::Kind::exact), {}});
  system.members.push_back({"partner", std::move(partner), {}});
  connect(system, links);
  core::Log log;
  run::Settings settings;
  settings.algorithm.degree = 2;
  settings.step = H;
  settings.end = 0.02;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return std::fabs(std::get<double>(run.value("s1.x")) - exact(run.time()));
}

TEST(Replacement, AForceOverTimeTakesThePlaceOfAPartner) {
  const ExactTwoMass exact{native::TwoMassOscillator{}};
  native::Signal force{.interpolation = native::Interpolation::cubic};
  force.columns.push_back({"f", {}});
  for (int i = 0; i <= 20000; ++i) {
    force.times.push_back(1e-6 * i);
    force.columns[0].values.push_back(exact.at(1e-6 * i)[4]);
  }
  const double error = errorWithPartner(integrated(native::signal(force)), {{"partner.f", "s1.f"}}, 1e-5,
                                        [&](double t) { return exact.at(t)[0]; });
  showAtMost({"schmoll R9", "signal", "x1 within 1e-5 m of the coupled solution"}, error, 1e-5);
}

TEST(Replacement, ACharacteristicCurveTakesThePlaceOfAPartner) {
  // A spring of 1e6 N/m to the ground instead of the second mass: m x'' + d x' + (c + k) x = 0.
  constexpr double k = 1e6;
  const double delta = 1.0;
  const double omega = std::sqrt(1e4 + k - delta * delta);
  const auto exact = [&](double t) {
    return std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  };
  const auto error = [&](double H) {
    const native::Curve spring{.u = {-10.0, 10.0}, .y = {10.0 * k, -10.0 * k}};
    return errorWithPartner(integrated(native::curve(spring)), {{"s1.x", "partner.u"}, {"partner.y", "s1.f"}}, H,
                            exact);
  };
  EXPECT_LT(error(1e-6), 1e-6);
  showWithin({"schmoll R9", "curve", "order 3 +-0.3 with a curve as partner, p = 2"},
             std::log2(error(2e-5) / error(1e-5)), 3.0, 0.3);
}

TEST(Multirate, SubsystemsKeepTheirOwnMicroSteps) {
  TwoMassCase c;
  c.H = 1e-4;
  c.degree = 2;
  c.end = 0.01;
  c.first.kind = c.second.kind = solver::Kind::ode4;
  c.first.microStep = 1e-5;
  c.second.microStep = 1e-6;
  const TwoMassErrors errors = errorsOf(c);
  showEqual({"overview S5", "slow", "10 micro steps per macro step"},
            static_cast<double>(errors.statistics.members[0].effort.microSteps), 1000.0);
  showEqual({"overview S5", "fast", "100 micro steps per macro step"},
            static_cast<double>(errors.statistics.members[1].effort.microSteps), 10000.0);
}

TEST(Multirate, EveryDegreeConvergesFastestFirstAndSlowestFirst) {
  // Degree p has order p + 1. The second subsystem takes five micro steps where the first takes one; inputs inside a
  // macro step are extrapolated for whoever goes first, interpolated for the other one in Gauss-Seidel. With p = 0 the
  // slope is clean below 3.2e-6 s only (Schmoll's note, 10.2).
  constexpr int kSlow = 2, kFast = 10;  // micro steps in a macro step
  test::Largest held, worst;
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (const bool fastestFirst : {false, true})
      for (unsigned p = 0; p <= 3; ++p) {
        TwoMassCase c;
        c.algorithm = kind;
        c.secondFirst = fastestFirst;
        c.degree = p;
        c.end = p == 0 ? 0.02 : 0.1;
        c.first.kind = c.second.kind = solver::Kind::ode5;
        const std::vector<double> steps = p == 0 ? std::vector{2e-6, 1e-6} : std::vector{5e-5, 1e-5};
        std::vector<double> errors;
        for (const double H : steps) {
          c.H = H;
          c.first.microStep = H / kSlow;
          c.second.microStep = H / kFast;
          const TwoMassErrors found = errorsOf(c);
          const auto& members = found.statistics.members;
          EXPECT_EQ(members[0].effort.microSteps, kSlow * found.statistics.acceptedSteps);
          EXPECT_EQ(members[1].effort.microSteps, kFast * found.statistics.acceptedSteps);
          errors.push_back(found.global);
        }
        (p == 0 ? held : worst).see(std::fabs(slope(steps, errors) - (p + 1.0)));
      }
  showAtMost({"overview S3", "orders",
              "multirate 2:10, p + 1 within 0.2, p = 1..3, Jacobi and Gauss-Seidel, "
              "fastest-first and slowest-first"},
             worst, 0.2);
  showAtMost({"overview S3", "orders-p0", "the same with p = 0"}, held, 0.2);
}

TEST(Multirate, StepControlWorksWithAndWithoutRepetition) {
  TwoMassCase c;
  c.degree = 0;
  c.H = 1e-6;
  c.end = 0.01;
  c.startUp = coupling::StartUp::trivial;
  c.stepControl.atol = c.stepControl.rtol = 1e-2;
  c.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  c.stepControl.estimate = stepping::Estimate::schmoll;
  const TwoMassErrors forward = errorsOf(c);
  c.stepControl.kind = stepping::StepControlKind::doubleStep;
  c.stepControl.estimate = stepping::Estimate::nicolai;
  const TwoMassErrors repeating = errorsOf(c);
  showFigure({"schmoll R65", "richardson", "step control by two half steps repeats macro steps from saved states"},
             fmt::format("{} repeated", repeating.statistics.repeatedSteps),
             repeating.finished && repeating.statistics.repeatedSteps > 0);
  showFigure({"overview S6", "restores", "none without repetition, some with it"},
             fmt::format("{} and {}", forward.statistics.members[0].restore.count,
                         repeating.statistics.members[0].restore.count),
             forward.finished && repeating.finished && forward.statistics.members[0].restore.count == 0 &&
                 repeating.statistics.members[0].restore.count > 0);
}

TEST(Rod, ItsEndMovesAsToldAndPushesBackWithoutInertia) {
  // Schmoll 3.3.2.2: prescribed motion with zero acceleration; the reaction has stiffness and damping only, so that no
  // loop closes with a body that gives position and velocity.
  TwoMassCase c;
  c.parameters = native::schmollTable31();
  coupling::System system;
  system.members.push_back(
      {"s1", integrated(native::oscillatorBody(native::firstBody(c.parameters)), solver::Kind::exact), {}});
  native::Rod settings;
  settings.displacements = {5e-3};
  system.members.push_back({"rod", integrated(native::rod(settings), solver::Kind::exact), {}});
  connect(system, {{"s1.x", "rod.w"}, {"s1.v", "rod.v"}, {"rod.f", "s1.f"}});
  const auto without = warningsOf(std::move(system), 2, AlgorithmKind::jacobi);

  native::Rod withInertia = settings;
  withInertia.nodeInertia = true;
  native::OscillatorBody body = native::firstBody(c.parameters);
  body.acceleration = true;
  coupling::System loop;
  loop.members.push_back({"s1", integrated(native::oscillatorBody(body), solver::Kind::exact), {}});
  loop.members.push_back({"rod", integrated(native::rod(withInertia), solver::Kind::exact), {}});
  connect(loop, {{"s1.x", "rod.w"}, {"s1.v", "rod.v"}, {"s1.a", "rod.a"}, {"rod.f", "s1.f"}});
  const auto warnings = warningsOf(std::move(loop), 2, AlgorithmKind::jacobi);
  showFigure({"schmoll R45", "loop", "none with zero acceleration, one with the node's inertia"},
             fmt::format("{} and {}", without.size(), warnings.size()),
             without.empty() && warnings.size() == 1 && warnings[0].find("diverge") != std::string::npos);
}

TEST(Rod, CoupledToABodyItMovesAsItsAnalogue) {
  const native::TwoMassOscillator p = native::schmollTable31();
  const ExactTwoMass exact(p);
  const auto error = [&](double H, unsigned degree) {
    coupling::System system;
    system.members.push_back({"s1", integrated(native::oscillatorBody(native::firstBody(p)), solver::Kind::exact), {}});
    native::Rod settings;
    settings.displacements = {5e-3};
    system.members.push_back({"rod", integrated(native::rod(settings), solver::Kind::ode5, 1e-6), {}});
    connect(system, {{"s1.x", "rod.w"}, {"s1.v", "rod.v"}, {"rod.f", "s1.f"}});
    core::Log log;
    run::Settings run;
    run.algorithm.kind = AlgorithmKind::jacobi;
    run.algorithm.degree = degree;
    run.step = H;
    run.end = 0.05;
    run::Run coupled(std::move(system), run, log);
    EXPECT_TRUE(coupled.initialise().ok());
    EXPECT_TRUE(coupled.simulate().ok());
    return std::fabs(std::get<double>(coupled.value("s1.x")) - exact.at(0.05)[0]) / 1e-2;
  };
  showAtMost({"schmoll R44", "rod", "x1(0.05 s) within 1e-6 of the analogue, p = 2, H = 1e-5 s"}, error(1e-5, 2), 1e-6);
  showAtMost({"schmoll R45", "converges", "x1(0.05 s) within 1e-3 at H = 1e-4 s, p = 2"}, error(1e-4, 2), 1e-3);
}

}  // namespace
}  // namespace koppla::test::topology_test
