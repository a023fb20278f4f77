#include "oscillator.hpp"

#include <cmath>
#include <numbers>

#include "koppla/native/linked_body.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/force_law.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::test {

using std::numbers::pi;

namespace {

constexpr double kOuter = 4.0 * pi * pi;    // N/m
constexpr double kMiddle = 16.0 * pi * pi;  // N/m

}  // namespace

coupling::System partitionedOscillator(const solver::IntegratorSettings& integrator) {
  coupling::System system;
  for (const double x0 : {1.0, 0.0}) {
    const native::LinkedBody body{.m = 1.0, .c = kOuter, .d = 0.0, .ck = kMiddle, .dk = 0.0, .x0 = x0};
    const std::string name = system.members.empty() ? "m1" : "m2";
    system.members.push_back({name, solver::integrate(native::linkedBody(body), integrator), {}});
  }
  connect(system, {{"m1.x", "m2.x_partner"}, {"m2.x", "m1.x_partner"}});
  system.order = {0, 1};
  return system;
}

coupling::System oscillatorWithSpring(const solver::IntegratorSettings& integrator) {
  coupling::System system;
  for (const double x0 : {1.0, 0.0}) {
    const native::OscillatorBody body{.m = 1.0, .c = kOuter, .d = 0.0, .x0 = x0};
    const std::string name = system.members.empty() ? "m1" : "m2";
    system.members.push_back({name, solver::integrate(native::oscillatorBody(body), integrator), {}});
  }
  auto spring = subsystem::evaluateInCoupling(std::make_shared<subsystem::SpringDamper>(kMiddle, 0.0));
  system.members.push_back({"spring", std::move(spring), {}});
  connect(system,
          {{"m1.x", "spring.x1"}, {"m2.x", "spring.x2"}, {"spring.force", "m1.f"}, {"spring.force", "m2.f", -1.0}});
  system.order = {0, 1, 2};
  return system;
}

double exactPosition(double t) {
  return 0.5 * (std::cos(2.0 * pi * t) + std::cos(6.0 * pi * t));
}

}  // namespace koppla::test
