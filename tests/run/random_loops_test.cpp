// Random linear loops of one to five values: whatever their slopes, sizes and solutions, they are solved at the start
// and in every step.

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/extremes.hpp"

namespace koppla::run::random_loops_test {
namespace {

using coupling::AlgorithmKind;
using test::Formula;

/// y = s(t) + J (u - s(t)) in units of each value, s_i = offset_i + amplitude_i sin(frequency_i t).
struct Loop {
  std::vector<double> units, offsets, amplitudes, frequencies;
  std::vector<std::vector<double>> J;

  [[nodiscard]] std::size_t size() const { return units.size(); }
  [[nodiscard]] double solution(std::size_t i, double t) const {
    return units[i] * (offsets[i] + amplitudes[i] * std::sin(frequencies[i] * t));
  }
  [[nodiscard]] std::vector<double> answer(double t, const std::vector<double>& u) const {
    std::vector<double> y(size());
    for (std::size_t i = 0; i < size(); ++i) {
      y[i] = solution(i, t);
      for (std::size_t k = 0; k < size(); ++k) y[i] += units[i] * J[i][k] * (u[k] - solution(k, t)) / units[k];
    }
    return y;
  }
};

/// Makes g an eigenvalue, with a random direction d: J := J + (g - J) d d^T / d^T d.
void setSlope(Loop& loop, const std::vector<double>& d, double g) {
  double square = 0.0;
  for (const double part : d) square += part * part;
  for (std::size_t i = 0; i < d.size(); ++i) {
    double moved = g * d[i];
    for (std::size_t k = 0; k < d.size(); ++k) moved -= loop.J[i][k] * d[k];
    for (std::size_t k = 0; k < d.size(); ++k) loop.J[i][k] += moved * d[k] / square;
  }
}

/// Every other loop has a slope near 1, or beyond; a third of the solutions begins at zero.
Loop draw(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&random](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
  const auto oneOf = [&random](unsigned n) { return random() % n == 0; };
  const std::size_t n = 1 + random() % 5;
  const bool mixed = oneOf(2);
  const double common = std::pow(10.0, between(-9.0, 9.0));
  Loop loop;
  std::vector<double> direction;
  for (std::size_t i = 0; i < n; ++i) {
    loop.units.push_back(mixed ? std::pow(10.0, between(-6.0, 6.0)) : common);
    loop.offsets.push_back(oneOf(3) ? 0.0 : between(-3.0, 3.0));
    loop.amplitudes.push_back(between(0.1, 1.5));
    loop.frequencies.push_back(between(0.1, 3.0));
    direction.push_back(between(-1.0, 1.0));
    loop.J.emplace_back();
    for (std::size_t k = 0; k < n; ++k) loop.J.back().push_back(between(-1.0, 1.0) * (oneOf(3) ? 3.0 : 1.0));
  }
  if (oneOf(2)) setSlope(loop, direction, oneOf(3) ? between(1.1, 5.0) : 1.0 - std::pow(10.0, between(-4.0, -0.3)));
  return loop;
}

coupling::System systemOf(const Loop& loop) {
  Formula a{.inputs = {}, .outputs = {}, .states = {}, .output = [loop](const auto&, double t, const auto& u) {
              return loop.answer(t, u);
            }};
  std::vector<test::Link> links;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    a.inputs.push_back(fmt::format("u{}", i));
    a.outputs.push_back(fmt::format("y{}", i));
    links.push_back({"a." + a.outputs[i], "pass." + a.inputs[i]});
    links.push_back({"pass." + a.outputs[i], "a." + a.inputs[i]});
  }
  const Formula pass{
      .inputs = a.inputs, .outputs = a.outputs, .states = {}, .output = [](const auto&, double, const auto& u) {
        return std::vector<double>(u.begin(), u.end());
      }};
  return test::makeSystem({{"a", a}, {"pass", pass}}, links);
}

/// The largest error of the present values, in tolerances by the sizes that the solution takes in the run.
double errorNow(Run& run, const Loop& loop) {
  test::Largest largest;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const double exact = loop.solution(i, run.time());
    const double size = loop.units[i] * (std::fabs(loop.offsets[i]) + loop.amplitudes[i]);
    const double error = std::get<double>(run.value(fmt::format("a.y{}", i))) - exact;
    largest.see(std::fabs(error) / core::Tolerance{coupling::AlgorithmSettings{}.rtol}.allowed(exact, size));
  }
  return largest;
}

/// The largest of a run, from the start on.
double errorOf(const Loop& loop, const Settings& settings) {
  core::Log log;
  Run run(systemOf(loop), settings, log);
  Outcome outcome = run.initialise();
  test::Largest largest;
  while (outcome.ok()) {
    largest.see(errorNow(run, loop));
    if (run.finished()) break;
    outcome = run.step();
  }
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return largest;
}

class RandomLoops : public testing::TestWithParam<AlgorithmKind> {};

TEST_P(RandomLoops, AreSolvedAtTheStartAndInEveryStep) {
  Settings settings;
  settings.step = 0.05;
  settings.end = 1.0;
  settings.algorithm.kind = GetParam();
  for (unsigned seed = 1; seed <= 500; ++seed) EXPECT_LE(errorOf(draw(seed), settings), 3.0) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomLoops,
                         testing::Values(AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi,
                                         AlgorithmKind::newton));

}  // namespace
}  // namespace koppla::run::random_loops_test
