// examples/pump: three pistons and their hydraulics, nine coupling values; what Schmoll (2015), sec. 3.1.4, found on
// his pump must show in kind. Amplitudes are compared with a linear model of drive and rail that is solved here.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::pump_test {
namespace {

constexpr double kRevolution = 0.02;  // s, at 3000 rpm

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Arguments set(const std::vector<std::string>& settings) {
  Arguments result;
  for (const std::string& setting : settings) result.insert(result.end(), {"--set", setting});
  return result;
}

Arguments microStep(const std::string& step) {
  return set({"mechanics.micro_step=" + step, "hydraulics.micro_step=" + step});
}

Arguments degree(int p) {
  return set({"algorithm.degree=" + std::to_string(p)});
}

/// A run of one revolution, or until it failed.
ExampleRun revolution(const Arguments& arguments) {
  return runExample("pump/coupled", Arguments{"--end", "0.02"} + arguments);
}

/// The nine values that are exchanged.
std::vector<std::string> exchanged() {
  std::vector<std::string> names;
  for (const char* piston : {"1", "2", "3"})
    for (const char* quantity : {"mechanics.s", "mechanics.v", "hydraulics.F"})
      names.push_back(std::string(quantity) + piston);
  return names;
}

/// On the straight line between two rows.
double between(const std::vector<double>& time, const std::vector<double>& y, double t) {
  const auto after = std::ranges::lower_bound(time, t - 1e-12);
  const auto i = static_cast<std::size_t>(after - time.begin());
  if (i == 0 || after == time.end() || *after - t < 1e-12) return y[std::min(i, y.size() - 1)];
  return y[i - 1] + (t - time[i - 1]) / (time[i] - time[i - 1]) * (y[i] - y[i - 1]);
}

/// NRMSE of all exchanged values, Schmoll (2.33), (2.34); infinite for a run that did not reach its end.
double errorOf(const ExampleRun& run, const ExampleRun& reference) {
  if (run.command.exitCode != 0) return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (const std::string& name : exchanged()) {
    const std::vector<double>& y = run.of(name);
    std::vector<double> right;
    for (const double t : run.table.time) right.push_back(between(reference.table.time, reference.of(name), t));
    double mean = 0.0, difference = 0.0, variation = 0.0;
    for (const double value : right) mean += value / static_cast<double>(right.size());
    for (std::size_t n = 0; n < right.size(); ++n) {
      difference += std::pow(y[n] - right[n], 2);
      variation += std::pow(right[n] - mean, 2);
    }
    sum += difference / variation;
  }
  return std::sqrt(sum);
}

const ExampleRun& reference() {
  static const ExampleRun run = revolution(Arguments{"--step", "5e-7"} + microStep("5e-7") + degree(3));
  return run;
}

/// Amplitude of the sixth order of the drive's speed over the last revolution.
double sixthOrder(const ExampleRun& run, const std::string& name) {
  const std::vector<double>&time = run.table.time, &y = run.of(name);
  const double begin = time.back() - kRevolution + 1e-9;
  std::complex<double> sum = 0.0;
  double rows = 0.0;
  for (std::size_t n = 0; n < time.size(); ++n) {
    if (time[n] < begin) continue;
    sum += y[n] * std::polar(1.0, -12.0 * std::numbers::pi * time[n] / kRevolution);
    rows += 1.0;
  }
  return 2.0 * std::abs(sum) / rows;
}

/// Drive and rail as linear oscillators. The shaft's displacement volume per angle, with what a cylinder loses by
/// compression, couples them and excites both in the sixth order; valves are ideal, pistons without mass.
class LinearPump {
 public:
  struct Amplitudes {
    double outlet;  ///< bar
    double speed;   ///< rpm
  };

  LinearPump() {
    constexpr int kAngles = 7200;
    for (int k = 0; k < kAngles; ++k) add(2.0 * std::numbers::pi * (k + 0.5) / kAngles, 1.0 / kAngles);
  }

  [[nodiscard]] Amplitudes coupled() const { return solve(displacement_); }
  [[nodiscard]] Amplitudes alone() const { return solve(0.0); }

 private:
  static constexpr double A = 3.8485e-5, e = 3.5e-3, V0 = 1e-7, K = 1.5e9, suction = 6e5, rail = 1.5e8;
  static constexpr double J = 6e-4, ct = 2250.0, dt = 0.02, Vg = 5e-6, Vr = 3e-5, rho = 830.0, L = 0.54, a = 5e-6,
                          R = 2e4, G = 1e-12;
  static constexpr double kOmega = 2.0 * std::numbers::pi / kRevolution;

  void add(double phi, double weight) {
    const std::complex<double> order = 2.0 * weight * std::polar(1.0, -6.0 * phi);
    for (int piston = 0; piston < 3; ++piston) {
      const double angle = phi - 2.0 * std::numbers::pi * piston / 3.0;
      const double lever = A * e * std::sin(angle);
      const double volume = V0 + A * e * (1.0 + std::cos(angle));
      const double compressed = suction + K * std::log((V0 + 2.0 * A * e) / volume);
      const bool delivers = lever > 0.0 && compressed > rail;
      const double pressure =
          lever > 0.0 ? std::min(rail, compressed) : std::max(suction, rail - K * std::log(volume / V0));
      torque_ += order * pressure * lever;
      if (!delivers) continue;
      flow_ += order * lever * kOmega;
      displacement_ += weight * lever;
      openVolume_ += weight * volume;
    }
  }

  [[nodiscard]] Amplitudes solve(double displacement) const {
    const std::complex<double> s(0.0, 6.0 * kOmega);
    const std::complex<double> pipe = (rho * L * s + R) / a + 1.0 / (Vr / K * s + G);
    const std::complex<double> outlet = (Vg + openVolume_) / K * s + 1.0 / pipe;
    const std::complex<double> drive = J * s * s + dt * s + ct;
    const std::complex<double> pressure =
        (flow_ - displacement * s * torque_ / drive) / (outlet + displacement * displacement * s / drive);
    const std::complex<double> twist = -(torque_ + displacement * pressure) / drive;
    return {1e-5 * std::abs(pressure), 30.0 / std::numbers::pi * std::abs(s * twist)};
  }

  std::complex<double> torque_ = 0.0;  ///< N m
  std::complex<double> flow_ = 0.0;    ///< m3/s
  double displacement_ = 0.0;          ///< m3/rad, mean of what delivers
  double openVolume_ = 0.0;            ///< m3, of cylinders behind an open valve
};

TEST(PumpExamples, DriveAndRailExciteEachOtherOnlyWhereTheyAreCoupled) {
  const Arguments ten = {"--end", "0.2", "--step", "1e-5"};  // revolutions
  const ExampleRun coupled = runExample("pump/coupled", ten + microStep("2e-6"));
  const ExampleRun hydraulics = runExample("pump/uncoupled-hydraulics", ten + set({"hydraulics.micro_step=2e-6"}));
  const ExampleRun mechanics = runExample("pump/uncoupled-mechanics", ten + set({"mechanics.micro_step=2e-6"}));
  const double outlet = sixthOrder(coupled, "hydraulics.outlet"), speed = sixthOrder(coupled, "mechanics.speed");
  const double outletAlone = sixthOrder(hydraulics, "hydraulics.outlet");
  const double speedAlone = sixthOrder(mechanics, "mechanics.speed");

  const LinearPump linear;
  const LinearPump::Amplitudes expected = linear.coupled(), expectedAlone = linear.alone();
  EXPECT_NEAR(outlet / expected.outlet, 1.0, 0.2);
  EXPECT_NEAR(speed / expected.speed, 1.0, 0.2);
  EXPECT_NEAR(outletAlone / expectedAlone.outlet, 1.0, 0.2);
  EXPECT_NEAR(speedAlone / expectedAlone.speed, 1.0, 0.2);
  showFigure(
      {"schmoll R59", "mutual-excitation", "outlet pressure and speed swing wider when coupled, 1.5 times"},
      fmt::format("{:.0f} bar against {:.0f}, {:.0f} rpm against {:.0f}", outlet, outletAlone, speed, speedAlone),
      outlet > 1.5 * outletAlone && speed > 1.5 * speedAlone);
}

TEST(PumpExamples, TheReferenceHasConverged) {
  const double check = errorOf(revolution(Arguments{"--step", "1e-6"} + degree(3)), reference());
  const double best = errorOf(revolution(Arguments{"--step", "1e-5"} + degree(2)), reference());
  showAtMost({"schmoll R59", "reference", "changes by at most a tenth of the errors below with twice the steps"},
             check / best, 0.1);
}

struct Performance {
  double error;
  double rightHandSides;
};

/// With solvers that choose their steps and go on across macro points.
Performance performance(int p) {
  const std::string step = "1e-5";
  Arguments solvers = Arguments{"--step", step} + microStep(step) + degree(p);
  for (const char* subsystem : {"mechanics", "hydraulics"})
    solvers =
        solvers + set({fmt::format("{}.integrator=cvode-bdf", subsystem), fmt::format("{}.restart=false", subsystem)});
  const ExampleRun run = revolution(solvers + set({"mechanics.atol=1e-8", "hydraulics.atol=1e-2"}));
  double evaluations = 0.0;
  for (const auto& subsystem : run.statistics["subsystems"]) evaluations += subsystem["right_hand_sides"].get<double>();
  return {errorOf(run, reference()), evaluations};
}

TEST(PumpExamples, HeldValuesAreLessAccurateAndCostMore) {
  const Performance held = performance(0), linear = performance(1), quadratic = performance(2);
  showFigure({"schmoll R59", "held-accuracy", "p = 0 less accurate than p = 1 and 2 at equal H"},
             fmt::format("{:.1e} against {:.1e}, {:.1e}", held.error, linear.error, quadratic.error),
             held.error > std::max(linear.error, quadratic.error));
  showFigure({"schmoll R59", "held-cost", "p = 0 costs more right-hand sides than p = 1 and 2 at equal H"},
             fmt::format("{} against {}, {}", held.rightHandSides, linear.rightHandSides, quadratic.rightHandSides),
             held.rightHandSides > std::max(linear.rightHandSides, quadratic.rightHandSides));
}

bool stable(const std::string& kind, int p, const std::string& step) {
  const ExampleRun run =
      revolution(Arguments{"--step", step} + microStep("2e-6") + degree(p) + set({"algorithm.kind=" + kind}));
  return errorOf(run, reference()) < 1.0;
}

TEST(PumpExamples, HighDegreesLimitTheStepOfJacobiMoreThanThatOfGaussSeidel) {
  std::string jacobi, gaussSeidel;
  for (int p = 1; p <= 4; ++p) {
    jacobi += stable("jacobi", p, "2e-5") ? 's' : 'u';
    gaussSeidel += stable("gauss-seidel", p, "2e-5") ? 's' : 'u';
  }
  showFigure({"schmoll R59", "limits", "H = 2e-5 s, p = 1..4: Jacobi unstable for 3, 4 only, Gauss-Seidel stable"},
             jacobi + " " + gaussSeidel, jacobi == "ssuu" && gaussSeidel == "ssss");
  EXPECT_TRUE(stable("jacobi", 3, "1e-5"));
  EXPECT_FALSE(stable("jacobi", 4, "1e-5"));  // p = 4 below p = 3, as in the source
}

/// Throttled as the source's pump: cylinders fill in part, and the vapour collapses at full speed of the piston.
Arguments throttled() {
  return set({"hydraulics.throttle=0.34", "hydraulics.Q0=2e-5", "hydraulics.p1.start=3e3", "hydraulics.p2.start=4e3"}) +
         microStep("2e-6");
}

/// Records all communication points.
Arguments everyStep() {
  return set({"results.interval=0"});
}

ExampleRun controlled(int p, const std::string& tolerance, const Arguments& further = {}) {
  return revolution(throttled() + further + degree(p) +
                    set({"simulation.step=2e-6", "step_control.kind=predictor-corrector",
                         "step_control.estimate=schmoll", "step_control.min_step=2e-6", "step_control.max_step=1e-4",
                         "step_control.rtol=" + tolerance, "step_control.atol=" + tolerance}));
}

const ExampleRun& throttledReference() {
  static const ExampleRun run = revolution(throttled() + everyStep() + Arguments{"--step", "2e-6"} + degree(3));
  return run;
}

TEST(PumpExamples, CylindersThatFillInPartHoldVapourAndNoTension) {
  for (const char* name : {"hydraulics.F1", "hydraulics.F2", "hydraulics.F3"}) {
    const double lowest = std::ranges::min(throttledReference().of(name)) / 3.8485e-8;  // Pa, of kN on a piston of 7 mm
    EXPECT_GT(lowest, 0.0) << name;
    EXPECT_LT(lowest, 1e4) << name;
  }
}

TEST(PumpExamples, StepControlKeepsRunsStable) {
  const ExampleRun& right = throttledReference();
  int unstable = 0;
  for (int p = 0; p <= 4; ++p)
    for (const char* tolerance : {"1e-2", "1e-3", "1e-4", "1e-5"})
      if (!(errorOf(controlled(p, tolerance), right) < 1.0)) ++unstable;
  showEqual({"schmoll R59", "controlled-unstable", "no unstable run, p = 0..4, TOL 1e-2..1e-5"}, unstable, 0);
  // The longest of these steps do not do when they are fixed.
  for (int p = 1; p <= 4; ++p)
    EXPECT_GT(errorOf(revolution(throttled() + Arguments{"--step", "5e-5"} + degree(p)), right), 1.0) << p;
}

/// Mean length of the steps in the steepest tenth of the time, by the force that changes fastest, over that in the
/// flattest half.
double steepOverFlat(const ExampleRun& run) {
  struct Step {
    double length;
    test::Largest rate;
  };
  const std::vector<double>& time = run.table.time;
  std::vector<Step> steps;
  for (std::size_t n = 20; n + 1 < time.size(); ++n) {  // from where the first step has no say
    Step step{time[n + 1] - time[n], {}};
    for (const std::vector<double>* force :
         {&run.of("hydraulics.F1"), &run.of("hydraulics.F2"), &run.of("hydraulics.F3")})
      step.rate.see(std::fabs((*force)[n + 1] - (*force)[n]) / step.length);
    steps.push_back(step);
  }
  std::ranges::sort(steps, {}, &Step::rate);
  double total = 0.0, passed = 0.0, flat = 0.0, flatCount = 0.0, steep = 0.0, steepCount = 0.0;
  for (const Step& step : steps) total += step.length;
  for (const Step& step : steps) {
    if (passed < 0.5 * total) flat += step.length, flatCount += 1.0;
    if (passed >= 0.9 * total) steep += step.length, steepCount += 1.0;
    passed += step.length;
  }
  return (steep / steepCount) / (flat / flatCount);
}

TEST(PumpExamples, StepControlShrinksStepsWhereForcesAreSteep) {
  for (const int p : {0, 1, 2})
    showAtMost(
        {"schmoll R59", fmt::format("steep-steps-p{}", p), "mean H where forces are steep over flat: at most 0.5"},
        steepOverFlat(controlled(p, "1e-3", everyStep())), 0.5);
}

}  // namespace
}  // namespace koppla::test::pump_test
