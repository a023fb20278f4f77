#include "koppla/native/oscillator_with_link.hpp"

#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native {

namespace {

class OscillatorWithLinkModel final : public detail::MechanicalModel {
 public:
  explicit OscillatorWithLinkModel(const OscillatorWithLink& settings)
      : MechanicalModel("oscillator-with-link"), p_(settings) {
    std::vector<subsystem::PortIndex> motion{addInput({"x1", "m", "position of the partner"}),
                                             addInput({"v1", "m/s", "velocity of the partner"})};
    if (p_.nodeInertia) motion.push_back(addInput({"a1", "m/s2", "acceleration of the partner"}));
    addOutput({"f", "N", "force on the partner"}, motion);
    addOutput({"x", "m", "position"});
    addOutput({"v", "m/s", "velocity"});
    addParameters();
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
    dx[1] = (-p_.c * x[0] - p_.d * x[1] - linkForce(x, u)) / p_.m;
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    y[0] = linkForce(x, u);
    if (p_.nodeInertia) y[0] -= p_.nodeMass * u[2];
    y[1] = x[0];
    y[2] = x[1];
  }

 private:
  void addParameters() {
    using detail::Range;
    addParameter({"m", "kg", "mass"}, p_.m, Range::positive);
    addParameter({"c", "N/m", "stiffness to the ground"}, p_.c, Range::notNegative);
    addParameter({"d", "N.s/m", "damping to the ground"}, p_.d, Range::notNegative);
    addParameter({"ck", "N/m", "stiffness of the link"}, p_.ck, Range::notNegative);
    addParameter({"dk", "N.s/m", "damping of the link"}, p_.dk, Range::notNegative);
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"v0", "m/s", "velocity at the start"}, p_.v0);
    if (p_.nodeInertia) addParameter({"node_mass", "kg", "mass at the partner"}, p_.nodeMass, Range::notNegative);
  }

  [[nodiscard]] double linkForce(std::span<const double> x, std::span<const double> u) const {
    return p_.ck * (x[0] - u[0]) + p_.dk * (x[1] - u[1]);
  }

  OscillatorWithLink p_;
};

}  // namespace

std::unique_ptr<solver::Equations> oscillatorWithLink(OscillatorWithLink settings) {
  return std::make_unique<OscillatorWithLinkModel>(settings);
}

}  // namespace koppla::native
