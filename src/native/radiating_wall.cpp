#include "koppla/native/radiating_wall.hpp"

#include <optional>
#include <vector>

#include "koppla/native/detail/interpolant.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/radiation.hpp"

namespace koppla::native {

namespace {

class WallConductionModel final : public detail::StatelessModel {
 public:
  explicit WallConductionModel(const WallConduction& settings) : StatelessModel("wall-conduction"), p_(settings) {
    using detail::Range;
    const subsystem::PortIndex q = addInput({"q", "W/m2", "heat that leaves at the free face"}, 50.0);
    addOutput({"T1", "degC", "temperature of the free face"}, {q});
    addParameter({"T0", "degC", "temperature of the face that is held"}, p_.heldTemperature);
    addParameter({"t", "m", "thickness of the wall"}, p_.thickness, Range::positive);
    addParameter({"lambda", "W/(m.K)", "conductivity"}, p_.conductivity, Range::positive);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    y[0] = p_.heldTemperature - u[0] * p_.thickness / p_.conductivity;
  }

 private:
  WallConduction p_;
};

std::optional<detail::Interpolant> emissivityOver(Emissivity emissivity) {
  const auto through = [](std::vector<double> celsius) {
    return detail::Interpolant("radiating-face", std::move(celsius), {0.8, 0.4, 0.7}, Interpolation::linear,
                               Extrapolation::hold);
  };
  switch (emissivity) {
    case Emissivity::constant:
      return std::nullopt;
    case Emissivity::a:
      return through({-200.0, 200.0, 300.0});
    case Emissivity::b:
      return through({0.0, 400.0, 600.0});
    case Emissivity::b480:
      return through({0.0, 400.0, 480.0});
  }
  return std::nullopt;
}

class RadiatingFaceModel final : public detail::StatelessModel {
 public:
  explicit RadiatingFaceModel(const RadiatingFace& settings)
      : StatelessModel("radiating-face"), p_(settings), emissivity_(emissivityOver(settings.emissivity)) {
    const subsystem::PortIndex temperature = addInput({"T1", "degC", "temperature of the face"});
    addOutput({"q", "W/m2", "heat that leaves"}, {temperature});
    if (!emissivity_) addParameter({"eps", "", "emissivity"}, p_.constantEmissivity, detail::Range::notNegative);
    addParameter({"T_U", "degC", "temperature of the surroundings"}, p_.surroundings);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double eps = emissivity_ ? (*emissivity_)(u[0]) : p_.constantEmissivity;
    y[0] = detail::kStefanBoltzmann * eps *
           (fourthPower(u[0] + detail::kZeroCelsius) - fourthPower(p_.surroundings + detail::kZeroCelsius));
  }

 private:
  static double fourthPower(double x) { return x * x * x * x; }

  RadiatingFace p_;
  std::optional<detail::Interpolant> emissivity_;
};

}  // namespace

std::unique_ptr<solver::Equations> wallConduction(const WallConduction& settings) {
  return std::make_unique<WallConductionModel>(settings);
}

std::unique_ptr<solver::Equations> radiatingFace(const RadiatingFace& settings) {
  return std::make_unique<RadiatingFaceModel>(settings);
}

}  // namespace koppla::native
