#include "koppla/native/hinged_plate.hpp"

#include <cmath>

#include "koppla/native/detail/model.hpp"

namespace koppla::native {

namespace {

constexpr double kHighestDensity = 140.0;  // kg/m3, the one beyond which Jung's iteration does not converge

class PlateFlowModel final : public detail::StatelessModel {
 public:
  explicit PlateFlowModel(const PlateFlow& settings) : StatelessModel("plate-flow"), p_(settings) {
    using detail::Range;
    const subsystem::PortIndex phi = addInput({"phi", "rad", "angle of the plate"});
    addOutput({"m", "rad", "moment on the plate, divided by the stiffness of its spring"}, {phi});
    addParameter({"rho", "kg/m3", "density of the stream"}, p_.density, Range::notNegative);
    addParameter({"beta", "rad", "m at 140 kg/m3 where the plate stands across the stream"}, p_.beta,
                 Range::notNegative);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double B = p_.beta * p_.density / kHighestDensity;
    y[0] = B * (p_.rest == PlateRest::vertical ? std::cos(u[0]) : std::sin(u[0]));
  }

 private:
  PlateFlow p_;
};

class HingedPlateModel final : public detail::StatelessModel {
 public:
  explicit HingedPlateModel(const HingedPlate& settings) : StatelessModel("hinged-plate"), p_(settings) {
    const subsystem::PortIndex m = addInput({"m", "rad", "moment, divided by the stiffness of the spring"});
    addOutput({"phi", "rad", "angle of the plate"}, {m});
    addParameter({"phi0", "rad", "angle at rest"}, p_.restAngle);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    y[0] = u[0] + p_.restAngle;
  }

 private:
  HingedPlate p_;
};

}  // namespace

std::unique_ptr<solver::Equations> plateFlow(const PlateFlow& settings) {
  return std::make_unique<PlateFlowModel>(settings);
}

std::unique_ptr<solver::Equations> hingedPlate(const HingedPlate& settings) {
  return std::make_unique<HingedPlateModel>(settings);
}

}  // namespace koppla::native
