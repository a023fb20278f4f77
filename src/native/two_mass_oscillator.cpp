#include "koppla/native/two_mass_oscillator.hpp"

#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native {

namespace {

class TwoMassOscillatorModel final : public detail::MechanicalModel {
 public:
  explicit TwoMassOscillatorModel(const TwoMassOscillator& settings)
      : MechanicalModel("two-mass-oscillator"), p_(settings) {
    addOutput({"x1", "m", "position of mass 1"});
    addOutput({"v1", "m/s", "velocity of mass 1"});
    addOutput({"x2", "m", "position of mass 2"});
    addOutput({"v2", "m/s", "velocity of mass 2"});
    addOutput({"F", "N", "force of the link on mass 1"});
    addParameters();
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return 4; }

  void initialStates(std::span<double> x) const override {
    x[0] = p_.x10;
    x[1] = p_.x20;
    x[2] = p_.v10;
    x[3] = p_.v20;
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> /*u*/,
                   std::span<double> dx) const override {
    const double F = linkForce(x);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (-p_.c1 * x[0] - p_.d1 * x[2] + F) / p_.m1;
    dx[3] = (-p_.c2 * x[1] - p_.d2 * x[3] - F) / p_.m2;
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> /*u*/,
               std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[2];
    y[2] = x[1];
    y[3] = x[3];
    y[4] = linkForce(x);
  }

 private:
  void addParameters() {
    using detail::Range;
    addParameter({"m1", "kg", "mass 1"}, p_.m1, Range::positive);
    addParameter({"m2", "kg", "mass 2"}, p_.m2, Range::positive);
    addParameter({"c1", "N/m", "stiffness from mass 1 to the ground"}, p_.c1, Range::notNegative);
    addParameter({"c2", "N/m", "stiffness from mass 2 to the ground"}, p_.c2, Range::notNegative);
    addParameter({"ck", "N/m", "stiffness of the link"}, p_.ck, Range::notNegative);
    addParameter({"d1", "N.s/m", "damping from mass 1 to the ground"}, p_.d1, Range::notNegative);
    addParameter({"d2", "N.s/m", "damping from mass 2 to the ground"}, p_.d2, Range::notNegative);
    addParameter({"dk", "N.s/m", "damping of the link"}, p_.dk, Range::notNegative);
    addParameter({"x10", "m", "position of mass 1 at the start"}, p_.x10);
    addParameter({"x20", "m", "position of mass 2 at the start"}, p_.x20);
    addParameter({"v10", "m/s", "velocity of mass 1 at the start"}, p_.v10);
    addParameter({"v20", "m/s", "velocity of mass 2 at the start"}, p_.v20);
  }

  [[nodiscard]] double linkForce(std::span<const double> x) const {
    return p_.ck * (x[1] - x[0]) + p_.dk * (x[3] - x[2]);
  }

  TwoMassOscillator p_;
};

}  // namespace

TwoMassOscillator schmollTable21() {
  return {};
}

TwoMassOscillator schmollTable31() {
  return {.m1 = 1.0,
          .m2 = 1.0,
          .c1 = 1e4,
          .c2 = 2e5,
          .ck = 2e5,
          .d1 = 2.0,
          .d2 = 4.0,
          .dk = 4.0,
          .x10 = 1e-2,
          .x20 = 5e-3,
          .v10 = 0.0,
          .v20 = 0.0};
}

std::unique_ptr<solver::Equations> twoMassOscillator(TwoMassOscillator settings) {
  return std::make_unique<TwoMassOscillatorModel>(settings);
}

OscillatorBody firstBody(const TwoMassOscillator& whole) {
  return {.m = whole.m1, .c = whole.c1, .d = whole.d1, .x0 = whole.x10, .v0 = whole.v10};
}

OscillatorBody secondBody(const TwoMassOscillator& whole) {
  return {.m = whole.m2, .c = whole.c2, .d = whole.d2, .x0 = whole.x20, .v0 = whole.v20};
}

OscillatorWithLink secondWithLink(const TwoMassOscillator& whole) {
  return {
      .m = whole.m2, .c = whole.c2, .d = whole.d2, .ck = whole.ck, .dk = whole.dk, .x0 = whole.x20, .v0 = whole.v20};
}

LinkedBody firstLinked(const TwoMassOscillator& whole) {
  return {
      .m = whole.m1, .c = whole.c1, .d = whole.d1, .ck = whole.ck, .dk = whole.dk, .x0 = whole.x10, .v0 = whole.v10};
}

LinkedBody secondLinked(const TwoMassOscillator& whole) {
  return {
      .m = whole.m2, .c = whole.c2, .d = whole.d2, .ck = whole.ck, .dk = whole.dk, .x0 = whole.x20, .v0 = whole.v20};
}

}  // namespace koppla::native
