#include "koppla/native/nonlinear_oscillator.hpp"

#include <cmath>

#include "koppla/native/detail/model.hpp"

namespace koppla::native {

namespace {

using detail::Range;
using subsystem::PortIndex;

class NonlinearOscillatorModel final : public detail::Model {
 public:
  explicit NonlinearOscillatorModel(const NonlinearOscillator& settings) : Model("nonlinear-oscillator"), p_(settings) {
    const PortIndex f = addInput({"f", "N", "force on the body"});
    const PortIndex x = addOutput({"x", "m", "position"});
    const PortIndex v = addOutput({"v", "m/s", "velocity"});
    addParameter({"m", "kg", "mass"}, p_.m, Range::positive);
    addParameter({"c", "N/m4", "stiffness to the ground"}, p_.c, Range::notNegative);
    addParameter({"d", "N.s2/m2", "damping to the ground"}, p_.d, Range::notNegative);
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"v0", "m/s", "velocity at the start"}, p_.v0);
    addMarker({"point", x, v, f, {}, {}});
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return 2; }
  [[nodiscard]] bool secondOrder() const override { return true; }

  void initialStates(std::span<double> x) const override {
    x[0] = p_.x0;
    x[1] = p_.v0;
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    dx[0] = x[1];
    dx[1] = (-p_.c * std::fabs(x[0]) * x[0] * x[0] * x[0] - p_.d * std::fabs(x[1]) * x[1] + u[0]) / p_.m;
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> /*u*/,
               std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[1];
  }

 private:
  NonlinearOscillator p_;
};

class HardeningSpringModel final : public detail::StatelessModel {
 public:
  explicit HardeningSpringModel(const HardeningSpring& settings) : StatelessModel("hardening-spring"), p_(settings) {
    const PortIndex x = addInput({"x", "m", "elongation"});
    const PortIndex v = addInput({"v", "m/s", "rate of the elongation"});
    addOutput({"f", "N", "force on the body that moves it"}, {x, v});
    addParameter({"c", "N", "stiffness, divided by alpha"}, p_.c, Range::notNegative);
    addParameter({"alpha", "1/m", "growth of the force"}, p_.alpha, Range::notNegative);
    addParameter({"d", "N.s3/m3", "damping"}, p_.d, Range::notNegative);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double x = u[0], v = u[1];
    y[0] = -p_.c * std::copysign(std::expm1(p_.alpha * std::fabs(x)), x) - p_.d * v * v * v;
  }

 private:
  HardeningSpring p_;
};

}  // namespace

std::unique_ptr<solver::Equations> nonlinearOscillator(const NonlinearOscillator& settings) {
  return std::make_unique<NonlinearOscillatorModel>(settings);
}

std::unique_ptr<solver::Equations> hardeningSpring(const HardeningSpring& settings) {
  return std::make_unique<HardeningSpringModel>(settings);
}

}  // namespace koppla::native
