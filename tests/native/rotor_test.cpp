// The rotor in its journal bearing (Schmoll 5.1): its polar coordinates are singular where it is in the middle and
// where it does not turn, its forces are not. They are compared with the short bearing's pressure in Cartesian
// coordinates, which know neither.

#include "koppla/native/rotor.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/native/journal_bearing.hpp"

#include "model_access.hpp"
#include "runge_kutta.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::native {
namespace {

using std::numbers::pi;

constexpr Rotor kDefault;

/// In clearances and clearances per second.
struct Motion {
  double x, y, vx, vy;
};

struct Force {
  double x, y;  ///< N
};

/// The rotor with the short bearing.
class RotorInBearing {
 public:
  explicit RotorInBearing(const Rotor& settings)
      : rotor_(native::rotor(settings)),
        bearing_(journalBearing({.solution = FilmSolution::shortBearing, .ratio = settings.radius / settings.width})) {}

  [[nodiscard]] std::vector<double> start() const { return test::startOf(*rotor_); }

  /// All outputs of the rotor.
  [[nodiscard]] std::vector<double> outputs(double t, const std::vector<double>& x) const {
    return test::outputsOf(*rotor_, x, film(t, x), t);
  }

  [[nodiscard]] std::vector<double> derivatives(double t, const std::vector<double>& x) const {
    return test::derivativesOf(*rotor_, x, film(t, x), t);
  }

  [[nodiscard]] std::vector<double> at(double t, int steps) const {
    return test::integrated([this](double time, const std::vector<double>& x) { return derivatives(time, x); }, start(),
                            t, steps);
  }

 private:
  [[nodiscard]] std::vector<double> film(double t, const std::vector<double>& x) const {
    const std::vector<double> y = test::outputsOf(*rotor_, x, {0.0, 0.0}, t);
    return test::outputsOf(*bearing_, {}, {y[0], y[1], y[2]});
  }

  std::unique_ptr<solver::Equations> rotor_, bearing_;
};

std::vector<double> statesOf(const Motion& m) {
  return {m.x, m.y, m.vx * kDefault.timeScale, m.vy * kDefault.timeScale};
}

/// Reynolds' equation for p(z) in the gap H = 1 - x cos(a) - y sin(a) at the fixed angle a,
/// d/dz (H^3 dp/dz) = 12 eta (dH/dt + omega/2 dH/da) per clearance squared; negative pressures do not count.
Force cartesianForce(const Motion& m, double omega, int points) {
  const Rotor p;
  const double unit = p.radius * p.viscosity * std::pow(p.width, 3) / (2.0 * p.clearance * p.clearance);
  Force force{};
  for (int i = 0; i < points; ++i) {
    const double c = std::cos(2.0 * pi * i / points), s = std::sin(2.0 * pi * i / points);
    const double H = 1.0 - m.x * c - m.y * s;
    const double rate = -2.0 * (m.vx * c + m.vy * s) + omega * (m.x * s - m.y * c);
    const double pressure = std::fmax(0.0, -rate) / (H * H * H);
    force.x -= unit * pressure * c * 2.0 * pi / points;
    force.y -= unit * pressure * s * 2.0 * pi / points;
  }
  return force;
}

/// Relative to the greater of the force and a small one.
double errorOfForce(const Motion& motion, double omega) {
  Rotor settings;
  settings.omega0 = omega;
  const std::vector<double> y = RotorInBearing(settings).outputs(0.0, statesOf(motion));
  const Force force = cartesianForce(motion, omega, 20000);
  return std::hypot(y[8] - force.x, y[9] - force.y) / std::fmax(std::hypot(force.x, force.y), 1e-6);
}

bool areFinite(const std::vector<double>& values) {
  for (const double value : values)
    if (!std::isfinite(value)) return false;
  return true;
}

TEST(Rotor, StartsAsTheNoteSays) {
  const RotorInBearing rotor(kDefault);
  const std::vector<double> y = rotor.outputs(0.0, rotor.start());
  EXPECT_DOUBLE_EQ(y[0], std::hypot(1e-6, 4e-6) / 2e-5);
  EXPECT_EQ(y[1], 0.0);
  EXPECT_EQ(y[2], 0.0);
  EXPECT_DOUBLE_EQ(y[3], 1e-6);
  EXPECT_DOUBLE_EQ(y[4], -4e-6);
  EXPECT_EQ(y[7], 100.0);
}

TEST(Rotor, HasTheRatesOfTheSource) {
  const std::vector<double> y = test::outputsOf(*rotor(), statesOf({0.3, 0.4, 50.0, -20.0}), {0.0, 0.0}, 0.01);
  const double omega = 100.0 + 400.0;
  EXPECT_DOUBLE_EQ(y[0], 0.5);
  EXPECT_DOUBLE_EQ(y[1], (0.3 * 50.0 - 0.4 * 20.0) / (0.5 * omega));
  EXPECT_DOUBLE_EQ(y[2], (-0.3 * 20.0 - 0.4 * 50.0) / (0.25 * omega));
}

TEST(Rotor, FallsAndIsThrownByItsUnbalance) {
  const double t = 0.003, omega = 100.0 + 4e4 * t, phi = 100.0 * t + 2e4 * t * t;
  const std::vector<double> dx = test::derivativesOf(*rotor(), {0.1, 0.2, 0.3, 0.4}, {0.0, 0.0}, t);
  const double unit = kDefault.clearance / kDefault.timeScale;  // m/s
  EXPECT_DOUBLE_EQ(dx[0], 0.3 / kDefault.timeScale);
  EXPECT_DOUBLE_EQ(dx[1], 0.4 / kDefault.timeScale);
  EXPECT_DOUBLE_EQ(dx[2] * unit, 2e-6 * omega * omega * std::cos(phi));
  EXPECT_DOUBLE_EQ(dx[3] * unit, 2e-6 * omega * omega * std::sin(phi) - 9.81);
}

TEST(Rotor, ReachesTheEndPositionOfTheNote) {
  const std::vector<double> x = RotorInBearing(kDefault).at(0.02, 4000);
  EXPECT_NEAR(x[0] * kDefault.clearance, -2.802079e-6, 0.5e-12);
  EXPECT_NEAR(x[1] * kDefault.clearance, -5.503472e-7, 0.5e-13);
}

TEST(Rotor, HasFiniteRatesAndRightForcesAtItsSingularities) {
  test::Largest largest;
  for (const double omega : {0.0, 1e-9, -0.5, 0.5, -200.0, 300.0}) {
    for (const Motion& m : {Motion{0.0, 0.0, 0.0, 0.0}, Motion{0.0, 0.0, 30.0, -40.0}, Motion{0.0, 0.0, -500.0, 0.0},
                            Motion{1e-12, -1e-12, 0.0, 7.0}, Motion{1e-7, 2e-7, 30.0, -40.0},
                            Motion{0.3, -0.4, 0.0, 0.0}, Motion{0.3, -0.4, 100.0, 20.0}}) {
      Rotor settings;
      settings.omega0 = omega;
      const RotorInBearing rotor(settings);
      const bool finite = areFinite(rotor.outputs(0.0, statesOf(m))) && areFinite(rotor.derivatives(0.0, statesOf(m)));
      EXPECT_TRUE(finite) << "omega = " << omega << ", x = " << m.x << ", vx = " << m.vx;
      largest.see(errorOfForce(m, omega));
    }
  }
  test::showAtMost(
      {"schmoll R57", "singularities", "rates finite, error of the force at eps = 0 and omega = 0 at most 1e-6"},
      largest, 1e-6);
}

RC_GTEST_PROP(Rotor, HasTheForceOfTheFilmEverywhere, ()) {
  const auto within = [](double reach) { return reach * *rc::gen::inRange(-1000, 1001) / 1000.0; };
  const double omega = within(1000.0);
  const Motion motion{within(0.6), within(0.6), within(500.0), within(500.0)};
  RC_ASSERT(errorOfForce(motion, omega) < 1e-4);
}

/// From rest in the middle, with the rotor at rest: both singularities at once, and later eps = 0 once more.
TEST(Rotor, RunsThroughItsSingularities) {
  Rotor settings;
  settings.x0 = settings.y0 = settings.omega0 = 0.0;
  const auto cartesian = [](double t, const std::vector<double>& x) {
    const double omega = 4e4 * t, phi = 2e4 * t * t, unit = kDefault.timeScale / kDefault.clearance;
    const Force film = cartesianForce({x[0], x[1], x[2] / kDefault.timeScale, x[3] / kDefault.timeScale}, omega, 400);
    const double centrifugal = kDefault.unbalance * omega * omega;
    return std::vector{x[2] / kDefault.timeScale, x[3] / kDefault.timeScale,
                       unit * (film.x / kDefault.mass + centrifugal * std::cos(phi)),
                       unit * (film.y / kDefault.mass + centrifugal * std::sin(phi) - kDefault.gravity)};
  };
  const std::vector<double> polar = RotorInBearing(settings).at(5e-3, 500);
  const std::vector<double> expected = test::integrated(cartesian, {0.0, 0.0, 0.0, 0.0}, 5e-3, 500);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(polar[i], expected[i], 1e-4 * std::fabs(expected[i])) << i;
}

}  // namespace
}  // namespace koppla::native
