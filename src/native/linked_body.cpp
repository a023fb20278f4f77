#include "koppla/native/linked_body.hpp"

#include "koppla/native/detail/one_body.hpp"

namespace koppla::native {

namespace {

class LinkedBodyModel final : public detail::OneBody<LinkedBody> {
 public:
  explicit LinkedBodyModel(const LinkedBody& settings) : OneBody("linked-body", settings) {
    addInput({"x_partner", "m", "position of the partner"});
    addInput({"v_partner", "m/s", "velocity of the partner"});
    addOutput({"x", "m", "position"});
    addOutput({"v", "m/s", "velocity"});
    addBodyParameters();
    complete();
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> /*u*/,
               std::span<double> y) const override {
    y[0] = x[0];
    y[1] = x[1];
  }

 private:
  [[nodiscard]] double acceleration(std::span<const double> x, std::span<const double> u) const override {
    return (-(p_.c + p_.ck) * x[0] - (p_.d + p_.dk) * x[1] + p_.ck * u[0] + p_.dk * u[1]) / p_.m;
  }
};

}  // namespace

std::unique_ptr<solver::Equations> linkedBody(LinkedBody settings) {
  return std::make_unique<LinkedBodyModel>(settings);
}

}  // namespace koppla::native
