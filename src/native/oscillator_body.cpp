#include "koppla/native/oscillator_body.hpp"

#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native {

namespace {

class OscillatorBodyModel final : public detail::MechanicalModel {
 public:
  explicit OscillatorBodyModel(const OscillatorBody& settings) : MechanicalModel("oscillator-body"), p_(settings) {
    const subsystem::PortIndex f = addInput({"f", "N", "force on the body"});
    const subsystem::PortIndex x = addOutput({"x", "m", "position"});
    const subsystem::PortIndex v = addOutput({"v", "m/s", "velocity"});
    if (p_.acceleration) addOutput({"a", "m/s2", "acceleration"}, {f});
    addParameter({"m", "kg", "mass"}, p_.m, detail::Range::positive);
    addParameter({"c", "N/m", "stiffness to the ground"}, p_.c, detail::Range::notNegative);
    addParameter({"d", "N.s/m", "damping to the ground"}, p_.d, detail::Range::notNegative);
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"v0", "m/s", "velocity at the start"}, p_.v0);
    addMarker({"point", x, v, f});
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return 2; }

  void initialStates(std::span<double> x) const override {
    x[0] = p_.x0;
    x[1] = p_.v0;
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    dx[0] = x[1];
    dx[1] = acceleration(x, u);
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[1];
    if (p_.acceleration) y[2] = acceleration(x, u);
  }

 private:
  [[nodiscard]] double acceleration(std::span<const double> x, std::span<const double> u) const {
    return (-p_.c * x[0] - p_.d * x[1] + u[0]) / p_.m;
  }

  OscillatorBody p_;
};

}  // namespace

std::unique_ptr<solver::Equations> oscillatorBody(OscillatorBody settings) {
  return std::make_unique<OscillatorBodyModel>(settings);
}

}  // namespace koppla::native
