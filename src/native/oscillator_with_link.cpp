#include "koppla/native/oscillator_with_link.hpp"

#include "koppla/native/detail/one_body.hpp"

namespace koppla::native {

namespace {

class OscillatorWithLinkModel final : public detail::OneBody<OscillatorWithLink> {
 public:
  explicit OscillatorWithLinkModel(const OscillatorWithLink& settings) : OneBody("oscillator-with-link", settings) {
    std::vector<subsystem::PortIndex> motion{addInput({"x1", "m", "position of the partner"}),
                                             addInput({"v1", "m/s", "velocity of the partner"})};
    if (p_.nodeInertia) motion.push_back(addInput({"a1", "m/s2", "acceleration of the partner"}));
    addOutput({"f", "N", "force on the partner"}, motion);
    addOutput({"x", "m", "position"});
    addOutput({"v", "m/s", "velocity"});
    addParameters();
    complete();
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    y[0] = linkForce(x, u);
    if (p_.nodeInertia) y[0] -= p_.nodeMass * u[2];
    y[1] = x[0];
    y[2] = x[1];
  }

 private:
  [[nodiscard]] double acceleration(std::span<const double> x, std::span<const double> u) const override {
    return (-p_.c * x[0] - p_.d * x[1] - linkForce(x, u)) / p_.m;
  }

  void addParameters() {
    addBodyParameters();
    if (p_.nodeInertia)
      addParameter({"node_mass", "kg", "mass at the partner"}, p_.nodeMass, detail::Range::notNegative);
  }

  [[nodiscard]] double linkForce(std::span<const double> x, std::span<const double> u) const {
    return p_.ck * (x[0] - u[0]) + p_.dk * (x[1] - u[1]);
  }
};

}  // namespace

std::unique_ptr<solver::Equations> oscillatorWithLink(OscillatorWithLink settings) {
  return std::make_unique<OscillatorWithLinkModel>(settings);
}

}  // namespace koppla::native
