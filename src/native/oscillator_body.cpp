#include "koppla/native/oscillator_body.hpp"

#include <optional>

#include "koppla/native/detail/one_body.hpp"

namespace koppla::native {

namespace {

class OscillatorBodyModel final : public detail::OneBody<OscillatorBody> {
 public:
  explicit OscillatorBodyModel(const OscillatorBody& settings) : OneBody("oscillator-body", settings) {
    const subsystem::PortIndex f = addInput({"f", "N", "force on the body"});
    std::optional<subsystem::PortIndex> w;
    if (p_.projection) w = addInput({"w", "m/s", "moves the body without being its velocity"});
    const subsystem::PortIndex x = addOutput({"x", "m", "position"});
    const subsystem::PortIndex v = addOutput({"v", "m/s", "velocity"});
    std::optional<subsystem::PortIndex> a;
    if (p_.acceleration) a = addOutput({"a", "m/s2", "acceleration"}, {f});
    addBodyParameters();
    addMarker({"point", x, v, f, a, w});
    complete();
  }

  [[nodiscard]] bool secondOrder() const override { return !p_.projection; }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[1];
    if (p_.acceleration) y[2] = acceleration(x, u);
  }

 private:
  [[nodiscard]] double projection(std::span<const double> u) const override { return p_.projection ? u[1] : 0.0; }
  [[nodiscard]] double acceleration(std::span<const double> x, std::span<const double> u) const override {
    return (-p_.c * x[0] - p_.d * x[1] + u[0]) / p_.m;
  }
};

}  // namespace

std::unique_ptr<solver::Equations> oscillatorBody(OscillatorBody settings) {
  return std::make_unique<OscillatorBodyModel>(settings);
}

}  // namespace koppla::native
