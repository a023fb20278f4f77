#include "koppla/native/linked_body.hpp"

#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native {

namespace {

class LinkedBodyModel final : public detail::MechanicalModel {
 public:
  explicit LinkedBodyModel(const LinkedBody& settings) : MechanicalModel("linked-body"), p_(settings) {
    using detail::Range;
    addInput({"x_partner", "m", "position of the partner"});
    addInput({"v_partner", "m/s", "velocity of the partner"});
    addOutput({"x", "m", "position"});
    addOutput({"v", "m/s", "velocity"});
    addParameter({"m", "kg", "mass"}, p_.m, Range::positive);
    addParameter({"c", "N/m", "stiffness to the ground"}, p_.c, Range::notNegative);
    addParameter({"d", "N.s/m", "damping to the ground"}, p_.d, Range::notNegative);
    addParameter({"ck", "N/m", "stiffness of the link"}, p_.ck, Range::notNegative);
    addParameter({"dk", "N.s/m", "damping of the link"}, p_.dk, Range::notNegative);
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"v0", "m/s", "velocity at the start"}, p_.v0);
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
    dx[1] = (-(p_.c + p_.ck) * x[0] - (p_.d + p_.dk) * x[1] + p_.ck * u[0] + p_.dk * u[1]) / p_.m;
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> /*u*/,
               std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[1];
  }

 private:
  LinkedBody p_;
};

}  // namespace

std::unique_ptr<solver::Equations> linkedBody(LinkedBody settings) {
  return std::make_unique<LinkedBodyModel>(settings);
}

}  // namespace koppla::native
