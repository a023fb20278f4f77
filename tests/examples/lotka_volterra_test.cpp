// examples/lotka-volterra. In p = ln x, q = ln y the equations are p' = -H_q, q' = H_p with H = V, so Jacobi is Euler's
// method, Gauss-Seidel the symplectic one and the converged iterations are the implicit one. Their errors in V follow
// from that to leading order in h.

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "koppla/results/load.hpp"

#include "example_run.hpp"
#include "support/extremes.hpp"

namespace koppla::test::lotka_volterra_test {
namespace {

constexpr double a = 1.5, b = 1.0, c = 1.0, d = 0.3;
constexpr double kEnd = 30.0;

double V(double x, double y) {
  return d * x - c * std::log(x) + b * y - a * std::log(y);
}

/// The coupled equations by the classical Runge-Kutta method; visit(t, x, y) after every step, of 1e-4 s.
void integrate(const std::function<void(double t, double x, double y)>& visit) {
  const auto fx = [](double x, double y) { return x * (a - b * y); };
  const auto fy = [](double x, double y) { return -y * (c - d * x); };
  constexpr int kSteps = 300000;
  const double h = kEnd / kSteps;
  double x = 2.0, y = 1.0;
  for (int i = 1; i <= kSteps; ++i) {
    const double k1 = fx(x, y), l1 = fy(x, y);
    const double k2 = fx(x + h / 2 * k1, y + h / 2 * l1), l2 = fy(x + h / 2 * k1, y + h / 2 * l1);
    const double k3 = fx(x + h / 2 * k2, y + h / 2 * l2), l3 = fy(x + h / 2 * k2, y + h / 2 * l2);
    const double k4 = fx(x + h * k3, y + h * l3), l4 = fy(x + h * k3, y + h * l3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    visit(h * i, x, y);
  }
}

double evaluationsPerStep(const ExampleRun& run) {
  return run.statistics.at("cycles").at(0).at("evaluations").get<double>() /
         run.statistics.at("accepted_steps").get<double>();
}

double driftOfV(const ExampleRun& run) {
  return V(run.of("prey.x").back(), run.of("predator.y").back()) - V(2.0, 1.0);
}

TEST(LotkaVolterraExamples, TheReferenceIsTight) {
  const results::Table reference = results::load(examplesFolder() / "lotka-volterra/reference.csv");
  std::size_t row = 1;
  integrate([&](double t, double x, double y) {
    if (row == reference.time.size() || t < reference.time[row] - 5e-5) return;
    EXPECT_NEAR(reference.find("prey.x")->numbers[row], x, 1e-9) << t;
    EXPECT_NEAR(reference.find("predator.y")->numbers[row], y, 1e-9) << t;
    ++row;
  });
  EXPECT_EQ(row, reference.time.size());
}

TEST(LotkaVolterraExamples, NewtonNeedsFewerEvaluationsThanSweepsForTheSameSolution) {
  const ExampleRun newton = runExample("lotka-volterra/newton");
  const ExampleRun iterated = runExample("lotka-volterra/iterated-gauss-seidel");
  ASSERT_EQ(newton.command.exitCode, 0) << newton.command.errors;
  ASSERT_EQ(iterated.command.exitCode, 0) << iterated.command.errors;
  EXPECT_EQ(newton.statistics.at("accepted_steps"), 600);
  EXPECT_LE(evaluationsPerStep(newton), 2.6);
  EXPECT_LE(1.5 * evaluationsPerStep(newton), evaluationsPerStep(iterated));
  EXPECT_NEAR(newton.of("prey.x").back(), iterated.of("prey.x").back(), 1e-5);
}

TEST(LotkaVolterraExamples, JacobiGainsAndConvergedIterationLosesWhatEulersMethodsDo) {
  // dV/dt = +- h/2 (d x (a - b y)^2 + b y (d x - c)^2)
  double integral = 0.0;
  integrate([&](double, double x, double y) {
    integral += kEnd / 300000 * (d * x * std::pow(a - b * y, 2) + b * y * std::pow(d * x - c, 2));
  });
  const double h = 1e-3;
  const ExampleRun jacobi =
      runExample("lotka-volterra/gauss-seidel", {"--step", "0.001", "--set", "algorithm.kind=jacobi"});
  const ExampleRun newton = runExample("lotka-volterra/newton", {"--step", "0.001"});
  EXPECT_NEAR(driftOfV(jacobi) / (h / 2 * integral), 1.0, 0.05);
  EXPECT_NEAR(driftOfV(newton) / (h / 2 * integral), -1.0, 0.05);
}

TEST(LotkaVolterraExamples, GaussSeidelKeepsTheInvariantOfTheSymplecticMethod) {
  // V - h/2 (d x - c) (b y - a) is constant up to h^2.
  const auto deviation = [](const std::string& step, double h) {
    const ExampleRun run = runExample("lotka-volterra/gauss-seidel", {"--step", step});
    const auto modified = [h](double x, double y) { return V(x, y) - h / 2 * (d * x - c) * (b * y - a); };
    test::Largest worst;
    for (std::size_t i = 0; i < run.table.time.size(); ++i)
      worst.see(std::fabs(modified(run.of("prey.x")[i], run.of("predator.y")[i]) - modified(2.0, 1.0)));
    return worst;
  };
  const double coarse = deviation("0.05", 0.05);
  EXPECT_LT(coarse, 2e-3);
  EXPECT_NEAR(coarse / deviation("0.005", 0.005), 100.0, 10.0);
}

}  // namespace
}  // namespace koppla::test::lotka_volterra_test
