#include "koppla/native/curve.hpp"

#include "koppla/core/error.hpp"
#include "koppla/native/detail/interpolant.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/names.hpp"

namespace koppla::native {

namespace {

constexpr const char* kModel = "curve";

class CurveModel final : public detail::StatelessModel {
 public:
  explicit CurveModel(const Curve& settings)
      : StatelessModel(kModel), f_(kModel, settings.u, settings.y, settings.interpolation, settings.extrapolation) {
    if (auto problems = detail::nameProblems(kModel, {settings.input, settings.output}); !problems.empty())
      throw core::InputError(std::move(problems));
    const subsystem::PortIndex u = addInput({settings.input, settings.inputUnit, ""});
    addOutput({settings.output, settings.outputUnit, ""}, {u});
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    y[0] = f_(u[0]);
  }

 private:
  detail::Interpolant f_;
};

}  // namespace

std::unique_ptr<solver::Equations> curve(const Curve& settings) {
  return std::make_unique<CurveModel>(settings);
}

}  // namespace koppla::native
