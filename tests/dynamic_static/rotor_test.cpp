// Schmoll, part II, on a rotor in a hydrodynamic bearing: the surrogate of the note, 15.6, with its figures. The
// reference is an explicit method of order 5 with steps of 2 us, which calls the bearing in every stage.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coupled.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::rotor_test {
namespace {

constexpr double kEnd = 0.02;        // s
constexpr double kSettled = 0.5e-3;  // s, errors count from here on
const std::vector<std::string> kSeen{"rotor.eps", "rotor.eps_rate", "rotor.del_rate"};

solver::IntegratorSettings rotorBdf(double tolerance) {
  solver::IntegratorSettings settings = noteBdf(4, tolerance);
  settings.firstMicroStep = 1e-6;
  settings.newtonTolerance = 0.001;
  return settings;
}

/// Goes along with the times that are asked for, which rise.
class Reference {
 public:
  Reference() : system_(rotorOnBearing(StaticCoupling::full, explicitly())), y_(kSeen.size()) {
    subsystem::Binding binding;
    for (const std::string& name : kSeen) binding.outputs.push_back(*system_->describe().find(name));
    system_->bind(binding);
    system_->enterInitialisation({0.0, kEnd, {}});
    system_->evaluate(0.0, {}, y_);
    system_->leaveInitialisation();
  }

  std::vector<double> operator()(double t) {
    system_->advance({t_, t, true}, {}, y_);
    t_ = t;
    return y_;
  }

 private:
  static solver::IntegratorSettings explicitly() {
    solver::IntegratorSettings settings;
    settings.kind = solver::Kind::ode5;
    settings.microStep = 2e-6;
    return settings;
  }

  std::unique_ptr<subsystem::Subsystem> system_;
  std::vector<double> y_;
  double t_ = 0.0;
};

struct Found {
  Trace trace;
  double error;
};

Found run(StaticCoupling coupling, const solver::IntegratorSettings& settings) {
  const auto system = rotorOnBearing(coupling, settings);
  Trace trace = koppla::test::trace(*system, kEnd, kSeen, 4);
  auto reference = std::make_shared<Reference>();
  // One reference for all times of this run, those before kSettled included.
  const double error = trace.error([reference](double t) { return (*reference)(t); }, kSettled);
  return {std::move(trace), error};
}

TEST(RotorOnBearing, EndsWhereTheNoteSays) {
  for (const StaticCoupling coupling : {StaticCoupling::full, StaticCoupling::predictor}) {
    solver::IntegratorSettings settings = rotorBdf(1e-9);
    settings.microStep = 1e-5;
    const auto system = rotorOnBearing(coupling, settings);
    const Trace found = trace(*system, kEnd, {"rotor.x", "rotor.y"}, 4);
    const std::string name = coupling == StaticCoupling::full ? "full" : "P";
    showFigure(
        {"schmoll R56", "end-" + name, "-2.8021e-6 m, -5.5035e-7 m, to 5 digits"},
        fmt::format("{:.5g}, {:.5g}", found.values[0].back(), found.values[1].back()),
        fmt::format("{:.4e} {:.4e}", found.values[0].back(), found.values[1].back()) == "-2.8021e-06 -5.5035e-07");
  }
}

TEST(RotorOnBearing, PredictorEqualsFullAndTheFloorsAreThoseOfTheNote) {
  test::Largest apart;
  test::Largest stepsApart;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7}) {
    const Found full = run(StaticCoupling::full, rotorBdf(tolerance));
    const Found predictor = run(StaticCoupling::predictor, rotorBdf(tolerance));
    apart.see(std::fabs(predictor.error / full.error - 1.0));
    stepsApart.see(std::fabs(static_cast<double>(predictor.trace.effort.microSteps) /
                                 static_cast<double>(full.trace.effort.microSteps) -
                             1.0));
    if (tolerance != 1e-6) continue;
    const Found last = run(StaticCoupling::lastCorrector, rotorBdf(tolerance));
    const auto within = [](double found, double expected) {
      return std::fabs(std::log(found / expected)) < std::log(1.5);
    };
    showFigure({"schmoll R56", "floors", "3e-6 (full, P), 4.3e-4 (C), within a factor of 1.5"},
               fmt::format("{:.2g}, {:.2g}, {:.2g}", full.error, predictor.error, last.error),
               within(full.error, 3e-6) && within(predictor.error, 3e-6) && within(last.error, 4.3e-4));
  }
  showAtMost({"schmoll R56", "error-of-P", "P / full - 1 at most 10 % for tol <= 1e-4"}, apart, 0.1);
  showAtMost({"schmoll R56", "steps-of-P", "steps of P / full - 1 at most 2 % for tol <= 1e-4"}, stepsApart, 0.02);
}

/// With df/dx kept as long as it serves, which is the default, the corrector iterates more often than with a fresh one.
TEST(RotorOnBearing, ThePredictorSavesHalfOfTheCallsAndMore) {
  solver::IntegratorSettings settings = rotorBdf(1e-6);
  settings.renewal.clear();
  const Found full = run(StaticCoupling::full, settings);
  const Found predictor = run(StaticCoupling::predictor, settings);
  const auto ofFull = full.trace.afterStartUp();
  const auto ofPredictor = predictor.trace.afterStartUp();
  EXPECT_NEAR(predictor.error / full.error, 1.0, 0.1);
  showFigure({"schmoll R56", "calls", "calls of P at most half of those of full, tol = 1e-6"},
             fmt::format("{} of {}", ofPredictor.staticCalls, ofFull.staticCalls),
             2 * ofPredictor.staticCalls <= ofFull.staticCalls);
  EXPECT_EQ(ofPredictor.microSteps, ofFull.microSteps);
}

}  // namespace
}  // namespace koppla::test::rotor_test
