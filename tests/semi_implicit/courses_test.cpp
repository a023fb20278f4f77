// What members are told between macro points: predictor, perturbed predictor and corrector (Lu, sec. 2.2.6, fig. 11).

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/oscillator_body.hpp"
#include "koppla/solver/integrate.hpp"

#include "recording_subsystem.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_masses.hpp"

namespace koppla::test {
namespace {

/// Of one macro step: what the first mass was told of the force in its three runs.
struct Courses {
  std::vector<double> predictor, perturbed, corrector;  ///< powers of s
};

std::vector<Courses> coursesOf(const FlexibleLink& link, std::size_t steps) {
  coupling::System system = systemOf(link);
  const auto records = std::make_shared<std::vector<RecordedStep>>();
  system.members[0].subsystem = recordSteps(std::move(system.members[0].subsystem), records);
  const Motion motion = simulate(std::move(system), settingsOf(link, static_cast<double>(steps) * link.H));
  EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
  EXPECT_EQ(records->size(), 3 * steps);
  std::vector<Courses> courses;
  for (std::size_t i = 0; i + 2 < records->size(); i += 3)
    courses.push_back({(*records)[i].inputs[0], (*records)[i + 1].inputs[0], (*records)[i + 2].inputs[0]});
  return courses;
}

constexpr std::array kPlaces{0.0, 0.125, 0.3, 0.5, 0.7, 0.9, 1.0};

TEST(Courses, PerturbationAndCorrectionFollowTheBasisPolynomialOfTheEnd) {
  for (const unsigned degree : {0U, 1U, 2U, 3U}) {
    test::Largest perturbed;
    test::Largest corrected;
    const std::vector<Courses> courses = coursesOf({.degree = degree}, 20);
    for (std::size_t N = 0; N < courses.size(); ++N) {
      const auto& [predictor, perturbation, corrector] = courses[N];
      const std::vector<double> basis = endPolynomial(std::min<unsigned>(degree, static_cast<unsigned>(N) + 1));
      const double increment = evaluate(perturbation, 1.0) - evaluate(predictor, 1.0);
      const double correction = evaluate(corrector, 1.0) - evaluate(predictor, 1.0);
      ASSERT_NE(increment, 0.0);
      for (const double s : kPlaces) {
        const double scale = std::fmax(std::fabs(evaluate(predictor, s)), std::fabs(increment));
        perturbed.see(std::fabs(evaluate(perturbation, s) - evaluate(predictor, s) - increment * evaluate(basis, s)) /
                      scale);
        corrected.see(std::fabs(evaluate(corrector, s) - evaluate(predictor, s) - correction * evaluate(basis, s)) /
                      scale);
      }
    }
    showAtMost({"lu R3", fmt::format("perturbed-k{}", degree), "perturbed - predictor - Delta l_k(s) at most 1e-14"},
               perturbed, 1e-14);
    showAtMost(
        {"lu R3", fmt::format("corrected-k{}", degree), "corrected - predictor - (u_N+1 - u^p) l_k(s) at most 1e-14"},
        corrected, 1e-14);
  }
}

/// The polynomial through values at s = first, first - 1, ..., at s.
double through(const std::vector<double>& values, double first, double s) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double basis = 1.0;
    for (std::size_t j = 0; j < values.size(); ++j)
      if (j != i) basis *= (s - first + static_cast<double>(j)) / (static_cast<double>(j) - static_cast<double>(i));
    sum += values[i] * basis;
  }
  return sum;
}

/// How far predictors and correctors are from polynomials of degrees min(k, N + known) and min(k, N + 1 + known)
/// through the accepted values, over the largest of these.
double distanceFromRule(const FlexibleLink& link, std::vector<double> history) {
  const std::size_t known = history.size() - 1;
  test::Largest largest;
  test::Largest scale;
  const std::vector<Courses> courses = coursesOf(link, 6);
  for (std::size_t N = 0; N < courses.size(); ++N) {
    const auto newest = [&](std::size_t count) {
      return std::vector<double>(history.rbegin(), history.rbegin() + static_cast<std::ptrdiff_t>(count));
    };
    const std::size_t predictorDegree = std::min<std::size_t>(link.degree, N + known);
    const std::size_t correctorDegree = std::min<std::size_t>(link.degree, N + 1 + known);
    const std::vector<double> before = newest(predictorDegree + 1);
    history.push_back(evaluate(courses[N].corrector, 1.0));
    const std::vector<double> with = newest(correctorDegree + 1);
    for (const double s : kPlaces) {
      largest.see(std::fabs(evaluate(courses[N].predictor, s) - through(before, 0.0, s)),
                  std::fabs(evaluate(courses[N].corrector, s) - through(with, 1.0, s)));
      scale.see(std::fabs(evaluate(courses[N].corrector, s)));
    }
  }
  return largest / scale;
}

TEST(Courses, DegreesRiseWithTheMacroStepsUntilTheyAreThere) {
  test::Largest largest;
  for (const unsigned degree : {0U, 1U, 2U, 3U}) largest.see(distanceFromRule({.degree = degree}, {-2000.0}));
  showAtMost({"lu R4", "degrees",
              "predictor of degree min(k, N), corrector of degree min(k, N+1) through accepted values to 1e-13"},
             largest, 1e-13);
}

TEST(Courses, AKnownPastGivesTheFullDegreeFromTheFirstStepOn) {
  test::Largest largest;
  for (const unsigned degree : {1U, 2U, 3U}) {
    const FlexibleLink link{.degree = degree, .analyticStart = true};
    std::vector<double> history;
    for (unsigned i = degree + 1; i-- > 0;) {
      const auto [x1, v1, x2, v2] = exact(link, -link.H * i);
      history.push_back(link.masses.cc * (x2 - x1) + link.masses.dc * (v2 - v1));
    }
    largest.see(distanceFromRule(link, history));
  }
  showAtMost({"lu R4", "degrees-known-past", "predictor and corrector of degree k from the first step on, to 1e-13"},
             largest, 1e-13);
}

TEST(Courses, ARestoredMemberRepeatsItsStepBitByBit) {
  for (const auto kind : {solver::Kind::exact, solver::Kind::ode4, solver::Kind::cvodeBdf, solver::Kind::radau}) {
    const auto body = solver::integrate(native::oscillatorBody({.acceleration = true}), {.kind = kind});
    body->bind({.inputs = {0}, .outputs = {1, 2, 3}, .discreteInputs = {}, .discreteOutputs = {}});
    body->enterInitialisation({0.0, 1.0, {}});
    std::vector<double> y(3);
    const std::vector<double> start{333.0};
    ASSERT_EQ(body->evaluate(0.0, start, y), subsystem::Status::ok);
    body->leaveInitialisation();
    const std::vector<double> force{333.0, -20.0, 5.0};  // powers of s
    const subsystem::Trajectory course{force.data(), 1, 2};
    const auto advance = [&](double t0, double t1) {
      std::vector<double> outputs(3);
      EXPECT_EQ(body->advance({t0, t1, false}, course, outputs).status, subsystem::Status::ok);
      return outputs;
    };
    advance(0.0, 1e-3);
    ASSERT_EQ(body->save(subsystem::Slot::iteration), subsystem::Status::ok);
    const std::vector<double> first = advance(1e-3, 2e-3);
    advance(2e-3, 3e-3);  // further away
    test::Largest difference;
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(body->restore(subsystem::Slot::iteration), subsystem::Status::ok);
      const std::vector<double> again = advance(1e-3, 2e-3);
      for (std::size_t k = 0; k < again.size(); ++k) difference.see(std::fabs(again[k] - first[k]));
    }
    showEqual({"lu R2", solver::word(kind), "x, v, a of a repeated step differ by 0"}, difference, 0.0);
    body->terminate();
  }
}

}  // namespace
}  // namespace koppla::test
