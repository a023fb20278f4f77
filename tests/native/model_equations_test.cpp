// Models that solve something inside, against the equations of docs/native-models.md at parameters that are not the
// defaults.

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/native/catalogue.hpp"
#include "koppla/native/detail/band_matrix.hpp"
#include "koppla/native/heat_exchanger.hpp"
#include "koppla/native/nonlinear_oscillator_solution.hpp"
#include "koppla/native/rod.hpp"
#include "koppla/native/tube_flow.hpp"
#include "koppla/native/tube_wall.hpp"

#include "model_access.hpp"
#include "support/elimination.hpp"

namespace koppla::native::model_equations_test {
namespace {

using std::numbers::pi;
using subsystem::Slot;
using subsystem::Status;
using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

/// Numbers in [-1, 1] that look like chance.
class Numbers {
 public:
  double operator()() {
    seed_ = seed_ * 1664525U + 1013904223U;
    return static_cast<double>(seed_ >> 8U) / static_cast<double>(1U << 23U) - 1.0;
  }

 private:
  std::uint32_t seed_ = 7;
};

TEST(BandMatrix, SolvesAsElimination) {
  Numbers number;
  for (std::size_t n = 1; n <= 12; ++n)
    for (int again = 0; again < 20; ++again) {
      detail::BandMatrix band(n);
      band.setZero();
      Rows dense(n, Vector(n, 0.0));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i < 2 ? 0 : i - 2; j < std::min(i + 3, n); ++j) {
          // A weak diagonal: rows must be interchanged.
          dense[i][j] = (i == j ? 0.01 : 1.0) * number();
          band(i, j) = dense[i][j];
        }
      Vector side(n);
      for (double& value : side) value = number();
      const Vector expected = koppla::test::solved(dense, side);
      band.factorise();
      Vector x = side;
      band.solve(x);
      Vector twice = side;
      band.solve(twice);
      EXPECT_EQ(twice, x) << "factors stay";
      double largest = 1.0;
      for (const double value : expected) largest = std::fmax(largest, std::fabs(value));
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-9 * largest * largest) << n;
      band.setZero();
      for (std::size_t i = 0; i < n; ++i) band(i, i) = 2.0;
      band.factorise();
      x = side;
      band.solve(x);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], side[i] / 2.0) << "nothing is left of the matrix before";
    }
}

/// A flow whose ports are bound in another order than they have.
struct Tube {
  TubeFlow settings;
  std::unique_ptr<subsystem::Subsystem> flow;
  std::size_t n;
  Vector y;

  explicit Tube(const TubeFlow& with) : settings(with), flow(tubeFlow(with)), n(static_cast<std::size_t>(with.nodes)) {
    y.resize(3 * n);
    const subsystem::PortIndex a = flow->describe().find("a").value();
    const subsystem::PortIndex p = flow->describe().find("p").value();
    const subsystem::PortIndex v = flow->describe().find("v").value();
    subsystem::Binding binding;
    binding.inputs = {a};
    binding.outputs = {v, a, p};
    flow->bind(std::move(binding));
    flow->enterInitialisation({0.0, 1.0, {}});
  }
  [[nodiscard]] Vector v() const { return {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n)}; }
  [[nodiscard]] Vector a() const {
    return {y.begin() + static_cast<std::ptrdiff_t>(n), y.begin() + static_cast<std::ptrdiff_t>(2 * n)};
  }
  [[nodiscard]] Vector p() const { return {y.begin() + static_cast<std::ptrdiff_t>(2 * n), y.end()}; }
};

/// Continuity, momentum and what holds at the ends, node by node, in steps whose beginnings are not uniform.
TEST(TubeFlowEquations, HoldAtEveryNode) {
  for (const std::int32_t nodes : {3, 4, 9}) {
    Tube tube({.nodes = nodes,
               .length = 3.0,
               .youngsModulus = 8e3,
               .radius = 0.4,
               .meanVelocity = 4.0,
               .velocityAmplitude = 1.5,
               .frequency = 7.0,
               .newtonTolerance = 1e-13});
    const std::size_t N = tube.n - 1;
    Numbers number;
    Vector area(tube.n, 1.0);
    ASSERT_EQ(tube.flow->evaluate(0.0, area, tube.y), Status::ok);
    EXPECT_EQ(tube.v(), Vector(tube.n, 4.0));
    EXPECT_EQ(tube.p(), Vector(tube.n, 0.0));
    EXPECT_EQ(tube.a(), area);
    const double dt = 0.02, dx = 3.0 / static_cast<double>(N), c2 = 8e3 / (2.0 * 0.4);
    for (int step = 0; step < 4; ++step) {
      const Vector oldV = tube.v(), oldP = tube.p(), oldA = tube.a();
      for (double& a : area) a = 1.0 + 0.05 * number();
      ASSERT_EQ(tube.flow->advance({step * dt, (step + 1) * dt, false}, subsystem::held(area), tube.y).status,
                Status::ok)
          << tube.flow->failure();
      const Vector v = tube.v(), p = tube.p(), a = tube.a();
      EXPECT_EQ(a, area);
      const double t = (step + 1) * dt, scale = 1e-9;
      EXPECT_NEAR(v[0], 4.0 + 1.5 * std::sin(2.0 * pi * 7.0 * t), scale);
      EXPECT_NEAR(p[0], 2.0 * p[1] - p[2], scale);
      EXPECT_NEAR(v[N], 2.0 * v[N - 1] - v[N - 2], scale);
      EXPECT_NEAR(p[N], 2.0 * (c2 - std::pow(std::sqrt(c2 - oldP[N] / 2.0) - (v[N] - oldV[N]) / 4.0, 2)), scale);
      for (std::size_t i = 1; i < N; ++i) {
        const double aLeft = (a[i - 1] + a[i]) / 2.0, aRight = (a[i] + a[i + 1]) / 2.0;
        const double left = aLeft * (v[i - 1] + v[i]) / 2.0, right = aRight * (v[i] + v[i + 1]) / 2.0;
        EXPECT_NEAR((a[i] - oldA[i]) * dx / dt + right - left, 0.0, scale) << i;
        EXPECT_NEAR((a[i] * v[i] - oldA[i] * oldV[i]) * dx / dt + right * v[i] - left * v[i - 1] +
                        aLeft * (p[i] - p[i - 1]) / 2.0 + aRight * (p[i + 1] - p[i]) / 2.0,
                    0.0, scale)
            << i;
      }
    }
    // Newton's method converges quadratically: a start, two or three corrections.
    EXPECT_EQ(tube.flow->effort().microSteps, 4U);
    EXPECT_EQ(tube.flow->effort().jacobians, 4U);
    EXPECT_LE(tube.flow->effort().rightHandSides, 4U * 6U);
    EXPECT_GE(tube.flow->effort().rightHandSides, 4U * 3U);
  }
}

/// |residual| < tolerance |(p, v)|: a loose one ends earlier.
TEST(TubeFlowEquations, AreSolvedToTheTolerance) {
  const auto evaluations = [](double tolerance) {
    Tube tube({.nodes = 20, .newtonTolerance = tolerance});
    Vector area(20, 1.0), y(60);
    for (std::size_t i = 0; i < 20; ++i) area[i] -= 0.002 * static_cast<double>(i);
    tube.flow->evaluate(0.0, Vector(20, 1.0), tube.y);
    EXPECT_EQ(tube.flow->advance({0.0, 0.01, false}, subsystem::held(area), tube.y).status, Status::ok);
    return tube.flow->effort().rightHandSides;
  };
  EXPECT_EQ(evaluations(1e9), 1U);
  EXPECT_LT(evaluations(0.1), evaluations(1e-12));
}

/// Where Newton's method does not get there it says so, with the residual, and leaves all as it was.
TEST(TubeFlowEquations, LeaveTheStateWhereTheyHaveNoSolution) {
  Tube tube({.nodes = 5, .newtonTolerance = 1e-300});
  tube.flow->evaluate(0.0, Vector(5, 1.0), tube.y);
  const Vector before = tube.y;
  const Vector area{1.0, 1.01, 0.99, 1.0, 1.02};
  EXPECT_EQ(tube.flow->advance({0.5, 0.51, false}, subsystem::held(area), tube.y).reached, 0.5);
  EXPECT_EQ(tube.flow->effort().rightHandSides, 51U) << "fifty corrections";
  EXPECT_EQ(tube.flow->effort().microSteps, 0U);
  EXPECT_EQ(tube.flow->failure().find("Newton's method did not converge in 50 iterations: the residual is "), 0U);
  EXPECT_TRUE(tube.flow->failure().ends_with(" (in the step that began at t = 0.5 s)."));
  EXPECT_EQ(tube.y, before);
  core::Values seen;
  const std::vector<subsystem::PortIndex> all{tube.flow->describe().find("v").value(),
                                              tube.flow->describe().find("a").value(),
                                              tube.flow->describe().find("p").value()};
  tube.flow->observe(all, seen);
  EXPECT_EQ(seen.reals, before);
}

/// Each slot has its own.
TEST(TubeFlowEquations, SlotsKeepAllThatThereIs) {
  Tube tube({.nodes = 4});
  tube.flow->evaluate(0.0, Vector(4, 1.0), tube.y);
  const auto seen = [&] {
    core::Values values;
    const std::vector<subsystem::PortIndex> all{0, 1, 2};
    tube.flow->observe(all, values);
    return values.reals;
  };
  const Vector areas{1.0, 1.01, 0.98, 1.02}, others{0.99, 1.03, 1.0, 0.97};
  const Vector start = seen();
  tube.flow->restore(Slot::iteration);
  EXPECT_EQ(seen(), start) << "what initialisation has left";
  tube.flow->advance({0.0, 0.01, false}, subsystem::held(areas), tube.y);
  const Vector first = seen();
  tube.flow->save(Slot::macroStep);
  tube.flow->advance({0.01, 0.02, false}, subsystem::held(others), tube.y);
  const Vector second = seen();
  tube.flow->save(Slot::iteration);
  tube.flow->restore(Slot::macroStep);
  EXPECT_EQ(seen(), first);
  tube.flow->restore(Slot::iteration);
  EXPECT_EQ(seen(), second);
}

TEST(TubeWallEquations, HoldAtEveryNode) {
  const auto wall = tubeWall({.nodes = 3, .youngsModulus = 8e3, .radius = 0.5, .restArea = 0.7, .restPressure = 100.0});
  const Vector p{100.0, -500.0, 3000.0};
  const Vector a = test::outputsOf(*wall, {}, p);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(a[i], 0.7 * std::pow((100.0 - 16e3) / (p[i] - 16e3), 2)) << i;  // 2 c^2 = E / r0
}

/// The rings of one stream, station by station, by elimination.
struct Stream {
  double inner, outer;
  std::size_t rings;
  double capacity, k, flow, inlet, dx;

  [[nodiscard]] double profile(double r) const {
    const double parabola = 1.0 - r * r / (outer * outer);
    if (inner == 0.0) return parabola;
    const double s = inner / outer;
    return parabola + (1.0 - s * s) / std::log(1.0 / s) * std::log(r / outer);
  }

  /// Temperatures of the rings at each station; walls in the order of the flow.
  [[nodiscard]] Rows along(const Vector& innerWall, const Vector& outerWall) const {
    const double dr = (outer - inner) / static_cast<double>(rings);
    const auto middle = [&](std::size_t j) { return inner + (static_cast<double>(j) + 0.5) * dr; };
    double sum = 0.0;
    for (std::size_t j = 0; j < rings; ++j) sum += profile(middle(j)) * middle(j);
    Vector T(rings, inlet);
    Rows result;
    for (std::size_t station = 0; station < outerWall.size(); ++station) {
      Rows matrix(rings, Vector(rings, 0.0));
      Vector side(rings);
      for (std::size_t j = 0; j < rings; ++j) {
        const double carried = capacity * flow * profile(middle(j)) * middle(j) / sum / dx;
        matrix[j][j] += carried;
        side[j] = carried * T[j];
        for (const bool outward : {false, true}) {
          const double face = 2.0 * pi * (inner + static_cast<double>(outward ? j + 1 : j) * dr);
          const bool atWall = outward ? j + 1 == rings : j == 0;
          const double conductance = k * face / (atWall ? dr / 2.0 : dr);
          matrix[j][j] += conductance;
          if (atWall)
            side[j] += conductance * (outward ? outerWall[station] : innerWall[station]);
          else
            matrix[j][outward ? j + 1 : j - 1] -= conductance;
        }
      }
      T = koppla::test::solved(matrix, side);
      result.push_back(T);
    }
    return result;
  }

  [[nodiscard]] double bulk(const Vector& T) const {
    const double dr = (outer - inner) / static_cast<double>(rings);
    double sum = 0.0, weighted = 0.0;
    for (std::size_t j = 0; j < rings; ++j) {
      const double r = inner + (static_cast<double>(j) + 0.5) * dr;
      sum += profile(r) * r;
      weighted += profile(r) * r * T[j];
    }
    return weighted / sum;
  }
};

TEST(HeatExchangerEquations, HoldInEveryRing) {
  const std::size_t cells = 4, rings = 3;
  HeatExchangerFlow settings{
      .geometry = {.axialCells = 4, .length = 0.5, .tubeInside = 4e-3, .tubeOutside = 7e-3, .shell = 20e-3},
      .radialCells = 3,
      .density = 900.0,
      .heatCapacity = 2000.0,
      .conductivity = 0.4,
      .hotFlow = 3e-6,
      .coldFlow = 5e-6,
      .hotInlet = 80.0,
      .coldInlet = 15.0};
  const auto model = heatExchangerFlow(settings);
  const Vector tube{70.0, 55.0, 40.0, 33.0}, shell{12.0, 18.0, 21.0, 25.0};
  Vector u = tube;
  u.insert(u.end(), shell.begin(), shell.end());
  const Vector y = test::outputsOf(*model, {}, u);
  const Stream hot{0.0, 4e-3, rings, 900.0 * 2000.0, 0.4, 3e-6, 80.0, 0.125};
  const Stream cold{7e-3, 20e-3, rings, 900.0 * 2000.0, 0.4, 5e-6, 15.0, 0.125};
  const Rows inside = hot.along(Vector(cells, 0.0), tube);
  const Rows against = cold.along({tube.rbegin(), tube.rend()}, {shell.rbegin(), shell.rend()});
  for (std::size_t i = 0; i < cells; ++i) {
    EXPECT_NEAR(y[i], inside[i].back(), 1e-10) << i;
    EXPECT_NEAR(y[cells + i], against[cells - 1 - i].front(), 1e-10) << i;
    EXPECT_NEAR(y[2 * cells + i], against[cells - 1 - i].back(), 1e-10) << i;
  }
  EXPECT_NEAR(y[3 * cells], 0.4 / (4e-3 / 3.0 / 2.0), 1e-9);
  EXPECT_NEAR(y[3 * cells + 1], 0.4 / (13e-3 / 3.0 / 2.0), 1e-9);
  EXPECT_NEAR(y[3 * cells + 2], hot.bulk(inside.back()), 1e-10);
  EXPECT_NEAR(y[3 * cells + 3], cold.bulk(against.back()), 1e-10);
  // And once more the same: nothing is left of an evaluation.
  EXPECT_EQ(test::outputsOf(*model, {}, u), y);
}

TEST(HeatExchangerEquations, HoldInEveryCellOfTheWalls) {
  const std::size_t cells = 4;
  for (const double far : {20.0, 600.0}) {
    const HeatExchangerWalls settings{
        .geometry = {.axialCells = 4, .length = 0.5, .tubeInside = 4e-3, .tubeOutside = 7e-3, .shell = 20e-3},
        .tubeConductivity = 300.0,
        .shellConductivity = 30.0,
        .shellThickness = 3e-3,
        .shellShare = 0.4,
        .emissivity = 0.7,
        .surroundings = far};
    const auto model = heatExchangerWalls(settings);
    const Vector inside{70.0, 66.0, 61.0, 55.0}, outside{40.0, 33.0, 31.0, 22.0}, atShell{30.0, 25.0, -10.0, 12.0};
    const double hot = 1500.0, cold = 400.0, dx = 0.125;
    Vector u = inside;
    u.insert(u.end(), outside.begin(), outside.end());
    u.insert(u.end(), atShell.begin(), atShell.end());
    u.insert(u.end(), {hot, cold});
    const Vector y = test::outputsOf(*model, {}, u);
    const auto bent = [&](std::size_t first, std::size_t i) {
      double sum = 0.0;
      if (i > 0) sum += y[first + i - 1] - y[first + i];
      if (i + 1 < cells) sum += y[first + i + 1] - y[first + i];
      return sum / (dx * dx);
    };
    for (std::size_t i = 0; i < cells; ++i) {
      const double ring = pi * (7e-3 * 7e-3 - 4e-3 * 4e-3), shellRing = pi * (23e-3 * 23e-3 - 20e-3 * 20e-3);
      EXPECT_NEAR(300.0 * ring * bent(0, i) + hot * 2.0 * pi * 4e-3 * (inside[i] - y[i]) +
                      cold * 2.0 * pi * 7e-3 * (outside[i] - y[i]),
                  0.0, 1e-9)
          << i;
      EXPECT_NEAR(
          0.4 * 30.0 * shellRing * bent(cells, i) + cold * 2.0 * pi * 20e-3 * (atShell[i] - y[cells + i]) -
              0.4 * 0.7 * 5.67e-8 * 2.0 * pi * 20e-3 * (std::pow(y[cells + i] + 273.15, 4) - std::pow(far + 273.15, 4)),
          0.0, 1e-9)
          << i;
    }
  }
}

/// Derivatives of the solution by central differences against the equations of motion, for motions that turn, cross
/// zero and are traced back.
TEST(NonlinearOscillatorEquations, HoldAlongTheSolution) {
  std::vector<SprungOscillator> cases(5);
  cases[1].body = {.m = 2.0, .c = 3.0, .d = 0.5, .x0 = -1.5, .v0 = 0.75};
  cases[1].spring = {.c = 4.0, .alpha = 0.7, .d = 0.2};
  cases[2].body = {.m = 0.5, .c = 0.0, .d = 1.5, .x0 = 0.0, .v0 = -2.0};
  cases[2].spring = {.c = 6.0, .alpha = 1.2, .d = 0.0};
  cases[3].body = {.m = 1.5, .c = 8.0, .d = 0.0, .x0 = 1.0, .v0 = 0.0};
  cases[3].spring = {.c = 0.0, .alpha = 1.0, .d = 0.4};
  cases[4].body = {.m = 1.0, .c = 2.0, .d = 0.3, .x0 = -0.8, .v0 = 0.0};
  cases[4].spring = {.c = 1.0, .alpha = 2.0, .d = 0.1};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const NonlinearOscillator& b = cases[k].body;
    const HardeningSpring& s = cases[k].spring;
    const auto solution = nonlinearOscillatorSolution(cases[k]);
    const auto at = [&](double t) {
      std::array<double, 3> y{};
      solution->values(t, y);
      return y;
    };
    EXPECT_EQ(at(0.0)[0], b.x0);
    EXPECT_EQ(at(0.0)[1], b.v0);
    const double unit = k == 0 ? 1e-3 : 1.0;  // s, of the motion
    const double h = 1e-4 * unit;
    for (const double t : {3.0, 0.37, 1.1, 2.9, 7.3, -0.05, -0.11}) {
      if (k == 0 && t < 0.0) continue;
      const auto before = at(unit * t - h), y = at(unit * t), after = at(unit * t + h);
      const double x = y[0], v = y[1];
      const double force = -s.c * std::copysign(std::expm1(s.alpha * std::fabs(x)), x) - s.d * v * v * v;
      const double a = (-b.c * std::fabs(x) * x * x * x - b.d * std::fabs(v) * v + force) / b.m;
      const double size = std::fabs(a) + std::fabs(v) / unit + 1.0;
      EXPECT_NEAR(y[2], force, 1e-12 * (std::fabs(force) + 1.0)) << k << " " << t;
      EXPECT_NEAR((after[0] - before[0]) / (2.0 * h), v, 1e-6 * size * unit) << k << " " << t;
      EXPECT_NEAR((after[1] - before[1]) / (2.0 * h), a, 1e-6 * size * 10.0) << k << " " << t;
    }
  }
}

/// Without damping nothing is lost: m v^2 / 2 + c |x|^5 / 5 + c_s ((e^(alpha |x|) - 1) / alpha - |x|).
TEST(NonlinearOscillatorEquations, KeepTheEnergy) {
  SprungOscillator undamped;
  undamped.body = {.m = 1.5, .c = 3.0, .d = 0.0, .x0 = 1.2, .v0 = -0.5};
  undamped.spring = {.c = 2.0, .alpha = 0.8, .d = 0.0};
  const auto solution = nonlinearOscillatorSolution(undamped);
  const auto energy = [&](double t) {
    std::array<double, 3> y{};
    solution->values(t, y);
    const double x = std::fabs(y[0]);
    return 0.75 * y[1] * y[1] + 0.6 * std::pow(x, 5) + 2.0 * (std::expm1(0.8 * x) / 0.8 - x);
  };
  const double start = energy(0.0);
  for (int k = -200; k <= 400; ++k) EXPECT_NEAR(energy(0.05 * k), start, 2e-14 * start) << k;
}

/// Every element by itself: k = E A / l, b = beta k, nodes of rho A l, half of it at a free end.
TEST(RodEquations, HoldAtEveryNode) {
  for (const bool penalty : {false, true})
    for (const bool inertia : {false, true}) {
      if (penalty && inertia) continue;
      const Rod settings{.elements = 4,
                         .boundary = penalty ? RodBoundary::penalty : RodBoundary::prescribed,
                         .area = 0.5,
                         .length = 2.0,
                         .youngsModulus = 3.0,
                         .density = 7.0,
                         .rayleighBeta = 0.125,
                         .penaltyStiffness = 11.0,
                         .penaltyDamping = 1.5,
                         .nodeInertia = inertia};
      const auto model = rod(settings);
      const double k = 3.0 * 0.5 / 0.5, b = 0.125 * k, mass = 7.0 * 0.5 * 0.5;
      const std::size_t n = penalty ? 4 : 3;
      ASSERT_EQ(model->stateCount(), 2 * n);
      Numbers number;
      Vector x(2 * n), u{number(), number()};
      if (inertia) u.push_back(number());
      for (double& value : x) value = number();
      const Vector dx = test::derivativesOf(*model, x, u), y = test::outputsOf(*model, x, u);
      const auto w = [&](std::size_t i) { return i == n ? 0.0 : x[i]; };
      const auto v = [&](std::size_t i) { return i == n ? 0.0 : x[n + i]; };
      const double link = penalty ? 11.0 * (x[0] - u[0]) + 1.5 * (x[n] - u[1]) : k * (x[0] - u[0]) + b * (x[n] - u[1]);
      double left = link;
      for (std::size_t i = 0; i < n; ++i) {
        const double right = k * (w(i + 1) - w(i)) + b * (v(i + 1) - v(i));
        EXPECT_EQ(dx[i], x[n + i]);
        EXPECT_NEAR(dx[n + i], (right - left) / (penalty && i == 0 ? mass / 2.0 : mass), 1e-12) << i;
        EXPECT_EQ(y[1 + 2 * i], x[i]);
        EXPECT_EQ(y[2 + 2 * i], x[n + i]);
        left = right;
      }
      EXPECT_NEAR(y[0], link - (inertia ? mass / 2.0 * u[2] : 0.0), 1e-12);
    }
}

}  // namespace
}  // namespace koppla::native::model_equations_test
